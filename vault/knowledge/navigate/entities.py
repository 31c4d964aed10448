"""Entities: who and what there are facts about, with how much is known of each."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from vault.knowledge.navigate.parameters import UNASSIGNED, AmbiguousEntity, EntityNotFound, Page, Part
from vault.knowledge.navigate.visibility import Sight
from vault.model.keys import fold_name
from vault.store.records import Stored
from vault.store.tables.facts import FactCounts
from vault.workspace.snapshot import closest

#: Types whose entries are entities before anything is said of them.
ALWAYS = ("actor", "thing")
#: The fields whose references make one entity depend on another.
RELATIONS = ("relates_to", "belongs_to", "uses", "describes")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity, or (`stored` None) the reserved one of facts without a subject; with counts of what is seen of it."""

    stored: Stored | None
    facts: FactCounts
    incoming: int = 0
    outgoing: int = 0

    @property
    def key(self) -> str:
        """What it is called by: `type.id`."""
        return self.stored.entry.key if self.stored else UNASSIGNED

    @property
    def name(self) -> str:
        """What people call it."""
        return self.stored.entry.name if self.stored else UNASSIGNED


def listed(sight: Sight, part: Part, *, words: str = "", kind: str | None = None) -> Page[Entity]:
    """The entities seen: pinned ones first, then those most is known of, then by name; `unassigned` is the last.

    With `words`, those whose name, an alias or id contains them; with `kind`, those of one type.
    """
    found = sight.snapshot.catalog.entities(sight.visible(), always=ALWAYS, kind=kind, words=words)
    rows: list[tuple[int | None, FactCounts]] = list(found)
    if kind is None and fold_name(words) in UNASSIGNED:
        loose = _unassigned(sight)
        rows += [(None, loose)] if loose.aspects else []
    page = part.of(rows)
    return Page(_read(sight, page.items), page.total, page.limit, page.offset)


def _unassigned(sight: Sight) -> FactCounts:
    return sight.snapshot.catalog.other_fact_counts(sight.visible(), sorted(sight.entities()))


def _read(sight: Sight, rows: Sequence[tuple[int | None, FactCounts]]) -> list[Entity]:
    """Read entities, with the references from and to each in the relation fields."""
    held = sight.snapshot.rows(row for row, _ in rows if row is not None)
    keys = [stored.entry.key for stored in held.values()]
    catalog, visible = sight.snapshot.catalog, sight.visible()
    incoming = catalog.incoming_counts(visible, keys, RELATIONS)
    outgoing = catalog.outgoing_counts(visible, held, RELATIONS)
    return [
        Entity(None, facts)
        if row is None
        else Entity(held[row], facts, incoming.get(held[row].entry.key, 0), outgoing.get(row, 0))
        for row, facts in rows
    ]


def counted(sight: Sight, stored: Stored | None) -> Entity:
    """An entity with what is known of it."""
    if stored is None:
        return Entity(None, _unassigned(sight))
    return _read(sight, [(stored.row, _facts(sight, [stored.entry.key]).get(stored.entry.key, FactCounts()))])[0]


def _facts(sight: Sight, keys: Iterable[str]) -> dict[str, FactCounts]:
    return sight.snapshot.catalog.fact_counts(sight.visible(), keys)


def found(sight: Sight, words: str) -> Stored | None:
    """Find the entity that words name: key or id, name or alias, else one spelt alike; None for the reserved one.

    An entry that is no entity yet is found where no entity goes by the words.
    Raises `EntityNotFound`, with near matches, and `AmbiguousEntity`.
    """
    if fold_name(words) == UNASSIGNED:
        return None
    words = words.encode(errors="replace").decode()  # no entry goes by half of a character
    if words in (keyed := _versions(sight, words, "key")):
        return keyed[words]
    ways = [_versions(sight, words, "id"), _versions(sight, words, "label")]
    if not any(ways):
        ways = [_versions(sight, words, "likeness")]
    named = {key for way in ways for key in way}
    entities = _facts(sight, named).keys() | {key for key in named if key.partition(".")[0] in ALWAYS}
    for among in (entities, named):
        for way in ways:
            keys = sorted(way.keys() & among)
            if len(keys) > 1:
                raise AmbiguousEntity(words, keys)
            if keys:
                return way[keys[0]]
    raise EntityNotFound(words, _near(sight, words))


def _versions(sight: Sight, words: str, way: Literal["key", "id", "label", "likeness"]) -> dict[str, Stored]:
    """The entries that words name, by key the most specific; by a name as it is written, else by its folded form."""
    stored = list(sight.snapshot.catalog.entities_by_name(sight.visible(), words, way))
    if way == "label":
        stored = [one for one in stored if _is_called(one, words)] or stored
    return _by_key(sight, stored)


def _by_key(sight: Sight, stored: Iterable[Stored]) -> dict[str, Stored]:
    """Map entries by key, the most specific of each."""
    scopes = sight.snapshot.scopes
    ordered = sorted(stored, key=lambda one: (scopes.index(one.scope), one.entry.path), reverse=True)
    return {one.entry.key: one for one in ordered}


def _is_called(stored: Stored, words: str) -> bool:
    names = [*stored.entry.texts("name"), *stored.entry.texts("aliases")]
    return _plain(words) in map(_plain, names)


def _plain(name: str) -> str:
    """A name without case, width and doubled blanks; accents stay."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _near(sight: Sight, words: str) -> list[str]:
    return closest(words, sight.snapshot.catalog.entity_names(sight.visible()))
