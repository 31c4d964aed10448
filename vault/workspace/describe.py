"""What a change of files means in entries: the words of a commit message."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from vault.lang.lower import read
from vault.model.access import scope_of
from vault.model.entry import Entry
from vault.model.slots import slot_of, version_of
from vault.model.trailers import OP
from vault.model.values import Value, plain_text, same

Op = Literal["add", "update", "delete"]
#: The field that a text in a file of its own counts as.
TEXT = "text"
SUBJECT_LENGTH = 72
#: More entries than this are counted in a message and not named.
NAMED_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class FileChange:
    """The text of a file before and after; None where it is not there."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What became of one entry; `fields` are those that differ."""

    op: Op
    key: str
    before: Entry | None
    after: Entry | None
    fields: tuple[str, ...] = ()


def op_of(before: object | None, after: object | None) -> Op:
    """What became of something that was one thing before and is another after; None is where there is none."""
    if before is None:
        return "add"
    return "delete" if after is None else "update"


class FieldChange(NamedTuple):
    """A field that differs; None where it is not there."""

    name: str
    before: Value | None
    after: Value | None

    @property
    def items(self) -> tuple[tuple[Value, ...], tuple[Value, ...]] | None:
        """What a list lost and what it got; None if neither side is one."""
        if not isinstance(self.before or self.after, tuple):
            return None
        old, new = (side if isinstance(side, tuple) else () for side in self[1:])
        return tuple(one for one in old if one not in new), tuple(one for one in new if one not in old)


def with_text(fields: Sequence[FieldChange], before: str | None, after: str | None) -> list[FieldChange]:
    """Changes of fields with that of a text in a file of its own, which is the field `text` of those who read it.

    On one side the text may have stood in the entry itself.
    """
    if before == after:
        return list(fields)
    inside = next((one for one in fields if one.name == TEXT), FieldChange(TEXT, None, None))
    old, new = (beside if own is None else own for own, beside in ((inside.before, before), (inside.after, after)))
    return [*(one for one in fields if one.name != TEXT), FieldChange(TEXT, old, new)]


def entry_changes(changes: Iterable[FileChange]) -> list[EntryChange]:
    """Compare the entries of files before and after, wherever an entry moved among them.

    An entry that another scope has too is looked for in its own scope first.
    """
    before: dict[tuple[str, str], Entry] = {}
    after: dict[tuple[str, str], Entry] = {}
    for change in changes:
        for text, side in ((change.before, before), (change.after, after)):
            if text is not None and change.path.endswith(".firm"):
                scope = scope_of(change.path) or ""
                side.update({(entry.key, scope): entry for entry in read(text, change.path).entries})
    for place in [place for place in before if place not in after]:
        other = next((new for new in after if new[0] == place[0] and new not in before), None)
        if other:
            before[other] = before.pop(place)
    found = []
    for place in sorted({*before, *after}):
        old, new = before.get(place), after.get(place)
        fields = changed_fields(old.fields if old else {}, new.fields if new else {})
        op = op_of(old, new)
        if op != "update" or fields or _moved(old, new):
            found.append(EntryChange(op, place[0], old, new, fields))
    return found


def _moved(old: Entry | None, new: Entry | None) -> bool:
    return old is not None and new is not None and old.path != new.path


def changed_fields(before: Mapping[str, Value], after: Mapping[str, Value]) -> tuple[str, ...]:
    """The names of fields that differ, in the order of the newer side."""
    names = [*after, *(name for name in before if name not in after)]
    return tuple(
        name for name in names if name not in before or name not in after or not same(before[name], after[name])
    )


def subject(found: Sequence[EntryChange], paths: Sequence[str], op: str | None = None) -> str:
    """Write the subject of a commit of these changes, at most 72 characters; `op` is what it was if not a change."""
    replaced = [change for change in found if operation(change) == "supersede"]
    if len(found) == 1 or (op == "supersede" and len(replaced) == 1):
        told = _one(replaced[0] if op == "supersede" and replaced else found[0])
        return _shortened(re.sub(r"\A(add|delete)(?= )", op, told) if op in ("retract", "restore") else told)
    if not found:
        return _shortened(_files(paths))
    names = ", ".join(change.key for change in found[:4])
    return _shortened(f"{_counted(found, op)} entries: {names}{', …' if len(found) > 4 else ''}")  # noqa: PLR2004


def _counted(found: Sequence[EntryChange], op: str | None) -> str:
    """Count what was done, as in `add 2 and update 720`."""
    counts = {op: len(found)} if op else Counter(change.op for change in found)
    return " and ".join(f"{verb} {number}" for verb, number in sorted(counts.items()))


def _one(change: EntryChange) -> str:
    if change.op == "add" and change.after:
        name = change.after.name
        return f"add {change.key}" + (f": {_line(name)}" if name != change.after.id else "")
    if change.op == "delete" or not (change.before and change.after):
        return f"delete {change.key}"
    told = _telling(change)
    if len(told) == 1:
        name = told[0]
        lead = f"{change.key}:" if name == "value" else f"{change.key}: {name}"
        return f"{lead} {_shown(change.before.fields.get(name))} → {_shown(change.after.fields.get(name))}"
    return f"{change.key}: change {', '.join(told)}" if told else f"move {change.key}"


def _telling(change: EntryChange) -> Sequence[str]:
    """The fields that say what a change was about: of a fact, what it says."""
    if operation(change) == "supersede":
        names = [name for name in ("value", "statement") if name in change.fields]
        return names[:1] or change.fields
    return [name for name in change.fields if name != "statement"] if "value" in change.fields else change.fields


def _files(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return f"change {paths[0]}"
    return f"change {len(paths)} files: {', '.join(paths[:3])}{', …' if len(paths) > 3 else ''}"  # noqa: PLR2004


def _shown(value: Value | None) -> str:
    if value is None:
        return "nothing"
    text = _line(plain_text(value))
    short = text if len(text) <= 30 else f"{text[:29]}…"  # noqa: PLR2004  two of these fit a subject
    return f'"{short}"' if isinstance(value, str) else short


def _line(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str) -> str:
    return text if len(text) <= SUBJECT_LENGTH else f"{text[: SUBJECT_LENGTH - 1]}…"


def trailers(found: Sequence[EntryChange], op: str | None = None) -> list[tuple[str, str]]:
    """The trailers that name the operation, its entries and the slots of its facts."""
    ops = {operation(change) for change in found}
    several = "update" if ops else None
    word = op or (ops.pop() if len(ops) == 1 else several)
    rows = [(OP, word)] if word else []
    if len(found) <= NAMED_ENTRIES:
        rows += [("Vault-Entry", change.key) for change in found]
        slots = [slot_of(entry) for change in found if (entry := change.after or change.before)]
        rows += [("Vault-Slot", slot.path) for slot in dict.fromkeys(slots) if slot]
    return rows


def operation(change: EntryChange) -> str:
    """What a change of an entry is called: one that gives a slot another statement supersedes."""
    before, after = change.before, change.after
    if before is None or after is None:
        return change.op
    slot = slot_of(before)
    replaced = slot is not None and slot == slot_of(after) and version_of(before) != version_of(after)
    return "supersede" if replaced else change.op
