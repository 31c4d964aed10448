"""Writing loose objects as git does: under a temporary name, then under their own."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from dulwich.file import adjust_shared_perm
from dulwich.object_store import DiskObjectStore
from dulwich.objects import ShaFile

from vault.store.files import sync_folder, write_synced

#: How git names objects that are not whole yet; `git gc` removes those that a killed writer left.
_TEMPORARY = "tmp_obj_"
_MODE = 0o444


def write_loose(store: DiskObjectStore, objects: Iterable[ShaFile]) -> None:
    """Write objects that the store does not hold yet. Raises `OSError`."""
    folders = set()
    for each in objects:
        ident = each.id.decode()
        place = Path(store.path) / ident[:2] / ident[2:]
        if not _refresh(place):
            _write(store, place, each.as_legacy_object(store.loose_compression_level))
            folders.add(place.parent)
    for folder in folders:
        sync_folder(folder)


def _refresh(place: Path) -> bool:
    """Make an object that is there new again, so that no `git gc` removes it as unused; False if it is not there."""
    try:
        os.utime(place)
    except (FileNotFoundError, PermissionError):
        return False
    return place.stat().st_size > 0


def _write(store: DiskObjectStore, place: Path, data: bytes) -> None:
    if not place.parent.is_dir():
        place.parent.mkdir(exist_ok=True)
        adjust_shared_perm(place.parent, store.shared_perm)
    draft = place.with_name(f"{_TEMPORARY}{secrets.token_hex(6)}")
    try:
        write_synced(draft, data, mode=_MODE)
        adjust_shared_perm(draft, store.shared_perm)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
