"""What every write shares: ids, sidecars, and putting files in place all or none."""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import UNCOMMITTED, Landed
from vault.store.files import WriteFailed, check_unchanged, read_optional, remove, safe_join, write_atomic
from vault.store.ignore import Pattern
from vault.store.journal import FileWrite, Journal

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class IgnoredPath(VaultError):
    """A new file at a path that a rule of git excludes."""

    code = "ignored-path"

    def __init__(self, path: str, pattern: Pattern) -> None:
        place = f"line {pattern.number} of {pattern.file}"
        super().__init__(
            f"{path} is ignored by git ({place}), so it would not belong to the vault",
            hint=f"choose another id, or change {place}",
            details={"path": path, "rule": str(pattern.file), "line": pattern.number},
        )


def put(
    vault: "VaultHandle", writes: Sequence[FileWrite], options: CommitOptions | None = None, *, token: str | None = None
) -> Landed:
    """Write files, all or none, and with `options` commit them in the same step.

    `token` is that of the writer lock where the caller holds it: whoever reads what a write depends on
    holds it from then on. A file that changed since it was read stops the write.
    """
    if token is None:
        with vault.writing() as held:
            return put(vault, writes, options, token=held)
    if len({write.path for write in writes}) < len(writes):
        raise ValueError("two writes of one file: one of them would be lost")
    _refuse_ignored(vault, writes)
    with vault.gate.passing(writes) if vault.gate else nullcontext():
        if vault.prepared:
            commit_prepared(vault, writes if options else ())
        return _put(vault, writes, options, token)


def commit_prepared(vault: "VaultHandle", writes: Sequence[FileWrite] = ()) -> None:
    """Commit what the write under way made for itself. Raises `HasErrors` first if its own `writes` have errors."""
    from vault.service.write.commits import check_committable

    check_committable(vault, writes)
    while vault.prepared:
        vault.prepared[0].commit()
        del vault.prepared[0]


def check_permitted(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Raise what `put` would of a write that is not permitted, before anything is done for it."""
    if vault.gate:
        vault.gate.check(writes)


def _put(vault: "VaultHandle", writes: Sequence[FileWrite], options: CommitOptions | None, token: str) -> Landed:
    if options is not None:
        from vault.service.write.commits import land

        return land(vault, writes, options, token=token)
    write_files(vault, writes)
    return UNCOMMITTED


def write_files(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Write files, all or none, without a commit and without asking whether the caller may."""
    changes = [write for write in writes if write.before != write.after]
    if len(changes) == 1 and changes[0].after is not None:
        _write_one(vault, changes[0], changes[0].after)
    elif changes:
        journal = Journal.begin(vault.root, changes)
        try:
            journal.apply()
        except BaseException:
            journal.undo()
            raise
        journal.finish()


def _write_one(vault: "VaultHandle", write: FileWrite, after: bytes) -> None:
    target = safe_join(vault.root, write.path)
    check_unchanged(target, write.before, write.path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(str(target.parent), error.strerror or str(error)) from error
    try:
        write_atomic(target, after, root=vault.root)
    except WriteFailed:
        _take_back(target, write.before, after)
        raise


def _take_back(target: Path, before: bytes | None, after: bytes) -> None:
    """Undo a write that was refused after the file was in place, as when its folder cannot be synchronised."""
    if read_optional(target) != after:
        return
    with suppress(WriteFailed):
        if before is None:
            remove(target)
        else:
            write_atomic(target, before)


def _refuse_ignored(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Raise `IgnoredPath` for a file that git leaves out, and so the vault."""
    exclusions = vault.exclusions()
    known = vault.catalog.blobs(write.path for write in writes)
    for write in writes:
        seen = write.path in known or (write.before is not None and not write.path.endswith(".firm"))
        pattern = None if write.after is None or seen else exclusions.pattern(write.path)
        if pattern is not None:
            raise IgnoredPath(write.path, pattern)
