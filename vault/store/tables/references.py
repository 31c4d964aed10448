"""Questions to the references of a catalog: where they lead, and who makes them."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from vault.model.access import BUNDLED, GLOBAL
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, in_files, in_sight, json_list
from vault.store.visibility import Visibility


class FieldReference(NamedTuple):
    """A reference to a field: where it is written, and what it names."""

    row: int
    scope: str
    key: str
    field: str
    target: str
    target_field: str
    path: str


_FIELD_REFERENCES = (
    "SELECT o.id, o.scope, o.key, r.field, r.target, r.target_field, o.path FROM refs r"
    " JOIN entries o ON o.id = r.entry WHERE r.target_field IS NOT NULL"
)

_WITHIN_SCOPE = (
    "SELECT e.id, t.id FROM refs r JOIN entries e ON e.id = r.entry"
    " JOIN entries t ON t.key = r.target AND t.scope = e.scope WHERE r.field = ?"
)


class ReferenceQueries(CatalogTables):
    """What is asked of references."""

    # -- whoever may see them

    def dangling_references(self, paths: Collection[str] | None) -> list[tuple[int, str, str]]:
        """The references in some files (None: in all) to what does not exist in their scope.

        Each is a row, a field and the key it names.
        """
        wanted, parameters = in_files("e.path", paths)
        return self._db.execute(
            "SELECT r.entry, r.field, r.target FROM refs r JOIN entries e ON e.id = r.entry"
            f" WHERE {wanted}"
            " AND NOT EXISTS (SELECT 1 FROM entries t WHERE t.key = r.target"
            " AND t.scope IN (e.scope, ?, ?))"
            # an entry that took another one's place has its key as an alias
            " AND NOT EXISTS (SELECT 1 FROM labels l JOIN entries t ON t.id = l.entry"
            " WHERE l.kind = 'alias'"
            " AND l.label = lower(r.target) AND t.scope IN (e.scope, ?, ?))"
            " ORDER BY r.rowid",
            [*parameters, GLOBAL, BUNDLED, GLOBAL, BUNDLED],
        ).fetchall()

    def references_to_missing_fields(
        self,
        paths: Collection[str] | None,
    ) -> list[tuple[int, str, str, str]]:
        """The references in some files (None: in all) to a field that the entry does not have.

        Each is a row and a field, and the key and field it names. The entry is that of the same
        scope, else the global one.
        """
        wanted, parameters = in_files("o.path", paths)
        return self._db.execute(
            "SELECT entry, field, target, target_field FROM"
            " (SELECT r.*, CASE WHEN EXISTS (SELECT 1 FROM entries t WHERE t.key = r.target"
            " AND t.scope = o.scope)"
            " THEN o.scope ELSE ? END AS meant"
            " FROM refs r JOIN entries o ON o.id = r.entry WHERE r.target_field IS NOT NULL"
            f" AND {wanted})"
            " WHERE EXISTS (SELECT 1 FROM entries t WHERE t.key = target AND t.scope = meant)"
            " AND NOT EXISTS (SELECT 1 FROM entries t, json_each(t.fields) f"
            " WHERE t.key = target AND t.scope = meant AND f.key = target_field)",
            [GLOBAL, *parameters],
        ).fetchall()

    def has_field_references(self, paths: Collection[str] | None) -> bool:
        """Say whether some files (None: any) have a reference to a field."""
        wanted, parameters = in_files("o.path", paths)
        return self._db.execute(f"{_FIELD_REFERENCES} AND {wanted} LIMIT 1", parameters).fetchone() is not None

    def field_references(self) -> Iterator[FieldReference]:
        """All references to fields."""
        return (FieldReference(*row) for row in self._db.execute(_FIELD_REFERENCES))

    def parents_in(self, paths: Collection[str] | None, field: str) -> list[tuple[int, int]]:
        """The entries of some files (None: of all), each with those of its scope in a field."""
        wanted, parameters = in_files("e.path", paths)
        sql = f"{_WITHIN_SCOPE} AND {wanted} ORDER BY e.path, e.id, r.rowid"
        return self._db.execute(sql, [field, *parameters]).fetchall()

    def parents_of(self, rows: Iterable[int], field: str) -> list[tuple[int, int]]:
        """The entries in some rows, each with those of its scope that it names in a field."""
        sql = f"{_WITHIN_SCOPE} AND e.id {AMONG} ORDER BY e.path, e.id, r.rowid"
        return self._db.execute(sql, [field, json_list(rows)]).fetchall()

    def targets(self) -> Iterator[tuple[int, str]]:
        """The row of every entry with each key that it names."""
        return iter(self._db.execute("SELECT DISTINCT entry, target FROM refs"))

    def files_naming(self, keys: Iterable[str]) -> set[str]:
        """The files of entries that name one of some keys."""
        return set(
            self._values(
                f"SELECT DISTINCT e.path FROM refs r JOIN entries e ON e.id = r.entry WHERE r.target {AMONG}",
                [json_list(keys)],
            ),
        )

    # -- in sight of a reader

    def referrers(
        self,
        visible: Visibility,
        keys: Iterable[str],
        limit: int | None = None,
    ) -> list[tuple[str, int]]:
        """The entries that name one of some keys: the field, and the row.

        With `limit`, the newest.
        """
        condition, parameters = in_sight(visible)
        order = "e.key, r.rowid" if limit is None else f"e.created DESC, e.key, r.rowid LIMIT {int(limit)}"
        return self._db.execute(
            "SELECT r.field, e.id FROM refs r JOIN entries e ON e.id = r.entry"
            f" WHERE r.target {AMONG} AND {condition} ORDER BY {order}",
            [json_list(keys), *parameters],
        ).fetchall()

    def edges(self, visible: Visibility) -> list[tuple[str, str, str]]:
        """The references of all entries, by key: the key, the field and the key it names."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            "SELECT DISTINCT e.key, r.field, r.target FROM refs r JOIN entries e ON e.id = r.entry"
            f" WHERE {condition} ORDER BY e.key, r.rowid",
            parameters,
        ).fetchall()

    def redirects(self, visible: Visibility) -> list[tuple[str, str]]:
        """The keys that no entry has, each with the key of an entry that has it as an alias."""
        condition, parameters = in_sight(visible)
        marks = ",".join("?" * len(visible.scopes))
        return self._db.execute(
            "SELECT DISTINCT r.target, e.key FROM refs r"
            " JOIN labels l ON l.kind = 'alias' AND l.label = lower(r.target)"
            f" JOIN entries e ON e.id = l.entry WHERE {condition}"
            " AND NOT EXISTS (SELECT 1 FROM entries t WHERE t.key = r.target"
            f" AND t.scope IN ({marks}))",
            [*parameters, *visible.scopes],
        ).fetchall()

    def incoming_counts(
        self,
        visible: Visibility,
        keys: Iterable[str],
        fields: Iterable[str],
    ) -> dict[str, int]:
        """How many references in some fields name each of some keys."""
        return dict(self._counts("r.target", visible, keys, fields))

    def outgoing_counts(
        self,
        visible: Visibility,
        rows: Iterable[int],
        fields: Iterable[str],
    ) -> dict[int, int]:
        """How many references the entries in some rows make in some fields, by row."""
        return dict(self._counts("r.entry", visible, rows, fields))

    def _counts(
        self,
        column: str,
        visible: Visibility,
        values: Iterable[object],
        fields: Iterable[str],
    ) -> list[Any]:
        condition, parameters = in_sight(visible)
        return self._db.execute(
            f"SELECT {column}, count(*) FROM refs r JOIN entries e ON e.id = r.entry"
            f" WHERE {column} {AMONG} AND r.field {AMONG} AND {condition} GROUP BY 1",
            [json_list(values), json_list(fields), *parameters],
        ).fetchall()
