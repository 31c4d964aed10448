"""Writes of several files that survive a crash: all of them land, or none.

`.vault/journal/` holds what is to be written (`<n>.after`), what was there (`<n>.before`) and
`journal.json`, which names them with their digests. It is made as `journal.new` and removed as `journal.old`, so that
a `journal` is whole or damaged. Until a publish record is added a crash is undone; from then on it is finished. One
that is damaged is not derived data: it is neither applied nor deleted, and stops every write.
"""

import glob
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

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
from vault.store.sealed import unseal_json, write_json

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


class JournalDamaged(VaultError):
    """A journal that cannot be trusted, so that a write that was cut short can be neither finished nor undone."""

    code = "journal-damaged"

    def __init__(self, folder: Path, reason: str, paths: Sequence[str] = ()) -> None:
        files = f"; it was to write {', '.join(paths)}" if paths else ""
        super().__init__(
            f"a write was cut short, and its journal {folder} is damaged ({reason}){files}",
            hint=f"compare these files with `git diff` and correct them, then move {folder} away",
            details={"path": str(folder), "files": list(paths)},
        )
        self.folder, self.reason, self.paths = folder, reason, tuple(paths)


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
        if pending(root):
            raise JournalBusy(str(folder))
        ensure_private_dir(root)
        draft = folder.with_name("journal.new")
        try:
            remove(draft)
            _stage(draft, root, writes)
            draft.rename(folder)
            sync_folder(folder.parent)
        except (OSError, WriteFailed) as error:
            for place in (draft, folder):
                shutil.rmtree(place, ignore_errors=True)
            if isinstance(error, WriteFailed):
                raise
            raise WriteFailed(str(folder), error.strerror or str(error)) from error
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
    return os.path.lexists(journal_dir(root))


def check(root: Path) -> None:
    """Raise `JournalDamaged` for a journal that can be neither finished nor undone."""
    if pending(root):
        _load(journal_dir(root))


def recover(root: Path, publish: Callable[[Mapping[str, object]], object]) -> Recovery | None:
    """Finish or undo a write that was cut short; called under the vault's lock.

    `publish` is given the record of a commit that was under way and must bear being called twice.
    Raises `JournalDamaged`.
    """
    if not pending(root):
        return None
    writes, record = _load(journal_dir(root))
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
    folder.mkdir()
    for number, write in enumerate(writes):
        if write.before is not None:
            mode = stat.S_IMODE(safe_join(root, write.path).stat().st_mode)
            write_synced(folder / f"{number}.before", write.before, mode=mode)
        if write.after is not None:
            write_synced(folder / f"{number}.after", write.after)
    sync_folder(folder)
    _declare(folder, writes, None)


def _declare(folder: Path, writes: Sequence[FileWrite], record: Mapping[str, object] | None) -> None:
    declared = {
        "version": 1,
        "writes": [
            {"path": write.path, "before": _digest(write.before), "after": _digest(write.after)} for write in writes
        ],
        "publish": None if record is None else dict(record),
    }
    write_json(folder / "journal.json", declared)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _load(folder: Path) -> tuple[tuple[FileWrite, ...], Mapping[str, object] | None]:
    """Read a journal back. Raises `JournalDamaged`."""
    text = read_optional(folder / "journal.json")
    declared: Any = None if text is None else unseal_json(text)
    if declared is None:
        raise JournalDamaged(folder, "journal.json is missing" if text is None else "journal.json has changed")
    paths = [item["path"] for item in declared["writes"]]
    writes = []
    for number, item in enumerate(declared["writes"]):
        sides = {side: read_optional(folder / f"{number}.{side}") for side in ("before", "after")}
        for side, data in sides.items():
            if _digest(data) != item[side]:
                raise JournalDamaged(folder, f"{number}.{side} has changed", paths)
        writes.append(FileWrite(item["path"], sides["before"], sides["after"]))
    return tuple(writes), declared["publish"]


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


def _discard(root: Path) -> None:
    """Remove the journal: in one step it no longer counts."""
    folder = journal_dir(root)
    old = folder.with_name("journal.old")
    remove(old)
    try:
        folder.rename(old)
        sync_folder(folder.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error
    shutil.rmtree(old, ignore_errors=True)  # what is left of it goes with the next
