"""Asking a vault with the query language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from vault.model.access import BUNDLED
from vault.model.values import Moment, Value, moment_of
from vault.query.parse import parse
from vault.query.run import Result, World, run
from vault.query.tree import Query, fields_of
from vault.service.read.search import search
from vault.store.records import Stored
from vault.workspace.graph import graph, links
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: Entries that `search "…"` in a query keeps at the most.
FOUND = 1000


def query(vault: "VaultHandle", text: str) -> Result:
    """Run a query over what the reader sees. Raises `BadQuery`, with the place in the text."""
    asked = parse(text)
    around = _Around(vault, vault.snapshot())
    local = vault.layout.settings.local
    world = World(around.entries, around.snapshot.schemas, around.linked, around.search, around.metadata, local)
    _say_of_unknown_fields(vault, asked, around)
    return run(asked, world)


def _say_of_unknown_fields(vault: "VaultHandle", asked: Query, around: "_Around") -> None:
    """Say which fields of a query no schema and no entry has: that they match nothing is no answer to a slip."""
    named = [field for field in fields_of(asked) if not field.startswith("@")]
    declared = {spec.name for schema in around.snapshot.schemas.values() for spec in schema.fields}
    for field in dict.fromkeys(named):
        if field not in declared and not any(field in stored.entry.fields for stored in around.entries):
            near = get_close_matches(field, declared, n=1)
            vault.say(f"no entry has a field `{field}`" + (f"; did you mean `{near[0]}`?" if near else ""))


@dataclass(eq=False)
class _Around:
    """What a query may want to know of entries beside their fields, found out when it does."""

    vault: "VaultHandle"
    snapshot: Snapshot

    @cached_property
    def entries(self) -> list[Stored]:
        return list(self.snapshot.entries())

    @cached_property
    def links(self) -> Mapping[str, Sequence[Stored]]:
        """The entries that each one names or is named by, by key."""
        whole = graph(self.snapshot)
        by_row = {stored.row: stored for stored in self.entries}
        return {key: [by_row[whole.nodes[step.key].row] for step in steps] for key, steps in links(whole).items()}

    def linked(self, stored: Stored) -> Iterable[Stored]:
        return self.links.get(stored.entry.key, ())

    def search(self, words: str) -> list[Stored]:
        found = search(self.vault, words, limit=FOUND)
        return [one.stored for one in found if one.via is None and one.stored.scope != BUNDLED]

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
        self.vault.reads_history = True
        repository = self.vault.repository
        wanted = {stored.entry.path for stored in self.entries}
        found: dict[str, tuple[str, Moment]] = {}
        start = self.vault.past.commit if self.vault.past else None
        for record in repository.log(start=start) if repository else ():
            if all(self.vault.shows(change.path) for change in record.changes):
                for change in record.changes:
                    found.setdefault(change.path, (record.commit[:10], moment_of(record.commit_time)))
            if wanted <= found.keys():
                break
        return found
