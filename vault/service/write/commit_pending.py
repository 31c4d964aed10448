"""What is committed before a fact takes another's place: no text is lost that was in no commit."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.lang.lower import read
from vault.model.entry import Entry
from vault.model.slots import Slot, slot_of
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.citations import cited
from vault.service.write.atomic_write import commit_prepared, put
from vault.service.write.commits import HasErrors, land
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import decode
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.runtime.commit_result import Landed
    from vault.service.runtime.handle import VaultHandle
    from vault.store.git import Repository


class NeedsHistory(VaultError):
    """A fact that would be replaced where no history keeps it."""

    code = "needs-history"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"`{key}` would be replaced, and without a git repository nothing would keep what it says",
            hint=f"`git init` first, or change it in place: `vault set {key} statement=…`",
            details={"key": key},
        )


class StagedApart(VaultError):
    """A file that is to be replaced, and is staged with a text that neither it nor the last commit has."""

    code = "staged-apart"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"what is staged of {path} is in no commit, and would be lost",
            hint=f"`vault commit --staged` keeps it, `git restore --staged {path}` drops it",
            details={"path": path},
        )


def settle(vault: "VaultHandle", entries: Sequence[Stored], token: str) -> None:
    """Commit what the files of some entries hold that history does not, before a write replaces it.

    Raises `NeedsHistory` without a repository, `StagedApart`, and `HasErrors` for what cannot be committed.
    """
    if not entries:
        return
    commit_prepared(vault)
    commit_edits(vault, edits_of(vault, entries), {stored.entry.key for stored in entries}, token)


def edits_of(vault: "VaultHandle", entries: Sequence[Stored]) -> list[FileWrite]:
    """What the files of some entries hold that history does not. Raises `NeedsHistory` and `StagedApart`."""
    if vault.repository is None:
        raise NeedsHistory(entries[0].entry.key)
    paths = sorted({path for stored in entries for path in (stored.entry.path, stored.text_file) if path})
    _check_staged(vault, vault.repository, paths)
    dirty = [path for path, commit in cited(vault, paths).items() if commit == "worktree"]
    return [FileWrite(path, data, data) for path, data in ((path, vault.read(path)) for path in dirty)]


def commit_edits(vault: "VaultHandle", edits: Sequence[FileWrite], keys: Collection[str], token: str) -> None:
    """Commit edits of files; those that entries of some keys were moved from go with them."""
    try:
        _land_moved(vault, edits, lambda one: one.key in keys, token)
    except VaultError as error:
        paths = ", ".join(edit.path for edit in edits)
        error.add(f"; {paths} changed since the last commit, and is committed before it is replaced")
        raise


def put_in_slots(
    vault: "VaultHandle",
    writes: Sequence[FileWrite],
    options: CommitOptions | None,
    slots: Collection[Slot],
    keys: Collection[str],
    *,
    token: str,
) -> "Landed":
    """Write files of entries and facts, as `put_moved`; facts deleted by hand from their slots are committed first."""
    try:
        return put_moved(vault, writes, options, keys, token=token)
    except HasErrors:
        gone = _deleted(vault, lambda one: slot_of(one) in slots) if slots else []
        if not gone:
            raise
    _land_moved(vault, gone, lambda _: False, token)
    return put_moved(vault, writes, options, keys, token=token)


def put_moved(
    vault: "VaultHandle",
    writes: Sequence[FileWrite],
    options: CommitOptions | None,
    keys: Collection[str],
    *,
    token: str,
) -> "Landed":
    """Write files, as `put` does; files from which their entries were deleted by hand go in the same commit."""
    try:
        return put(vault, writes, options, token=token)
    except HasErrors:
        paths = {write.path for write in writes}
        gone = [write for write in _deleted(vault, lambda one: one.key in keys) if write.path not in paths]
        if not gone:
            raise
    return put(vault, [*writes, *gone], options, token=token)


def _check_staged(vault: "VaultHandle", repository: "Repository", paths: Sequence[str]) -> None:
    """Raise `StagedApart` for a path whose staged text is neither committed nor in its file."""
    index, head = repository.index(), repository.head()
    for path in paths:
        if (staged := index.get(repository.full(path))) is not None:
            data = vault.read(path)
            known = {repository.entry_at(head, path), blob_of(data), blob_of(data.replace(b"\r\n", b"\n"))}
            if staged.blob.hex() not in known and not staged.intent_to_add:
                raise StagedApart(path)


def _land_moved(vault: "VaultHandle", writes: Sequence[FileWrite], moved: Callable[[Entry], bool], token: str) -> None:
    """Commit files as they are; where that is refused, with the files that the entries in them were moved from."""
    try:
        commit = land(vault, writes, token=token).commit
    except HasErrors:
        gone = _deleted(vault, moved)
        if not gone:
            raise
        commit = land(vault, [*writes, *gone], token=token).commit
    if commit:
        vault.say(f"committed first {commit.commit[:10]}: {commit.subject}")


def _deleted(vault: "VaultHandle", fits: Callable[[Entry], bool]) -> list[FileWrite]:
    """The files that the last commit has and that are gone, where an entry in them fits."""
    repository = vault.git()
    head, found = repository.head(), []
    for change in repository.status(vault.scanned()):
        blob = repository.entry_at(head, change.path) if change.path.endswith(".firm") else None
        if blob is None or (vault.root / change.path).exists():
            continue
        text, _ = decode(repository.read_blob(blob), change.path)
        if any(map(fits, read(text, change.path).entries)):
            found.append(FileWrite(change.path, None, None))
    return found
