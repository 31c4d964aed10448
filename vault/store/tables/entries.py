"""Questions to the entries of a catalog by row, key, scope and file, whoever may see them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from vault.model.access import BUNDLED
from vault.store.records import Stored
from vault.store.tables.base import CatalogTables
from vault.store.tables.conditions import AMONG, OF_AGENT, in_files, json_list

#: Entries that are read in one step.
_STEP = 500


class ImportRecord(NamedTuple):
    """An entry that an import wrote: `origin` is the text of its field."""

    key: str
    path: str
    text_file: str | None
    origin: str | None


class EntryQueries(CatalogTables):
    """What is asked of entries without regard to a reader."""

    def entries(self, kind: str | None = None) -> Iterator[Stored]:
        """All entries, of one type where given."""
        return self._select() if kind is None else self._select("e.type = ?", [kind])

    def own_entries(self, kind: str) -> Iterator[Stored]:
        """The entries of a type but the bundled ones, by path."""
        return self._select("e.type = ? AND e.scope <> ?", [kind, BUNDLED], "ORDER BY e.path, e.id")

    def entries_at(self, rows: Iterable[int]) -> Iterator[Stored]:
        """The entries in some rows, a few hundred read at a time."""
        wanted = list(rows)
        for start in range(0, len(wanted), _STEP):
            chunk = wanted[start : start + _STEP]
            yield from self._select(f"e.id IN ({','.join('?' * len(chunk))})", chunk)

    def entries_with_key(self, key: str, scope: str, agent: str | None = None) -> Iterator[Stored]:
        """The entries of a key in a scope, of one agent and of none where given."""
        condition, parameters = ("1", []) if agent is None else (OF_AGENT, [agent])
        return self._select(f"e.key = ? AND e.scope = ? AND {condition}", [key, scope, *parameters])

    def entries_in_scope(self, scope: str) -> Iterator[Stored]:
        """The entries of a scope, the last path first."""
        return self._select("e.scope = ?", [scope], "ORDER BY e.path DESC, e.id DESC")

    def entries_with_attachments(self, paths: Collection[str] | None) -> Iterator[Stored]:
        """The entries of some files (None: of all) that may name attachments, by path."""
        wanted, parameters = in_files("e.path", paths)
        condition = f"instr(e.fields, 'attachments\"') > 0 AND {wanted}"
        return self._select(condition, parameters, "ORDER BY e.path, e.id")

    def entries_numbered(self, kind: str, ident: str, scope: str) -> Iterator[Stored]:
        """The entries of a type and scope that have an id, or that id with a number behind."""
        return self._select(
            "e.scope = ? AND e.type = ? AND (e.ident = ? OR e.ident GLOB ?)",
            [scope, kind, ident, f"{ident}_[0-9]*"],
        )

    def has_key(self, key: str) -> bool:
        """Say whether any scope has an entry of a key."""
        return self._db.execute("SELECT 1 FROM entries WHERE key = ?", [key]).fetchone() is not None

    def place_of(self, key: str, scope: str) -> tuple[str, str] | None:
        """The key and path of an entry of a scope, by a key in whatever case."""
        row = self._db.execute(
            "SELECT key, path FROM entries WHERE key = ? COLLATE NOCASE AND scope = ?",
            [key, scope],
        ).fetchone()
        return (row[0], row[1]) if row else None

    def keys_of(self, path: str) -> list[str]:
        """The keys of the entries that a file declares, in their order."""
        return self._values("SELECT key FROM entries WHERE path = ? ORDER BY id", [path])

    def owners_of(self, sidecar: str) -> list[str]:
        """The keys of the entries whose text a file holds."""
        return self._values("SELECT key FROM entries WHERE text_file = ?", [sidecar])

    def text_owners(self, text_files: Iterable[str]) -> list[tuple[str, str, str, str]]:
        """The entries whose text is in some files: key, scope, path and the file of the text."""
        return self._db.execute(
            f"SELECT e.key, e.scope, e.path, e.text_file FROM entries e WHERE e.text_file {AMONG}",
            [json_list(text_files)],
        ).fetchall()

    def imports(self, scope: str) -> list[ImportRecord]:
        """The entries of a scope that have an origin, by path."""
        rows = self._db.execute(
            "SELECT e.key, e.path, e.text_file, json_extract(e.fields, '$.origin') FROM entries e"
            " WHERE e.scope = ? AND instr(e.fields, '\"origin\"') > 0 ORDER BY e.path, e.id",
            [scope],
        )
        return [ImportRecord(*row) for row in rows]

    def all_keys(self, agent: str | None = None) -> Iterator[tuple[str, str]]:
        """The key and scope of every entry, of one agent and of none where given."""
        condition, parameters = ("1", []) if agent is None else (OF_AGENT, [agent])
        return iter(
            self._db.execute(f"SELECT e.key, e.scope FROM entries e WHERE {condition}", parameters),
        )

    def keys_in_scope(self, keys: Iterable[str], scope: str) -> set[str]:
        """Those of some keys that a scope has an entry of."""
        return set(
            self._values(
                f"SELECT key FROM entries WHERE scope = ? AND key {AMONG}",
                [scope, json_list(keys)],
            ),
        )

    def duplicate_keys(self, paths: Collection[str] | None) -> list[tuple[str, str]]:
        """The keys, each with its scope, that several entries of one scope have.

        One of those is in some files (None: any).
        """
        wanted, parameters = in_files("path", paths)
        own = "1" if paths is None else f"key IN (SELECT key FROM entries WHERE {wanted})"
        return self._db.execute(
            f"SELECT key, scope FROM entries WHERE {own} GROUP BY key, scope HAVING count(*) > 1",
            parameters,
        ).fetchall()

    def types_in(self, paths: Collection[str] | None) -> set[str]:
        """The types of the entries of some files (None: of all)."""
        wanted, parameters = in_files("path", paths)
        return set(self._values(f"SELECT type FROM entries WHERE {wanted}", parameters))

    def own_ids(self) -> Sequence[tuple[int, str, str]]:
        """The row, type and id of every entry but the bundled ones, by path."""
        return self._db.execute(
            "SELECT id, type, ident FROM entries WHERE scope <> ? ORDER BY path, id",
            [BUNDLED],
        ).fetchall()

    def rows_by_name(self, words: str, rows: Collection[int], *, by_key: bool) -> list[int]:
        """Those of some rows whose entry has words as its key, or else as its id or path."""
        columns = ("key",) if by_key else ("key", "ident", "path")
        wanted = " OR ".join(f"e.{column} = ?" for column in columns)
        return self._values(
            f"SELECT e.id FROM entries e WHERE e.id {AMONG} AND ({wanted})",
            [json_list(rows), *[words] * len(columns)],
        )
