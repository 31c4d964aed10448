"""What the questions to a catalog share: reading entries, and comparing rows with their sums."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from vault.model.entry import Entry, Place
from vault.store.database import DamagedDatabase, DerivedDatabase
from vault.store.records import PackedFields, Stored
from vault.store.rows import sum_of


class CatalogTables(DerivedDatabase):
    """A connection to the tables of a catalog."""

    def _select(
        self,
        condition: str = "1",
        parameters: Sequence[object] = (),
        tail: str = "",
    ) -> Iterator[Stored]:
        """Read the entries that fit an SQL condition on the table `entries`, aliased `e`."""
        rows = self._db.execute(
            "SELECT e.sum, e.id, e.path, e.scope, e.type, e.ident, e.fields, e.places, e.place,"
            " e.broken, e.created,"
            f" e.text_file FROM entries e WHERE {condition} {tail}",
            parameters,
        )
        for kept, *columns in rows:
            self._compare(kept, columns)
            yield _stored(columns)

    def _values(self, query: str, parameters: Sequence[object] = ()) -> list[Any]:
        """The first column of what a query gives."""
        return [row[0] for row in self._db.execute(query, parameters)]

    def _compare(self, kept: int | None, columns: Sequence[object]) -> None:
        """Raise `DamagedDatabase` for a row that is not what was written; the past keeps no sums."""
        if kept is not None and kept != sum_of(columns):
            raise DamagedDatabase(self._db.mark_damaged(), "a row has changed")


def _stored(columns: Sequence[Any]) -> Stored:
    row, path, scope, kind, ident, fields, places, place, broken, created, text_file = columns
    spans = {name: Place(*numbers) for name, numbers in json.loads(places).items()}
    entry = Entry(
        kind,
        ident,
        PackedFields(fields),
        path,
        Place(*json.loads(place)),
        spans,
        bool(broken),
    )
    return Stored(row, scope, entry, created, text_file)
