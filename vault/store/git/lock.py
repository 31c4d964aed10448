"""`index.lock`: git's own lock, taken so that a leftover of ours can be told from another's."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vault.errors import VaultError
from vault.store.files import WriteFailed, write_synced

_MARK = "firm-vault"
_SCRATCH = "vault-scratch-"
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


class IndexLocked(VaultError):
    """Another program holds git's index, or one crashed and left its lock."""

    code = "index-locked"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"git's index is locked by another program ({path}); nothing was changed",
            hint=f"wait for that program; if none runs, remove {path}",
            details={"path": str(path)},
        )


def scratch(git_dir: Path) -> Path:
    """Name a new temporary file in git's folder."""
    return git_dir / f"{_SCRATCH}{secrets.token_hex(8)}"


@contextmanager
def index_lock(git_dir: Path, root: Path, token: str) -> Iterator[None]:
    """Hold `index.lock` in the name of the vault at `root`, whose own lock `token` names.

    A lock this vault left in a crash is taken over: whoever held the vault's lock then is gone.
    """
    lock = git_dir / "index.lock"
    release_stale_lock(git_dir, root, token)
    if not _create(git_dir, lock, os.fsencode(f"{_MARK} {token} {os.getpid()} {root}\n")):
        raise IndexLocked(lock)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the next write of this vault takes it over
            lock.unlink(missing_ok=True)


def _create(git_dir: Path, lock: Path, content: bytes) -> bool:
    """Create the lock with its content in one step; False if it is there already."""
    draft = scratch(git_dir)
    try:
        write_synced(draft, content)
        os.link(draft, lock)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in _NO_LINKS:
            return _create_in_place(lock, content)
        raise WriteFailed(str(lock), error.strerror or str(error)) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    return True


def _create_in_place(lock: Path, content: bytes) -> bool:
    try:
        write_synced(lock, content)
    except FileExistsError:
        return False
    except OSError as error:
        raise WriteFailed(str(lock), error.strerror or str(error)) from error
    return True


def release_stale_lock(git_dir: Path, root: Path, token: str) -> bool:
    """Remove what a crash of this vault left in git's folder; the caller holds the vault's lock.

    A lock made under `token` itself is a live parent's and stays. Returns whether a lock was removed.
    """
    lock = git_dir / "index.lock"
    owner = _owner(lock)
    if owner is None or owner[0] == token or owner[1] != str(root):
        return False
    for left in git_dir.glob(f"{_SCRATCH}*"):
        left.unlink(missing_ok=True)
    lock.unlink(missing_ok=True)
    return True


def _owner(lock: Path) -> tuple[str, str] | None:
    """Read which vault, under which token, made a lock; None for a lock of another program."""
    with contextlib.suppress(OSError, UnicodeDecodeError, ValueError):
        mark, token, _pid, root = os.fsdecode(lock.read_bytes()).rstrip("\n").split(" ", 3)
        if mark == _MARK:
            return token, root
    return None
