"""The catalog: what the files of a vault say, in SQLite, so that a read costs a stat scan.

Derived data: it can be deleted at any time. Every change of a file gets the next revision number, by
which other derived data (the text index) catches up.
"""

import json
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import finalize

from vault.diagnostics import Diagnostic
from vault.model.entry import Entry, Place
from vault.model.schema import Schema
from vault.store.database import Connection, DamagedDatabase, connect, open_database, trial, writing
from vault.store.records import (
    FileRecord,
    PackedFields,
    Passage,
    Stored,
    unpack_diagnostics,
    unpack_schema,
)
from vault.store.rows import rows_of, sum_of
from vault.store.scan import Stamp

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

#: Up to so many folders are asked for one by one.
_FEW_FOLDERS = 50

#: Stands for an entry's name where passages are counted: what its vector is of.
NAME = -1


class Catalog:
    """A connection to the catalog of one vault, or to a copy of it in memory."""

    def __init__(self, connection: Connection) -> None:
        self.db = connection

    @classmethod
    def open(cls, path: Path | None) -> "Catalog":
        """Open the catalog at `path` (None: in memory), or make it if it is missing, damaged or of another format.

        Raises `CatalogBusy`, and `CatalogFailed` where the disk is full or refuses writes.
        """
        connection = open_database(path, FORMAT, _make)
        catalog = cls(connection)
        finalize(catalog, connection.close)
        return catalog

    @property
    def damage(self) -> str:
        """Why the catalog was made again when it was opened, "" if it was not."""
        return self.db.sealed.damage if self.db.sealed else ""

    def is_whole(self) -> bool:
        """Say whether every byte on disk is what was last sealed."""
        return self.db.sealed is None or self.db.sealed.is_whole()

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def copy(self) -> "Catalog":
        """Copy the catalog into memory, to try changes on."""
        target = connect(None)
        self.db.backup(target)
        return Catalog(target)

    def sketch(self) -> "Catalog":
        """Copy what readers of entries look at (files, entries, labels, references, facts) into memory."""
        target = connect(None)
        for name, indexed in _READ.items():
            rows = self.db.execute(f"SELECT * FROM {name}")
            columns = [column[0] for column in rows.description]
            target.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            target.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
            for column in indexed:
                target.execute(f"CREATE INDEX {name}_{column} ON {name} ({column})")
        return Catalog(target)

    def copy_into(self, other: "Catalog") -> None:
        """Put this catalog in place of another, in one step. Raises `WriteFailed`."""
        if other.db.sealed:
            other.db.sealed.unseal()
        self.db.backup(other.db)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock for one transaction: all of it lands, or none.

        Raises `CatalogFailed` and `CatalogBusy`.
        """
        with writing(self.db):
            yield

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Try changes: at the end all is as it was before. Others can read meanwhile, and wait to write.

        Raises `CatalogFailed` and `CatalogBusy`.
        """
        with trial(self.db):
            self.remember("identity", uuid.uuid4().hex)  # nobody may take this state for one that lasts
            yield

    def meta(self, name: str) -> str:
        """Read a remembered word; "" if there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
        return row[0] if row else ""

    def remember(self, name: str, value: str) -> None:
        """Remember a word."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [name, value])

    @property
    def revision(self) -> int:
        """The number of the latest change."""
        return int(self.meta("revision") or 0)

    def paths_near(self, lowered: Iterable[str] | None) -> list[str]:
        """Paths of files, sorted: those that ASCII rules lower to one of these, and all that are not ASCII.

        With None, all paths.
        """
        if lowered is None:
            query, parameters = "SELECT path FROM files ORDER BY path", list[object]()
        else:
            query = (
                "SELECT path FROM files WHERE lower(path) IN (SELECT value FROM json_each(?))"
                " UNION SELECT path FROM files WHERE path GLOB '*[^ -~]*' ORDER BY path"
            )
            parameters = [json.dumps(sorted(lowered))]
        return [path for (path,) in self.db.execute(query, parameters)]

    def stamps(self, folders: Collection[str] | None = None) -> dict[str, tuple[int, int, int, int, int]]:
        """The stamp remembered of every file, or of those directly in some folders; 1 if it can be trusted, else 0."""
        select = "SELECT path, size, mtime, ctime, inode, fresh FROM files"
        if folders is None or len(folders) > _FEW_FOLDERS:
            rows: Iterable[Any] = self.db.execute(select)
        else:
            inside = f"{select} WHERE path >= ? AND path < ?"
            spans = ((f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff") for folder in folders)
            rows = (row for span in spans for row in self.db.execute(inside, span))
        return {row[0]: row[1:] for row in rows if folders is None or row[0].rpartition("/")[0] in folders}

    def folders(self) -> dict[str, tuple[bytes, int]]:
        """Every folder with files: the digest of its listing when all was known of it, and how many files it has.

        The digest is empty where a file may differ from what is known.
        """
        return {path: (digest, count) for path, digest, count in self.db.execute("SELECT * FROM folders")}

    def remember_folders(self, folders: Mapping[str, tuple[bytes, int]], gone: Iterable[str] = ()) -> None:
        """Note folders whose files are all known, and forget those without any."""
        self.db.executemany("DELETE FROM folders WHERE path = ?", [(path,) for path in gone])
        rows = [(path, digest, count) for path, (digest, count) in folders.items()]
        self.db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?, ?)", rows)

    def _doubt_folders(self, paths: Iterable[str]) -> None:
        """Forget the digests of the folders of files that change; each folder keeps a row."""
        rows = [(folder,) for folder in {path.rpartition("/")[0] for path in paths}]
        self.db.executemany("INSERT OR REPLACE INTO folders VALUES (?, x'', 0)", rows)

    def blobs(self, paths: Iterable[str] | None = None) -> dict[str, str]:
        """The blob id of every file, or of those among `paths` that are known."""
        if paths is None:
            return dict(self.db.execute("SELECT path, blob FROM files").fetchall())
        found = (self.db.execute("SELECT path, blob FROM files WHERE path = ?", [path]).fetchone() for path in paths)
        return dict(row for row in found if row)

    def sidecars(self) -> list[tuple[str, str, Stamp]]:
        """Every file whose entry names a sidecar, with the sidecar's path and stamp."""
        rows = self.db.execute("SELECT owner, path, size, mtime, ctime, inode FROM sidecars")
        return [(owner, path, Stamp(*stamp)) for owner, path, *stamp in rows]

    def apply(self, records: Sequence[FileRecord], removed: Iterable[str] = ()) -> None:
        """Put in the new state of files and take out those that are gone; call it inside `writing`."""
        revision, removed = self.revision + 1, list(removed)
        self._doubt_folders([*removed, *(record.path for record in records)])
        for path in removed:
            self.db.execute(
                "INSERT OR REPLACE INTO gone SELECT path, scope, ? FROM files WHERE path = ?", [revision, path]
            )
            self._forget(path)
            self.db.execute("DELETE FROM files WHERE path = ?", [path])
        for path in self.blobs(record.path for record in records):
            self._forget(path)
        self._put(records, revision)
        self.remember("revision", str(revision))

    def owners_of(self, sidecar: str) -> list[str]:
        """The keys of the entries whose text a file holds."""
        rows = self.db.execute("SELECT key FROM entries WHERE text_file = ?", [sidecar])
        return [key for (key,) in rows]

    def restamp(self, stamps: Mapping[str, tuple[Stamp, bool]]) -> None:
        """Note new stamps of files whose content did not change."""
        self.db.executemany(
            "UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, fresh = ? WHERE path = ?",
            [(*stamp, fresh, path) for path, (stamp, fresh) in stamps.items()],
        )

    def _forget(self, path: str) -> None:
        ids = [row[0] for row in self.db.execute("SELECT id FROM entries WHERE path = ?", [path])]
        for table in ("labels", "refs", "passages", "facts"):
            self.db.executemany(f"DELETE FROM {table} WHERE entry = ?", [(row,) for row in ids])
        self.db.execute("DELETE FROM entries WHERE path = ?", [path])
        self.db.execute("DELETE FROM schemas WHERE path = ?", [path])
        self.db.execute("DELETE FROM sidecars WHERE owner = ?", [path])

    def _put(self, records: Sequence[FileRecord], revision: int) -> None:
        """Insert files and all that hangs on them, one statement a table."""
        self.db.executemany("DELETE FROM gone WHERE path = ?", [(record.path,) for record in records])
        # a row number is never used twice: an index that is ahead of this reader names none by mistake
        first = int(self.meta("row") or 0) + 1
        tables = rows_of(records, revision, first)
        for table, rows in tables.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.db.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)
        self.remember("row", str(first + len(tables["entries"])))

    def diagnostics(self, paths: Iterable[str] | None = None) -> list[Diagnostic]:
        """The diagnostics that single files have by themselves."""
        if paths is None:
            rows = self.db.execute("SELECT diagnostics FROM files WHERE diagnostics <> '[]'").fetchall()
        else:
            rows = [
                row
                for path in paths
                for row in self.db.execute("SELECT diagnostics FROM files WHERE path = ?", [path]).fetchall()
            ]
        try:
            return [found for (packed,) in rows for found in unpack_diagnostics(packed)]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedDatabase(self.db.mark_damaged(), "a diagnostic has changed") from error

    def schemas(self) -> list[Schema]:
        """Every schema the files declare, in path order."""
        schemas = []
        for kept, *columns in self.db.execute("SELECT sum, name, path, body FROM schemas ORDER BY path, rowid"):
            self._compare(kept, columns)
            schemas.append(unpack_schema(columns[-1]))
        return schemas

    def select(self, condition: str = "1", parameters: Sequence[object] = (), tail: str = "") -> Iterator[Stored]:
        """Read the entries that fit an SQL condition on the table `entries`, aliased `e`."""
        rows = self.db.execute(
            "SELECT e.sum, e.id, e.path, e.scope, e.type, e.ident, e.fields, e.places, e.place, e.broken, e.created,"
            f" e.text_file FROM entries e WHERE {condition} {tail}",
            parameters,
        )
        for kept, *columns in rows:
            self._compare(kept, columns)
            row, path, scope, kind, ident, fields, places, place, broken, created, text_file = columns
            yield Stored(
                row,
                scope,
                Entry(
                    kind,
                    ident,
                    PackedFields(fields),
                    path,
                    Place(*json.loads(place)),
                    {name: Place(*packed) for name, packed in json.loads(places).items()},
                    bool(broken),
                ),
                created,
                text_file,
            )

    def passages(self, rows: Sequence[int]) -> dict[tuple[int, int], Passage]:
        """Read the passages of entries, by entry row and ordinal."""
        marks = ",".join("?" * len(rows))
        found = self.db.execute(
            f"SELECT sum, entry, ordinal, path, heading, text, lines, digest FROM passages WHERE entry IN ({marks})",
            rows,
        )
        passages = {}
        for kept, *columns in found:
            self._compare(kept, columns)
            entry, ordinal, path, heading, text, lines, digest = columns
            passages[entry, ordinal] = Passage(path, text, tuple(json.loads(lines)), heading, digest)
        return passages

    def _compare(self, kept: int | None, columns: Sequence[object]) -> None:
        """Raise `DamagedDatabase` for a row that is not what was written; the past keeps no sums."""
        if kept is not None and kept != sum_of(columns):
            raise DamagedDatabase(self.db.mark_damaged(), "a row has changed")

    def digests(self, scopes: Iterable[str]) -> Iterator[tuple[int, int, str, bytes, str, str]]:
        """Every passage of some scopes: entry row, ordinal, scope, digest, creation and key.

        A name that has a vector is there as the ordinal `NAME`. Names and first passages come first, then
        all others; newer entries before older ones.
        """
        return self.db.execute(
            "SELECT * FROM (SELECT p.entry, p.ordinal, e.scope, p.digest, e.created, e.key"
            " FROM passages p JOIN entries e ON e.id = p.entry"
            " UNION ALL SELECT id, ?, scope, digest, created, key FROM entries WHERE digest <> x'')"
            " WHERE scope IN (SELECT value FROM json_each(?)) ORDER BY ordinal > 0, created DESC, key, ordinal",
            [NAME, json.dumps(list(scopes))],
        )

    def names(self, rows: Sequence[int]) -> dict[int, str]:
        """The `name` field of entries that have one, by row."""
        marks = ",".join("?" * len(rows))
        found = self.db.execute(
            f"SELECT entry, written FROM labels WHERE kind = 'name' AND entry IN ({marks})",
            rows,
        )
        return dict(found.fetchall())

    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """All content in a form that two equal catalogs share, whatever the order they were filled in."""
        content: dict[str, list[tuple[object, ...]]] = {}
        for name, query in _CONTENT.items():
            content[name] = sorted(self.db.execute(query).fetchall(), key=repr)
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
