"""Entities: who and what there are facts about, with how much is known of each."""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vault.knowledge.navigate.parameters import UNASSIGNED, AmbiguousEntity, EntityNotFound, Page, Part
from vault.knowledge.navigate.visibility import Sight
from vault.model.keys import fold_name
from vault.model.slots import FACT
from vault.store import labels
from vault.store.records import Stored
from vault.workspace.snapshot import closest

#: Types whose entries are entities before anything is said of them.
ALWAYS = ("actor", "thing")
#: The fields whose references make one entity depend on another.
RELATIONS = ("relates_to", "belongs_to", "uses", "describes")


class Facts(NamedTuple):
    """How many current facts there are of each kind, and in how many aspects."""

    aspects: int = 0
    attributes: int = 0
    constraints: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity, or (`stored` None) the reserved one of facts without a subject; with counts of what is seen of it."""

    stored: Stored | None
    facts: Facts
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


_COUNTS = "count(DISTINCT f.aspect), coalesce(sum(f.attribute), 0), coalesce(sum(NOT f.attribute), 0)"

_LISTED = """
WITH scopes(scope, rank) AS (SELECT value, key FROM json_each(?)),
seen AS MATERIALIZED (SELECT e.id, e.key, e.type, e.name, printf('%05d %s', s.rank, e.path) AS place
    FROM entries e JOIN scopes s ON s.scope = e.scope WHERE {seen}),
named AS MATERIALIZED (SELECT id, key, type, name, min(place) FROM seen WHERE type <> '{fact}' GROUP BY key),
told AS MATERIALIZED (SELECT f.subject, count(*) AS number, {counts}
    FROM facts f JOIN seen x ON x.id = f.entry GROUP BY f.subject)
"""

_ENTITIES = """
SELECT n.id, t.* FROM named n JOIN entries e ON e.id = n.id LEFT JOIN told t ON t.subject = n.key
WHERE (n.type IN (SELECT value FROM json_each(?)) OR t.subject IS NOT NULL) AND (? IS NULL OR n.type = ?)
AND (? = '' OR instr(lower(n.key), ?) OR EXISTS (SELECT 1 FROM labels l WHERE l.entry = n.id
    AND l.kind IN ('name', 'alias') AND instr(l.label, ?)))
ORDER BY instr(e.fields, '"pinned"') AND json_extract(e.fields, '$.pinned') IS 1 DESC, t.number DESC NULLS LAST,
    n.name COLLATE NOCASE, n.key
"""


def listed(sight: Sight, part: Part, *, words: str = "", kind: str | None = None) -> Page[Entity]:
    """The entities seen: pinned ones first, then those most is known of, then by name; `unassigned` is the last.

    With `words`, those whose name, an alias or id contains them; with `kind`, those of one type.
    """
    seen, bound = sight.condition()
    with_ = _LISTED.format(seen=seen, fact=FACT, counts=_COUNTS)
    folded = fold_name(words)
    rows: list[tuple[int | None, Facts]] = [
        (row, Facts(*counts) if counts[0] is not None else Facts())
        for row, _, _, *counts in sight.snapshot.catalog.db.execute(
            with_ + _ENTITIES,
            [json.dumps(sight.snapshot.scopes), *bound, json.dumps(ALWAYS), kind, kind, folded, folded, folded],
        )
    ]
    if kind is None and folded in UNASSIGNED:
        loose = _unassigned(sight)
        rows += [(None, loose)] if loose.aspects else []
    page = part.of(rows)
    return Page(_read(sight, page.items), page.total, page.limit, page.offset)


def _unassigned(sight: Sight) -> Facts:
    seen, bound = sight.condition()
    row = sight.snapshot.catalog.db.execute(
        f"SELECT {_COUNTS} FROM facts f JOIN entries e ON e.id = f.entry WHERE {seen}"
        " AND f.subject NOT IN (SELECT value FROM json_each(?))",
        [*bound, json.dumps(sorted(sight.entities()))],
    ).fetchone()
    return Facts(*row)


def _read(sight: Sight, rows: Sequence[tuple[int | None, Facts]]) -> list[Entity]:
    """Read entities, with the references from and to each in the relation fields."""
    held = sight.snapshot.rows(row for row, _ in rows if row is not None)
    keys = [stored.entry.key for stored in held.values()]
    incoming = _references(sight, "r.target", keys)
    outgoing = _references(sight, "r.entry", list(held))
    return [
        Entity(None, facts)
        if row is None
        else Entity(held[row], facts, incoming.get(held[row].entry.key, 0), outgoing.get(row, 0))
        for row, facts in rows
    ]


def _references(sight: Sight, column: str, wanted: Sequence[object]) -> Mapping[object, int]:
    seen, bound = sight.condition()
    rows = sight.snapshot.catalog.db.execute(
        f"SELECT {column}, count(*) FROM refs r JOIN entries e ON e.id = r.entry"
        f" WHERE {column} IN (SELECT value FROM json_each(?))"
        f" AND r.field IN (SELECT value FROM json_each(?)) AND {seen} GROUP BY 1",
        [json.dumps(wanted), json.dumps(RELATIONS), *bound],
    )
    return dict(rows.fetchall())


def counted(sight: Sight, stored: Stored | None) -> Entity:
    """An entity with what is known of it."""
    if stored is None:
        return Entity(None, _unassigned(sight))
    return _read(sight, [(stored.row, _facts(sight, [stored.entry.key]).get(stored.entry.key, Facts()))])[0]


def _facts(sight: Sight, keys: Iterable[str]) -> dict[str, Facts]:
    seen, bound = sight.condition()
    rows = sight.snapshot.catalog.db.execute(
        f"SELECT f.subject, {_COUNTS} FROM facts f JOIN entries e ON e.id = f.entry"
        f" WHERE f.subject IN (SELECT value FROM json_each(?)) AND {seen} GROUP BY 1",
        [json.dumps(list(keys)), *bound],
    )
    return {key: Facts(*counts) for key, *counts in rows}


def found(sight: Sight, words: str) -> Stored | None:
    """Find the entity that words name: key or id, name or alias, else one spelt alike; None for the reserved one.

    An entry that is no entity yet is found where no entity goes by the words.
    Raises `EntityNotFound`, with near matches, and `AmbiguousEntity`.
    """
    if fold_name(words) == UNASSIGNED:
        return None
    words = words.encode(errors="replace").decode()  # no entry goes by half of a character
    if words in (keyed := _versions(sight, "e.key = ?", words)):
        return keyed[words]
    ways = [_versions(sight, condition, words) for condition in ("e.ident = ?", labels.NAMED)]
    if not any(ways):
        ways = [_by_key(sight, sight.select(*_alike(words)))]
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


def _versions(sight: Sight, condition: str, words: str) -> dict[str, Stored]:
    """The entries that fit, by key the most specific; by a name as it is written, else by its folded form."""
    is_name = condition == labels.NAMED
    stored = sight.select(f"e.type <> ? AND {condition}", [FACT, fold_name(words) if is_name else words])
    if is_name:
        stored = [one for one in stored if _is_called(one, words)] or stored
    return _by_key(sight, stored)


def _alike(words: str) -> tuple[str, list[object]]:
    condition, parameters = labels.spelt_alike(words)
    return f"e.type <> ? AND ({condition})", [FACT, *parameters]


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
    seen, bound = sight.condition()
    rows = sight.snapshot.catalog.db.execute(
        f"SELECT e.key, e.ident, e.name FROM entries e WHERE e.type <> ? AND {seen} ORDER BY e.key", [FACT, *bound]
    )
    return closest(words, rows.fetchall())
