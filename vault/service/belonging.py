"""Files that would belong to the vault if a rule of git did not leave them out."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault.store.scan import scan

if TYPE_CHECKING:
    from vault.service.core import Core


@dataclass(frozen=True, slots=True)
class Hidden:
    """A `.firm` file that git ignores, and the line that says so; `shared` rules stand in the repository."""

    path: str
    rule: Path
    line: int
    shared: bool


def hidden_files(vault: "Core") -> Iterator[Hidden]:
    """Find the `.firm` files in the vault's folders that git ignores, as far as the reader may know of them."""
    exclusions = vault.exclusions()
    for path in scan(vault.root, vault.layout.folders, None).files:
        if vault.layout.kind(path) not in ("firm", "schema") or not vault.shows(path):
            continue
        pattern = exclusions.pattern(path)
        if pattern is not None:
            yield Hidden(path, pattern.file, pattern.number, not exclusions.is_outside(pattern))
