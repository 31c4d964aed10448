"""One hop: entries one reference away from those that were found."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from vault.model.access import GLOBAL
from vault.search.order import is_current, recency
from vault.store.records import Stored
from vault.workspace.snapshot import Snapshot

#: The results whose references are followed, and how many neighbours each adds at the most.
SOURCES, NEIGHBOURS = 3, 2
#: What a neighbour's score is of its source's: it stands below it.
SHARE = 0.5
#: References of one entry that are looked at, the newest entries first.
LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Link:
    """How a neighbour was come by: `source` names it in `field`, or, `backward`, is named by it there."""

    source: str
    field: str
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry one reference away from a result."""

    stored: Stored
    score: float
    link: Link


#: Says whether an entry states a reference to a key in a commit, not only in a file that is being edited.
Approved = Callable[[Stored, str], bool]


def neighbours(
    snapshot: Snapshot,
    found: Sequence[tuple[Stored, float]],
    fused: Mapping[int, float],
    approved: Approved,
    now: datetime,
    *,
    only: Collection[int] | None = None,
) -> Iterator[Neighbour]:
    """The neighbours of the best results; those that fit the question most come first.

    One that stands lower by itself than beside its source is a neighbour too. With `only`, none but these
    entries (by catalog row).
    """
    taken = {stored.entry.key for stored, score in found if score >= found[0][1] * SHARE}
    for source, score in found[:SOURCES]:
        around = sorted(
            (
                pair
                for pair in _around(snapshot, source, {*taken, source.entry.key})
                if only is None or pair[0].row in only
            ),
            key=lambda pair: (-fused.get(pair[0].row, 0.0), not is_current(pair[0], now), recency(pair[0])),
        )
        number = 0
        for stored, link in around:
            states, target = (stored, source.entry.key) if link.backward else (source, stored.entry.key)
            if number < NEIGHBOURS and stored.entry.key not in taken and approved(states, target):
                taken.add(stored.entry.key)
                number += 1
                yield Neighbour(stored, score * SHARE, link)


def _around(snapshot: Snapshot, source: Stored, taken: Collection[str]) -> Iterator[tuple[Stored, Link]]:
    """The entries a result names, and those that name it."""
    key = source.entry.key
    for name, reference in source.entry.references()[:LOOKED_AT]:
        named = None if reference.key in taken else _named(snapshot, source, reference.key)
        if named:
            yield named, Link(key, name)
    for name, stored in snapshot.referrers(key, limit=LOOKED_AT):
        if stored.entry.key not in taken:
            named = _named(snapshot, stored, key)
            if named and named.row == source.row:
                yield stored, Link(key, name, backward=True)


def _named(snapshot: Snapshot, writer: Stored, key: str) -> Stored | None:
    """The entry that one means by a key: that of its own scope, else the global one or what shadows that."""
    found = {stored.scope: stored for stored in snapshot.by_key(key)}
    meant = found.get(writer.scope) or found.get(GLOBAL)
    shown = found.get(snapshot.reader.space or GLOBAL)
    return meant or (shown if shown and snapshot.hidden_by(shown) else None)
