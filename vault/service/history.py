"""History as a reader may see it."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.model.keys import split_key
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.vault import Vault
    from vault.store.git import LogRecord

Touches = Callable[[str], bool]


def log(vault: "Vault", words: str | None, *, limit: int | None) -> "list[LogRecord]":
    """The commits that changed the vault (or one entry), newest first, as far as the reader may see.

    A commit that touches a private space the reader is outside of is left out whole. An entry that is
    gone is found by its key or id. Raises `NotFound` for words that name nothing, now or before.
    """
    touches = _touches(vault, words) if words else None
    found: list[LogRecord] = []
    for record in vault.git().log():
        if limit is not None and len(found) >= limit:
            break
        paths = [change.path for change in record.changes]
        if all(map(vault.shows, paths)) and (touches is None or any(map(touches, paths))):
            found.append(record)
    if words and not found and not vault.snapshot().by_key(words):
        vault.get(words)
    return found


def _touches(vault: "Vault", words: str) -> Touches:
    """Make the test for paths that hold an entry: where it stands, or by name where it is gone."""
    try:
        stored = vault.get(words)
    except NotFound:
        return _named(words)
    own = {stored.entry.path, stored.text_file}
    return lambda path: path in own


def _named(words: str) -> Touches:
    """The test for the files an entry of this key or id would have."""
    kind, ident = split_key(words) or ("", words)

    def touches(path: str) -> bool:
        place = PurePosixPath(path)
        return place.stem == ident and place.suffix in (".firm", ".md") and (not kind or place.parent.name == kind)

    return touches
