"""Which references are approved: stated by an entry as a commit holds it, not only in a file being edited."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.lang.lower import read
from vault.service.runtime.citations import cited
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


@dataclass(slots=True)
class CommittedReferences:
    """Looks at HEAD, once for each file."""

    vault: "VaultHandle"
    _stated: dict[str, frozenset[tuple[str, str]] | None] = field(default_factory=dict)

    def states(self, stored: Stored, target: str) -> bool:
        """Say whether an entry names `target` at HEAD."""
        path = stored.entry.path
        if path not in self._stated:
            self._stated[path] = self._at_head(path)
        stated = self._stated[path]
        if stated is None:
            return any(reference.key == target for _, reference in stored.entry.references())
        return (stored.entry.key, target) in stated

    def _at_head(self, path: str) -> frozenset[tuple[str, str]] | None:
        """The references of a file at HEAD, as (entry, what it names); None where it is as HEAD holds it."""
        with suppress(VaultError):
            if cited(self.vault, [path])[path] != "worktree":
                return None
            repository = self.vault.repository
            head = repository.head() if repository else None
            blob = repository.entry_at(head, path) if repository and head else None
            if repository and blob:
                text = repository.read_blob(blob).decode("utf-8-sig", "replace")
                found = read(text, path).entries
                return frozenset((entry.key, ref.key) for entry in found for _, ref in entry.references())
        return frozenset()
