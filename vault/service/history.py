"""History as a reader may see it."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.keys import split_key
from vault.store.files import read_bytes
from vault.workspace.describe import EntryChange, FileChange, entry_changes
from vault.workspace.refresh import blob_of
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.vault import Vault
    from vault.store.git import LogRecord, PathChange


def log(vault: "Vault", words: str | None, *, limit: int | None) -> "list[LogRecord]":
    """The commits that changed the vault (or one entry), newest first, as far as the reader may see.

    A commit that touches a private space the reader is outside of is left out whole. An entry is
    followed from file to file; one that is gone is found by its key or id. Raises `NotFound` for words
    that name nothing, now or before.
    """
    follow = _Follower(vault, words) if words else None
    found: list[LogRecord] = []
    for record in vault.git().log():
        if limit is not None and len(found) >= limit:
            break
        if all(vault.shows(change.path) for change in record.changes) and (follow is None or follow.touches(record)):
            found.append(record)
    if words and not found and not vault.snapshot().by_key(words):
        vault.get(words)
    return found


class _Follower:
    """Says which commits, read newest first, changed one entry, wherever it stood then."""

    def __init__(self, vault: "Vault", words: str) -> None:
        self.vault = vault
        self.paths: set[str] = set()
        self.key: str | None = None
        self.named = split_key(words) or ("", words)
        with suppress(NotFound):
            stored = vault.get(words)
            self.key = stored.entry.key
            self.paths = {stored.entry.path, *([stored.text_file] if stored.text_file else [])}

    def touches(self, record: "LogRecord") -> bool:
        """Say whether a commit changed the entry; from one that moved it on, its former file is followed."""
        if not self.paths:
            self.paths = {change.path for change in record.changes if self._could_be(change.path)}
        own = [change for change in record.changes if change.path in self.paths]
        if not own:
            return False
        if any(change.kind == "added" for change in own):
            own += [change for change in record.changes if change.kind != "added" and change not in own]
        changes = entry_changes(self._texts(change) for change in own)
        mine = [change for change in changes if change.key == self.key or (self.key is None and self._is_named(change))]
        for change in mine:
            self.key = change.key
            self.paths |= {entry.path for entry in (change.before, change.after) if entry}
        beside = any(change.path in self.paths and not change.path.endswith(".firm") for change in own)
        return bool(mine) or beside or not changes  # a commit of comments and layout alone is the file's

    def _could_be(self, path: str) -> bool:
        """Whether an entry of the words' key or id would be kept at a path."""
        kind, ident = self.named
        place = PurePosixPath(path)
        return place.stem == ident and place.suffix in (".firm", ".md") and (not kind or place.parent.name == kind)

    def _is_named(self, change: EntryChange) -> bool:
        kind, ident = self.named
        return change.key == f"{kind}.{ident}" if kind else change.key.endswith(f".{ident}")

    def _texts(self, change: "PathChange") -> FileChange:
        def text(blob: str | None) -> str | None:
            return None if blob is None else self.vault.git().read_blob(blob).decode("utf-8", "replace")

        return FileChange(change.path, text(change.old), text(change.new))


def cited(vault: "Vault", paths: Sequence[str]) -> dict[str, str]:
    """For each path the commit whose content its file holds: HEAD's short id, else `worktree`."""
    repository = vault.repository
    head = repository.head() if repository else None
    found = {}
    for path in dict.fromkeys(paths):
        found[path] = "worktree"
        if repository and head:
            with suppress(VaultError):
                blob = repository.entry_at(head, path)
                if blob is not None and blob in _blobs(read_bytes(vault.root, path)):
                    found[path] = head[:10]
    return found


def _blobs(data: bytes) -> tuple[str, str]:
    """The blob ids git may keep a file under: its bytes, or those with line ends made plain."""
    return blob_of(data), blob_of(data.replace(b"\r\n", b"\n"))
