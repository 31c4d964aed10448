"""Asking a vault with the query language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vault.model.values import Moment, Value, moment_of
from vault.query.parse import parse
from vault.query.run import Result, World, run
from vault.store.records import Stored
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.vault import Vault

#: Entries that `search "…"` in a query keeps at the most.
FOUND = 1000


def query(vault: "Vault", text: str) -> Result:
    """Run a query over what the reader sees. Raises `BadQuery`, with the place in the text."""
    asked = parse(text)
    around = _Around(vault, vault.snapshot())
    local = vault.layout.settings.local
    world = World(around.entries, around.snapshot.schemas, around.linked, around.search, around.metadata, local)
    return run(asked, world)


@dataclass(eq=False)
class _Around:
    """What a query may want to know of entries beside their fields, found out when it does."""

    vault: "Vault"
    snapshot: Snapshot

    @cached_property
    def entries(self) -> list[Stored]:
        return list(self.snapshot.entries())

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[Stored]]:
        found: dict[str, list[Stored]] = {}
        for stored in self.entries:
            found.setdefault(stored.entry.key, []).append(stored)
        return found

    @cached_property
    def links(self) -> Mapping[int, Sequence[Stored]]:
        """The entries that each one names or is named by, by catalog row."""
        links: dict[int, dict[int, Stored]] = {stored.row: {} for stored in self.entries}
        for stored in self.entries:
            for _, reference in stored.entry.references():
                for other in self.by_key.get(reference.key, ()):
                    links[stored.row][other.row] = other
                    links[other.row][stored.row] = stored
        return {row: list(found.values()) for row, found in links.items()}

    def linked(self, stored: Stored) -> Iterable[Stored]:
        return self.links[stored.row]

    def search(self, words: str) -> list[Stored]:
        return [found.stored for found in self.vault.search(words, limit=FOUND) if found.via is None]

    def metadata(self, stored: Stored, name: str) -> Value | None:
        entry = stored.entry
        plain: Mapping[str, Value] = {"@type": entry.type, "@id": entry.key, "@path": entry.path}
        if name in plain:
            return plain[name]
        if name == "@space":
            return None if stored.scope == "global" else stored.scope
        if name == "@created":
            created = entry.fields.get("created_at")
            return created if isinstance(created, Moment) else None
        commit, updated = self.commits.get(entry.path, (None, None))
        return commit if name == "@commit" else updated

    @cached_property
    def commits(self) -> Mapping[str, tuple[str, Moment]]:
        """The last commit that changed each file, and its time; commits the reader may not see are passed over."""
        repository = self.vault.repository
        wanted = {stored.entry.path for stored in self.entries}
        found: dict[str, tuple[str, Moment]] = {}
        for record in repository.log() if repository else ():
            if all(self.vault.shows(change.path) for change in record.changes):
                for change in record.changes:
                    found.setdefault(change.path, (record.commit[:10], moment_of(record.commit_time)))
            if wanted <= found.keys():
                break
        return found
