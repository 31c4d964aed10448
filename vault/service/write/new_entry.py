"""Where a new entry may be written: its id, its key, and the files in its way."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.model.keys import is_identifier, is_reserved, make_id
from vault.service.write.sidecars import sidecar_path
from vault.store.files import safe_join

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class BadId(UsageError):
    """An id that is not one, or that no file can be named by everywhere."""

    code = "bad-id"

    def __init__(self, ident: str, why: str) -> None:
        made = make_id(ident)
        hint = f"`{made}` would do" if made and made != ident else "name another id"
        super().__init__(f"`{ident}` cannot be an id: {why}", hint=hint, details={"id": ident})


class AlreadyThere(VaultError):
    """An entry of the same type and id in the scope that a new one was to be written in."""

    code = "already-there"

    def __init__(self, key: str, path: str) -> None:
        super().__init__(
            f"`{key}` already exists in {path}",
            hint=f"change it with `vault set {key} field=value`, or choose another id",
            details={"key": key, "path": path},
        )


class PathTaken(VaultError):
    """A file in the way of one that was to be written; `keys` are the entries that it holds."""

    code = "path-taken"

    def __init__(self, path: str, keys: Sequence[str]) -> None:
        content = f"it holds {', '.join(f'`{key}`' for key in keys)}" if keys else "it holds no entry"
        super().__init__(
            f"the file {path} already exists: {content}",
            hint="choose another id, or rename that file",
            details={"path": path, "entries": list(keys)},
        )


def checked_id(ident: str) -> str:
    """Return the id if a file can be named by it; raises `BadId`."""
    if not is_identifier(ident):
        raise BadId(ident, "use ASCII letters, digits and `_`; it cannot start with a digit")
    if is_reserved(ident):
        raise BadId(ident, "Windows keeps this file name for itself")
    if len(ident) > 200:  # noqa: PLR2004  file systems allow 255 bytes with `.firm`
        raise BadId(ident, "it is longer than a file name may be")
    return ident


def obstacle(vault: "VaultHandle", key: str, path: str) -> AlreadyThere | PathTaken | None:
    """What keeps a new entry from being written at a path: an entry of its key in this scope, or a file."""
    if declared := _declared(vault, key):
        return declared
    if vault.layout.workspace:
        return None
    own = (path, sidecar_path(path))
    place = next((place for place in own if os.path.lexists(safe_join(vault.root, place))), None)
    return PathTaken(place, entries_in(vault, place)) if place else None


def _declared(vault: "VaultHandle", key: str) -> AlreadyThere | None:
    """The entry of a key in the writer's scope; case makes no difference to file systems."""
    place = vault.catalog.place_of(key, vault.scope)
    return AlreadyThere(*place) if place else None


def entries_in(vault: "VaultHandle", path: str) -> list[str]:
    """The keys of the entries that a file declares, or whose text it holds."""
    return vault.catalog.keys_of(path) or vault.catalog.owners_of(path)


def make_sure_free(vault: "VaultHandle", key: str, path: str) -> None:
    """Raise `AlreadyThere` or `PathTaken` if an entry cannot be written in the writer's scope."""
    if found := obstacle(vault, key, path):
        raise found


def make_sure_undeclared(vault: "VaultHandle", key: str) -> None:
    """Raise `AlreadyThere` if the writer's scope has an entry of a key."""
    if found := _declared(vault, key):
        raise found
