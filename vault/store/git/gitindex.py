"""The index file, byte for byte as git keeps it: versions 2, 3 and 4, flags and extensions.

What is not understood is either kept as it is or refused, never dropped by accident.
"""

import hashlib
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vault.errors import VaultError
from vault.store.git import cachetree
from vault.store.git.cachetree import CachedTree, Held, Key

ASSUME_VALID, EXTENDED, STAGE_MASK = 0x8000, 0x4000, 0x3000
SKIP_WORKTREE, INTENT_TO_ADD = 0x4000, 0x2000
GITLINK, SYMLINK, REGULAR, EXECUTABLE = 0o160000, 0o120000, 0o100644, 0o100755

#: The bits of a mode that tell files, links and submodules apart.
_KIND, _FILE = 0o170000, 0o100000

_TREE = b"TREE"
#: Caches of what the index or the working tree says; git makes them again.
_REBUILT = frozenset([b"UNTR", b"FSMN", b"EOIE", b"IEOT"])
_FIXED = struct.Struct(">40s20sH")
_STAT = struct.Struct(">10I")
_NAME_MASK = 0x0FFF
#: Up to so many prefixes are compared with every path.
_FEW = 20


class UnsupportedIndex(VaultError):
    """An index this product must not rewrite."""

    code = "unsupported-index"

    def __init__(self, path: Path, what: str, command: str) -> None:
        super().__init__(
            f"git's index {path} {what}; nothing was changed",
            hint=f"run `{command}`, then repeat the command",
            details={"path": str(path)},
        )


class DamagedIndex(VaultError):
    """An index whose bytes do not hold together."""

    code = "damaged-index"

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"git's index {path} is damaged: {problem}",
            hint=f"move {path} away and run `git reset`: it is rebuilt from HEAD",
            details={"path": str(path)},
        )


class IndexEntry(NamedTuple):
    """One path of the index; `stat` is git's 40 bytes of file status, mode included.

    `raw` holds the bytes of an entry as it was read from an index of version 2 or 3; a changed entry has none.
    """

    path: bytes
    blob: bytes
    mode: int
    stat: bytes = bytes(40)
    stage: int = 0
    flags: int = 0
    extended: int = 0
    raw: bytes = b""

    @property
    def skip_worktree(self) -> bool:
        """Whether a sparse checkout leaves the file out of the working tree."""
        return bool(self.extended & SKIP_WORKTREE)

    @property
    def intent_to_add(self) -> bool:
        """Whether only the name was added (`git add --intent-to-add`)."""
        return bool(self.extended & INTENT_TO_ADD)

    @property
    def assume_valid(self) -> bool:
        """Whether git was told to believe the file unchanged."""
        return bool(self.flags & ASSUME_VALID)

    @property
    def is_compared(self) -> bool:
        """Whether git compares the file with the entry: not in a conflict, and nothing tells it not to look."""
        return not (self.stage or self.skip_worktree or self.assume_valid)

    def fresh_for(self, info: os.stat_result) -> "IndexEntry":
        """Return the entry with the status of the file that holds its content."""
        return self._replace(stat=pack_stat(info, self.mode), raw=b"")


def is_file_mode(mode: int) -> bool:
    """Say whether a mode is a file's: no link, no submodule."""
    return mode & _KIND == _FILE


def pack_stat(info: os.stat_result, mode: int) -> bytes:
    """Write a file's status as the index holds it."""
    return _STAT.pack(
        *(divmod_seconds(info.st_ctime_ns)),
        *(divmod_seconds(info.st_mtime_ns)),
        info.st_dev & 0xFFFFFFFF,
        info.st_ino & 0xFFFFFFFF,
        mode,
        info.st_uid & 0xFFFFFFFF,
        info.st_gid & 0xFFFFFFFF,
        info.st_size & 0xFFFFFFFF,
    )


def divmod_seconds(nanoseconds: int) -> tuple[int, int]:
    """Split a time into whole seconds (32 bits) and nanoseconds."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return seconds & 0xFFFFFFFF, rest


@dataclass(slots=True)
class GitIndex:
    """An index file in memory; entries are sorted as git sorts them when it is written."""

    version: int = 2
    entries: dict[Key, IndexEntry] = field(default_factory=dict)
    extensions: list[tuple[bytes, bytes]] = field(default_factory=list)
    written_ns: int = 0
    trees: CachedTree = field(default_factory=CachedTree)

    def __iter__(self) -> Iterator[IndexEntry]:
        return iter(self.entries.values())

    def copy(self) -> "GitIndex":
        """Copy the index, to change it."""
        return GitIndex(self.version, dict(self.entries), list(self.extensions), self.written_ns, self.trees.copy())

    def keys(self) -> list[Key]:
        """Return the paths with their stages, sorted."""
        return sorted(self.entries)

    def get(self, path: bytes) -> IndexEntry | None:
        """Return the merged entry of a path."""
        return self.entries.get((path, 0))

    def put(self, entry: IndexEntry) -> None:
        """Add or replace a path, and drop whatever cannot stand beside it."""
        self.drop(entry.path)
        parent = entry.path
        while b"/" in parent:
            parent = parent.rpartition(b"/")[0]
            self.drop(parent)
        self.entries[entry.path, entry.stage] = entry

    def drop(self, path: bytes) -> None:
        """Remove a path, all stages of it."""
        self.trees.forget(path)
        for stage in range(4):
            self.entries.pop((path, stage), None)

    def drop_below(self, folders: set[bytes]) -> None:
        """Remove the entries below paths that are files now."""
        if len(folders) <= _FEW:
            prefixes = tuple(folder + b"/" for folder in folders)
            below = [key for key in self.entries if key[0].startswith(prefixes)]
        else:
            below = [key for key in self.entries if folders.intersection(_parents(key[0]))]
        for key in below:
            self.trees.forget(key[0])
            del self.entries[key]

    def conflicted(self) -> set[bytes]:
        """Return the paths a merge left unresolved."""
        return {path for path, stage in self.entries if stage}

    def complete_trees(self, has: Callable[[str], bool]) -> None:
        """Work out the trees of the folders that changed; `has` says whether git has an object."""
        cachetree.complete(self.trees, self.keys(), self._held, has)

    def _held(self, key: Key) -> Held:
        entry = self.entries[key]
        return None if entry.stage or entry.intent_to_add else (entry.mode, entry.blob)

    def to_bytes(self) -> bytes:
        """Write the index in the version it was read in (2 becomes 3 where a flag asks for it)."""
        version = self.version
        if version == 2 and any(entry.extended for entry in self):  # noqa: PLR2004  the format's number
            version = 3
        ordered = [self.entries[key] for key in self.keys()]
        body = b"".join(_encode_all(ordered, version))
        kept = b"".join(name + struct.pack(">I", len(data)) + data for name, data in self._kept_extensions())
        content = struct.pack(">4sII", b"DIRC", version, len(ordered)) + body + kept
        return content + hashlib.sha1(content, usedforsecurity=False).digest()

    def _kept_extensions(self) -> Iterator[tuple[bytes, bytes]]:
        if self.trees.is_known or self.trees.folders:
            yield _TREE, cachetree.to_bytes(self.trees)
        for name, data in self.extensions:
            if name not in _REBUILT:
                yield name, data


def _parents(path: bytes) -> Iterator[bytes]:
    place = path.rfind(b"/")
    while place > 0:
        yield path[:place]
        place = path.rfind(b"/", 0, place)


def _encode_all(entries: Iterable[IndexEntry], version: int) -> Iterator[bytes]:
    previous = b""
    for entry in entries:
        if entry.raw and version != 4:  # noqa: PLR2004  the format's number
            yield entry.raw
            continue
        if version == 2 and not entry.stage and entry.mode == int.from_bytes(entry.stat[24:28], "big"):  # noqa: PLR2004
            flags = entry.flags & ASSUME_VALID | min(len(entry.path), _NAME_MASK)
            head = _FIXED.pack(entry.stat, entry.blob, flags)
            yield head + entry.path + b"\0" * (8 - (len(head) + len(entry.path)) % 8)
            continue
        flags = entry.flags & ASSUME_VALID | entry.stage << 12 | min(len(entry.path), _NAME_MASK)
        flags |= EXTENDED if entry.extended else 0
        head = _FIXED.pack(entry.stat[:24] + struct.pack(">I", entry.mode) + entry.stat[28:], entry.blob, flags)
        head += struct.pack(">H", entry.extended) if entry.extended else b""
        if version == 4:  # noqa: PLR2004  the format's number
            shared = _shared_prefix(previous, entry.path)
            yield head + _encode_count(len(previous) - shared) + entry.path[shared:] + b"\0"
            previous = entry.path
        else:
            yield head + entry.path + b"\0" * (8 - (len(head) + len(entry.path)) % 8)


def _shared_prefix(one: bytes, other: bytes) -> int:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared


def _encode_count(count: int) -> bytes:
    """Write a number as git's pack offsets are written: 7 bits a byte, each step counting one more."""
    digits = [count & 0x7F]
    count >>= 7
    while count:
        count -= 1
        digits.append(0x80 | count & 0x7F)
        count >>= 7
    return bytes(reversed(digits))


def _decode_count(data: bytes, place: int) -> tuple[int, int]:
    count = data[place] & 0x7F
    while data[place] & 0x80:
        place += 1
        count = (count + 1) << 7 | data[place] & 0x7F
    return count, place + 1


def read_index(path: Path) -> GitIndex:
    """Read an index file; a missing one is empty. Raises `DamagedIndex`, `UnsupportedIndex`."""
    try:
        with path.open("rb") as stream:
            data = stream.read()
            written = os.fstat(stream.fileno()).st_mtime_ns
    except FileNotFoundError:
        return GitIndex()
    except OSError as error:
        raise DamagedIndex(path, error.strerror or str(error)) from error
    try:
        return _parse(path, data, written)
    except (struct.error, IndexError, ValueError) as error:
        raise DamagedIndex(path, str(error)) from error


def _parse(path: Path, data: bytes, written: int) -> GitIndex:
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC":
        raise DamagedIndex(path, "it does not begin as an index does")
    if version not in (2, 3, 4):
        raise UnsupportedIndex(path, f"has version {version}", "git update-index --index-version 4")
    checksum = data[-20:]
    if any(checksum) and hashlib.sha1(data[:-20], usedforsecurity=False).digest() != checksum:
        raise DamagedIndex(path, "its checksum does not match")
    index = GitIndex(version, written_ns=written)
    place = _read_entries(index, data, count)
    for name, content in _extensions(path, data[:-20], place):
        if name == _TREE:
            index.trees = cachetree.parse(content)
        else:
            index.extensions.append((name, content))
    return index


def _read_entries(index: GitIndex, data: bytes, count: int) -> int:
    """Read the entries; returns where they end."""
    place, previous = 12, b""
    unpack, size, find, entries = _FIXED.unpack_from, _FIXED.size, data.index, index.entries
    is_padded = index.version != 4  # noqa: PLR2004  the format's number
    new = tuple.__new__  # what `IndexEntry(…)` calls, in a third of the time
    modes = {mode.to_bytes(4, "big"): mode for mode in (REGULAR, EXECUTABLE, SYMLINK)}
    for _ in range(count):
        status, blob, flags = unpack(data, place)
        if is_padded and not flags & (EXTENDED | STAGE_MASK):  # nearly all entries; read in place, as calls cost
            end = find(b"\0", place + size)
            path = data[place + size : end]
            after = place + (end - place + 8 & ~7)
            mode = modes.get(status[24:28]) or int.from_bytes(status[24:28], "big")
            entries[path, 0] = new(IndexEntry, (path, blob, mode, status, 0, flags, 0, data[place:after]))
            place = after
        else:
            entry, place = _decode(data, place, index.version, previous)
            path = entry.path
            entries[path, entry.stage] = entry
        previous = path
    return place


def _decode(data: bytes, place: int, version: int, previous: bytes) -> tuple[IndexEntry, int]:
    start = place
    status, blob, flags = _FIXED.unpack_from(data, place)
    place += _FIXED.size
    extended = 0
    if flags & EXTENDED:
        (extended,) = struct.unpack_from(">H", data, place)
        place += 2
    if version == 4:  # noqa: PLR2004  the format's number
        cut, place = _decode_count(data, place)
        end = data.index(b"\0", place)
        path = previous[: len(previous) - cut] + data[place:end]
        place = end + 1
    else:
        end = data.index(b"\0", place)
        path = data[place:end]
        place = start + (end - start + 8 & ~7)
    mode = int.from_bytes(status[24:28], "big")
    return IndexEntry(path, blob, mode, status, (flags & STAGE_MASK) >> 12, flags, extended), place


def _extensions(path: Path, data: bytes, place: int) -> Iterator[tuple[bytes, bytes]]:
    while place < len(data):
        name, size = struct.unpack_from(">4sI", data, place)
        if name == b"link":
            raise UnsupportedIndex(path, "is split in two files", "git update-index --no-split-index")
        if name == b"sdir":
            raise UnsupportedIndex(path, "is sparse", "git sparse-checkout reapply --no-sparse-index")
        if not name[:1].isupper():
            raise UnsupportedIndex(path, f"needs the extension {name!r}", "git reset")
        yield name, data[place + 8 : place + 8 + size]
        place += 8 + size
