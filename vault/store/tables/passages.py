"""Questions to the passages of a catalog: what is found and cited."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vault.store.records import Passage
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, json_list

#: Stands for an entry's name where passages are counted: what its vector is of.
NAME = -1


class FilePassage(NamedTuple):
    """A passage of an entry, with where that is and what it is."""

    row: int
    path: str
    scope: str
    type: str
    ident: str
    ordinal: int
    heading: str
    text: str


class PassageQueries(CatalogTables):
    """What is asked of passages."""

    def passages(self, rows: Sequence[int]) -> dict[tuple[int, int], Passage]:
        """Read the passages of entries, by entry row and ordinal."""
        marks = ",".join("?" * len(rows))
        found = self._db.execute(
            f"SELECT sum, entry, ordinal, path, heading, text, lines, digest FROM passages WHERE entry IN ({marks})",
            rows,
        )
        passages = {}
        for kept, *columns in found:
            self._compare(kept, columns)
            entry, ordinal, path, heading, text, lines, digest = columns
            passages[entry, ordinal] = Passage(
                path,
                text,
                tuple(json.loads(lines)),
                heading,
                digest,
            )
        return passages

    def passages_in(self, paths: Sequence[str]) -> Iterator[FilePassage]:
        """The passages of the entries of some files."""
        marks = ",".join("?" * len(paths))
        rows = self._db.execute(
            "SELECT e.id, e.path, e.scope, e.type, e.ident, p.ordinal, p.heading, p.text"
            f" FROM entries e JOIN passages p ON p.entry = e.id WHERE e.path IN ({marks})",
            paths,
        )
        return (FilePassage(*row) for row in rows)

    def digests(self, scopes: Iterable[str]) -> Iterator[tuple[int, int, str, bytes, str, str]]:
        """Every passage of some scopes: entry row, ordinal, scope, digest, creation and key.

        A name that has a vector is there as the ordinal `NAME`. Names and first passages come first, then
        all others; newer entries before older ones.
        """
        return iter(
            self._db.execute(
                "SELECT * FROM (SELECT p.entry, p.ordinal, e.scope, p.digest, e.created, e.key"
                " FROM passages p JOIN entries e ON e.id = p.entry"
                " UNION ALL SELECT id, ?, scope, digest, created, key FROM entries"
                " WHERE digest <> x'')"
                f" WHERE scope {AMONG} ORDER BY ordinal > 0, created DESC, key, ordinal",
                [NAME, json_list(scopes)],
            ),
        )
