"""The ledger: every version of every entry that history holds, in SQLite, derived from git alone.

Two views of one history. The **chain** are the first parents of HEAD, numbered from the oldest: a **state** is an
entry as the commits from `since` up to (and without) `until` of the chain hold it, so what the vault knew at a
commit is a condition on two numbers. An **event** is what one commit, of any branch, changed of an entry: it keeps
who, when and why. A commit's place in the order is (n, k): the chain's commit that brought it in, and its rank
among those that came with it. Derived data: it can be deleted at any time.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

from vault.model.codec import pack
from vault.model.slots import FACT, is_attribute, keys_of, version_of
from vault.model.trailers import REASON
from vault.model.values import Value
from vault.store.catalog import Catalog
from vault.store.database import Connection, connect, open_database
from vault.store.ledger_queries import LedgerQueries
from vault.store.ledger_tables import CONTENT, FORMER_ROWS, TABLES, VIEWS
from vault.store.records import EntryRecord, PackedFields
from vault.store.rows import packed_place

FORMAT = 3


class Version(NamedTuple):
    """An entry as one file holds it: its content, what it is, and where it stands."""

    content: int
    key: str
    place: str
    places: str
    text_file: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """What a commit changed of an entry: contents before and after (None: it was, or is, not there).

    `old_text` and `new_text` are the blobs of the file its text is in. Where nothing differs, the commit changed
    the layout or the comments around the entry alone.
    """

    scope: str
    key: str
    path: str
    old: int | None
    new: int | None
    old_path: str | None = None
    old_text: str | None = None
    new_text: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A commit's own words: who, when (seconds since 1970), and why; `scopes` are those it changed files of."""

    ident: str
    time: int
    author: str
    email: str
    subject: str
    trailers: Sequence[tuple[str, str]]
    scopes: Sequence[str] = ()

    @property
    def moment(self) -> datetime:
        """When it was committed."""
        return datetime.fromtimestamp(self.time, UTC)

    @property
    def reason(self) -> str:
        """Why it was made, if it says so; else ""."""
        return next((value for name, value in self.trailers if name == REASON), "")


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit made of an entry: its fields before and after (None: it was, or is, not there).

    `content` is what the ledger keeps the fields after under, `version` what tells a fact's versions apart;
    `old_text` and `new_text` are the blobs of the file its text is in.
    """

    told: Told
    key: str
    scope: str
    path: str
    old_path: str | None
    before: Mapping[str, Value] | None
    after: Mapping[str, Value] | None
    content: int | None
    version: bytes | None
    old_text: str | None = None
    new_text: str | None = None


class Ledger(LedgerQueries):
    """A connection to the ledger of one vault."""

    def __init__(self, connection: Connection, path: Path | None = None) -> None:
        super().__init__(connection)
        self.path = path

    @classmethod
    def open(cls, path: Path | None) -> "Ledger":
        """Open a ledger, or make it if it is missing, damaged or of another format. None is in memory.

        Raises `CatalogBusy`, and `CatalogFailed` where the system refuses.
        """
        connection = open_database(path, FORMAT, _make)
        ledger = cls(connection, path)
        finalize(ledger, connection.close)
        return ledger

    # -- the chain

    def tip(self) -> int:
        """The number of the chain's last commit, -1 where it is empty."""
        return int(self._db.execute("SELECT coalesce(max(n), -1) FROM chain").fetchone()[0])

    def number(self, ident: str) -> int | None:
        """The number of a commit in the chain, None if it is not one of it."""
        row = self._db.execute("SELECT n FROM chain WHERE ident = ?", [ident]).fetchone()
        return row[0] if row else None

    def ident(self, number: int) -> str | None:
        """The commit of the chain with a number, None where there is none."""
        row = self._db.execute("SELECT ident FROM chain WHERE n = ?", [number]).fetchone()
        return row[0] if row else None

    def beginning(self) -> str:
        """The first commit of the chain and its day, in words."""
        row = self._db.execute("SELECT ident, time FROM chain WHERE n = 0").fetchone()
        return f"{row[0][:10]} of {datetime.fromtimestamp(row[1], UTC):%Y-%m-%d}" if row else "the first commit"

    def has(self, ident: str) -> bool:
        """Say whether a commit, of whatever branch, is in the ledger."""
        return self._db.execute("SELECT 1 FROM commits WHERE ident = ?", [ident]).fetchone() is not None

    def number_at(self, time: float) -> int | None:
        """The last commit of the chain whose time is not after `time`, None if all are."""
        found = self._db.execute("SELECT max(n) FROM chain WHERE time <= ?", [time]).fetchone()[0]
        return None if found is None else int(found)

    def clear(self) -> None:
        """Forget everything: all of it is read from history again, under another identity. Raises `CatalogFailed`."""
        with self.writing():
            for (table,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._db.execute(f"DELETE FROM {table}")
            self.remember("identity", uuid.uuid4().hex)

    def forget_after(self, number: int) -> None:
        """Go back to how the ledger was when the chain ended at a number; -1 leaves nothing of it."""
        self._db.execute("DELETE FROM states WHERE since > ?", [number])
        self._db.execute("UPDATE states SET until = NULL WHERE until > ?", [number])
        for table in ("chain", "commits", "events"):
            self._db.execute(f"DELETE FROM {table} WHERE n > ?", [number])

    # -- contents

    def known(self, blob: str, path: str) -> list[Version] | None:
        """The entries of a file of this content at this path, None if it was never read."""
        rows = self._db.execute(
            "SELECT p.content, c.key, p.place, p.places, p.text_file FROM parsed p"
            " LEFT JOIN contents c ON c.id = p.content WHERE p.blob = ? AND p.path = ? ORDER BY p.ordinal",
            [blob, path],
        ).fetchall()
        return [Version(*row) for row in rows if row[0]] if rows else None

    def learn(self, blob: str, path: str, records: Iterable[EntryRecord]) -> list[Version]:
        """Keep the entries of a file, each content once."""
        found = [self._version(record) for record in records]
        rows = [
            (blob, path, ordinal, v.content, v.place, v.places, v.text_file) for ordinal, v in enumerate(found)
        ] or [(blob, path, 0, 0, "", "", None)]  # read, and nothing in it
        self._db.executemany("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        return found

    def _version(self, record: EntryRecord) -> Version:
        entry = record.entry
        fields = json.dumps({name: pack(value) for name, value in entry.fields.items()}, ensure_ascii=False)
        digest = hashlib.sha256(f"{entry.key}\0{entry.broken}\0{fields}".encode("utf-8", "surrogatepass")).digest()[:16]
        row = self._db.execute("SELECT id FROM contents WHERE digest = ?", [digest]).fetchone()
        content = row[0] if row else self._put_content(digest, fields, record)
        places = json.dumps({name: packed_place(place) for name, place in (entry.places or {}).items()})
        return Version(content, entry.key, json.dumps(packed_place(entry.place)), places, record.text_file)

    def _put_content(self, digest: bytes, fields: str, record: EntryRecord) -> int:
        entry = record.entry
        cursor = self._db.execute(
            "INSERT INTO contents (digest, type, ident, key, name, fields, broken, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [digest, entry.type, entry.id, entry.key, entry.name, fields, entry.broken, record.created],
        )
        content = int(cursor.lastrowid or 0)
        labels = [(content, folded, kind, written) for kind, folded, written in record.labels]
        references = [(content, name, reference.key, reference.field) for name, reference in entry.references()]
        for table, rows in (("labels", labels), ("refs", references)):
            if rows:
                self._db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
        if entry.type == FACT:
            row = [content, *keys_of(entry), is_attribute(entry), version_of(entry)]
            self._db.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return content

    # -- commits

    def link(self, number: int, told: Told) -> None:
        """Put a commit at the end of the chain."""
        self._db.execute("INSERT INTO chain VALUES (?, ?, ?)", [number, told.ident, told.time])

    def hold(self, number: int, path: str, scope: str, held: Iterable[tuple[Version, str]]) -> None:
        """From a commit of the chain on, a file holds these entries and no others, each with the blob of its text."""
        self._db.execute("UPDATE states SET until = ? WHERE path = ? AND until IS NULL", [number, path])
        rows = [
            (v.content, path, scope, v.place, v.places, v.text_file, self._unit(v.content, text, scope), number)
            for v, text in held
        ]
        self._db.executemany(
            "INSERT INTO states (content, path, scope, place, places, text_file, unit, since)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _unit(self, *unit: object) -> int:
        """The number of a content with a text in a scope."""
        self._db.execute("INSERT OR IGNORE INTO units (content, text, scope) VALUES (?, ?, ?)", unit)
        found = self._db.execute("SELECT id FROM units WHERE content = ? AND text = ? AND scope = ?", unit)
        return int(found.fetchone()[0])

    def note(self, number: int, rank: int, told: Told, events: Iterable[Event]) -> None:
        """Keep a commit and what it changed of entries."""
        trailers = json.dumps(list(told.trailers), ensure_ascii=False)
        self._db.execute(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                *(told.ident, number, rank, told.time, told.author, told.email, told.subject, trailers),
                json.dumps(list(told.scopes)),
            ],
        )
        self._db.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, rank, e.scope, e.key, e.path, e.old, e.new, e.old_path, e.old_text, e.new_text) for e in events],
        )

    # -- reading

    def as_of(self, number: int) -> Catalog:
        """What the vault held at a commit of the chain, as a catalog of entries, labels, references and facts."""
        connection = connect(self.path)
        if self.path is None:
            self._db.backup(connection)
        held = f"s.since <= {number:d} AND (s.until IS NULL OR s.until > {number:d})"
        for name, columns in VIEWS.items():
            connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {columns} WHERE {held}")
        return Catalog(connection)

    def history(self, key: str) -> list[Change]:
        """Every change of the entries of a key, in whatever scope, oldest first."""
        return self.changes([key])

    def changes(self, keys: Iterable[str], until: int | None = None) -> list[Change]:
        """Every change of the entries of some keys, oldest first, up to a commit of the chain."""
        rows = self._db.execute(
            "SELECT m.ident, m.time, m.author, m.email, m.subject, m.trailers, m.scopes, e.key, e.scope, e.path,"
            " e.old_path, o.fields, w.fields, e.new, f.version, e.old_text, e.new_text"
            " FROM events e JOIN commits m ON m.n = e.n AND m.k = e.k"
            " LEFT JOIN contents o ON o.id = e.old LEFT JOIN contents w ON w.id = e.new"
            " LEFT JOIN facts f ON f.content = e.new"
            " WHERE e.key IN (SELECT value FROM json_each(?)) AND e.n <= ?"
            " AND (e.old IS NOT e.new OR e.old_path IS NOT NULL OR e.old_text IS NOT e.new_text)"
            " ORDER BY e.n, e.k, e.scope, e.key",
            [json.dumps(list(keys)), self.tip() if until is None else until],
        )
        return [_change(row) for row in rows]

    def brought(self, told: Told) -> Told:
        """The commit of the chain that brought a commit in: the merge of its branch, or itself."""
        row = self._db.execute(
            "SELECT m.ident, m.time, m.author, m.email, m.subject, m.trailers, m.scopes FROM commits c"
            " JOIN chain h ON h.n = c.n JOIN commits m ON m.ident = h.ident WHERE c.ident = ?",
            [told.ident],
        ).fetchone()
        return _told(row) if row else told

    def standing(self, keys: Iterable[str], number: int) -> dict[tuple[str, str], bytes]:
        """The version that some facts, by key and scope, have at a commit of the chain."""
        rows = self._db.execute(
            "SELECT c.key, s.scope, f.version FROM contents c JOIN facts f ON f.content = c.id"
            " JOIN states s ON s.content = c.id AND s.since <= ? AND (s.until IS NULL OR s.until > ?)"
            " WHERE c.key IN (SELECT value FROM json_each(?))",
            [number, number, json.dumps(list(keys))],
        )
        return {(key, scope): version for key, scope, version in rows}

    def put_into(self, catalog: Catalog, entries: Iterable[tuple[int, str, str]]) -> None:
        """Put entries as they once were into a sketch of a catalog: each by its content, path and scope."""
        target = catalog._db  # noqa: SLF001  of one store
        first = 1 + int(target.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0])
        for row, (content, path, scope) in enumerate(entries, first):
            values = {"row": row, "content": content, "path": path, "scope": scope}
            for table, query in FORMER_ROWS.items():
                rows = self._db.execute(query, values)
                names = [column[0] for column in rows.description]
                marks = ", ".join("?" * len(names))
                target.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)

    def content(self) -> dict[str, list[tuple[object, ...]]]:
        """All content in a form that two equal ledgers share, whatever the order they were filled in."""
        return {name: sorted(self._db.execute(query).fetchall(), key=repr) for name, query in CONTENT.items()}


def _make(connection: Connection) -> None:
    for statement in TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('identity', ?)", [uuid.uuid4().hex])


def _change(row: Sequence[Any]) -> Change:
    key, scope, path, old_path, before, after, content, version, old_text, new_text = row[7:]
    old, new = (None if fields is None else PackedFields(fields) for fields in (before, after))
    return Change(_told(row[:7]), key, scope, path, old_path, old, new, content, version, old_text, new_text)


def _told(row: Sequence[Any]) -> Told:
    ident, time, author, email, subject, words, scopes = row
    trailers = [(name, word) for name, word in json.loads(words)]
    return Told(ident, time, author, email, subject, trailers, json.loads(scopes))
