"""Reading one entry in full, and the state of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.service.committing import is_content
from vault.store.files import read_bytes
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.service.vault import Vault
    from vault.store.git import Change


@dataclass(frozen=True, slots=True)
class Detail:
    """An entry with all around it; `commit` is the one that holds it, or `worktree`."""

    stored: Stored
    source: str
    text: str | None
    commit: str
    referrers: Sequence[tuple[str, Stored]]
    shadows: Sequence[Stored]


def detail(vault: "Vault", words: str) -> Detail:
    """Find an entry and what is around it."""
    snapshot = vault.snapshot()
    stored = snapshot.resolve(words)
    path = stored.entry.path
    return Detail(
        stored,
        read_bytes(vault.root, path).decode("utf-8", "replace"),
        vault.text_of(stored),
        vault.cited([path])[path],
        snapshot.referrers(stored.entry.key),
        snapshot.hidden_by(stored) if vault.reader.space else [],
    )


@dataclass(frozen=True, slots=True)
class Status:
    """How the vault is: git's branch and head, what is not committed, and what a check finds."""

    branch: str | None
    head: str | None
    changes: "Sequence[Change]"
    entries: int
    errors: int
    warnings: int


def status(vault: "Vault") -> Status:
    """Look at the vault; changes in private spaces show from inside them alone."""
    found = vault.findings()
    snapshot = vault.snapshot()
    repository = vault.repository
    changes = [change for change in repository.status() if is_content(vault, change.path)] if repository else []
    changes = [change for change in changes if vault.shows(change.path)]
    return Status(
        repository.branch() if repository else None,
        repository.head() if repository else None,
        changes,
        snapshot.count(),
        sum(item.severity == "error" for item in found),
        sum(item.severity == "warning" for item in found),
    )
