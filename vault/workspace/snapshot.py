"""What a reader sees of a vault: the immutable view that features read."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal, Self

from vault.errors import VaultError
from vault.model.access import BUNDLED, GLOBAL, Reader
from vault.model.keys import fold_name, split_key
from vault.model.schema import Schema
from vault.store.catalog import Catalog
from vault.store.records import Stored
from vault.store.visibility import Visibility
from vault.workspace.layout import Layout

#: How words may name an entry, the strictest way first.
WAYS: tuple[Literal["key", "id", "path", "name", "likeness"], ...] = ("key", "id", "path", "name", "likeness")

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

    def visible(self) -> Visibility:
        """What the reader sees, shadowed entries left out."""
        reader = self.reader
        space = reader.space if reader.space and not reader.owner else ""
        agents = () if reader.agent is None else (reader.agent,)
        return Visibility(self.scopes, space, agents, frozenset(self.due))

    def entries(
        self,
        *,
        kind: str | None = None,
        tag: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Stored]:
        """The visible entries by key, of one type or tag where given."""
        return self.catalog.visible_entries(self.visible(), kind=kind, tag=tag, limit=limit)

    def chosen(self, *, kind: str | None = None, tag: str | None = None) -> list[int]:
        """The catalog rows of the visible entries of one type or tag."""
        return self.catalog.visible_rows(self.visible(), kind=kind, tag=tag)

    def hidden(self) -> list[int]:
        """The catalog rows of what another scope's version hides from the reader, or is another agent's."""
        return self.catalog.hidden_rows(self.visible())

    def count(self, *, kind: str | None = None, scope: str | None = None) -> int:
        """Count the visible entries, those of one type or scope where given."""
        return self.catalog.visible_count(self.visible(), kind=kind, scope=scope)

    def rows(self, rows: Iterable[int]) -> dict[int, Stored]:
        """Read the visible ones among some catalog rows."""
        return {stored.row: stored for stored in self.catalog.visible_at(self.visible(), rows)}

    def by_key(self, key: str) -> list[Stored]:
        """The visible entries of a key, bundled ones too, the most specific first."""
        whole = self.whole()
        found = list(self.catalog.visible_with_key(whole.visible(), key))
        found += self._successors(key, by_key=True)
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
        if succeeded := self._successors(words):
            return succeeded[0]
        whole = words.encode(errors="replace").decode()  # no entry goes by half of a character
        for way in WAYS:
            found = list(self.catalog.visible_by_name(self.visible(), whole, way))
            keys = {stored.entry.key for stored in found}
            nearest = min((self.scopes.index(stored.scope) for stored in found), default=0)
            first = [stored for stored in found if self.scopes.index(stored.scope) == nearest]
            if len(keys) > 1 or len(first) > 1 or (len(found) > 1 and self.reader.all_spaces):
                named = (f"{stored.entry.key} ({stored.entry.path})" for stored in found)
                raise Ambiguous(words, named, by_path=len(keys) == 1)
            if first:
                return first[0]
        return None

    def _successors(self, words: str, *, by_key: bool = False) -> list[Stored]:
        """The facts that are read in the place of one that words name, and that they have succeeded."""
        if not self.due:
            return []
        rows = self.catalog.rows_by_name(words, self.due, by_key=by_key)
        return list(self.rows(self.due[row] for row in rows).values())

    def near(self, words: str, limit: int = 3) -> list[str]:
        """Keys of visible entries that are spelt or called much like the words."""
        return closest(words, self.catalog.visible_names(self.visible()), limit)

    def redirected(self, key: str) -> list[Stored]:
        """The visible entries that have a key as an alias, bundled ones too; raises `Ambiguous` for several keys."""
        found = list(self.catalog.visible_with_alias(self.whole().visible(), key))
        keys = list(dict.fromkeys(stored.entry.key for stored in found))
        if len(keys) > 1:
            raise Ambiguous(key, keys)
        return sorted(found, key=lambda stored: self.whole().scopes.index(stored.scope))

    def _redirects_to(self, key: str) -> list[str]:
        """The keys that no entry has any more, and that an entry has as aliases."""
        aliases = self.catalog.aliases(self.visible(), key)
        return [old for old in aliases if split_key(old) and not self.by_key(old)]

    def referrers(self, key: str, *, limit: int | None = None) -> list[tuple[str, Stored]]:
        """The visible entries that name a key, with the field they name it in; with `limit`, the newest."""
        keys = [key, *self._redirects_to(key)]
        rows = self.catalog.referrers(self.visible(), keys, limit)
        entries = self.rows({row for _, row in rows})
        return [(name, entries[row]) for name, row in rows]

    def hidden_by(self, stored: Stored) -> list[Stored]:
        """The entries that this one shadows for a reader in its scope, the most specific first."""
        below = {GLOBAL: (BUNDLED,), BUNDLED: ()}.get(stored.scope, (GLOBAL, BUNDLED))
        found = (self.catalog.entries_with_key(stored.entry.key, scope, self.reader.agent) for scope in below)
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
