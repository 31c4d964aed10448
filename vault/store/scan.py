"""The stat scan: which files a vault has, and which of them changed since they were last read."""

import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from vault.errors import VaultError

SKIPPED = frozenset([".git", ".vault", ".hg", ".svn"])
TEMPORARY = ".tmp~"


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
class Found:
    """The files of a vault by path, and the links that were not followed because they leave it.

    `started` is when the scan began, in nanoseconds since 1970.
    """

    started: int
    files: dict[str, Stamp] = field(default_factory=dict)
    leaving: list[str] = field(default_factory=list)


class Ignored(Protocol):
    """What knows which paths git ignores; `applies` says whether anything in a folder could be."""

    def applies(self, folder: str) -> bool:
        """Say whether any rule applies to what is directly in a folder."""
        ...

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a path is ignored."""
        ...


def scan(root: Path, folders: Iterable[str], ignored: Ignored | None) -> Found:
    """Stat every file below the folders (`""` is the root itself), without `.git` and `.vault`.

    `ignored` answers for vault-relative paths; None ignores nothing.
    Raises `UnreadableFolder`.
    """
    found = Found(time.time_ns())
    real_root = os.path.realpath(root)
    for folder in folders:
        if (root / folder).is_dir():
            _walk(root, real_root, folder, found, ignored)
    return found


def _walk(root: Path, real_root: str, folder: str, found: Found, ignored: Ignored | None) -> None:
    """Walk one folder with an explicit stack; links to folders are followed once, inside the vault."""
    stack, seen = [folder], {os.path.realpath(root / folder)}
    while stack:
        current = stack.pop()
        entries = _list(root, current)
        rules = ignored if ignored and ignored.applies(current) else None
        for entry in entries:
            path = f"{current}/{entry.name}" if current else entry.name
            if entry.name in SKIPPED or entry.name.endswith(TEMPORARY):
                continue
            if entry.is_symlink() and not _inside(root / path, real_root):
                found.leaving.append(path)
            elif entry.is_dir():
                real = os.path.realpath(root / path) if entry.is_symlink() else path
                if real not in seen and not (rules and rules.matches(path, is_dir=True)):
                    seen.add(real)
                    stack.append(path)
            elif not (rules and rules.matches(path, is_dir=False)):
                _take(entry, path, found)


def _list(root: Path, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []  # removed while we looked
    except OSError as error:
        raise UnreadableFolder(folder or ".", error.strerror or str(error)) from error


def _take(entry: os.DirEntry[str], path: str, found: Found) -> None:
    try:
        status = entry.stat()
    except OSError:
        return  # removed while we looked, or a link to nothing
    if stat.S_ISREG(status.st_mode):
        found.files[path] = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _inside(path: Path, real_root: str) -> bool:
    real = os.path.realpath(path)
    return real == real_root or real.startswith(real_root + os.sep)


def stamp_of(path: Path) -> Stamp:
    """Stat one file; `ABSENT` where there is none."""
    try:
        status = path.stat()
    except OSError:
        return ABSENT
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_fresh(stamp: Stamp, started: int) -> bool:
    """Say whether a stamp read at `started` (ns) proves its content: a later write would change it.

    Clocks of file systems tick: every 10 ms at the worst on those of Linux, every second or two on
    those that keep whole seconds.
    """
    tick = 2_000_000_000 if stamp.mtime_ns % 1_000_000_000 == 0 else 50_000_000
    return started - max(stamp.mtime_ns, stamp.ctime_ns) > tick
