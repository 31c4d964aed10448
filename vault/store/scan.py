"""The stat scan: which files a vault has, and which of them changed since they were last read."""

import os
import stat
import time
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

from vault.errors import VaultError

SKIPPED = frozenset([".git", ".vault", ".hg", ".svn"])
TEMPORARY = ".tmp~"
#: The bits of an inode's number that a signed number of 64 bits holds.
_SIGNED = 2**63 - 1


class UnreadableFolder(VaultError):
    """A folder that cannot be listed: its entries are unknown, and never taken for deleted."""

    code = "unreadable-folder"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the folder {path} cannot be read: {reason}",
            hint=f"give yourself access (`chmod u+rx {path}`), or move it out of the vault",
            details={"path": path},
        )


class Stamp(NamedTuple):
    """What the file system says of a file; two equal stamps mean an unchanged file."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


ABSENT = Stamp(-1, 0, 0, 0)


@dataclass(slots=True)
class Listing:
    """The files directly in a folder: their names in order, and four numbers of each (see `Stamp`)."""

    names: list[str] = field(default_factory=list)
    numbers: "array[int]" = field(default_factory=lambda: array("q"))

    def put(self, name: str, status: os.stat_result) -> None:
        """Add a file."""
        self.names.append(name)
        self.numbers.extend((status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino & _SIGNED))

    def items(self) -> Iterator[tuple[str, Stamp]]:
        """Each file with its stamp."""
        numbers = iter(self.numbers)
        for name, stamp in zip(self.names, zip(numbers, numbers, numbers, numbers, strict=True), strict=True):
            yield name, Stamp(*stamp)

    def stamp(self, name: str) -> Stamp:
        """The stamp of one file; `ABSENT` if it is not here."""
        place = bisect_left(self.names, name)
        if place == len(self.names) or self.names[place] != name:
            return ABSENT
        return Stamp(*self.numbers[4 * place : 4 * place + 4])

    def digest(self) -> bytes:
        """What tells this state of the folder's files from any other."""
        return blake2b("\0".join(self.names).encode() + b"\0\0" + self.numbers.tobytes(), digest_size=16).digest()


@dataclass
class Found:
    r"""The files of a vault by folder, and what was left out: links, and names that are not UTF-8.

    `started` is when the scan began, in nanoseconds since 1970; `misnamed` shows odd bytes as `\xff`.
    `executable` are the files that their owner may run; `repositories` are folders that were not entered
    because they are repositories of their own.
    """

    started: int
    listings: dict[str, Listing] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    executable: set[str] = field(default_factory=set)
    repositories: list[str] = field(default_factory=list)

    @cached_property
    def files(self) -> dict[str, Stamp]:
        """The stamp of every file by its path."""
        return {
            f"{folder}/{name}" if folder else name: stamp
            for folder, listing in self.listings.items()
            for name, stamp in listing.items()
        }

    def stamp(self, path: str) -> Stamp:
        """The stamp of one file; `ABSENT` if the scan did not find it."""
        folder, _, name = path.rpartition("/")
        listing = self.listings.get(folder)
        return listing.stamp(name) if listing else ABSENT


class Ignored(Protocol):
    """What knows which paths git ignores; `applies` says whether anything in a folder could be."""

    def applies(self, folder: str) -> bool:
        """Say whether any rule applies to what is directly in a folder."""
        ...

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a path is ignored."""
        ...


def scan(root: Path, folders: Iterable[str], ignored: Ignored | None) -> Found:
    """Stat every file below the folders (`""` is the root itself), without `.git` and `.vault`; or files by name.

    No link is followed, and a folder that is a repository of its own is passed over.
    `ignored` answers for vault-relative paths; None ignores nothing.
    Raises `UnreadableFolder`.
    """
    found = Found(time.time_ns())
    for folder in folders:
        if folder and (root / folder).is_symlink():
            found.links.append(folder)
        elif (root / folder).is_dir():
            _walk(root, folder, found, ignored)
        elif folder and not (ignored and ignored.matches(folder, is_dir=False)):
            _take_file(root, folder, found)
    return found


def _take_file(root: Path, path: str, found: Found) -> None:
    """Stat one file that is named by itself."""
    try:
        status = (root / path).lstat()
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        folder, _, name = path.rpartition("/")
        found.listings.setdefault(folder, Listing()).put(name, status)
        if status.st_mode & stat.S_IXUSR:
            found.executable.add(path)


def _walk(root: Path, folder: str, found: Found, ignored: Ignored | None) -> None:
    """Walk one folder with an explicit stack."""
    stack = [folder]
    while stack:
        current = stack.pop()
        entries = _list(root, current)
        if current and any(entry.name == ".git" for entry in entries):
            found.repositories.append(current)
            continue
        rules = ignored if ignored and ignored.applies(current) else None
        base = f"{current}/" if current else ""
        listing = Listing()
        for entry in entries:
            name = entry.name
            if name in SKIPPED or name.endswith(TEMPORARY):
                continue
            path = base + name
            is_dir = entry.is_dir(follow_symlinks=False)
            if rules and rules.matches(path, is_dir=is_dir):
                continue
            if not is_text(name):
                found.misnamed.append(escaped(path))
            elif is_dir:
                stack.append(path)
            else:
                _take(entry, path, listing, found)
        if listing.names:
            found.listings[current] = listing


def _list(root: Path, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []  # removed while we looked
    except OSError as error:
        raise UnreadableFolder(folder or ".", error.strerror or str(error)) from error


def _take(entry: os.DirEntry[str], path: str, listing: Listing, found: Found) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return  # removed while we looked
    mode = status.st_mode
    if stat.S_ISREG(mode):
        listing.put(entry.name, status)
        if mode & stat.S_IXUSR:
            found.executable.add(path)
    elif stat.S_ISLNK(mode):
        found.links.append(path)


def link_target(root: Path, path: str) -> str | None:
    """The path in the vault that a symbolic link leads to; None if it leads outside, or in a circle."""
    real = Path(os.path.realpath(root / path))
    return real.relative_to(root).as_posix() if real.is_relative_to(root) and not real.is_symlink() else None


def is_text(path: str) -> bool:
    """Say whether a path as the system gave it is UTF-8."""
    return path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)


def escaped(path: str) -> str:
    r"""Write a path for showing, bytes that are not UTF-8 as `\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def stamp_of(path: Path) -> Stamp:
    """Stat one file; `ABSENT` where there is none, or no system could hold such a path."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return ABSENT
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino & _SIGNED)


def is_fresh(stamp: Stamp, started: int) -> bool:
    """Say whether a stamp read at `started` (ns) proves its content: a later write would change it.

    Clocks of file systems tick: every 10 ms at the worst on those of Linux, every second or two on
    those that keep whole seconds.
    """
    tick = 2_000_000_000 if stamp.mtime_ns % 1_000_000_000 == 0 else 50_000_000
    return started - max(stamp.mtime_ns, stamp.ctime_ns) > tick
