"""Findings about a vault's knowledge: values, with the command that would mend each."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property

from vault.diagnostics import Severity
from vault.knowledge.hygiene.naming import Mentions
from vault.knowledge.navigate.entities import ALWAYS
from vault.model.access import GLOBAL
from vault.model.keys import fold_name
from vault.model.schema import Schema
from vault.model.slots import FACT, keys_of
from vault.model.values import Reference
from vault.store.records import Stored

#: Every code with its severity.
CODES: Mapping[str, Severity] = {
    "slot-conflict": "error",
    "dangling-reference": "warning",
    "duplicate-name": "warning",
    "fact-without-subject": "warning",
    "overgrown-aspect": "warning",
    "private-name": "warning",
    "self-reference": "warning",
    "suspicious-name": "warning",
    "fact-without-claim": "info",
    "fact-without-date": "info",
    "fact-without-source": "info",
    "near-duplicate-name": "info",
    "stale-fact": "info",
    "unused-entity": "info",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tidy up: where, and the command that mends it or takes a step towards that."""

    code: str
    message: str
    entries: Sequence[Stored]
    command: str

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return CODES[self.code]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings, worst first, and how many entries were looked at."""

    findings: Sequence[Finding]
    entries: int

    def number(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


@dataclass(frozen=True, eq=False)
class Scene:
    """What is looked over: the entries somebody sees, and what the rules need to know besides.

    `reachable` are the keys that a reference in a scope can mean. `private` are the spaces whose names are looked for
    outside them. `spoken` is when a fact came to say what it says, by git; `texts` reads what an entry keeps in a
    sidecar. `scoped` says that commands have to name their scope, `in_git` that there is a history.
    """

    entries: Sequence[Stored]
    reachable: Mapping[str, frozenset[str]]
    schemas: Mapping[str, Schema]
    now: datetime
    local: tzinfo | None
    allowed: frozenset[str]
    private: frozenset[str]
    scoped: bool
    in_git: bool
    spoken: Callable[[Stored], datetime | None]
    texts: Callable[[Stored], str | None]

    @cached_property
    def about(self) -> Mapping[str, Sequence[Stored]]:
        """The facts about each key."""
        found: dict[str, list[Stored]] = defaultdict(list)
        for stored in self.facts:
            if subject := keys_of(stored.entry).subject:
                found[subject].append(stored)
        return found

    @cached_property
    def naming(self) -> Mapping[str, Sequence[tuple[str, Stored]]]:
        """The entries that name each key, with the field they do it in."""
        found: dict[str, list[tuple[str, Stored]]] = defaultdict(list)
        for stored in self.entries:
            for name, reference in stored.entry.references():
                found[reference.key].append((name, stored))
        return found

    @cached_property
    def facts(self) -> Sequence[Stored]:
        """The facts."""
        return [stored for stored in self.entries if stored.entry.type == FACT]

    @cached_property
    def entities(self) -> Sequence[Stored]:
        """The entries that facts are about, and those that could be by their type."""
        return [
            stored
            for stored in self.entries
            if stored.entry.type != FACT and (stored.entry.type in ALWAYS or stored.entry.key in self.about)
        ]

    @cached_property
    def _times(self) -> Mapping[tuple[str, str], int]:
        return Counter((one.entry.key, one.scope) for one in self.entries)

    @cached_property
    def _named(self) -> Mapping[str, Mapping[str, str]]:
        """For each scope the names of entities that its texts can mean, with their keys."""
        return {
            scope: {name: one.entry.key for one in self.entities if one.entry.key in keys for name in self.names(one)}
            for scope, keys in self.reachable.items()
        }

    @cached_property
    def _mentions(self) -> Mapping[str, Mentions]:
        return {scope: Mentions(names) for scope, names in self._named.items()}

    def mentioned(self, fact: Stored) -> set[str]:
        """The keys of the entities that a fact's statement names."""
        return {self._named[fact.scope][name] for name in self._mentions[fact.scope].within(fact.entry.name)}

    def names(self, stored: Stored) -> list[str]:
        """The name and aliases of an entry, without those that are allowed."""
        names = [*stored.entry.texts("name"), *stored.entry.texts("aliases")]
        return [name for name in names if fold_name(name) not in self.allowed]

    def command(self, stored: Stored, verb: str, *words: str) -> str:
        """A command on an entry that works from wherever it is typed."""
        where: list[str] = []
        if self.scoped:
            where = ["--global"] if stored.scope == GLOBAL else ["--space", stored.scope]
        return shlex.join(["vault", *where, verb, self.words(stored), *words])

    def words(self, stored: Stored) -> str:
        """What an entry is called in a command: its key, or its path where several have that."""
        return stored.entry.key if self._times[stored.entry.key, stored.scope] == 1 else stored.entry.path

    def replaced(self, stored: Stored, name: str, old: Reference, new: str | None) -> str:
        """The command that puts another reference in the place of one, or takes it out."""
        value = stored.entry.fields[name]
        if isinstance(value, tuple) and old in value:
            added = [] if new is None or new in map(str, value) else [f"{name}+={new}"]
            return self.command(stored, "set", f"{name}-={old}", *added)
        if value == old and new:
            return self.command(stored, "set", f"{name}={new}")
        schema = self.schemas.get(stored.entry.type)
        spec = schema.by_name.get(name) if schema else None
        if value == old and not (spec and spec.required):
            return self.command(stored, "set", "--unset", name)
        return self.command(stored, "edit")
