"""Questions to the entries of a catalog that a reader sees."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from vault.model.access import BUNDLED, GLOBAL
from vault.model.keys import fold_name
from vault.model.slots import FACT
from vault.store.records import Stored
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, OF_AGENT, Way, Where, by_name, in_sight, json_list
from vault.store.visibility import Visibility


class EntryHeading(NamedTuple):
    """What an entry is, without its fields."""

    key: str
    type: str
    name: str
    row: int
    scope: str


class VisibleQueries(CatalogTables):
    """What is asked of the entries in sight of a reader."""

    def visible_entries(
        self,
        visible: Visibility,
        *,
        kind: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Stored]:
        """The entries by key, of one type or tag where given."""
        condition, parameters = _fitting(visible, kind, tag)
        tail = "ORDER BY e.key, e.scope, e.path, e.id" + (f" LIMIT {int(limit)}" if limit is not None else "")
        return self._select(condition, parameters, tail)

    def visible_rows(
        self,
        visible: Visibility,
        *,
        kind: str | None = None,
        tag: str | None = None,
    ) -> list[int]:
        """The rows of the entries of one type or tag."""
        condition, parameters = _fitting(visible, kind, tag)
        return self._values(f"SELECT e.id FROM entries e WHERE {condition}", parameters)

    def visible_count(
        self,
        visible: Visibility,
        *,
        kind: str | None = None,
        scope: str | None = None,
    ) -> int:
        """How many entries there are, of one type or scope where given."""
        condition, parameters = _fitting(visible, kind, None)
        if scope is not None:
            condition, parameters = f"{condition} AND e.scope = ?", [*parameters, scope]
        row = self._db.execute(
            f"SELECT count(*) FROM entries e WHERE {condition}",
            parameters,
        ).fetchone()
        return int(row[0])

    def hidden_rows(self, visible: Visibility) -> list[int]:
        """The rows of what another scope's version hides, is another agent's, or is in `hidden`."""
        rows: list[int] = []
        above = "SELECT e.id FROM entries e JOIN entries o ON o.key = e.key AND o.scope = ? WHERE e.scope"
        if visible.space:
            rows += self._values(f"{above} <> ?", [visible.space, visible.space])
        if visible.has_bundled:
            rows += self._values(f"{above} = ?", [GLOBAL, BUNDLED])
        for agent in visible.agents:
            rows += self._values(f"SELECT e.id FROM entries e WHERE NOT {OF_AGENT}", [agent])
        return [*rows, *sorted(visible.hidden)]

    def visible_at(
        self,
        visible: Visibility,
        rows: Iterable[int],
        without: Iterable[str] = (),
    ) -> Iterator[Stored]:
        """The entries in some rows, without those of some types."""
        condition, parameters = in_sight(visible)
        own, bound = f"e.id {AMONG}", [json_list(rows)]
        if types := list(without):
            own, bound = f"{own} AND e.type NOT {AMONG}", [*bound, json_list(types)]
        return self._select(f"{own} AND {condition}", [*bound, *parameters])

    def visible_with_key(self, visible: Visibility, key: str) -> Iterator[Stored]:
        """The entries of a key, by path."""
        condition, parameters = in_sight(visible)
        return self._select(f"e.key = ? AND {condition}", [key, *parameters], "ORDER BY e.path")

    def visible_with_keys(self, visible: Visibility, keys: Iterable[str]) -> Iterator[Stored]:
        """The entries of some keys."""
        condition, parameters = in_sight(visible)
        return self._select(f"e.key {AMONG} AND {condition}", [json_list(keys), *parameters])

    def visible_by_name(self, visible: Visibility, words: str, way: Way) -> Iterator[Stored]:
        """The entries that words name in a way, by key."""
        condition, parameters = in_sight(visible)
        own, bound = by_name(words, way)
        return self._select(f"({own}) AND {condition}", [*bound, *parameters], "ORDER BY e.key")

    def entities_by_name(self, visible: Visibility, words: str, way: Way) -> Iterator[Stored]:
        """The entries but facts that words name in a way."""
        condition, parameters = in_sight(visible)
        own, bound = by_name(words, way)
        return self._select(f"e.type <> ? AND ({own}) AND {condition}", [FACT, *bound, *parameters])

    def visible_with_alias(self, visible: Visibility, alias: str) -> Iterator[Stored]:
        """The entries that have an alias, by key."""
        condition, parameters = in_sight(visible)
        own = "e.id IN (SELECT l.entry FROM labels l WHERE l.kind = 'alias' AND l.label = ?)"
        return self._select(
            f"{own} AND {condition}",
            [fold_name(alias), *parameters],
            "ORDER BY e.key",
        )

    def visible_names(self, visible: Visibility) -> list[tuple[str, str, str]]:
        """The key, id and name of every entry."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            f"SELECT e.key, e.ident, e.name FROM entries e WHERE {condition}",
            parameters,
        ).fetchall()

    def entity_names(self, visible: Visibility) -> list[tuple[str, str, str]]:
        """The key, id and name of every entry but facts, by key."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            f"SELECT e.key, e.ident, e.name FROM entries e WHERE e.type <> ? AND {condition} ORDER BY e.key",
            [FACT, *parameters],
        ).fetchall()

    def entity_keys(self, visible: Visibility) -> set[str]:
        """The keys of all entries but facts."""
        condition, parameters = in_sight(visible)
        sql = f"SELECT DISTINCT e.key FROM entries e WHERE e.type <> ? AND {condition}"
        return set(self._values(sql, [FACT, *parameters]))

    def headings(self, visible: Visibility) -> list[EntryHeading]:
        """What every entry is, by key and path."""
        condition, parameters = in_sight(visible)
        rows = self._db.execute(
            f"SELECT e.key, e.type, e.name, e.id, e.scope FROM entries e WHERE {condition} ORDER BY e.key, e.path",
            parameters,
        )
        return [EntryHeading(*row) for row in rows]

    def names_by_key(
        self,
        visible: Visibility,
        keys: Iterable[str],
        without: Collection[str],
    ) -> list[tuple[int, str, str]]:
        """The row, key and name of the entries of some keys, without those of some types."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            "SELECT e.id, e.key, e.name FROM json_each(?) w CROSS JOIN entries e"
            f" ON e.key = w.value WHERE {condition}"
            f" AND e.type NOT {AMONG}",
            [json_list(keys), *parameters, json_list(without)],
        ).fetchall()


def _fitting(visible: Visibility, kind: str | None, tag: str | None) -> Where:
    """Keep what is in sight, of one type or tag where given."""
    condition, parameters = in_sight(visible)
    if kind is not None:
        condition, parameters = f"{condition} AND e.type = ?", [*parameters, kind]
    if tag is not None:
        condition += " AND EXISTS (SELECT 1 FROM labels l WHERE l.entry = e.id AND l.kind = 'tag' AND l.label = ?)"
        parameters = [*parameters, fold_name(tag.removeprefix("#"))]
    return condition, parameters
