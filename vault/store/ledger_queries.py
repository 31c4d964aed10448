"""Questions to the ledger: which entries and commits a look at the past is about."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vault.model.entry import Entry, Place
from vault.model.slots import FACT
from vault.model.values import Value
from vault.store.database import DerivedDatabase
from vault.store.records import PackedFields, Stored

#: A commit's place in the order of history: the chain's commit that brought it in, and its rank among those.
Position = tuple[int, int]


class Noted(NamedTuple):
    """A commit as the ledger has it, without what it changed."""

    position: Position
    ident: str
    time: int
    author: str
    email: str
    subject: str
    trailers: list[tuple[str, str]]
    scopes: list[str]


class Sides(NamedTuple):
    """An entry's fields before and after a commit; None: it was, or is, not there."""

    key: str
    before: Mapping[str, Value] | None
    after: Mapping[str, Value] | None


class Unit(NamedTuple):
    """What a search of the past finds: a content with the text beside it, as it stood in a scope."""

    id: int
    scope: str
    entry: Entry
    labels: list[tuple[str, str, str]]
    text: str


class Stood(NamedTuple):
    """The last time a unit stood up to a commit: up to (and without) `until`, the number of the one that ended it."""

    stored: Stored
    until: int
    ended: str
    time: int


_NOTED = "n, k, ident, time, author, email, subject, trailers, scopes"


class LedgerQueries(DerivedDatabase):
    """What is asked of the ledger about more than one entry or commit."""

    # -- commits

    def commits(self, since: float | None = None, until: float | None = None) -> Iterator[Noted]:
        """The commits between two moments (seconds since 1970), newest first."""
        rows = self._db.execute(
            f"SELECT {_NOTED} FROM commits"
            " WHERE time >= coalesce(?, time) AND time <= coalesce(?, time) ORDER BY n DESC, k DESC",
            [since, until],
        )
        return map(_noted, rows)

    def commits_with_trailer(self, name: str) -> Iterator[Noted]:
        """The commits among whose trailers a name is, oldest first."""
        rows = self._db.execute(
            f"SELECT {_NOTED} FROM commits WHERE trailers LIKE ? ORDER BY n, k",
            [f"%{name}%"],
        )
        return map(_noted, rows)

    def commits_touching(self, keys: Iterable[str], scopes: Iterable[str]) -> set[Position]:
        """The commits that touched entries of some keys in some scopes, if only their layout."""
        rows = self._db.execute(
            "SELECT n, k FROM events WHERE key IN (SELECT value FROM json_each(?))"
            " AND scope IN (SELECT value FROM json_each(?))",
            [json.dumps(list(keys)), json.dumps(list(scopes))],
        )
        return set(rows)

    def commits_touching_slot(
        self, slot: tuple[str, str, str, str, str | None], scopes: Iterable[str]
    ) -> set[Position]:
        """The commits that touched facts while they stood in a slot.

        The slot is subject, aspect, group, claim and agent (None: any).
        """
        there = self._db.execute(
            "SELECT f.content, c.key FROM facts f JOIN contents c ON c.id = f.content"
            " WHERE f.subject = ? AND f.aspect = ? AND f.section = ? AND f.claim = ?"
            " AND f.agent = coalesce(?, f.agent)",
            slot,
        ).fetchall()
        contents = {content for content, _ in there}
        rows = self._db.execute(
            "SELECT n, k, old, new FROM events WHERE key IN (SELECT value FROM json_each(?))"
            " AND scope IN (SELECT value FROM json_each(?))",
            [json.dumps(list({key for _, key in there})), json.dumps(list(scopes))],
        )
        return {(n, k) for n, k, old, new in rows if old in contents or new in contents}

    def sides_at(self, position: Position) -> list[Sides]:
        """The entries that a commit touched."""
        rows = self._db.execute(
            "SELECT e.key, o.fields, w.fields FROM events e LEFT JOIN contents o ON o.id = e.old"
            " LEFT JOIN contents w ON w.id = e.new WHERE e.n = ? AND e.k = ?",
            position,
        )
        return [Sides(key, *(side and PackedFields(side) for side in sides)) for key, *sides in rows]

    def paths_at(self, position: Position) -> list[tuple[str, str]]:
        """The key and path of each entry that a commit touched."""
        return self._db.execute("SELECT key, path FROM events WHERE n = ? AND k = ?", position).fetchall()

    def positions(self, idents: Iterable[str]) -> dict[str, Position]:
        """The places of some commits in the order of history."""
        rows = self._db.execute(
            "SELECT ident, n, k FROM commits WHERE ident IN (SELECT value FROM json_each(?))",
            [json.dumps(list(idents))],
        )
        return {ident: (n, k) for ident, n, k in rows}

    def commit_scopes(self) -> set[str]:
        """The scopes that any commit changed files of."""
        rows = self._db.execute("SELECT DISTINCT j.value FROM commits, json_each(commits.scopes) j")
        return {scope for (scope,) in rows}

    # -- entries and facts

    def files_with_text(self, text_file: str) -> list[str]:
        """The files in which an entry was ever read whose text is in a file."""
        rows = self._db.execute("SELECT DISTINCT path FROM parsed WHERE text_file = ? ORDER BY path", [text_file])
        return [path for (path,) in rows]

    def former_keys(self, words: str, scopes: Iterable[str]) -> list[str]:
        """The keys of entries of some scopes that ever had a key, an id, or a place."""
        rows = self._db.execute(
            "SELECT DISTINCT e.key FROM events e WHERE e.scope IN (SELECT value FROM json_each(?))"
            " AND (e.key = ? OR substr(e.key, instr(e.key, '.') + 1) = ? OR e.path = ?) ORDER BY e.key",
            [json.dumps(list(scopes)), words, words, words.removeprefix("./")],
        )
        return [key for (key,) in rows]

    def fact_keys(self) -> list[str]:
        """The keys of all facts that there ever were."""
        return [key for (key,) in self._db.execute("SELECT DISTINCT key FROM contents WHERE type = ?", [FACT])]

    def facts_about(self, subjects: Iterable[str], scopes: Iterable[str]) -> list[str]:
        """The keys of the facts of some scopes that are or once were about some subjects."""
        rows = self._db.execute(
            "SELECT DISTINCT c.key FROM facts f JOIN contents c ON c.id = f.content"
            " WHERE f.subject IN (SELECT value FROM json_each(?)) AND EXISTS"
            " (SELECT 1 FROM events e WHERE e.key = c.key AND e.scope IN (SELECT value FROM json_each(?)))",
            [json.dumps(list(subjects)), json.dumps(list(scopes))],
        )
        return [key for (key,) in rows]

    def subjects(self) -> set[str]:
        """All that facts are or once were about; "" for those that name nothing."""
        return {subject for (subject,) in self._db.execute("SELECT DISTINCT subject FROM facts")}

    def keys_in_slot(self, subject: str, aspect: str, group: str, claim: str) -> list[str]:
        """The keys of the facts that ever stood somewhere, of whatever agent and scope."""
        rows = self._db.execute(
            "SELECT DISTINCT c.key FROM facts f JOIN contents c ON c.id = f.content"
            " WHERE f.subject = ? AND f.aspect = ? AND f.section = ? AND f.claim = ? ORDER BY c.key",
            [subject, aspect, group, claim],
        )
        return [key for (key,) in rows]

    def slots_of(self, subject: str, scopes: Iterable[str]) -> list[tuple[str, str, str, str, str]]:
        """The slots of a subject that facts of some scopes ever stood in: agent, subject, aspect, group and claim."""
        rows = self._db.execute(
            "SELECT DISTINCT f.agent, f.subject, f.aspect, f.section, f.claim FROM facts f"
            " JOIN events e ON e.new = f.content WHERE f.subject = ? AND f.claim <> ''"
            " AND e.scope IN (SELECT value FROM json_each(?)) ORDER BY 3, 4, 5",
            [subject, json.dumps(list(scopes))],
        )
        return rows.fetchall()

    # -- units

    def unit_scopes(self) -> list[str]:
        """The scopes that have units, sorted."""
        return [scope for (scope,) in self._db.execute("SELECT DISTINCT scope FROM units ORDER BY scope")]

    def last_unit(self, scope: str) -> int:
        """The number of a scope's newest unit, 0 without any."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM units WHERE scope = ?", [scope]).fetchone()[0])

    def units(self, scope: str, after: int = 0) -> Iterator[Unit]:
        """The units of a scope that are newer than one; labels are kind, folded and written."""
        rows = self._db.execute(
            "SELECT u.id, u.scope, c.type, c.ident, c.fields, u.text,"
            " (SELECT json_group_array(json_array(l.kind, l.label, l.written)) FROM labels l WHERE l.content = c.id)"
            " FROM units u JOIN contents c ON c.id = u.content"
            " WHERE u.scope = ? AND u.id > ? ORDER BY u.id",
            [scope, after],
        )
        for ident, of, kind, name, fields, text, labels in rows:
            told = [(label, folded, written) for label, folded, written in json.loads(labels)]
            yield Unit(ident, of, Entry(kind, name, PackedFields(fields)), told, text)

    def standing_units(self, number: int, scopes: Iterable[str]) -> list[tuple[str, int, int]]:
        """What stood in some scopes at a commit of the chain: scope, unit and state."""
        rows = self._db.execute(
            "SELECT scope, unit, id FROM states WHERE since <= ?1 AND (until IS NULL OR until > ?1)"
            " AND scope IN (SELECT value FROM json_each(?2))",
            [number, json.dumps(list(scopes))],
        )
        return rows.fetchall()

    def former_units(self, number: int, scope: str) -> set[int]:
        """The units of a scope that stood before a commit of the chain and did not at it."""
        rows = self._db.execute(
            "SELECT unit FROM states WHERE scope = ?2 AND since <= ?1 AND until <= ?1 EXCEPT"
            " SELECT unit FROM states WHERE since <= ?1 AND (until IS NULL OR until > ?1)",
            [number, scope],
        )
        return {unit for (unit,) in rows}

    def last_stand(self, unit: int, number: int) -> Stood:
        """How a unit that does not stand at a commit of the chain last stood; its row is the state's."""
        row, content, path, scope, place, places, text_file, until = self._db.execute(
            "SELECT id, content, path, scope, place, places, text_file, until FROM states"
            " WHERE unit = ? AND until <= ? ORDER BY until DESC LIMIT 1",
            [unit, number],
        ).fetchone()
        kind, name, fields, created = self._db.execute(
            "SELECT type, ident, fields, created FROM contents WHERE id = ?", [content]
        ).fetchone()
        ended, time = self._db.execute("SELECT ident, time FROM chain WHERE n = ?", [until]).fetchone()
        spans = {field: Place(*packed) for field, packed in json.loads(places).items()}
        entry = Entry(kind, name, PackedFields(fields), path, Place(*json.loads(place)), spans)
        return Stood(Stored(row, scope, entry, created, text_file), until, ended, time)

    def stands(self, key: str, scope: str, number: int) -> bool:
        """Say whether an entry of a key stood in a scope at a commit of the chain."""
        row = self._db.execute(
            "SELECT 1 FROM states s JOIN contents c ON c.id = s.content WHERE c.key = ?1 AND s.scope = ?2"
            " AND s.since <= ?3 AND (s.until IS NULL OR s.until > ?3) LIMIT 1",
            [key, scope, number],
        ).fetchone()
        return row is not None

    def is_displaced(self, stood: Stood) -> bool:
        """Whether a fact that went left its slot to another one, which came there with the same commit."""
        row = self._db.execute(
            "SELECT 1 FROM states s JOIN facts f ON f.content = s.content JOIN facts o ON o.subject = f.subject"
            " AND o.agent = f.agent AND o.aspect = f.aspect AND o.section = f.section AND o.claim = f.claim"
            " JOIN states t ON t.content = o.content AND t.scope = s.scope"
            " WHERE s.id = ? AND f.claim <> '' AND t.since = ? LIMIT 1",
            [stood.stored.row, stood.until],
        ).fetchone()
        return row is not None


def _noted(row: Sequence[Any]) -> Noted:
    n, k, ident, time, author, email, subject, words, scopes = row
    trailers = [(name, value) for name, value in json.loads(words)]
    return Noted((n, k), ident, time, author, email, subject, trailers, json.loads(scopes))
