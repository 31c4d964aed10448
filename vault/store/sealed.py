"""Seals: what a derived file was when it was last closed, so that damage to it is found when it is opened.

A seal is a stamp (size, modification, change) and a digest. The digest is computed again only where the stamp
differs. JSON that derived data rests on carries a digest of itself.

Next to a database stand its seal (`.seal`), a lock that is held while it is opened or closed (`.gate`), and a lock that
every process shares for as long as it has the database open (`.users`). The seal goes before the first write; the
last process to close the database makes it again. A process that is alone with a database without a seal knows that
the writer was cut short, and a process that shares it knows that the others are at work.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault.store.files import WriteFailed, remove, remove_unless_file, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Seconds that are waited for another process to open or close a database.
PATIENCE = 30.0
_PAUSE = 0.005

#: Size, time of modification, time of change, and digest.
Seal = list[int | str]


def write_json(target: Path, data: Mapping[str, object], *, root: Path | None = None) -> None:
    """Write JSON with a digest of itself, in one step. Raises `WriteFailed`."""
    write_atomic(target, seal_json(data), root=root)


def read_json(target: Path) -> dict[str, Any] | None:
    """Read what `write_json` wrote; None if it is missing, unreadable or damaged."""
    try:
        return unseal_json(target.read_bytes())
    except OSError:
        return None


def seal_json(data: Mapping[str, object]) -> bytes:
    """Write JSON that holds a digest of all else in it."""
    return json.dumps({**data, "digest": _digest(data)}).encode()


def unseal_json(content: bytes) -> dict[str, Any] | None:
    """Read JSON and check its digest; None if it is damaged."""
    with suppress(ValueError, RecursionError):
        data = json.loads(content)
        if isinstance(data, dict) and data.pop("digest", None) == _digest(data):
            return data
    return None


def _digest(data: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def seal_of(file: Path) -> Seal:
    """Make the seal of a file. Raises `OSError`."""
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return [*_stamp(os.fstat(stream.fileno())), digest]


def fits(file: Path, seal: object) -> bool:
    """Say whether a file is what its seal says; it is read only if its stamp differs."""
    if not isinstance(seal, list) or not seal:
        return False
    try:
        return _has_stamp(file, seal) or seal_of(file)[-1] == seal[-1]
    except OSError:
        return False


def _has_stamp(file: Path, seal: Seal) -> bool:
    return _stamp(file.stat()) == seal[:-1]


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def seal_folder(folder: Path) -> dict[str, Seal]:
    """Make the seals of the files of a folder, without those that are locks. Raises `WriteFailed`."""
    try:
        return {place.name: seal_of(place) for place in sorted(folder.iterdir()) if not _is_lock(place)}
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error


def folder_fits(folder: Path, seals: object) -> bool:
    """Say whether every file that was sealed in a folder is still what it was."""
    return isinstance(seals, dict) and all(fits(folder / name, seal) for name, seal in seals.items())


def has_stamps(folder: Path, seals: Mapping[str, Seal]) -> bool:
    """Say whether every file of a folder that fits has the stamp that was sealed; a copy has another."""
    try:
        return all(_has_stamp(folder / name, seal) for name, seal in seals.items())
    except OSError:
        return False


def folder_is_whole(folder: Path, seals: object) -> bool:
    """Compare the digest of every file that was sealed in a folder, whatever its stamp."""
    if not isinstance(seals, dict):
        return False
    try:
        return all(seal_of(folder / name)[-1] == seal[-1] for name, seal in seals.items())
    except OSError:
        return False


def _is_lock(place: Path) -> bool:
    return place.suffix == ".lock"


class SealedDatabase:
    """The files of one SQLite database in WAL mode, and this process's share in it.

    `damage` says why the database was dropped, "" if it was not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        self._seal = self._beside(".seal")
        self._users: int | None = None

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def open(self) -> None:
        """Take a share in the database; one that is damaged, or was not closed, is dropped.

        Raises `WriteFailed` if the system refuses, and if a damaged one is in use.
        """
        with self._gate():
            self._users = _opened(self._beside(".users"))
            alone = _lock(self._users, fcntl.LOCK_EX)
            self.damage = self._damage(alone=alone)
            if self.damage and not alone:
                self.release()
                raise WriteFailed(str(self.path), f"it {self.damage}, and another process uses it")
            if self.damage:
                self.drop()
            fcntl.flock(self._users, fcntl.LOCK_SH)

    def _damage(self, *, alone: bool) -> str:
        """Say what is wrong with the files, "" if nothing is."""
        if self._beside(".damaged").exists():
            return "is damaged"
        if not self.path.exists():
            return "is missing" if self._seal.exists() and alone else ""
        seal = read_json(self._seal)
        if seal is None:
            return "was not closed" if alone else ""
        if not fits(self.path, seal.get("database")):
            return "is damaged"
        if alone and not _has_stamp(self.path, seal["database"]):  # a copy, as a restored backup
            self._make_seal()
        return "was not closed" if alone and _size(self._beside("-wal")) else ""

    def drop(self) -> None:
        """Remove the database: all of it is derived. Raises `WriteFailed`."""
        for suffix in (".seal", "", "-wal", "-shm", "-journal", ".damaged"):
            remove(self._beside(suffix))

    def is_whole(self) -> bool:
        """Compare the digest of a database that is sealed, whatever its stamp; one that is written has none."""
        seal = read_json(self._seal)
        try:
            return seal is None or seal.get("database", [""])[-1] == seal_of(self.path)[-1]
        except OSError:
            return False

    def mark_damaged(self) -> None:
        """Have the database dropped by the next process that is alone with it, and used by no other."""
        with suppress(OSError):
            self._beside(".damaged").touch()

    def unseal(self) -> None:
        """Remove the seal, because a write begins. Raises `WriteFailed`."""
        remove(self._seal)

    def replace(self) -> None:
        """Drop the database although its files fit, because it cannot be opened. Raises `WriteFailed`."""
        with self._gate():
            if self._users is None or not _lock(self._users, fcntl.LOCK_EX):
                raise WriteFailed(str(self.path), "it is damaged, and another process uses it")
            self.drop()
            self.damage = "is damaged"
            fcntl.flock(self._users, fcntl.LOCK_SH)

    def close(self, close: Callable[[], None], *, sound: bool) -> None:
        """Close the database by `close`, and seal it if it is sound and nobody else has it open."""
        try:
            with self._gate():
                close()
                alone = self._users is not None and _lock(self._users, fcntl.LOCK_EX)
                if alone and sound and not self._seal.exists():
                    self._make_seal()
        except WriteFailed:  # it stays without a seal, and is made again
            close()
        finally:
            self.release()

    def _make_seal(self) -> None:
        if _size(self._beside("-wal")):
            return
        with suppress(OSError):
            write_json(self._seal, {"database": seal_of(self.path)})

    def release(self) -> None:
        """Give up this process's share."""
        if self._users is not None:
            os.close(self._users)
        self._users = None

    @contextmanager
    def _gate(self) -> "Iterator[None]":
        """Hold off every other process that opens or closes the database. Raises `WriteFailed`."""
        descriptor = _opened(self._beside(".gate"))
        try:
            deadline = time.monotonic() + PATIENCE
            while not _lock(descriptor, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    reason = f"another process has opened or closed it for {PATIENCE:.0f} seconds"
                    raise WriteFailed(str(self.path), reason)
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(descriptor)


def _opened(place: Path) -> int:
    """Open a lock file. Raises `WriteFailed`."""
    remove_unless_file(place)
    try:
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise WriteFailed(str(place), error.strerror or str(error)) from error


def _lock(descriptor: int, kind: int) -> bool:
    """Take a lock if it is free. Raises `WriteFailed` where the file system has none."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise WriteFailed("a lock of derived data", error.strerror or str(error)) from error
    return True


def _size(place: Path) -> int:
    try:
        return place.stat().st_size
    except OSError:
        return 0
