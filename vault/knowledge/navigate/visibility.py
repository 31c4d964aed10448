"""What a walk sees: a reader's snapshot, narrowed to an agent, without what a space's own attributes shadow."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from vault.model.access import BUNDLED, GLOBAL
from vault.model.slots import FACT, validity_of
from vault.store.records import Stored
from vault.workspace.snapshot import OF_AGENT, Snapshot
from vault.workspace.versions import Version

_OF_AGENT = f" AND {OF_AGENT}"


@dataclass(frozen=True, slots=True)
class Sight:
    """A reader's view. `agent` None sees what is any agent's; `shadowed` are the rows of attributes that are hidden."""

    snapshot: Snapshot
    agent: str | None = None
    shadowed: frozenset[int] = field(default=frozenset())

    def condition(self) -> tuple[str, list[object]]:
        """The SQL condition on entries `e` that keeps what is seen."""
        condition, parameters = self.snapshot.visible()
        if self.agent is not None:
            condition, parameters = condition + _OF_AGENT, [*parameters, self.agent]
        if self.shadowed:
            condition += " AND e.id NOT IN (SELECT value FROM json_each(?))"
            parameters = [*parameters, json.dumps(sorted(self.shadowed))]
        return condition, parameters

    def select(self, condition: str, parameters: Sequence[object], tail: str = "") -> list[Stored]:
        """The entries seen that fit a condition."""
        seen, bound = self.condition()
        return list(self.snapshot.catalog.select(f"({condition}) AND {seen}", [*parameters, *bound], tail))

    def is_of_agent(self, agent: str) -> bool:
        """Say whether a fact of an agent ("": of all) is seen."""
        return self.agent is None or agent in ("", self.agent)

    def knows(self, scope: str) -> bool:
        """Say whether the reader may know of a scope."""
        return scope in self.snapshot.scopes or not self.snapshot.layout.settings.is_private(scope)

    def entities(self) -> set[str]:
        """The keys of the entries that facts can be about."""
        seen, bound = self.condition()
        sql = f"SELECT DISTINCT e.key FROM entries e WHERE e.type <> ? AND {seen}"
        return {key for (key,) in self.snapshot.catalog.db.execute(sql, [FACT, *bound])}

    def reachable(self) -> dict[str, frozenset[str]]:
        """For each scope the keys that a reference in it can mean: global and bundled ones too, overridden or not."""
        sql = f"SELECT e.scope, e.key FROM entries e WHERE 1{'' if self.agent is None else _OF_AGENT}"
        keys: dict[str, set[str]] = {scope: set() for scope in (*self.snapshot.scopes, BUNDLED)}
        for scope, key in self.snapshot.catalog.db.execute(sql, [] if self.agent is None else [self.agent]):
            if scope in keys:
                keys[scope].add(key)
        return {scope: frozenset(own | keys[GLOBAL] | keys[BUNDLED]) for scope, own in keys.items()}

    def subjects(self) -> set[str]:
        """All that the facts a reader sees are about; "" for those that name nothing."""
        seen, bound = self.snapshot.visible()
        sql = f"SELECT DISTINCT f.subject FROM facts f JOIN entries e ON e.id = f.entry WHERE {seen}"
        return {subject for (subject,) in self.snapshot.catalog.db.execute(sql, bound)}

    def facts_about(self, subjects: Iterable[str]) -> set[str]:
        """The keys of the facts, of whatever agent, about some subjects."""
        seen, bound = self.snapshot.visible()
        rows = self.snapshot.catalog.db.execute(
            "SELECT e.key FROM facts f JOIN entries e ON e.id = f.entry"
            f" WHERE f.subject IN (SELECT value FROM json_each(?)) AND {seen}",
            [json.dumps(list(subjects)), *bound],
        )
        return {key for (key,) in rows}

    def facts(self, keys: Iterable[str]) -> list[Stored]:
        """The facts of some keys, of whatever agent, but those that are shadowed."""
        whole = Sight(self.snapshot, shadowed=self.shadowed)
        wanted = json.dumps(list(keys))
        return whole.select(
            "e.type = ? AND e.key IN (SELECT value FROM json_each(?))", [FACT, wanted], "ORDER BY e.path"
        )

    def unhidden(self, found: Sequence[Version]) -> list[Version]:
        """The versions of facts that the reader may see: of visible scopes, and not of facts that are hidden now."""
        overridden = self._overridden({version.fact.key for version in found})
        hidden = {(stored.entry.key, stored.scope) for stored in self.snapshot.rows(self.shadowed).values()}
        return [
            version
            for version in found
            if version.scope in self.snapshot.scopes
            and (version.fact.key not in overridden or version.scope == self.snapshot.reader.space)
            and (version.fact.key, version.scope) not in hidden
        ]

    def _overridden(self, keys: Iterable[str]) -> set[str]:
        """Those of some keys that the reader's space has an entry of, which hides other scopes' entries whole."""
        reader = self.snapshot.reader
        if not reader.space or reader.owner:
            return set()
        sql = "SELECT key FROM entries WHERE scope = ? AND key IN (SELECT value FROM json_each(?))"
        return {key for (key,) in self.snapshot.catalog.db.execute(sql, [reader.space, json.dumps(list(keys))])}


_PAIRS = """
SELECT own.entry, f.entry FROM facts own
JOIN entries o ON o.id = own.entry AND o.scope = ?
JOIN facts f ON f.subject = own.subject AND f.aspect = own.aspect AND f.section = own.section
    AND f.claim = own.claim AND f.agent = own.agent
JOIN entries e ON e.id = f.entry AND e.scope <> ?
WHERE own.attribute AND f.attribute AND own.claim <> '' AND own.subject <> ''
"""


def sight(snapshot: Snapshot, agent: str | None, now: datetime) -> Sight:
    """What a reader and an agent see.

    In a space an open attribute shadows the open ones of other scopes in the same slot; those whose time is over,
    or has not come, stand beside as they do within a scope.
    """
    whole = Sight(snapshot, agent)
    reader = snapshot.reader
    if not reader.space or reader.owner:
        return whole
    seen, bound = snapshot.visible()
    rows = snapshot.catalog.db.execute(f"{_PAIRS} AND {seen}", [reader.space, reader.space, *bound]).fetchall()
    local = snapshot.layout.settings.local
    stored = snapshot.rows({row for pair in rows for row in pair})
    opened = {row for row, held in stored.items() if validity_of(held.entry, local).is_open(now)}
    return replace(whole, shadowed=frozenset(other for own, other in rows if {own, other} <= opened))
