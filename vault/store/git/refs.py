"""Moving the branch HEAD is on: one compare-and-swap, with the lock files and reflog git uses."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vault.errors import VaultError
from vault.store.files import WriteFailed, sync_folder, write_synced
from vault.store.git.config import Settings
from vault.store.git.lock import scratch
from vault.store.git.place import Place

ZERO = "0" * 40


class RefLocked(VaultError):
    """Another program holds the branch, or crashed and left its lock."""

    code = "ref-locked"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the branch is locked by another program ({path}); nothing was changed",
            hint=f"wait for that program; if none runs, remove {path}",
            details={"path": str(path)},
        )


class RefMoved(VaultError):
    """The branch went elsewhere while the commit was being made."""

    code = "ref-moved"

    def __init__(self, ref: str) -> None:
        super().__init__(
            f"{ref} moved while the commit was being made; it was left where it is",
            hint="repeat the command",
            details={"ref": ref},
        )


def ref_file(place: Place, ref: str) -> Path:
    """Return the file a ref is kept in; HEAD belongs to one working tree, branches to all."""
    return (place.git_dir if ref == "HEAD" else place.common_dir) / ref


@contextmanager
def ref_lock(place: Place, ref: str, new: str) -> Iterator[Path]:
    """Hold a ref's lock, which contains its new value; renaming the yielded file sets the ref.

    A lock a crash left while setting the same value is taken over.
    """
    target = ref_file(place, ref)
    lock = target.with_name(f"{target.name}.lock")
    draft = scratch(place.git_dir)
    content = f"{new}\n".encode()
    _make_folder(lock.parent)
    try:
        if lock.exists() and lock.read_bytes() == content:
            lock.unlink()
        write_synced(draft, content)
        os.link(draft, lock)
    except FileExistsError as error:
        raise RefLocked(lock) from error
    except OSError as error:
        raise WriteFailed(str(lock), error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    try:
        yield lock
    finally:
        with suppress(OSError):
            lock.unlink(missing_ok=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error


def set_ref(lock: Path) -> None:
    """Give a locked ref its new value. Raises `WriteFailed` with the ref as it was."""
    try:
        lock.replace(lock.with_suffix(""))
    except OSError as error:
        raise WriteFailed(str(lock.with_suffix("")), error.strerror or str(error)) from error
    with suppress(OSError):  # the ref has moved; a crash of the machine now is settled from the journal
        sync_folder(lock.parent)


def append_reflog(place: Place, settings: Settings, ref: str, line: str) -> None:
    """Add a line to the logs of HEAD and of its branch, unless the last one is the same move.

    Raises `WriteFailed`.
    """
    always = settings.text("core", "logallrefupdates") == "always"
    wanted = always or settings.flag("core", "logallrefupdates", default=True)
    branch = ref_file(place, ref)
    for log in {place.git_dir / "logs" / "HEAD", branch.parents[ref.count("/")] / "logs" / ref}:
        if wanted or log.exists():
            _append(log, line)


def _append(log: Path, line: str) -> None:
    """Add a line to a log: all of it, or nothing. Raises `WriteFailed`."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        if _ends_with(log, line[:81]):
            return
        with log.open("ab") as stream:
            size = stream.tell()
            try:
                stream.write(line.encode("utf-8", "surrogateescape"))
                stream.flush()
            except OSError:
                stream.truncate(size)
                raise
    except OSError as error:
        raise WriteFailed(str(log), error.strerror or str(error)) from error


def _ends_with(log: Path, move: str) -> bool:
    """Say whether the last line records the same move from one commit to another."""
    if not log.exists():
        return False
    lines = log.read_bytes()[-4096:].splitlines()
    return bool(lines) and lines[-1].startswith(move.encode())
