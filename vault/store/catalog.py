"""The catalog: what the files of a vault say, in SQLite, so that a read costs a stat scan.

Derived data: it can be deleted at any time. Every change of a file gets the next revision number, by
which other derived data (the text index) catches up.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from weakref import finalize

from vault.model.schema import Schema
from vault.store.database import Connection, connect, open_database, trial
from vault.store.records import FileRecord, unpack_schema
from vault.store.rows import CONTENT_TABLES, rows_of
from vault.store.tables.entries import EntryQueries
from vault.store.tables.facts import FactQueries
from vault.store.tables.files import FileQueries
from vault.store.tables.labels import LabelQueries
from vault.store.tables.passages import PassageQueries
from vault.store.tables.references import ReferenceQueries
from vault.store.tables.visible import VisibleQueries

#: Part of every key of derived data: another number means that all of it is made anew.
FORMAT = 12

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, scope TEXT, kind TEXT NOT NULL, blob TEXT NOT NULL,
    size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, fresh INTEGER NOT NULL,
    revision INTEGER NOT NULL, diagnostics TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_lower ON files (lower(path));
CREATE INDEX files_other ON files (path) WHERE path GLOB '*[^ -~]*';
CREATE TABLE folders (path TEXT PRIMARY KEY, digest BLOB NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gone (path TEXT PRIMARY KEY, scope TEXT, revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, scope TEXT NOT NULL, type TEXT NOT NULL, ident TEXT NOT NULL,
    key TEXT NOT NULL, name TEXT NOT NULL, fields TEXT NOT NULL, places TEXT NOT NULL, place TEXT NOT NULL,
    broken INTEGER NOT NULL, created TEXT NOT NULL, text_file TEXT, digest BLOB NOT NULL, sum INTEGER NOT NULL
);
CREATE INDEX entries_key ON entries (key, scope);
CREATE INDEX entries_path ON entries (path);
CREATE TABLE labels (label TEXT NOT NULL, kind TEXT NOT NULL, entry INTEGER NOT NULL, written TEXT NOT NULL);
CREATE INDEX labels_label ON labels (label, kind);
CREATE INDEX labels_entry ON labels (entry);
CREATE TABLE refs (entry INTEGER NOT NULL, field TEXT NOT NULL, target TEXT NOT NULL, target_field TEXT);
CREATE INDEX refs_entry ON refs (entry);
CREATE INDEX refs_target ON refs (target);
CREATE TABLE passages (
    entry INTEGER NOT NULL, ordinal INTEGER NOT NULL, path TEXT NOT NULL, heading TEXT NOT NULL,
    text TEXT NOT NULL, lines TEXT NOT NULL, digest BLOB NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (entry, ordinal)
) WITHOUT ROWID;
CREATE TABLE facts (
    entry INTEGER PRIMARY KEY, agent TEXT NOT NULL, subject TEXT NOT NULL, aspect TEXT NOT NULL,
    section TEXT NOT NULL, claim TEXT NOT NULL, attribute INTEGER NOT NULL
);
CREATE INDEX facts_subject ON facts (subject);
CREATE TABLE schemas (name TEXT NOT NULL, path TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE sidecars (
    owner TEXT NOT NULL, path TEXT NOT NULL, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER,
    PRIMARY KEY (owner, path)
) WITHOUT ROWID;
"""

#: The tables that readers of entries look at, with the columns they look things up by.
_READ = {
    "files": (),
    "entries": ("id", "key", "path"),
    "labels": ("label", "entry"),
    "refs": ("entry", "target"),
    "facts": ("entry", "subject"),
}

#: The tables of a sketch that hold what is of an entry, with the column of its row.
_ROWS = {"entries": "id", "labels": "entry", "refs": "entry", "facts": "entry"}

#: The tables of what hangs on an entry.
_OF_ENTRIES = ("labels", "refs", "passages", "facts")


class Catalog(EntryQueries, VisibleQueries, LabelQueries, ReferenceQueries, FactQueries, PassageQueries, FileQueries):
    """A connection to the catalog of one vault, or to a copy of it in memory.

    What is asked of each table is in `vault/store/tables`; what fills and copies all of them is here.
    """

    @classmethod
    def open(cls, path: Path | None) -> "Catalog":
        """Open the catalog at `path` (None: in memory), or make it if it is missing, damaged or of another format.

        Raises `CatalogBusy`, and `CatalogFailed` where the disk is full or refuses writes.
        """
        connection = open_database(path, FORMAT, _make)
        catalog = cls(connection)
        finalize(catalog, connection.close)
        return catalog

    def copy(self) -> "Catalog":
        """Copy the catalog into memory, to try changes on."""
        target = connect(None)
        self._db.backup(target)
        return Catalog(target)

    def sketch(self, without: Collection[int] = ()) -> "Catalog":
        """Copy what readers of entries look at (files, entries, labels, references, facts) into memory.

        `without` are rows of entries that are left out.
        """
        target = connect(None)
        for name, indexed in _READ.items():
            rows = self._db.execute(f"SELECT * FROM {name}")
            columns = [column[0] for column in rows.description]
            target.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            target.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
            for column in indexed:
                target.execute(f"CREATE INDEX {name}_{column} ON {name} ({column})")
        for table, column in _ROWS.items():
            target.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(row,) for row in without])
        return Catalog(target)

    def copy_into(self, other: "Catalog") -> None:
        """Put this catalog in place of another, in one step. Raises `WriteFailed`."""
        target = other._db  # noqa: SLF001  of its own class
        if target.sealed:
            target.sealed.unseal()
        self._db.backup(target)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Try changes: at the end all is as it was before. Others can read meanwhile, and wait to write.

        Raises `CatalogFailed` and `CatalogBusy`.
        """
        with trial(self._db):
            self.remember("identity", uuid.uuid4().hex)  # nobody may take this state for one that lasts
            yield

    @property
    def revision(self) -> int:
        """The number of the latest change."""
        return int(self.meta("revision") or 0)

    def apply(self, records: Sequence[FileRecord], removed: Iterable[str] = ()) -> None:
        """Put in the new state of files and take out those that are gone; call it inside `writing`."""
        revision, removed = self.revision + 1, list(removed)
        self._doubt_folders([*removed, *(record.path for record in records)])
        for path in removed:
            self._db.execute(
                "INSERT OR REPLACE INTO gone SELECT path, scope, ? FROM files WHERE path = ?", [revision, path]
            )
            self._forget(path)
            self._db.execute("DELETE FROM files WHERE path = ?", [path])
        for path in self.blobs(record.path for record in records):
            self._forget(path)
        self._put(records, revision)
        self.remember("revision", str(revision))

    def replace_scope(self, scope: str, records: Sequence[FileRecord]) -> None:
        """Put entries in the place of all that a scope has; their files are not the vault's. Call it inside `writing`.

        Bundled entries are such: one scope of them, put in and taken out as a whole.
        """
        for table in _OF_ENTRIES:
            self._db.execute(
                f"DELETE FROM {table} WHERE entry IN (SELECT id FROM entries WHERE scope = ?)",
                [scope],
            )
        self._db.execute("DELETE FROM entries WHERE scope = ?", [scope])
        revision = self.revision + 1
        self._insert("INSERT", records, revision, ("entries", *_OF_ENTRIES))
        self.remember("revision", str(revision))

    def _forget(self, path: str) -> None:
        ids = self._values("SELECT id FROM entries WHERE path = ?", [path])
        for table in _OF_ENTRIES:
            self._db.executemany(f"DELETE FROM {table} WHERE entry = ?", [(row,) for row in ids])
        self._db.execute("DELETE FROM entries WHERE path = ?", [path])
        self._db.execute("DELETE FROM schemas WHERE path = ?", [path])
        self._db.execute("DELETE FROM sidecars WHERE owner = ?", [path])

    def _put(self, records: Sequence[FileRecord], revision: int) -> None:
        """Insert files and all that hangs on them, one statement a table."""
        self._db.executemany("DELETE FROM gone WHERE path = ?", [(record.path,) for record in records])
        self._insert("INSERT OR REPLACE", records, revision, CONTENT_TABLES)

    def _insert(self, insert: str, records: Sequence[FileRecord], revision: int, tables: Iterable[str]) -> None:
        # a row number is never used twice: an index that is ahead of this reader names none by mistake
        first = int(self.meta("row") or 0) + 1
        rows = rows_of(records, revision, first)
        for table in tables:
            if rows[table]:
                marks = ", ".join("?" * len(rows[table][0]))
                self._db.executemany(f"{insert} INTO {table} VALUES ({marks})", rows[table])
        self.remember("row", str(first + len(rows["entries"])))

    def schemas(self) -> list[Schema]:
        """Every schema the files declare, in path order."""
        schemas = []
        for kept, *columns in self._db.execute("SELECT sum, name, path, body FROM schemas ORDER BY path, rowid"):
            self._compare(kept, columns)
            schemas.append(unpack_schema(columns[-1]))
        return schemas

    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """All content in a form that two equal catalogs share, whatever the order they were filled in."""
        content: dict[str, list[tuple[object, ...]]] = {}
        for name, query in _CONTENT.items():
            content[name] = sorted(self._db.execute(query).fetchall(), key=repr)
        return content


_CONTENT = {
    "files": "SELECT path, scope, kind, blob, diagnostics FROM files",
    "entries": "SELECT path, scope, key, name, fields, places, place, broken, created, text_file, digest FROM entries",
    "labels": "SELECT e.path, e.key, l.label, l.kind, l.written FROM labels l LEFT JOIN entries e ON e.id = l.entry",
    "refs": "SELECT e.path, e.key, r.field, r.target, r.target_field FROM refs r LEFT JOIN entries e ON e.id = r.entry",
    "passages": "SELECT e.path, e.key, p.ordinal, p.path, p.heading, p.text, p.lines, p.digest"
    " FROM passages p LEFT JOIN entries e ON e.id = p.entry",
    "facts": "SELECT e.path, e.key, f.agent, f.subject, f.aspect, f.section, f.claim, f.attribute"
    " FROM facts f LEFT JOIN entries e ON e.id = f.entry",
    "schemas": "SELECT name, path, body FROM schemas",
    "sidecars": "SELECT owner, path FROM sidecars",
}


def _make(connection: Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('identity', ?), ('revision', '0')", [uuid.uuid4().hex])
