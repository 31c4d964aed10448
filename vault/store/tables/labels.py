"""Questions to the labels of a catalog: names, aliases and tags."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, in_sight, json_list
from vault.store.visibility import Visibility

#: The labels of entries by row: kind, folded and as written.
Labels = dict[int, list[tuple[str, str, str]]]


class Naming(NamedTuple):
    """A name or an alias of an entry, folded and as written."""

    row: int
    key: str
    label: str
    kind: Literal["name", "alias"]
    written: str


class FirstName(NamedTuple):
    """The first word of people's names: an entry and its key, and how many keys have it."""

    word: str
    row: int
    key: str
    keys: int


class LabelQueries(CatalogTables):
    """What is asked of labels."""

    def labels(self) -> Labels:
        """All labels."""
        return _by_row(self._db.execute("SELECT entry, kind, label, written FROM labels"))

    def labels_in(self, paths: Sequence[str]) -> Labels:
        """The labels of the entries of some files, in the order in which they were put in."""
        marks = ",".join("?" * len(paths))
        return _by_row(
            self._db.execute(
                "SELECT l.entry, l.kind, l.label, l.written FROM labels l JOIN entries e"
                " ON e.id = l.entry"
                f" WHERE e.path IN ({marks}) ORDER BY l.rowid",
                paths,
            ),
        )

    def names(self, rows: Sequence[int]) -> dict[int, str]:
        """The `name` field of entries that have one, by row."""
        marks = ",".join("?" * len(rows))
        found = self._db.execute(
            f"SELECT entry, written FROM labels WHERE kind = 'name' AND entry IN ({marks})",
            rows,
        )
        return dict(found.fetchall())

    def aliases(self, visible: Visibility, key: str) -> list[str]:
        """The aliases of the entries of a key, as they are written."""
        condition, parameters = in_sight(visible)
        return self._values(
            "SELECT DISTINCT l.written FROM labels l JOIN entries e ON e.id = l.entry"
            f" WHERE l.kind = 'alias' AND e.key = ? AND {condition}",
            [key, *parameters],
        )

    def rows_by_label(
        self,
        visible: Visibility,
        labels: Iterable[str],
        keys: Iterable[str],
    ) -> list[tuple[int, str]]:
        """The entries by folded names and aliases, and by keys: the row, and which it is."""
        condition, parameters = in_sight(visible)
        return self._db.execute(
            "SELECT e.id, l.label FROM labels l JOIN entries e ON e.id = l.entry"
            f" WHERE l.label {AMONG} AND l.kind IN ('name', 'alias') AND {condition}"
            " UNION SELECT e.id, e.key FROM entries e"
            f" WHERE e.key {AMONG} AND {condition}",
            [json_list(labels), *parameters, json_list(keys), *parameters],
        ).fetchall()

    def namings(
        self,
        visible: Visibility,
        labels: Iterable[str],
        without: Iterable[str],
    ) -> list[Naming]:
        """The entries by folded names and aliases, without those of some types."""
        condition, parameters = in_sight(visible)
        rows = self._db.execute(
            "SELECT e.id, e.key, l.label, l.kind, l.written FROM json_each(?) w CROSS JOIN labels l"
            " ON l.label = w.value AND l.kind IN ('name', 'alias') CROSS JOIN entries e"
            " ON e.id = l.entry"
            f" WHERE {condition} AND e.type NOT {AMONG}",
            [json_list(labels), *parameters, json_list(without)],
        )
        return [Naming(*row) for row in rows]

    def first_names(self, visible: Visibility, words: Iterable[str]) -> list[FirstName]:
        """Those of some folded words that people's names begin with."""
        condition, parameters = in_sight(visible)
        rows = self._db.execute(
            "SELECT w.value, min(e.id), min(e.key), count(DISTINCT e.key) FROM json_each(?) w"
            " CROSS JOIN labels l"
            " ON l.label > w.value || ' ' AND l.label < w.value || '!'"
            " AND l.kind IN ('name', 'alias')"
            " CROSS JOIN entries e ON e.id = l.entry WHERE e.type = 'actor'"
            f" AND json_extract(e.fields, '$.kind.e') = 'person' AND {condition} GROUP BY w.value",
            [json_list(words), *parameters],
        )
        return [FirstName(*row) for row in rows]


def _by_row(rows: Iterable[tuple[int, str, str, str]]) -> Labels:
    labels: Labels = {}
    for row, kind, folded, written in rows:
        labels.setdefault(row, []).append((kind, folded, written))
    return labels
