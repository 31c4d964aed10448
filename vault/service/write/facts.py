"""Facts: written into their slots, superseded, retracted and restored, each as one commit."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vault.errors import UsageError
from vault.knowledge.supersede import replacing
from vault.model.access import BUNDLED
from vault.model.entry import Entry, check_readable
from vault.model.keys import is_identifier, normalise_key, split_key
from vault.model.slots import FACT, slot_of, validity_of
from vault.model.values import Reference, Value
from vault.service.arguments.commit_options import CommitDetails, CommitOptions
from vault.service.arguments.slots import BadSlot
from vault.service.write import create
from vault.service.write.atomic_write import check_permitted, put
from vault.service.write.change_set import ChangeSet
from vault.service.write.commit_pending import settle
from vault.service.write.idempotency import Done, done
from vault.service.write.result import Placed, Written
from vault.service.write.settle_due import settled
from vault.service.write.slots import apply, is_fact
from vault.service.write.update import ReadOnly, left_behind, make_sure_own, to_change
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class NotAFact(UsageError):
    """An operation of facts on another entry."""

    code = "not-a-fact"

    def __init__(self, key: str, instead: str) -> None:
        super().__init__(f"`{key}` is not a fact", hint=instead, details={"key": key})


class NeverSupersedes(UsageError):
    """A statement about the past or the future, which takes the place of none."""

    code = "never-supersedes"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"what does not hold now cannot take the place of `{key}`",
            hint="`vault fact` writes it beside; or leave out the days",
            details={"key": key},
        )


class SameFact(UsageError):
    """A fact to be superseded by itself: what would be left is none."""

    code = "same-fact"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"`{key}` cannot take its own place",
            hint=f'name the other fact of the slot, or give a sentence: `vault supersede {key} "…"`',
            details={"key": key},
        )


class NoStatement(UsageError):
    """A fact that would say nothing."""

    code = "no-statement"

    def __init__(self, slot: str) -> None:
        super().__init__(
            f"there is no fact about `{slot}`",
            hint='give a sentence: `vault fact ada work/role "Ada is a programmer."`; `vault retract` takes one back',
        )


class NoNewStatement(UsageError):
    """A fact to be superseded by nothing, or by a value that its statement does not tell how to say."""

    code = "no-new-statement"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"missing new statement for `{key}`",
            hint=f'give a sentence: `vault supersede {key} "…" --value …`, or another fact',
            details={"key": key},
        )


def commit_options(*, commit: bool, message: str | None = None, reason: str | None = None) -> CommitOptions | None:
    """The commit that a program asks for, None where it wants none."""
    return CommitDetails(message, reason=reason).options() if commit else None


def slot_words(words: str) -> dict[str, Value]:
    """Read `ASPECT[/GROUP]/CLAIM` as fields of a fact; raises `BadSlot`."""
    parts = [part.strip() for part in words.split("/")]
    if not 2 <= len(parts) <= 3:  # noqa: PLR2004
        raise BadSlot(words, f"it has {len(parts)} part{'s' * (len(parts) != 1)}")
    for part in parts:
        if not normalise_key(part):
            raise BadSlot(words, f"`{part}` holds no letter and no digit")
    names = ("aspect", "claim") if len(parts) == 2 else ("aspect", "group", "claim")  # noqa: PLR2004
    return dict(zip(names, parts, strict=True))


def record(
    vault: "VaultHandle",
    subject: str,
    slot: str,
    statement: str,
    fields: Mapping[str, Value],
    *,
    ident: str | None = None,
    words: CommitDetails = CommitDetails(),  # noqa: B008  frozen
) -> Written:
    """Say something of an entity: beside what is known, or in place of what its slot said, as one commit.

    `slot` is `ASPECT[/GROUP]/CLAIM`. Raises `BadSlot`, `NoStatement`, `NotFound`, `Ambiguous`, `Refused`,
    `SlotConflict` and `TimesOverlap`.
    """
    told = slot_words(slot)
    if not statement.strip():
        raise NoStatement(slot)
    with vault.writing() as token:
        if (before := done(vault, words.key)) is not None:
            return again(before)
        about = vault.snapshot().resolve(subject).entry
        if is_fact(about):
            raise BadSlot(slot, f"`{about.key}` is itself a fact")
        given = {"statement": statement, "subject": Reference(about.type, about.id), **told, **fields}
        return create.write(vault, FACT, ident, given, words.options(), token)


def supersede(
    vault: "VaultHandle",
    old: str,
    new: str | None,
    fields: Mapping[str, Value],
    *,
    words: CommitDetails = CommitDetails(),  # noqa: B008  frozen
) -> Written:
    """Put a statement, or another fact's, in the place of a fact's: its id and path stay. One commit.

    `new` is a sentence or the key of a fact, whose own file goes; without it the old sentence is said with the
    new `value`. Raises `NotAFact`, `SameFact`, `NoNewStatement`, `NeverSupersedes`, `UnreadableField`.
    """
    from vault.service.read.chats import chat_fields

    with vault.writing() as token:
        if (before := done(vault, words.key)) is not None:
            return again(before)
        stored = _fact(vault, old, "`vault set` changes other entries")
        stored = settled(vault, stored, old, token)
        other = _other(vault, new)
        if other and (other.entry.key, other.entry.path) == (stored.entry.key, stored.entry.path):
            raise SameFact(stored.entry.key)
        if other:
            check_readable(other.entry)  # its file goes, and with it what cannot be taken over
        own = {**chat_fields(vault, FACT), **_said(stored.entry, new, fields), **fields}
        given = dict(other.entry.fields) if other else own
        keys = {name: stored.entry.fields[name] for name in ("subject", "describes") if name in stored.entry.fields}
        fact = Entry(FACT, stored.entry.id, {**given, **keys})
        if not validity_of(fact, vault.layout.settings.local).is_open(vault.clock()):
            raise NeverSupersedes(stored.entry.key)
        edits = ChangeSet(vault)
        placed = apply(edits, replacing(stored, fact), slot_of(stored.entry))
        left = []
        if other:
            edits.remove(other)
            left = left_behind(vault, other)
        check_permitted(vault, edits.writes)
        settle(vault, [stored, *([other] if other else [])], token)
        landed = put(vault, edits.writes, words.options("supersede"), token=token)
    findings = (*edits.findings, *left)
    return Written(placed.key, placed.path, edits.paths, tuple(given), findings=findings, landed=landed, placed=placed)


def retract(vault: "VaultHandle", fact: str, *, words: CommitDetails = CommitDetails()) -> Written:  # noqa: B008  frozen
    """Take a fact back: its file goes, its history stays, its slot is vacant. One commit. Raises `NotAFact`."""
    with vault.writing() as token:
        if (before := done(vault, words.key)) is not None:
            return again(before)
        stored = settled(vault, _fact(vault, fact, "`vault rm` removes other entries"), fact, token)
        hidden = vault.snapshot().hidden_by(stored)
        edits = ChangeSet(vault)
        edits.remove(stored)
        left = tuple(left_behind(vault, stored))
        check_permitted(vault, edits.writes)
        settle(vault, [stored], token)
        landed = put(vault, edits.writes, words.options("retract"), token=token)
    placed = Placed("retract", stored.entry.key, stored.entry.path, slot_of(stored.entry), stored)
    reveals = hidden[0].entry.path if hidden else ""
    return Written(placed.key, placed.path, edits.paths, reveals=reveals, findings=left, landed=landed, placed=placed)


def _fact(vault: "VaultHandle", words: str, instead: str) -> Stored:
    """The fact that words name, which the reader may change."""
    stored = to_change(vault, words)
    if stored.scope == BUNDLED:
        raise ReadOnly(stored.entry.key)
    if not is_fact(stored.entry):
        raise NotAFact(stored.entry.key, instead)
    make_sure_own(vault, stored)
    return stored


def _other(vault: "VaultHandle", new: str | None) -> Stored | None:
    """The fact that stands for a new statement, by its key or id; None where the words are the statement itself."""
    if not new:
        return None
    key = split_key(new)
    if key:
        return _fact(vault, new, "") if key[0] == FACT else None
    named = f"{FACT}.{new}"
    return _fact(vault, named, "") if is_identifier(new) and vault.snapshot().by_key(named) else None


def _said(old: Entry, new: str | None, fields: Mapping[str, Value]) -> dict[str, Value]:
    """The new sentence: as given, or the old one with the new value where the old value stood."""
    if new and new.strip():
        return {"statement": new}
    value, was, sentence = fields.get("value"), old.fields.get("value"), old.fields.get("statement")
    if isinstance(value, str) and isinstance(was, str) and isinstance(sentence, str) and was:
        told, times = re.subn(rf"(?<!\w){re.escape(was)}(?!\w)", lambda _: value, sentence)
        if times == 1:
            return {"statement": told}
    raise NoNewStatement(old.key)


def again(before: Done) -> Written:
    """What a write answers that was made before: nothing is changed."""
    key, path = before.entries[0] if before.entries else ("", "")
    return Written(key, path, (), placed=Placed("none", key, path, None, done=before.commit))
