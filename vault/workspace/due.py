"""Facts whose day has come: of several open attributes of a slot, the one that began last is the occupant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from vault.model.slots import Slot, Validity, keys_of, validity_of
from vault.store.catalog import Catalog
from vault.store.records import Stored


@dataclass(frozen=True, slots=True)
class Dated:
    """An attribute of a slot, and when it holds."""

    stored: Stored
    validity: Validity


def rivals(catalog: Catalog, local: tzinfo | None) -> list[Sequence[Dated]]:
    """The attributes of each slot that several fill, one of them from a day on."""
    rows = {row for pair in catalog.planned_rivals() for row in pair}
    slots: dict[tuple[str, Slot], list[Dated]] = defaultdict(list)
    if rows:
        for stored in catalog.entries_at(sorted(rows)):
            dated = Dated(stored, validity_of(stored.entry, local))
            slots[stored.scope, keys_of(stored.entry)].append(dated)
    return list(slots.values())


def begin(validity: Validity) -> datetime:
    """When a fact begins; one without a day began before all others."""
    return validity.begins or datetime.min.replace(tzinfo=UTC)


def day(validity: Validity, local: tzinfo | None) -> object:
    """The day on which a fact begins; None for one without."""
    return validity.begins.astimezone(local).date() if validity.begins else None


def succession(group: Iterable[Dated], now: datetime, local: tzinfo | None) -> Sequence[Dated]:
    """The open attributes of a slot in the order of their days, the occupant last; none if its day is not its own."""
    found = sorted((one for one in group if one.validity.is_open(now)), key=lambda one: begin(one.validity))
    if len(found) < 2:  # noqa: PLR2004  one alone succeeds no other
        return ()
    last, before = found[-1], found[-2]
    is_shared = day(last.validity, local) == day(before.validity, local)
    is_repeated = len({one.stored.entry.key for one in found}) < len(found)
    return () if is_shared or is_repeated else found


def due(groups: Iterable[Sequence[Dated]], now: datetime, local: tzinfo | None) -> Mapping[int, int]:
    """The catalog rows of facts that another has succeeded, each with that one's; their files are not settled yet."""
    pairs: dict[int, int] = {}
    for group in groups:
        found = succession(group, now, local)
        pairs |= {one.stored.row: found[-1].stored.row for one in found[:-1]}
    return pairs
