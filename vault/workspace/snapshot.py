"""What a reader sees of a vault: the immutable view that features read."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal, Self

from vault.errors import VaultError
from vault.model.access import BUNDLED, GLOBAL, Reader
from vault.model.keys import fold_name, spellings, split_key
from vault.model.schema import Schema
from vault.store import labels
from vault.store.catalog import Catalog
from vault.store.records import Stored
from vault.workspace.layout import Layout

#: The SQL condition on entries `e` that keeps those of one agent and of none. Texts are looked at as JSON only where
#: the field can be there: of 10,000 entries few have one.
OF_AGENT = (
    "(instr(e.fields, '\"agent\"') = 0 OR json_type(e.fields, '$.agent') IS NOT 'text'"
    " OR json_extract(e.fields, '$.agent') IN ('', ?))"
)


#: Whether what ships with the product is among what a snapshot tells of: it is not the vault's own.
Bundled = Literal["without", "with", "only"]


class NotFound(VaultError):
    """No entry the reader may see goes by these words."""

    code = "not-found"

    def __init__(self, words: str, near: Iterable[str]) -> None:
        names = [name for name in near if name != words]
        hint = (
            f"did you mean {', '.join(f'`{name}`' for name in names)}?" if names else "`vault list` lists the entries"
        )
        super().__init__(f"there is no entry `{words}`", hint=hint, details={"candidates": names})


class Ambiguous(VaultError):
    """Words that several entries go by."""

    code = "ambiguous"

    def __init__(self, words: str, candidates: Iterable[str], *, by_path: bool = False) -> None:
        names = list(candidates)
        hint = "name one by its path" if by_path else "name one by its full id"
        super().__init__(
            f"`{words}` names {len(names)} entries: {', '.join(names)}",
            hint=hint,
            details={"candidates": names},
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entries one reader sees now; `present` are the scopes there are.

    Every query is filtered by scope before anything else. Bundled entries are found by what names them (`resolve`,
    `by_key`); counts, lists and searches tell of them only where they are asked for (`whole`, `shipped`).
    `due` are the catalog rows of facts that another one has succeeded, each with that one's: it is read in their place.
    """

    layout: Layout
    catalog: Catalog
    reader: Reader
    schemas: Mapping[str, Schema]
    present: Collection[str]
    bundled: Bundled = "without"
    due: Mapping[int, int] = field(default_factory=dict)
    scopes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        private = {scope for scope in self.present if self.layout.settings.is_private(scope)}
        own = () if self.bundled == "only" else self.reader.scopes(self.present, private)
        object.__setattr__(self, "scopes", own if self.bundled == "without" else (*own, BUNDLED))

    def whole(self) -> Self:
        """All that the reader sees, with what ships with the product as the least specific scope."""
        return replace(self, bundled="with")

    def shipped(self) -> Self:
        """What ships with the product alone, without what the reader's own entries shadow."""
        return replace(self, bundled="only")

    def visible(self) -> tuple[str, list[object]]:
        """The SQL condition on entries `e` that keeps what the reader sees, shadowed ones left out."""
        marks = ",".join("?" * len(self.scopes))
        condition, parameters = f"e.scope IN ({marks})", list[object](self.scopes)
        if self.reader.space and not self.reader.owner:
            condition += (
                " AND NOT (e.scope <> ? AND EXISTS (SELECT 1 FROM entries o WHERE o.key = e.key AND o.scope = ?))"
            )
            parameters += [self.reader.space, self.reader.space]
        if BUNDLED in self.scopes:
            condition += (
                " AND NOT (e.scope = ? AND EXISTS (SELECT 1 FROM entries o WHERE o.key = e.key AND o.scope = ?))"
            )
            parameters += [BUNDLED, GLOBAL]
        if self.reader.agent is not None:
            condition, parameters = f"{condition} AND {OF_AGENT}", [*parameters, self.reader.agent]
        if self.due:
            condition += f" AND e.id NOT IN ({','.join(map(str, sorted(self.due)))})"
        return condition, parameters

    def entries(
        self,
        *,
        kind: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Stored]:
        """The visible entries by key, of one type or tag where given."""
        condition, parameters = self._of(kind, tag)
        tail = "ORDER BY e.key, e.scope, e.path, e.id" + (f" LIMIT {int(limit)}" if limit is not None else "")
        return self.catalog.select(condition, parameters, tail)

    def _of(self, kind: str | None, tag: str | None) -> tuple[str, list[object]]:
        """The condition on visible entries, of one type or tag where given."""
        condition, parameters = self.visible()
        if kind is not None:
            condition += " AND e.type = ?"
            parameters.append(kind)
        if tag is not None:
            condition += " AND EXISTS (SELECT 1 FROM labels l WHERE l.entry = e.id AND l.kind = 'tag' AND l.label = ?)"
            parameters.append(fold_name(tag.removeprefix("#")))
        return condition, parameters

    def chosen(self, *, kind: str | None = None, tag: str | None = None) -> list[int]:
        """The catalog rows of the visible entries of one type or tag."""
        condition, parameters = self._of(kind, tag)
        rows = self.catalog.db.execute(f"SELECT e.id FROM entries e WHERE {condition}", parameters)
        return [row for (row,) in rows]

    def hidden(self) -> list[int]:
        """The catalog rows of what another scope's version hides from the reader, or is another agent's."""
        space, agent = self.reader.space, self.reader.agent
        rows: list[tuple[int]] = []
        above = "SELECT e.id FROM entries e JOIN entries o ON o.key = e.key AND o.scope = ? WHERE e.scope"
        if space and not self.reader.owner:
            rows += self.catalog.db.execute(f"{above} <> ?", [space, space])
        if BUNDLED in self.scopes:
            rows += self.catalog.db.execute(f"{above} = ?", [GLOBAL, BUNDLED])
        if agent is not None:
            rows += self.catalog.db.execute(f"SELECT e.id FROM entries e WHERE NOT {OF_AGENT}", [agent])
        return [*(row for (row,) in rows), *self.due]

    def count(self, condition: str = "1", parameters: Iterable[object] = ()) -> int:
        """Count the visible entries that fit a condition."""
        visible, bound = self.visible()
        row = self.catalog.db.execute(
            f"SELECT count(*) FROM entries e WHERE {visible} AND ({condition})",
            [*bound, *parameters],
        ).fetchone()
        return int(row[0])

    def rows(self, rows: Iterable[int]) -> dict[int, Stored]:
        """Read the visible ones among some catalog rows."""
        condition, parameters = self.visible()
        wanted = json.dumps(list(rows))  # one parameter: SQLite counts them
        found = self.catalog.select(f"e.id IN (SELECT value FROM json_each(?)) AND {condition}", [wanted, *parameters])
        return {stored.row: stored for stored in found}

    def by_key(self, key: str) -> list[Stored]:
        """The visible entries of a key, bundled ones too, the most specific first."""
        whole = self.whole()
        condition, parameters = whole.visible()
        found = list(self.catalog.select(f"e.key = ? AND {condition}", [key, *parameters], "ORDER BY e.path"))
        found += self._successors(key, ("key",))
        return sorted(found, key=lambda stored: whole.scopes.index(stored.scope))

    def resolve(self, words: str) -> Stored:
        """Find the one entry that words name: key, id, path, name or alias; a bundled one where none else is meant.

        Where nothing is called exactly so, `-`, `_`, blanks and case make no difference.

        Raises `NotFound` with near matches the reader may see, or `Ambiguous`.
        """
        found = self.named(words) or self.shipped().named(words)
        if found is None:
            raise NotFound(words, self.near(words))
        return found

    def named(self, words: str) -> Stored | None:
        """Find the one entry of these scopes alone that words name, if any. Raises `Ambiguous`."""
        if succeeded := self._successors(words, ("key", "ident", "path")):
            return succeeded[0]
        for condition, parameters in self._ways(words):
            visible, bound = self.visible()
            found = list(self.catalog.select(f"({condition}) AND {visible}", [*parameters, *bound], "ORDER BY e.key"))
            keys = {stored.entry.key for stored in found}
            nearest = min((self.scopes.index(stored.scope) for stored in found), default=0)
            first = [stored for stored in found if self.scopes.index(stored.scope) == nearest]
            if len(keys) > 1 or len(first) > 1 or (len(found) > 1 and self.reader.all_spaces):
                named = (f"{stored.entry.key} ({stored.entry.path})" for stored in found)
                raise Ambiguous(words, named, by_path=len(keys) == 1)
            if first:
                return first[0]
        return None

    def _successors(self, words: str, columns: Collection[str]) -> list[Stored]:
        """The facts that are read in the place of one that words name, and that they have succeeded."""
        if not self.due:
            return []
        wanted = " OR ".join(f"e.{column} = ?" for column in columns)
        sql = f"SELECT e.id FROM entries e WHERE e.id IN (SELECT value FROM json_each(?)) AND ({wanted})"
        rows = self.catalog.db.execute(sql, [json.dumps(list(self.due)), *[words] * len(columns)])
        return list(self.rows(self.due[row] for (row,) in rows).values())

    def _ways(self, words: str) -> list[tuple[str, list[object]]]:
        """The conditions that words may meet, the strictest first."""
        words = words.encode(errors="replace").decode()  # no entry goes by half of a character
        return [
            ("e.key = ?", [words]),
            ("e.ident = ?", [words]),
            ("e.path IN (SELECT value FROM json_each(?))", [json.dumps(spellings(words.removeprefix("./")))]),
            labels.named(words),
            labels.spelt_alike(words),
        ]

    def near(self, words: str, limit: int = 3) -> list[str]:
        """Keys of visible entries that are spelt or called much like the words."""
        condition, parameters = self.visible()
        rows = self.catalog.db.execute(
            f"SELECT e.key, e.ident, e.name FROM entries e WHERE {condition}",
            parameters,
        )
        return closest(words, rows.fetchall(), limit)

    def redirected(self, key: str) -> list[Stored]:
        """The visible entries that have a key as an alias, bundled ones too; raises `Ambiguous` for several keys."""
        condition, parameters = self.whole().visible()
        there = "e.id IN (SELECT l.entry FROM labels l WHERE l.kind = 'alias' AND l.label = ?)"
        found = list(self.catalog.select(f"{there} AND {condition}", [fold_name(key), *parameters], "ORDER BY e.key"))
        keys = list(dict.fromkeys(stored.entry.key for stored in found))
        if len(keys) > 1:
            raise Ambiguous(key, keys)
        return sorted(found, key=lambda stored: self.whole().scopes.index(stored.scope))

    def _redirects_to(self, key: str) -> list[str]:
        """The keys that no entry has any more, and that an entry has as aliases."""
        condition, parameters = self.visible()
        rows = self.catalog.db.execute(
            "SELECT DISTINCT l.written FROM labels l JOIN entries e ON e.id = l.entry"
            f" WHERE l.kind = 'alias' AND e.key = ? AND {condition}",
            [key, *parameters],
        ).fetchall()
        return [old for (old,) in rows if split_key(old) and not self.by_key(old)]

    def referrers(self, key: str, *, limit: int | None = None) -> list[tuple[str, Stored]]:
        """The visible entries that name a key, with the field they name it in; with `limit`, the newest."""
        targets = json.dumps([key, *self._redirects_to(key)])
        condition, parameters = self.visible()
        order = "e.key, r.rowid" if limit is None else f"e.created DESC, e.key, r.rowid LIMIT {int(limit)}"
        rows = self.catalog.db.execute(
            "SELECT r.field, e.id FROM refs r JOIN entries e ON e.id = r.entry"
            f" WHERE r.target IN (SELECT value FROM json_each(?)) AND {condition} ORDER BY {order}",
            [targets, *parameters],
        ).fetchall()
        entries = self.rows({row for _, row in rows})
        return [(name, entries[row]) for name, row in rows]

    def hidden_by(self, stored: Stored) -> list[Stored]:
        """The entries that this one shadows for a reader in its scope, the most specific first."""
        below = {GLOBAL: (BUNDLED,), BUNDLED: ()}.get(stored.scope, (GLOBAL, BUNDLED))
        condition, agent = ("1", []) if self.reader.agent is None else (OF_AGENT, [self.reader.agent])
        found = (
            self.catalog.select(f"e.key = ? AND e.scope = ? AND {condition}", [stored.entry.key, scope, *agent])
            for scope in below
        )
        return [each for scope in found for each in scope]


def closest(words: str, rows: Iterable[tuple[str, str, str]], limit: int = 3) -> list[str]:
    """The keys of those entries (key, id, name) that are spelt or called much like the words."""
    spellings: dict[str, str] = {}
    for key, ident, name in rows:
        for spelling in (key, ident) if split_key(words) is None else (key,):
            spellings.setdefault(spelling.casefold(), key)
        spellings.setdefault(fold_name(name), key)
    close = get_close_matches(fold_name(words), spellings, n=limit * 2, cutoff=0.7)
    return list(dict.fromkeys(spellings[spelling] for spelling in close))[:limit]
