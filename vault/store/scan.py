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
    r"""The files of a vault by path, and what was left out: links, and names that are not UTF-8.

    `started` is when the scan began, in nanoseconds since 1970; `misnamed` shows odd bytes as `\xff`.
    `executable` are the files among `files` that their owner may run; `repositories` are folders that were
    not entered because they are repositories of their own.
    """

    started: int
    files: dict[str, Stamp] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    executable: set[str] = field(default_factory=set)
    repositories: list[str] = field(default_factory=list)


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
        _keep(status, path, found)


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
        for entry in entries:
            path = f"{current}/{entry.name}" if current else entry.name
            if entry.name in SKIPPED or entry.name.endswith(TEMPORARY):
                continue
            is_dir = entry.is_dir(follow_symlinks=False)
            if rules and rules.matches(path, is_dir=is_dir):
                continue
            if not is_text(entry.name):
                found.misnamed.append(escaped(path))
            elif is_dir:
                stack.append(path)
            else:
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
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return  # removed while we looked
    if stat.S_ISLNK(status.st_mode):
        found.links.append(path)
    elif stat.S_ISREG(status.st_mode):
        _keep(status, path, found)


def _keep(status: os.stat_result, path: str, found: Found) -> None:
    found.files[path] = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    if status.st_mode & stat.S_IXUSR:
        found.executable.add(path)


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
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_fresh(stamp: Stamp, started: int) -> bool:
    """Say whether a stamp read at `started` (ns) proves its content: a later write would change it.

    Clocks of file systems tick: every 10 ms at the worst on those of Linux, every second or two on
    those that keep whole seconds.
    """
    tick = 2_000_000_000 if stamp.mtime_ns % 1_000_000_000 == 0 else 50_000_000
    return started - max(stamp.mtime_ns, stamp.ctime_ns) > tick
