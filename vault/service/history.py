"""History as a reader may see it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault.model.keys import split_key
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.vault import Vault
    from vault.store.git import LogRecord


def log(vault: "Vault", words: str | None, *, limit: int | None) -> "list[LogRecord]":
    """The commits that changed the vault (or one entry), newest first, as far as the reader may see.

    A commit that touches a private space the reader is outside of is left out whole.
    """
    repository = vault.git()
    paths = _paths(vault, words) if words else None
    found: list[LogRecord] = []
    for record in repository.log(paths):
        if limit is not None and len(found) >= limit:
            break
        if not _hidden(vault, record):
            found.append(record)
    if words and not found:
        snapshot = vault.snapshot()
        if not snapshot.by_key(words) and not any(True for _ in _named(vault, words)):
            raise NotFound(words, snapshot.near(words))
    return found


def _hidden(vault: "Vault", record: "LogRecord") -> bool:
    return not all(vault.shows(change.path) for change in record.changes)


def _paths(vault: "Vault", words: str) -> list[str]:
    """The files an entry stands in; for one that is gone, where it would stand."""
    snapshot = vault.snapshot()
    named = list(_named(vault, words))
    try:
        stored = snapshot.resolve(words)
    except NotFound:
        if named:
            return named
        raise
    own = [stored.entry.path, *([stored.text_file] if stored.text_file else [])]
    return list(dict.fromkeys([*own, *named]))


def _named(vault: "Vault", words: str) -> Iterator[str]:
    """The paths that a key would have in the scopes the reader sees."""
    key = split_key(words)
    if key is None or vault.repository is None:
        return
    head = vault.repository.head()
    for scope in dict.fromkeys((vault.scope, "global")):
        path = vault.layout.entry_path(*key, scope)
        if (vault.root / path).exists() or (head and _ever(vault, path)):
            yield path


def _ever(vault: "Vault", path: str) -> bool:
    return any(True for _ in vault.git().log([path], limit=1))
