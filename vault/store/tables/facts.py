"""Questions to the facts of a catalog: what stands in slots, and what is said of a subject."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vault.model.keys import fold_name
from vault.model.slots import FACT, Slot
from vault.store.records import Stored
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, in_files, in_sight, json_list
from vault.store.visibility import Visibility


class FactCounts(NamedTuple):
    """How many current facts there are of each kind, and in how many aspects."""

    aspects: int = 0
    attributes: int = 0
    constraints: int = 0


class RankedFact(NamedTuple):
    """A fact about something, by row: how much it matters, and whether it is an attribute."""

    row: int
    importance: float
    attribute: int


_PLANNED = """
SELECT f.entry, o.entry FROM facts f JOIN entries e ON e.id = f.entry
JOIN facts o ON o.subject = f.subject AND o.agent = f.agent AND o.aspect = f.aspect AND o.section = f.section
    AND o.claim = f.claim AND o.entry <> f.entry AND o.attribute
JOIN entries oe ON oe.id = o.entry AND oe.scope = e.scope
WHERE f.attribute AND f.subject <> '' AND f.claim <> '' AND instr(e.fields, '"valid_from"') > 0
"""

_ACROSS = """
SELECT own.entry, f.entry FROM facts own
JOIN entries o ON o.id = own.entry AND o.scope = ?
JOIN facts f ON f.subject = own.subject AND f.aspect = own.aspect AND f.section = own.section
    AND f.claim = own.claim AND f.agent = own.agent
JOIN entries e ON e.id = f.entry AND e.scope <> ?
WHERE own.attribute AND f.attribute AND own.claim <> '' AND own.subject <> ''
"""

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

#: A fact that does not say how much it matters, matters 0.5; JSON is read only where it can be there.
_IMPORTANCE = (
    "CASE WHEN instr(e.fields, '\"importance\"')"
    " THEN CAST(coalesce(json_extract(e.fields, '$.importance'), 0.5) AS REAL) ELSE 0.5 END"
)


class FactQueries(CatalogTables):
    """What is asked of facts."""

    # -- slots, whoever may see them

    def facts_in_slot(self, slot: Slot, scope: str) -> Iterator[Stored]:
        """The facts that stand in a slot of a scope, by path."""
        return self._select(
            "e.scope = ? AND e.id IN (SELECT entry FROM facts WHERE subject = ? AND agent = ?"
            " AND aspect = ?"
            " AND section = ? AND claim = ?)",
            [scope, slot.subject, slot.agent, slot.aspect, slot.group, slot.claim],
            "ORDER BY e.path, e.id",
        )

    def facts_without_claim(self, subject: str, scope: str) -> Iterator[Stored]:
        """The facts of a scope about a subject that have no claim."""
        return self._select(
            "e.scope = ? AND e.id IN (SELECT entry FROM facts WHERE subject = ? AND claim = '')",
            [scope, subject],
        )

    def claims_near(self, slot: Slot, scope: str, limit: int) -> list[str]:
        """The claims that facts of a scope make in the group of a slot."""
        return self._values(
            "SELECT DISTINCT claim FROM facts JOIN entries e ON e.id = entry WHERE claim <> ''"
            " AND e.scope = ?"
            " AND subject = ? AND aspect = ? AND section = ? AND agent = ?"
            f" ORDER BY claim LIMIT {int(limit)}",
            [scope, slot.subject, slot.aspect, slot.group, slot.agent],
        )

    def planned_rivals(self) -> list[tuple[int, int]]:
        """The rows of attributes that hold from a day on, each with those of others in its slot."""
        return self._db.execute(_PLANNED).fetchall()

    def shared_slots(self, paths: Collection[str] | None) -> Mapping[int, Slot]:
        """The attributes of every slot that several fill: the slot by row.

        With `paths`, the slots of subjects that a fact of those files is about.
        """
        columns = "s.agent, s.subject, s.aspect, s.section, s.claim"
        wanted, parameters = in_files("w.path", paths)
        own = "SELECT f.subject FROM facts f JOIN entries w ON w.id = f.entry"
        touched = "1" if paths is None else f"s.subject IN ({own} WHERE {wanted})"
        rows = self._db.execute(
            f"SELECT group_concat(s.entry), {columns} FROM facts s JOIN entries e"
            f" ON e.id = s.entry WHERE {touched}"
            f" AND s.attribute AND s.subject <> '' AND s.claim <> '' GROUP BY e.scope, {columns}"
            " HAVING count(*) > 1",
            parameters,
        )
        return {int(row): Slot(*slot) for rows_text, *slot in rows for row in rows_text.split(",")}

    # -- in sight of a reader

    def has_fact(self, visible: Visibility, slot: tuple[str, str, str, str, str | None]) -> bool:
        """Say whether a fact stands in a slot: subject, aspect, group, claim, agent (None: any)."""
        condition, parameters = in_sight(visible)
        row = self._db.execute(
            f"SELECT count(*) FROM entries e WHERE {condition} AND"
            " (EXISTS (SELECT 1 FROM facts f WHERE f.entry = e.id AND f.subject = ?"
            " AND f.aspect = ?"
            " AND f.section = ? AND f.claim = ? AND f.agent = coalesce(?, f.agent)))",
            [*parameters, *slot],
        ).fetchone()
        return bool(row[0])

    def rivals_across(self, visible: Visibility, space: str) -> list[tuple[int, int]]:
        """The rows of a space's attributes, each with those of other scopes in the same slot."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            f"{_ACROSS} AND {condition}",
            [space, space, *parameters],
        ).fetchall()

    def subjects(self, visible: Visibility) -> set[str]:
        """All that facts are about; "" for those that name nothing."""
        condition, parameters = in_sight(visible)
        sql = f"SELECT DISTINCT f.subject FROM facts f JOIN entries e ON e.id = f.entry WHERE {condition}"
        return set(self._values(sql, parameters))

    def facts_about(self, visible: Visibility, subjects: Iterable[str]) -> set[str]:
        """The keys of the facts about some subjects."""
        condition, parameters = in_sight(visible)
        return set(
            self._values(
                f"SELECT e.key FROM facts f JOIN entries e ON e.id = f.entry WHERE f.subject {AMONG} AND {condition}",
                [json_list(subjects), *parameters],
            ),
        )

    def facts_with_keys(self, visible: Visibility, keys: Iterable[str]) -> Iterator[Stored]:
        """The facts of some keys, by path."""
        condition, parameters = in_sight(visible)
        return self._select(
            f"(e.type = ? AND e.key {AMONG}) AND {condition}",
            [FACT, json_list(keys), *parameters],
            "ORDER BY e.path",
        )

    def ranked_facts(self, visible: Visibility, subject: str, limit: int) -> list[RankedFact]:
        """The facts about a subject, the most important first, then constraints, then the newest."""
        condition, parameters = in_sight(visible)
        rows = self._db.execute(
            f"SELECT f.entry, {_IMPORTANCE}, f.attribute FROM facts f CROSS JOIN entries e"
            " ON e.id = f.entry"
            f" WHERE f.subject = ? AND {condition}"
            f" ORDER BY 2 DESC, f.attribute, e.created DESC, e.key LIMIT {int(limit)}",
            [subject, *parameters],
        )
        return [RankedFact(*row) for row in rows]

    # -- entities

    def entities(
        self,
        visible: Visibility,
        *,
        always: Iterable[str],
        kind: str | None,
        words: str,
    ) -> list[tuple[int, FactCounts]]:
        """The rows of entities, with what is said of each.

        Pinned ones come first, then those most is said of, then by name. Entities are the entries of
        the types `always`, and those that facts are about; of each key it is the entry of the first
        scope. With `kind`, those of one type; with `words`, those whose key, name or an alias
        contains them.
        """
        condition, parameters = in_sight(visible)
        query = _LISTED.format(seen=condition, fact=FACT, counts=_COUNTS) + _ENTITIES
        folded = fold_name(words)
        values = [json_list(visible.scopes), *parameters, json_list(always)]
        rows = self._db.execute(query, [*values, kind, kind, folded, folded, folded])
        return [(row, _counts(counts)) for row, _, _, *counts in rows]

    def fact_counts(self, visible: Visibility, subjects: Iterable[str]) -> dict[str, FactCounts]:
        """How many facts there are about each of some subjects; none is there without any."""
        condition, parameters = in_sight(visible)
        rows = self._db.execute(
            f"SELECT f.subject, {_COUNTS} FROM facts f JOIN entries e ON e.id = f.entry"
            f" WHERE f.subject {AMONG} AND {condition} GROUP BY 1",
            [json_list(subjects), *parameters],
        )
        return {key: FactCounts(*counts) for key, *counts in rows}

    def other_fact_counts(self, visible: Visibility, subjects: Iterable[str]) -> FactCounts:
        """How many facts there are about none of some subjects."""
        condition, parameters = in_sight(visible)
        row = self._db.execute(
            f"SELECT {_COUNTS} FROM facts f JOIN entries e ON e.id = f.entry WHERE {condition}"
            f" AND f.subject NOT {AMONG}",
            [*parameters, json_list(subjects)],
        ).fetchone()
        return FactCounts(*row)


def _counts(columns: Sequence[Any]) -> FactCounts:
    """The counts of an entity; all are null where nothing is said of it."""
    return FactCounts() if columns[0] is None else FactCounts(*columns)
