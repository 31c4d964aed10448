"""Writes of several files that survive a crash: all of them land, or none.

`.vault/journal/` holds what is to be written (`<n>.after`), what was there (`<n>.before`) and, last,
`journal.json`, which makes the write count. Until a publish record is added a crash is undone;
from then on it is finished.
"""

import glob
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from vault.errors import VaultError
from vault.store.files import (
    PRIVATE_DIR,
    TEMPORARY,
    WriteFailed,
    check_unchanged,
    ensure_private_dir,
    read_optional,
    remove,
    safe_join,
    sync_folder,
    write_atomic,
    write_synced,
)

_SCOPE_DEPTH = {"global": 1, "spaces": 2}


class JournalBusy(VaultError):
    """A journal is there already: an earlier write was cut short."""

    code = "journal-busy"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"an earlier write to this vault was cut short and waits in {path}",
            hint="run any writing command: it finishes or undoes the earlier write first",
            details={"path": path},
        )


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file's content before and after; None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of a write that was cut short; `left_alone` are files that hold a third content."""

    action: Literal["finished", "undone"]
    paths: tuple[str, ...]
    left_alone: tuple[str, ...] = ()


@dataclass(slots=True)
class Journal:
    """A write of several files in flight, under the vault's lock."""

    root: Path
    writes: tuple[FileWrite, ...]

    @classmethod
    def begin(cls, root: Path, writes: Sequence[FileWrite]) -> "Journal":
        """Stage a write: nothing outside `.vault/` changes.

        Raises `StaleWrite` if a file does not hold what `before` says, `WriteFailed` if the disk is full.
        """
        for write in writes:
            check_unchanged(safe_join(root, write.path), write.before, write.path)
        folder = journal_dir(root)
        if (folder / "journal.json").exists():
            raise JournalBusy(str(folder))
        ensure_private_dir(root)
        try:
            _stage(folder, root, writes)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise WriteFailed(str(folder), error.strerror or str(error)) from error
        except WriteFailed:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return cls(root, tuple(writes))

    def apply(self) -> None:
        """Put every file in place; each appears or goes in one step."""
        for write in self.writes:
            _put(self.root, write.path, write.after)

    def committing(self, record: Mapping[str, object]) -> None:
        """Add what publishing the commit needs; from now on a crash is finished, not undone."""
        _declare(journal_dir(self.root), self.writes, record)

    def finish(self) -> None:
        """Remove the journal: the write is complete."""
        _discard(self.root)

    def undo(self) -> tuple[str, ...]:
        """Put back what was there, and remove the journal; returns the files left alone.

        A file that holds neither the old nor the new content was changed by someone else and stays.
        """
        left = _revert(self.root, self.writes)
        _discard(self.root)
        return left


def journal_dir(root: Path) -> Path:
    """Return where a write in flight is kept."""
    return root / PRIVATE_DIR / "journal"


def pending(root: Path) -> bool:
    """Say whether a write was cut short here."""
    return journal_dir(root).exists()


def recover(root: Path, publish: Callable[[Mapping[str, object]], object]) -> Recovery | None:
    """Finish or undo a write that was cut short; called under the vault's lock.

    `publish` is given the record of a commit that was under way and must bear being called twice.
    """
    if not pending(root):
        return None
    folder = journal_dir(root)
    found = _load(folder)
    if found is None:
        _set_aside(root)
        return None
    writes, record = found
    _sweep(root, writes)
    paths = tuple(write.path for write in writes)
    if record is None:
        left = _revert(root, writes)
        _discard(root)
        return Recovery("undone", paths, left)
    left = _complete(root, writes)
    publish(record)
    _discard(root)
    return Recovery("finished", paths, left)


def _stage(folder: Path, root: Path, writes: Sequence[FileWrite]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, write in enumerate(writes):
        if write.before is not None:
            mode = stat.S_IMODE(safe_join(root, write.path).stat().st_mode)
            write_synced(folder / f"{number}.before", write.before, mode=mode)
        if write.after is not None:
            write_synced(folder / f"{number}.after", write.after)
    sync_folder(folder)
    sync_folder(folder.parent)
    _declare(folder, writes, None)


def _declare(folder: Path, writes: Sequence[FileWrite], record: Mapping[str, object] | None) -> None:
    declared = {
        "version": 1,
        "writes": [
            {"path": write.path, "before": _digest(write.before), "after": _digest(write.after)} for write in writes
        ],
        "publish": None if record is None else dict(record),
    }
    write_atomic(folder / "journal.json", json.dumps(declared).encode())


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _load(folder: Path) -> tuple[tuple[FileWrite, ...], Mapping[str, object] | None] | None:
    """Read a journal back; None if it never came to count."""
    text = read_optional(folder / "journal.json")
    if text is None:
        return None
    try:
        declared = json.loads(text)
        writes = tuple(_staged(folder, number, item) for number, item in enumerate(declared["writes"]))
    except (ValueError, KeyError, TypeError):
        return None
    return writes, declared["publish"]


def _staged(folder: Path, number: int, item: Mapping[str, str | None]) -> FileWrite:
    sides = {side: read_optional(folder / f"{number}.{side}") for side in ("before", "after")}
    for side, data in sides.items():
        if _digest(data) != item[side]:
            raise ValueError(f"{number}.{side}")
    return FileWrite(str(item["path"]), sides["before"], sides["after"])


def _revert(root: Path, writes: Iterable[FileWrite]) -> tuple[str, ...]:
    left = _settle(root, ((write.path, write.after, write.before) for write in writes))
    for number, write in enumerate(writes):
        if write.before is not None and write.after is None and write.path not in left:
            shutil.copymode(journal_dir(root) / f"{number}.before", safe_join(root, write.path))
    return left


def _complete(root: Path, writes: Iterable[FileWrite]) -> tuple[str, ...]:
    return _settle(root, ((write.path, write.before, write.after) for write in writes))


def _settle(root: Path, moves: Iterable[tuple[str, bytes | None, bytes | None]]) -> tuple[str, ...]:
    """Bring files from one content to another; returns those that hold neither."""
    left = []
    for path, old, new in moves:
        current = read_optional(safe_join(root, path), path)
        if current == old and current != new:
            _put(root, path, new)
        elif current != new:
            left.append(path)
        elif new is None:
            _prune(root, PurePosixPath(path).parent)
    return tuple(left)


def _put(root: Path, path: str, data: bytes | None) -> None:
    target = safe_join(root, path)
    try:
        if data is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(target, data, root=root)
            return
        target.unlink(missing_ok=True)
        sync_folder(target.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteFailed(path, error.strerror or str(error)) from error
    _prune(root, PurePosixPath(path).parent)


def _prune(root: Path, folder: PurePosixPath) -> None:
    """Remove the folders a deletion emptied, never a scope's own."""
    while len(folder.parts) > _SCOPE_DEPTH.get(folder.parts[0] if folder.parts else "", 0):
        try:
            root.joinpath(*folder.parts).rmdir()
        except OSError:
            return
        folder = folder.parent


def _sweep(root: Path, writes: Iterable[FileWrite]) -> None:
    """Remove the temporary files a killed process left beside its targets."""
    for write in writes:
        target = safe_join(root, write.path)
        place = Path(os.path.realpath(target)) if target.is_symlink() else target
        for left in place.parent.glob(f".{glob.escape(place.name[:100])}.*{TEMPORARY}"):
            left.unlink(missing_ok=True)


def _set_aside(root: Path) -> None:
    """Remove a journal that never counted; one that did and is damaged is kept under another name."""
    folder = journal_dir(root)
    if folder.is_dir() and not (folder / "journal.json").exists():
        _discard(root)
        return
    kept = folder.with_name("journal.damaged")
    remove(kept)
    try:
        folder.rename(kept)
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error


def _discard(root: Path) -> None:
    """Remove the journal; its declaration goes first, so that a torn removal is a torn journal."""
    folder = journal_dir(root)
    try:
        (folder / "journal.json").unlink(missing_ok=True)
        sync_folder(folder)
        shutil.rmtree(folder)
        sync_folder(folder.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error
