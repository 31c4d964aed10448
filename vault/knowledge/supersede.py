"""What becomes of a slot when a fact is written into it. The slot and nothing else decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from vault.errors import VaultError
from vault.model.entry import Entry, check_readable
from vault.model.slots import Slot, is_attribute, slot_of, validity_of, version_of
from vault.model.values import Value, same
from vault.store.records import Stored

#: The fields in which a new statement takes the place of the old one, whether it has them or not.
REPLACED = (
    *("statement", "value", "observed_at", "valid_from", "valid_until", "sources", "quote"),
    *("confidence", "importance", "hints", "chat", "chat_turn"),
)
#: The fields that are the occupant's, however the new statement spells them.
KEPT = ("subject", "agent", "aspect", "group", "claim", "kind", "created_at")
#: The fields that tell whether a fact says what another says.
VERSIONED = ("kind", "statement", "value", "valid_from", "valid_until")
_KEYS = ("aspect", "group", "claim")


class SlotConflict(VaultError):
    """A slot that several open attributes fill, so that nobody can say which of them a new one replaces."""

    code = "slot-conflict"

    def __init__(self, slot: Slot, claims: Sequence[Entry]) -> None:
        first, second = (fact.key for fact in claims[:2])
        places = [f"{fact.path}:{fact.place.line}" for fact in claims]
        super().__init__(
            f"{len(claims)} facts say what {slot} is now: {', '.join(places)}",
            hint=f"`vault supersede {first} {second}` puts the second in place of the first",
            details={"candidates": [fact.key for fact in claims], "places": places},
        )


class TimesOverlap(VaultError):
    """A fact about the past whose time overlaps that of another in its slot."""

    code = "overlapping-validity"

    def __init__(self, slot: Slot, other: Entry) -> None:
        super().__init__(
            f"`{other.key}` already says what {slot} was in a part of that time",
            hint=f"give other days, or correct those of {other.path}:{other.place.line}",
            details={"candidates": [other.key], "places": [f"{other.path}:{other.place.line}"]},
        )


class DayTaken(VaultError):
    """A fact that begins on a day on which another of its slot begins."""

    code = "slot-conflict"

    def __init__(self, slot: Slot, other: Entry) -> None:
        super().__init__(
            f"`{other.key}` already says what {slot} is from that day on ({other.path}:{other.place.line})",
            hint=f"give another `valid_from`, or change it: `vault set {other.key} statement=…`",
            details={"candidates": [other.key]},
        )


@dataclass(frozen=True, slots=True)
class Beside:
    """The fact stands beside what is there, as an entry of its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """The slot says this already; `changes` adds the sources it has not."""

    occupant: Stored
    changes: Mapping[str, Value | None]


@dataclass(frozen=True, slots=True)
class Replaces:
    """The fact takes the occupant's place in its file, by these changes; `respelt` are keys spelt otherwise."""

    occupant: Stored
    changes: Mapping[str, Value | None]
    respelt: tuple[str, ...] = ()


Placing = Beside | Known | Replaces


def placing(fact: Entry, slot: Slot, standing: Sequence[Stored], now: datetime, local: tzinfo | None = None) -> Placing:
    """Say what becomes of a slot. `standing` are the facts there in the scope the new one is written to.

    Raises `SlotConflict` where more than one is open, `DayTaken`, `TimesOverlap`, and `UnreadableField`.
    """
    version = version_of(fact)
    for stored in standing:
        check_readable(stored.entry, VERSIONED)
    known = next((stored for stored in standing if version_of(stored.entry) == version), None)
    if known:
        return Known(known, added(known.entry, fact, ("sources",)))
    attributes = [stored for stored in standing if is_attribute(stored.entry)]
    validity = validity_of(fact, local)
    if not is_attribute(fact):
        return Beside()
    if not validity.is_open(now):
        over = [stored.entry for stored in attributes if validity_of(stored.entry, local).is_over(now)]
        other = next((past for past in over if validity.overlaps(validity_of(past, local))), None)
        if validity.is_over(now) and other:
            raise TimesOverlap(slot, other)
        check_day(fact, slot, attributes, now, local)
        return Beside()
    occupants = [stored for stored in attributes if validity_of(stored.entry, local).is_open(now)]
    if len(occupants) > 1:
        raise SlotConflict(slot, [stored.entry for stored in occupants])
    return replacing(occupants[0], fact) if occupants else Beside()


def check_day(fact: Entry, slot: Slot, standing: Sequence[Stored], now: datetime, local: tzinfo | None) -> None:
    """Raise `DayTaken` if another attribute of the slot begins on the day, still ahead, on which a fact does."""
    validity = validity_of(fact, local)
    if validity.begins is None or validity.begins <= now or not is_attribute(fact):
        return
    own = validity.begins.astimezone(local).date()
    for stored in standing:
        begins = validity_of(stored.entry, local).begins
        if stored.entry.key != fact.key and begins and begins.astimezone(local).date() == own:
            raise DayTaken(slot, stored.entry)


def replacing(occupant: Stored, fact: Entry) -> Replaces:
    """What replaces one fact's statement by another's: its id, tags, relations and unknown fields stay.

    Raises `UnreadableField` for a field of the new fact, or one that is added to, that cannot be read.
    """
    old = occupant.entry
    check_readable(fact)
    written = {*old.fields, *old.unreadable, *fact.fields}
    changes: dict[str, Value | None] = {name: fact.fields.get(name) for name in REPLACED if name in written}
    lists = [name for name, value in fact.fields.items() if isinstance(value, tuple)]
    others = [name for name in fact.fields if name not in (*REPLACED, *KEPT)]
    changes |= added(old, fact, [name for name in others if name in lists])
    changes |= {name: fact.fields[name] for name in others if name not in lists}
    result = {name: value for name, value in {**old.fields, **changes}.items() if value is not None}
    if slot_of(Entry(old.type, old.id, result)) != slot_of(old) and "subject" in fact.fields:
        changes["subject"] = fact.fields["subject"]
    both = [
        name for name in _KEYS if name in fact.fields and name in old.fields
    ]  # one that is left out has no spelling
    respelt = tuple(name for name in both if fact.fields[name] != old.fields[name])
    kept = {
        name: value
        for name, value in changes.items()
        if name in old.unreadable or not _is_same(old.fields.get(name), value)
    }
    return Replaces(occupant, kept, respelt)


def added(old: Entry, fact: Entry, names: Sequence[str]) -> dict[str, Value | None]:
    """The lists of the old entry with the items of the new one that they lack. Raises `UnreadableField`."""
    check_readable(old, [name for name in names if name in fact.fields])
    found: dict[str, Value | None] = {}
    for name in names:
        held, given = (_items(entry.fields.get(name)) for entry in (old, fact))
        new = tuple(item for item in given if not any(same(item, other) for other in held))
        if new:
            found[name] = (*held, *new)
    return found


def _items(value: Value | None) -> tuple[Value, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _is_same(old: Value | None, new: Value | None) -> bool:
    return old is new or (old is not None and new is not None and same(old, new))
