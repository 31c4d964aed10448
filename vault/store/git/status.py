"""What differs between HEAD, the index and the files, for the paths of the vault."""

import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from vault.store.files import PRIVATE_DIR, Unreadable
from vault.store.git.config import Settings
from vault.store.git.convert import Conversion
from vault.store.git.gitindex import (
    EXECUTABLE,
    GITLINK,
    SYMLINK,
    GitIndex,
    IndexEntry,
    pack_stat,
)
from vault.store.git.objects import Leaf, blob_id
from vault.store.git.place import Place, decode
from vault.store.git.publish import stored_in
from vault.store.git.staged import staged_leaves
from vault.store.scan import Found, Listing

Staged = Literal["added", "modified", "deleted"]
Unstaged = Literal["modified", "deleted", "untracked"]

#: Bytes of a status that say whether a file is the same: times, inode, size; not device, owner, mode.
_SAME = (slice(0, 16), slice(20, 24), slice(36, 40))
#: Changed and modified (seconds, nanoseconds), inode and size among the 40 bytes of a status.
_STAMPED = struct.Struct(">4I4xI12xI")
_SECOND, _BITS = 10**9, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs: in the index from HEAD (`staged`), in the files from the index (`unstaged`).

    A path only announced to git (`git add --intent-to-add`) is `untracked`.
    """

    path: str
    staged: Staged | None
    unstaged: Unstaged | None
    conflicted: bool = False


def status(place: Place, found: Found) -> list[Change]:
    """Return every path of the vault that differs, sorted; nothing is written.

    `found` is what a scan of the vault's folder says of its files now. Left out is what the vault never
    commits: links, submodules, names that are not UTF-8.
    """
    index, settings = place.index(), place.settings()
    conflicted = index.conflicted()
    staged = {
        path: _kind(*leaves)
        for path, leaves in staged_leaves(place, index, place.head()).items()
        if path not in conflicted and all(leaf is None or leaf[0] != GITLINK for leaf in leaves)
    }
    unstaged = dict(_unstaged(place, index, settings, found))
    paths = {path for path in {*staged, *unstaged, *conflicted} if _concerns(place, path)}
    return [
        Change(place.relative(path) or "", staged.get(path), unstaged.get(path), conflicted=path in conflicted)
        for path in sorted(paths)
    ]


def _concerns(place: Place, path: bytes) -> bool:
    inside = place.readable(path)
    return inside is not None and not inside.startswith(f"{PRIVATE_DIR}/") and not place.on_disk(path).is_symlink()


def _kind(staged: Leaf | None, committed: Leaf | None) -> Staged:
    if committed is None:
        return "added"
    return "modified" if staged else "deleted"


def _unstaged(place: Place, index: GitIndex, settings: Settings, found: Found) -> Iterator[tuple[bytes, Unstaged]]:
    """Compare the index with a scan's files, folder by folder; what is left over of the scan is untracked."""
    base = place.full("")
    check, scanned = _Check(place, index, settings), _Scanned(found)
    for entry in index:
        if not entry.path.startswith(base):
            continue
        path = decode(entry.path[len(base) :])
        stamp = scanned.take(path)
        if (entry.flags | entry.extended and not entry.is_compared) or entry.mode == GITLINK:
            continue
        if stamp and check.is_same(entry, stamp, executable=path in found.executable):
            continue
        kind = check.compare(entry)
        if kind is not None:
            yield entry.path, kind
    for path in scanned.left():
        yield place.full(path), "untracked"


#: The numbers of a file in a scan (see `Listing`): size, modified, changed, inode.
_Numbers = tuple[int, int, int, int]


class _Scanned:
    """The files of a scan, taken one by one; it is quick in the order of the index: by name within each folder."""

    def __init__(self, found: Found) -> None:
        self._folders = {folder: _Folder(listing) for folder, listing in found.listings.items()}

    def take(self, path: str) -> _Numbers | None:
        """Take a file and return its numbers; None if the scan did not find it, or it was taken before."""
        name_of, _, name = path.rpartition("/")
        folder = self._folders.get(name_of)
        if folder is None:
            return None
        while folder.name < name:
            folder.skip()
        if folder.name != name:
            return folder.skipped.pop(name, None)
        numbers = folder.numbers
        folder.step()
        return numbers

    def left(self) -> Iterator[str]:
        """The paths of files that were not taken."""
        for place, folder in self._folders.items():
            while folder.name != _LAST:
                folder.skip()
            for name in folder.skipped:
                yield f"{place}/{name}" if place else name


#: Comes after the name of every file.
_LAST = "\U0010ffff" * 64


class _Folder:
    """The files of a folder, one after the other; `skipped` are those that were passed over."""

    __slots__ = ("_rest", "name", "numbers", "skipped")

    def __init__(self, listing: Listing) -> None:
        each = iter(listing.numbers)
        self._rest = zip(listing.names, zip(each, each, each, each, strict=True), strict=True)
        self.skipped: dict[str, _Numbers] = {}
        self.step()

    def skip(self) -> None:
        """Pass a file over; an index that was changed in memory may name it later."""
        self.skipped[self.name] = self.numbers
        self.step()

    def step(self) -> None:
        """Go to the next file."""
        self.name, self.numbers = next(self._rest, (_LAST, (0, 0, 0, 0)))


class _Check:
    """Compares entries of the index with files, reading only those whose status leaves a doubt."""

    def __init__(self, place: Place, index: GitIndex, settings: Settings) -> None:
        self._place, self._settings = place, settings
        self._written = index.written_ns
        self._modes_count = settings.flag("core", "filemode", default=True)
        self._conversion = Conversion(place, settings, partial(stored_in, place, index))
        self._base = os.fsencode(place.worktree) + b"/"
        self._through_link: dict[bytes, bool] = {}

    def is_same(self, entry: IndexEntry, stamp: _Numbers, *, executable: bool) -> bool:
        """Say whether a scan's numbers of a file prove it unchanged since the index was written."""
        size, modified, changed, inode = stamp
        if entry.intent_to_add or entry.mode == SYMLINK or modified >= self._written:
            return False
        if self._modes_count and executable != (entry.mode == EXECUTABLE):
            return False
        held: tuple[int, ...] = _STAMPED.unpack(entry.stat)
        changed_s, changed_ns, modified_s, modified_ns, inode32, size32 = held
        return (
            modified_s * _SECOND + modified_ns == modified
            and changed_s * _SECOND + changed_ns == changed
            and inode32 == inode & _BITS
            and size32 == size & _BITS
        )

    def compare(self, entry: IndexEntry) -> Unstaged | None:
        """Say how a file differs from its entry; None if it does not."""
        try:
            info = os.lstat(self._base + entry.path)
        except (FileNotFoundError, NotADirectoryError):
            return "deleted"
        except OSError as error:
            raise Unreadable(decode(entry.path), error.strerror or str(error)) from error
        if stat.S_ISDIR(info.st_mode) or self._beyond_link(entry.path.rpartition(b"/")[0]):
            return "deleted"
        if entry.intent_to_add:
            return "untracked"
        if self._mode_differs(entry, info):
            return "modified"
        return None if self._same_status(entry, info) or self._same_content(entry) else "modified"

    def _beyond_link(self, folder: bytes) -> bool:
        """Say whether a folder of the repository is, or is below, a symbolic link."""
        if not folder:
            return False
        known = self._through_link.get(folder)
        if known is None:
            known = self._beyond_link(folder.rpartition(b"/")[0]) or os.path.islink(self._base + folder)  # noqa: PTH114  bytes
            self._through_link[folder] = known
        return known

    def _mode_differs(self, entry: IndexEntry, info: os.stat_result) -> bool:
        if (entry.mode == SYMLINK) != stat.S_ISLNK(info.st_mode):
            return True
        executable = bool(info.st_mode & stat.S_IXUSR)
        return self._modes_count and entry.mode != SYMLINK and executable != (entry.mode == EXECUTABLE)

    def _same_status(self, entry: IndexEntry, info: os.stat_result) -> bool:
        """Say whether the status alone proves a file unchanged since the index was written."""
        if info.st_mtime_ns >= self._written:
            return False
        now = pack_stat(info, entry.mode)
        if all(now[part] == entry.stat[part] for part in _SAME):
            return True
        return self._same_without_nanoseconds(entry, now, info)

    def _same_without_nanoseconds(self, entry: IndexEntry, now: bytes, info: os.stat_result) -> bool:
        """Compare with an entry of a program that keeps whole seconds only."""
        if any(entry.stat[4:8]) or any(entry.stat[12:16]) or info.st_mtime_ns // 10**9 >= self._written // 10**9:
            return False
        return all(now[part] == entry.stat[part] for part in (slice(0, 4), slice(8, 12), *_SAME[1:]))

    def _same_content(self, entry: IndexEntry) -> bool:
        file = self._base + entry.path
        wanted = entry.blob.hex()
        if entry.mode == SYMLINK:
            return blob_id(os.readlink(file)) == wanted  # noqa: PTH115  a path of bytes
        try:
            with open(file, "rb") as stream:  # noqa: PTH123  a path of bytes
                data = stream.read()
        except OSError as error:
            raise Unreadable(decode(entry.path), error.strerror or str(error)) from error
        return blob_id(data) == wanted or blob_id(self._conversion.to_git(entry.path, data)) == wanted
