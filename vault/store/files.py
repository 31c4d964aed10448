"""Files of a vault: read, written whole or not at all, one writer at a time."""

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from vault.errors import VaultError

PRIVATE_DIR = ".vault"
TEMPORARY = ".tmp~"
#: What `.vault/.gitignore` begins with.
_IGNORE_ALL = b"*\n"


class Unreadable(VaultError):
    """A file that is there and cannot be read."""

    code = "unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} cannot be read: {reason}",
            hint="check that the file exists and that you may read it",
            details={"path": path},
        )


class WriteFailed(VaultError):
    """A write the system refused; what stood there before still does."""

    code = "write-failed"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} could not be written: {reason}",
            hint="free some space or correct the permissions, then repeat the command",
            details={"path": path},
        )


class StaleWrite(VaultError):
    """A file changed between being read and being written."""

    code = "stale-write"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} changed since it was read; nothing was written",
            hint="repeat the command: it will start from what the file holds now",
            details={"path": path},
        )


class OutsideVault(VaultError):
    """A path that leads out of the vault."""

    code = "outside-vault"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} is not a path inside this vault",
            hint="give a path relative to the vault's root, without `..`",
            details={"path": path},
        )


class ForeignVaultDir(VaultError):
    """`.vault` is there, but it is not a folder of this vault."""

    code = "foreign-vault-dir"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is not a folder of this vault",
            hint=f"move {path} away; the folder is made again when it is needed",
            details={"path": path},
        )


class VaultLocked(VaultError):
    """Another process writes to this vault and did not finish in time."""

    code = "vault-locked"

    def __init__(self, pid: int | None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{holder} is writing to this vault",
            hint="wait for it to finish, then repeat the command",
            details={"pid": pid},
        )
        self.pid = pid


def safe_join(root: Path, path: str) -> Path:
    """Return the place of a vault-relative path; raises `OutsideVault` if it leads elsewhere."""
    pure = PurePosixPath(path)
    if not pure.parts or "\0" in path or pure.is_absolute() or ".." in pure.parts:
        raise OutsideVault(path)
    target = root.joinpath(*pure.parts)
    if not _is_inside(root, target.parent):
        raise OutsideVault(path)
    return target


def _is_inside(root: Path, place: Path) -> bool:
    real_root = os.path.realpath(root)
    return Path(os.path.realpath(place)).is_relative_to(real_root)


def passes_link(root: Path, path: str) -> bool:
    """Say whether a vault-relative path is, or is below, a symbolic link."""
    parts = PurePosixPath(path).parts
    return any(root.joinpath(*parts[:depth]).is_symlink() for depth in range(1, len(parts) + 1))


def is_file(place: Path) -> bool:
    """Say whether a file stands at a place that we may look at."""
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def remove(place: Path) -> None:
    """Remove whatever stands at a place: a file, a link, a folder with all in it. Raises `WriteFailed`."""
    try:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    except NotADirectoryError:
        return
    except OSError as error:
        raise WriteFailed(str(place), error.strerror or str(error)) from error


def remove_unless_file(place: Path) -> None:
    """Remove what is in the way of a file of derived data. Raises `WriteFailed`."""
    if place.is_symlink() or (place.exists() and not place.is_file()):
        remove(place)


def sweep_temporaries(folder: Path) -> None:
    """Remove the temporary files that killed writers left in a folder; the caller holds its lock.

    Raises `WriteFailed`.
    """
    for place in folder.glob(f".*{TEMPORARY}"):
        remove(place)


def make_derived_dir(folder: Path) -> None:
    """Make a folder of derived data, removing what is in its way. Raises `WriteFailed`."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        remove(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error


def make_derived_path(folder: Path) -> None:
    """Make a folder of derived data and those it lies in. Raises `WriteFailed`."""
    for missing in reversed([place for place in (folder, *folder.parents) if not place.is_dir()]):
        make_derived_dir(missing)


def read_bytes(root: Path, path: str) -> bytes:
    """Read a file of the vault whole."""
    target = safe_join(root, path)
    try:
        return target.read_bytes()
    except OSError as error:
        raise Unreadable(path, error.strerror or str(error)) from error


def read_found(root: Path, path: str) -> bytes:
    """Read a file that a scan found inside the vault, without looking again where it leads."""
    try:
        with open(f"{root}/{path}", "rb") as stream:  # noqa: PTH123  ten thousand files: `Path` takes twice as long
            return stream.read()
    except OSError as error:
        raise Unreadable(path, error.strerror or str(error)) from error


def read_optional(target: Path, name: str | None = None) -> bytes | None:
    """Read a file, or None where there is none; `name` is what an error calls it."""
    try:
        return target.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(name or str(target), error.strerror or str(error)) from error


def check_unchanged(target: Path, expected: bytes | None, name: str | None = None) -> None:
    """Raise `StaleWrite` unless the file holds `expected` (None: there is no such file)."""
    if read_optional(target, name) != expected or (expected is None and target.is_symlink()):
        raise StaleWrite(name or str(target))


def write_atomic(target: Path, data: bytes, *, root: Path | None = None, mode: int | None = None) -> None:
    """Put `data` in place of a file in one step; the target is untouched if that fails.

    The file gets `mode`; without it an existing file keeps its own. A symbolic link is written through; with `root`
    given, one that leads out of it raises `OutsideVault`.
    """
    place = Path(os.path.realpath(target)) if target.is_symlink() else target
    if root is not None and not _is_inside(root, place):
        raise OutsideVault(str(target))
    temporary = place.parent / f".{place.name[:100]}.{os.urandom(6).hex()}{TEMPORARY}"
    try:
        write_synced(temporary, data, mode=_mode_for(place) if mode is None else mode)
        temporary.replace(place)
        sync_folder(place.parent)
    except OSError as error:
        raise WriteFailed(str(target), error.strerror or str(error)) from error
    finally:
        with contextlib.suppress(OSError):  # a read-only medium refuses even this
            temporary.unlink(missing_ok=True)


def _mode_for(place: Path) -> int | None:
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except FileNotFoundError:
        return None


def write_synced(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a new file and wait for the disk; `mode` is kept exactly, None is 0o644 less the umask."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with open(handle, "wb") as stream:  # noqa: PTH123  a descriptor, not a path
        if mode is not None:
            os.fchmod(handle, mode)
        stream.write(data)
        stream.flush()
        os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def ensure_private_dir(root: Path) -> Path:
    """Return `.vault/`, made with a `.gitignore` of its own if it was missing."""
    private = root / PRIVATE_DIR
    if private.is_symlink() and not _is_inside(root, private):
        raise ForeignVaultDir(str(private))
    try:
        private.mkdir(exist_ok=True)
        ignore = private / ".gitignore"
        if not _begins(ignore, _IGNORE_ALL):
            ignore.write_bytes(_IGNORE_ALL)
    except FileExistsError as error:
        raise ForeignVaultDir(str(private)) from error
    except OSError as error:
        raise WriteFailed(str(private), error.strerror or str(error)) from error
    return private


def _begins(place: Path, content: bytes) -> bool:
    try:
        return place.read_bytes().startswith(content)
    except FileNotFoundError:
        return False


def is_writable(folder: Path) -> bool:
    """Say whether files can be made in a folder: not on a read-only medium, nor without the right to."""
    return os.access(folder, os.W_OK)


@contextmanager
def file_lock(path: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock of some derived data; `timeout` is in seconds. Raises `VaultLocked` and `WriteFailed`."""
    from filelock import FileLock, Timeout  # 70 ms, and a read of fresh data locks nothing

    make_derived_dir(path.parent)
    remove_unless_file(path)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise VaultLocked(None) from error
    except OSError as error:
        raise WriteFailed(str(path), error.strerror or str(error)) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def vault_lock(root: Path, *, timeout: float, token: str | None) -> Iterator[str]:
    """Hold the vault's one writer lock; yields the token a child process passes to be let through.

    `timeout` is in seconds. A child whose parent has died takes the lock itself.
    """
    from filelock import FileLock, Timeout  # 70 ms, and readers never lock

    private = ensure_private_dir(root)
    lock, holder = FileLock(private / "lock"), private / "lock.json"
    remove_unless_file(private / "lock")
    remove_unless_file(holder)
    through = token is not None and _held(holder).get("token") == token
    try:
        lock.acquire(timeout=0 if through else timeout)
    except Timeout as error:
        if through and token is not None:
            yield token
            return
        pid = _held(holder).get("pid")
        raise VaultLocked(pid if isinstance(pid, int) else None) from error
    except OSError as error:
        raise WriteFailed(str(private / "lock"), error.strerror or str(error)) from error
    try:
        sweep_temporaries(private)
        yield _announce(holder)
    finally:
        with contextlib.suppress(OSError):  # nobody believes it once the lock is free
            holder.unlink(missing_ok=True)
        lock.release()


def _announce(holder: Path) -> str:
    token = os.urandom(16).hex()
    write_atomic(holder, json.dumps({"pid": os.getpid(), "token": token}).encode())
    return token


def _held(holder: Path) -> dict[str, object]:
    with contextlib.suppress(OSError, ValueError):
        held = json.loads(holder.read_bytes())
        if isinstance(held, dict):
            return held
    return {}
