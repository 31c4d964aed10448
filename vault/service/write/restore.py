"""Bringing an entry back as it was at a commit or moment."""

from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.knowledge.supersede import KEPT, REPLACED, Beside
from vault.lang.edit import remove_block
from vault.lang.parse import parse
from vault.model.entry import Entry
from vault.model.slots import slot_of
from vault.model.values import Value, same
from vault.service.arguments.commit_options import CommitDetails
from vault.service.read.entry_detail import conflicts
from vault.service.read.history_resolve import recalled, split_moment
from vault.service.runtime.as_of import past
from vault.service.write.atomic_write import check_permitted
from vault.service.write.change_set import ChangeSet
from vault.service.write.commit_pending import put_moved, settle
from vault.service.write.commits import Conflicted
from vault.service.write.facts import again
from vault.service.write.idempotency import done
from vault.service.write.new_entry import PathTaken, entries_in, make_sure_undeclared
from vault.service.write.result import Placed, Written
from vault.service.write.settle_due import settle_slots
from vault.service.write.slots import apply, decide, is_fact, make_sure_vacant
from vault.service.write.update import make_sure_own
from vault.store.records import Stored
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.service.runtime.past import Past


class NoRevision(UsageError):
    """An entry to be restored, and no word of when it was as it should be again."""

    code = "no-revision"

    def __init__(self, words: str) -> None:
        entry = words.rstrip("@")
        super().__init__(
            f"`{words}` has no revision",
            hint=f"write `{entry}@REV`, as in `{entry}@HEAD~1`; `vault history {entry}` shows the commits",
        )


class UnreadableThen(VaultError):
    """An entry to be restored over another state of it, with a field that could not be read even then."""

    code = "unreadable-field"

    def __init__(self, entry: Entry, when: str) -> None:
        field = min(entry.unreadable)
        super().__init__(
            f"`{field}` of `{entry.key}` cannot be read at {when}",
            hint=f"name a commit at which it can; `vault history {entry.key}` shows them",
            details={"key": entry.key, "field": field},
        )


def restore(vault: "VaultHandle", words: str, *, told: CommitDetails = CommitDetails()) -> Written:  # noqa: B008  frozen
    """Bring back `ENTRY@REV`: a fact into its slot, another entry to the fields it had. One commit.

    What stands in its place now is history then. Raises `NoRevision`, `NoMoment`, `NotThere`, `SlotTaken`,
    `UnreadableThen`, and `PathTaken` for the file of its text.
    """
    entry, when = split_moment(vault, words)
    if when is None:
        raise NoRevision(words)
    with vault.writing() as token:
        if (before := done(vault, told.key)) is not None:
            return again(before)
        then = past(vault, when)
        try:
            old = recalled(vault, entry, then)
            make_sure_own(vault, old)
            if conflicts(vault, [old.entry.path]):
                raise Conflicted([old.entry.path])
            settle_slots(vault, [old.entry], token)
            edits = ChangeSet(vault)
            placed = _place(edits, old, then, when)
        finally:
            then.catalog.close()
        check_permitted(vault, edits.writes)
        settle(vault, [placed.replaced] if placed.replaced else [], token)
        landed = put_moved(vault, edits.writes, told.options("restore"), [placed.key], token=token)
    return Written(
        placed.key, placed.path, edits.paths, tuple(old.entry.fields), findings=tuple(edits.findings), landed=landed,
        placed=placed,
    )  # fmt: skip


def _place(edits: ChangeSet, old: Stored, then: "Past", when: str) -> Placed:
    """Put an old state where it belongs now: over what has its key, over its slot's occupant, or at its old path."""
    vault = edits.vault
    now = next((stored for stored in vault.snapshot().by_key(old.entry.key) if stored.scope == old.scope), None)
    slot = slot_of(old.entry)
    if now:
        _check_readable(old.entry, when)
        text = _text(old, then)
        changes = _changes(now.entry, old.entry)
        if text is not None and text != vault.text_of(now):
            changes["text"] = text.rstrip("\n")
        if not changes:
            return Placed("none", now.entry.key, now.entry.path, slot)
        edits.change(now, changes)
        if is_fact(now.entry):
            make_sure_vacant(vault, edits.entry(now), now.entry, now.scope)
        return Placed("restore", now.entry.key, now.entry.path, slot, now)
    decision = decide(vault, old.entry) if is_fact(old.entry) else Beside()
    if not isinstance(decision, Beside):
        _check_readable(old.entry, when)
        return apply(edits, decision, slot)
    _put_back(edits, old, then)
    return Placed("restore", old.entry.key, old.entry.path, slot)


def _check_readable(old: Entry, when: str) -> None:
    if old.unreadable:
        raise UnreadableThen(old, when)


def _changes(now: Entry, old: Entry) -> dict[str, Value | None]:
    """The fields that make an entry what it was; tags and relations of a fact are no part of what it said."""
    names = [*old.fields, *(name for name in now.fields if name not in old.fields)]
    if is_fact(now):
        names = [name for name in names if name in (*REPLACED, *KEPT, "describes")]
    pairs = {
        name: (now.fields.get(name), old.fields.get(name)) for name in names if name not in ("text_file", "created_at")
    }
    return {
        name: was
        for name, (held, was) in pairs.items()
        if not (held is not None and was is not None and same(held, was))
    }


def _text(old: Stored, then: "Past") -> str | None:
    """The text an entry kept in a sidecar then."""
    return then.read(old.text_file).decode("utf-8-sig", "replace") if old.text_file else None


def _put_back(edits: ChangeSet, old: Stored, then: "Past") -> None:
    """Write an entry that is gone at the path it had, with its comments and the file of its text."""
    path = old.entry.path
    make_sure_undeclared(edits.vault, old.entry.key)
    source, _ = decode(then.read(path), path)
    blocks = parse(source).blocks
    block = next(block for block in blocks if (block.type, block.id) == (old.entry.type, old.entry.id))
    current = edits.data(path)
    is_rest = current is not None and decode(current, path)[0] == remove_block(source, block)
    if is_rest or (current is None and len(blocks) == 1):
        edits.write(path, then.read(path))
    else:
        edits.append(source[block.start : block.end] + "\n", path)
    if old.text_file:
        text = then.read(old.text_file)
        if edits.data(old.text_file) not in (None, text):
            raise PathTaken(old.text_file, entries_in(edits.vault, old.text_file))
        edits.write(old.text_file, text)
