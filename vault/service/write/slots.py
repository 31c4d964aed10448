"""Putting facts into their slots: what a write into an occupied slot replaces."""

from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.knowledge.supersede import Beside, Known, Placing, Replaces, check_day, placing
from vault.model.entry import Entry
from vault.model.slots import FACT, Slot, is_attribute, slot_of, validity_of
from vault.service.write.change_set import ChangeSet
from vault.service.write.result import Placed
from vault.store.records import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault.service.runtime.handle import VaultHandle


class SlotTaken(VaultError):
    """A change of a fact that would give its slot a second open attribute."""

    code = "slot-conflict"

    def __init__(self, slot: Slot, fact: str, other: Entry) -> None:
        super().__init__(
            f"`{other.key}` already says what {slot} is ({other.path}:{other.place.line})",
            hint=f"`vault supersede {other.key} {fact}` puts this one in its place; or choose another claim",
            details={"candidates": [other.key]},
        )


class SaidTwice(UsageError):
    """Two facts of one write that say what one slot is."""

    code = "said-twice"

    def __init__(self, slot: Slot, first: str, second: str) -> None:
        super().__init__(
            f"`{first}` and `{second}` both say what {slot} is",
            hint="write one of them, or give the other another claim or an end (`valid_until`)",
            details={"candidates": [first, second]},
        )


def decide(vault: "VaultHandle", fact: Entry) -> Placing:
    """Say what becomes of the slot of a fact that is written into the reader's scope. Raises as `placing`."""
    slot = slot_of(fact)
    if slot is None:
        return Beside()
    standing = in_slot(vault, slot, vault.scope)
    return placing(fact, slot, standing, vault.clock(), vault.layout.settings.local)


def in_slot(vault: "VaultHandle", slot: Slot, scope: str) -> "Sequence[Stored]":
    """The facts that stand in a slot of a scope, by path."""
    return list(vault.catalog.facts_in_slot(slot, scope))


def apply(edits: ChangeSet, decision: Known | Replaces, slot: Slot | None) -> Placed:
    """Change the occupant of a slot as was decided."""
    occupant = decision.occupant
    if decision.changes:
        edits.change(occupant, decision.changes)
    key, path = occupant.entry.key, occupant.entry.path
    if isinstance(decision, Known):
        return Placed("update" if decision.changes else "none", key, path, slot)
    return Placed("supersede", key, path, slot, occupant, decision.respelt)


def check_once(vault: "VaultHandle", facts: "Sequence[Entry]") -> None:
    """Raise `SaidTwice` where two facts of one write are open attributes of one slot."""
    now, local = vault.clock(), vault.layout.settings.local
    said: dict[Slot, str] = {}
    for fact in facts:
        slot = slot_of(fact)
        if slot and is_attribute(fact) and validity_of(fact, local).is_open(now):
            if slot in said:
                raise SaidTwice(slot, said[slot], fact.key)
            said[slot] = fact.key


def make_sure_vacant(vault: "VaultHandle", fact: Entry, before: Entry, scope: str) -> None:
    """Raise `SlotTaken` or `DayTaken` if a changed fact becomes a second attribute of its slot, now or on its day."""
    now, local = vault.clock(), vault.layout.settings.local
    slot = slot_of(fact)

    def fills(entry: Entry) -> bool:
        return is_attribute(entry) and validity_of(entry, local).is_open(now)

    if slot is not None and not fills(fact):
        attributes = [stored for stored in in_slot(vault, slot, scope) if is_attribute(stored.entry)]
        check_day(fact, slot, attributes, now, local)
    if slot is None or not fills(fact) or (slot == slot_of(before) and fills(before)):
        return
    for other in in_slot(vault, slot, scope):
        if other.entry.key != fact.key and fills(other.entry):
            raise SlotTaken(slot, fact.key, other.entry)


def is_fact(entry: Entry) -> bool:
    """Say whether an entry is a fact, whose slot decides where it goes."""
    return entry.type == FACT
