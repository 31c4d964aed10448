"""What a walk sees: a reader's snapshot, narrowed to an agent, without what a space's own attributes shadow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from vault.model.access import BUNDLED, GLOBAL
from vault.model.slots import validity_of
from vault.store.records import Stored
from vault.store.visibility import Visibility
from vault.workspace.snapshot import Snapshot
from vault.workspace.versions import Version


@dataclass(frozen=True, slots=True)
class Sight:
    """A reader's view. `agent` None sees what is any agent's; `shadowed` are the rows of attributes that are hidden."""

    snapshot: Snapshot
    agent: str | None = None
    shadowed: frozenset[int] = field(default=frozenset())

    def visible(self) -> Visibility:
        """What is seen, as data for the catalog."""
        visible = self.snapshot.visible().without(self.shadowed)
        return visible if self.agent is None else visible.of_agent(self.agent)

    def is_of_agent(self, agent: str) -> bool:
        """Say whether a fact of an agent ("": of all) is seen."""
        return self.agent is None or agent in ("", self.agent)

    def knows(self, scope: str) -> bool:
        """Say whether the reader may know of a scope."""
        return scope in self.snapshot.scopes or not self.snapshot.layout.settings.is_private(scope)

    def entities(self) -> set[str]:
        """The keys of the entries that facts can be about."""
        return self.snapshot.catalog.entity_keys(self.visible())

    def reachable(self) -> dict[str, frozenset[str]]:
        """For each scope the keys that a reference in it can mean: global and bundled ones too, overridden or not."""
        keys: dict[str, set[str]] = {scope: set() for scope in (*self.snapshot.scopes, BUNDLED)}
        for key, scope in self.snapshot.catalog.all_keys(self.agent):
            if scope in keys:
                keys[scope].add(key)
        return {scope: frozenset(own | keys[GLOBAL] | keys[BUNDLED]) for scope, own in keys.items()}

    def subjects(self) -> set[str]:
        """All that the facts a reader sees are about; "" for those that name nothing."""
        return self.snapshot.catalog.subjects(self.snapshot.visible())

    def facts_about(self, subjects: Iterable[str]) -> set[str]:
        """The keys of the facts, of whatever agent, about some subjects."""
        return self.snapshot.catalog.facts_about(self.snapshot.visible(), subjects)

    def facts(self, keys: Iterable[str]) -> list[Stored]:
        """The facts of some keys, of whatever agent, but those that are shadowed."""
        visible = self.snapshot.visible().without(self.shadowed)
        return list(self.snapshot.catalog.facts_with_keys(visible, keys))

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
        return self.snapshot.catalog.keys_in_scope(keys, reader.space)


def sight(snapshot: Snapshot, agent: str | None, now: datetime) -> Sight:
    """What a reader and an agent see.

    In a space an open attribute shadows the open ones of other scopes in the same slot; those whose time is over,
    or has not come, stand beside as they do within a scope.
    """
    whole = Sight(snapshot, agent)
    reader = snapshot.reader
    if not reader.space or reader.owner:
        return whole
    rows = snapshot.catalog.rivals_across(snapshot.visible(), reader.space)
    local = snapshot.layout.settings.local
    stored = snapshot.rows({row for pair in rows for row in pair})
    opened = {row for row, held in stored.items() if validity_of(held.entry, local).is_open(now)}
    return replace(whole, shadowed=frozenset(other for own, other in rows if {own, other} <= opened))
