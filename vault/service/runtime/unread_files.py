"""Files that one could take for a part of the vault and that are not read: ignored, left out, or out of place."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault.model.access import GLOBAL
from vault.model.settings import SETTINGS_FILE
from vault.store.scan import SKIPPED, scan

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: The codes of files that hold entries nobody can read.
UNREAD = ("bad-name", "inside-link", "outside-link", "too-large", "unreadable")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A `.firm` file that git ignores, and the line that says so; `shared` rules stand in the repository."""

    path: str
    rule: Path
    line: int
    shared: bool


def hidden_files(vault: "VaultHandle") -> Iterator[Hidden]:
    """Find the `.firm` files in the vault's folders that git ignores, as far as the reader may know of them."""
    exclusions = vault.exclusions()
    for path in scan(vault.root, vault.layout.folders, None).files:
        if vault.layout.kind(path) not in ("firm", "schema") or not vault.shows(path):
            continue
        pattern = exclusions.pattern(path)
        if pattern is not None:
            yield Hidden(path, pattern.file, pattern.number, not exclusions.is_outside(pattern))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file of the vault whose entries are not read, and why."""

    path: str
    why: str


def left_out(vault: "VaultHandle") -> list[LeftOut]:
    """The files in the reader's scopes whose entries are not read."""
    vault.refresh()
    scopes = (None, *vault.view().scopes)
    found = [*vault.refreshed.findings(), *vault.catalog.diagnostics()]
    return [
        LeftOut(item.span.path, item.message if item.span.path in item.message else f"{item.span.path}: {item.message}")
        for item in found
        if item.code in UNREAD and vault.layout.scope(item.span.path) in scopes
    ]


def misplaced(vault: "VaultHandle") -> list[str]:
    """The `.firm` files in the vault's folder that stand in none of its scopes, so that no command reads them."""
    if vault.layout.workspace:
        return []
    own = {*vault.layout.places, *SKIPPED}
    names = sorted(path.name for path in vault.root.iterdir() if path.name not in own and path.name != SETTINGS_FILE)
    found = scan(vault.root, names, vault.exclusions())
    loose = vault.scanned().listings.get("spaces")  # beside the folders of spaces
    paths = [*found.files, *(f"spaces/{name}" for name in (loose.names if loose else ()))]
    return sorted(path for path in paths if path.endswith(".firm"))


def undeclared(vault: "VaultHandle") -> int:
    """How many folders in `spaces/` no setting declares; they are private, so an answer gives no name."""
    return len(vault.present_scopes() - vault.layout.settings.spaces.keys() - {GLOBAL})
