"""Making a commit visible: the index brought in step, then the branch moved.

Both steps bear being repeated, so that a commit cut short can be finished from its record.
"""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from vault.store.files import WriteFailed, sync_folder, write_synced
from vault.store.git.config import Settings
from vault.store.git.convert import Conversion
from vault.store.git.gitindex import EXECUTABLE, GITLINK, SYMLINK, GitIndex, IndexEntry, pack_stat
from vault.store.git.lock import index_lock, scratch
from vault.store.git.log import History
from vault.store.git.objects import Edits, blob_id
from vault.store.git.place import Place, decode, encode
from vault.store.git.refs import ZERO, RefMoved, append_reflog, ref_lock, set_ref

_SIZE = slice(36, 40)


@dataclass(frozen=True, slots=True)
class Publication:
    """A commit that is written but not yet reached by its branch, and the index edits it comes with."""

    commit: str
    ref: str
    old: str | None
    edits: Edits
    reflog: str
    token: str

    def to_record(self) -> dict[str, object]:
        """Return the publication as plain data."""
        return {
            "commit": self.commit,
            "ref": self.ref,
            "old": self.old,
            "edits": [[decode(path), *(leaf or (0, ""))] for path, leaf in self.edits.items()],
            "reflog": self.reflog,
            "token": self.token,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read a publication back."""
        edits: Edits = {encode(path): (mode, ident) if ident else None for path, mode, ident in record["edits"]}
        names = ("commit", "ref", "old", "reflog", "token")
        return cls(**{name: record[name] for name in names}, edits=edits)


def publish_record(place: Place, record: Mapping[str, object]) -> bool:
    """Finish publishing a commit after a crash; the caller holds the vault's lock.

    Returns False where the branch has moved on without the commit: the files then stay as changes that
    are not committed.
    """
    publication = Publication.from_record(record)
    with index_lock(place.git_dir, place.root, secrets.token_hex(16)):
        try:
            publish(place, publication, place.settings())
        except RefMoved:
            current = place.ref_value(publication.ref)
            return current is not None and publication.commit in History(place).reachable(current)
    return True


def publish(place: Place, publication: Publication, settings: Settings) -> None:
    """Write the index, then move the branch; the caller holds `index.lock`.

    Raises `RefMoved` with nothing changed if the branch is not where the commit was made from.
    """
    current = place.ref_value(publication.ref)
    if current != publication.commit:
        if current != publication.old:
            raise RefMoved(publication.ref)
        with ref_lock(place, publication.ref, publication.commit) as lock:
            if place.ref_value(publication.ref) != publication.old:
                raise RefMoved(publication.ref)
            with _kept_index(place):
                update_index(place, publication.edits, settings)
                _note_move(place, publication, settings)
                set_ref(lock)
    else:
        _note_move(place, publication, settings)


def _note_move(place: Place, publication: Publication, settings: Settings) -> None:
    old = publication.old or ZERO
    append_reflog(place, settings, publication.ref, f"{old} {publication.commit} {publication.reflog}\n")


@contextmanager
def _kept_index(place: Place) -> Iterator[None]:
    """Put the index back as it was if the branch does not move."""
    kept = scratch(place.git_dir)
    existed = place.index_file.exists()
    try:
        if existed:
            shutil.copy2(place.index_file, kept)
    except OSError as error:
        kept.unlink(missing_ok=True)
        raise WriteFailed(str(kept), error.strerror or str(error)) from error
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if existed:
                kept.replace(place.index_file)
            else:
                place.index_file.unlink(missing_ok=True)
        raise
    finally:
        with suppress(OSError):
            kept.unlink(missing_ok=True)


def update_index(place: Place, edits: Edits, settings: Settings) -> None:
    """Bring the edited paths of the index in step, and write it; the caller holds `index.lock`."""
    index = place.index().copy()
    unracy(place, index)
    apply_edits(place, index, edits, settings)
    index.complete_trees(place.objects.has)
    write_index(place.index_file, index)


def apply_edits(place: Place, index: GitIndex, edits: Edits, settings: Settings) -> None:
    """Bring the edited paths of an index to what a commit holds; all other entries stay."""
    conversion = Conversion(place, settings, lambda path: stored_in(place, index, path))
    for path, leaf in edits.items():
        entry = index.get(path)
        if leaf is None:
            index.drop(path)
        elif entry is None or entry.intent_to_add or (entry.mode, entry.blob.hex()) != leaf:
            extended = entry.extended if entry and entry.skip_worktree else 0
            index.put(_entry(place, conversion, path, leaf, extended))
    index.drop_below({path for path, leaf in edits.items() if leaf})


def stored_in(place: Place, index: GitIndex, path: bytes) -> bytes | None:
    """Return the content an index holds for a path."""
    entry = index.get(path)
    if entry is None or entry.mode in (GITLINK, SYMLINK) or entry.intent_to_add:
        return None
    return place.objects.read(entry.blob.hex())


def _entry(place: Place, conversion: Conversion, path: bytes, leaf: tuple[int, str], extended: int) -> IndexEntry:
    """Make an entry; it gets a file's status only if that file holds its content."""
    mode, ident = leaf
    entry = IndexEntry(path, bytes.fromhex(ident), mode, extended=extended)
    file = place.on_disk(path)
    try:
        info = file.lstat()
        if mode == SYMLINK:
            data = os.fsencode(file.readlink())
        else:
            data = b"" if file.is_symlink() else conversion.to_git(path, file.read_bytes())
    except OSError:
        return entry
    return entry.fresh_for(info) if blob_id(data) == ident else entry


def unracy(place: Place, index: GitIndex) -> None:
    """Make git look again at files that may have changed in the second the index was written.

    Their entries cannot be trusted once the index is younger than them. A size of 0 says so; git does
    the same.
    """
    written = index.written_ns // 10**9
    for entry in list(index):
        if int.from_bytes(entry.stat[8:12], "big") < written or entry.mode == GITLINK:
            continue
        if not _untouched(place, entry, index.written_ns):
            smudged = entry.stat[: _SIZE.start] + bytes(4)
            index.entries[entry.path, entry.stage] = IndexEntry(
                entry.path, entry.blob, entry.mode, smudged, entry.stage, entry.flags, entry.extended
            )


def _untouched(place: Place, entry: IndexEntry, written_ns: int) -> bool:
    try:
        info = place.on_disk(entry.path).lstat()
    except OSError:
        return False
    return info.st_mtime_ns < written_ns and pack_stat(info, entry.mode) == entry.stat


def write_index(target: Path, index: GitIndex) -> None:
    """Put an index file in place in one step."""
    draft = scratch(target.parent)
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        write_synced(draft, index.to_bytes(), mode=mode)
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise WriteFailed(str(target), error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def file_mode(old: int | None) -> int:
    """Return the mode a file is committed with: an executable stays one."""
    return old if old == EXECUTABLE else 0o100644
