"""The canonical layout of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.lang.format import format_text
from vault.lang.lower import read, syntax_errors
from vault.lang.order import orders_of
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import Landed
from vault.service.write.atomic_write import put
from vault.store.files import read_bytes
from vault.store.journal import FileWrite
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


@dataclass(frozen=True, slots=True)
class Formatted:
    """A file whose layout differs from the canonical one."""

    path: str
    before: str
    after: str


def unformatted(vault: "VaultHandle", paths: Sequence[str]) -> tuple[list[Formatted], list[Diagnostic]]:
    """The files not in canonical layout, and what keeps some files from being read."""
    orders = orders_of(vault.schemas())
    found: list[Formatted] = []
    problems: list[Diagnostic] = []
    for path in paths:
        text, wrong = decode(read_bytes(vault.root, path), path)
        wrong = [*wrong, *syntax_errors(read(text, path).diagnostics)]
        problems += wrong
        formatted = text if wrong else format_text(text, orders)
        if formatted != text:
            found.append(Formatted(path, text, formatted))
    return found, problems


def rewrite(vault: "VaultHandle", files: Sequence[Formatted], options: CommitOptions | None = None) -> Landed:
    """Put files into their canonical layout."""
    writes = [FileWrite(file.path, file.before.encode(), file.after.encode()) for file in files]
    return put(vault, writes, options)
