"""Walking knowledge: from entities to aspects, groups, claims, and what was said in each. Nothing is written.

A function for each verb of the navigation contract, with its parameters; numbers may come as text. `reader` is
whoever asks, if not the vault's own; `agent_id` narrows the walk to the facts of one agent and of everyone, and
`status` all adds what is no longer said. Each raises `InvalidParameter`, and where it takes an entity
`EntityNotFound` and `AmbiguousEntity`; where it takes a place `PlaceNotFound`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.knowledge.navigate.entities import Entity, counted, found, listed
from vault.knowledge.navigate.outline import Aspect, Claim, Group, Limits, matched, occupied, outline
from vault.knowledge.navigate.parameters import (
    ACTIVE,
    ALL,
    KINDS,
    PLACE_STATUSES,
    STATUSES,
    UNASSIGNED,
    InvalidParameter,
    Page,
    checked_number,
    checked_part,
    checked_word,
)
from vault.knowledge.navigate.states import WORKTREE, State, Telling, states
from vault.knowledge.navigate.visibility import Sight, sight
from vault.model.slots import FACT
from vault.workspace.versions import versions

if TYPE_CHECKING:
    from vault.model.access import Reader
    from vault.service.runtime.handle import VaultHandle
    from vault.store.ledger import Ledger
    from vault.store.records import Stored

DEPTH_MAX = 3


@dataclass(frozen=True, slots=True)
class Tree:
    """The outline of an entity; `limits` say how much of it is to be shown, its counts are complete."""

    entity: Entity
    limits: Limits
    aspects: Sequence[Aspect]

    @property
    def truncated(self) -> bool:
        """Whether the limits leave something out."""
        return self.limits.leave_out(self.aspects)


def entities(
    vault: "VaultHandle",
    *,
    q: str = "",
    type: str | None = None,  # noqa: A002  the contract's word
    agent_id: str | None = None,
    limit: int | str = 50,
    offset: int | str = 0,
    reader: "Reader | None" = None,
) -> Page[Entity]:
    """List the entities, or those whose name, alias or id contains `q`, or that are of a type."""
    part = checked_part(limit, offset)
    seen = _sight(vault, agent_id, reader)
    if type is not None:
        types = sorted(({*seen.snapshot.schemas} | {key.partition(".")[0] for key in seen.entities()}) - {FACT})
        if type not in types:
            raise InvalidParameter("type", type, ", ".join(types), types)
    return listed(seen, part, words=q, kind=type)


def entity(vault: "VaultHandle", name: str, *, agent_id: str | None = None, reader: "Reader | None" = None) -> Entity:
    """Find an entity, with what is known of it."""
    seen = _sight(vault, agent_id, reader)
    return counted(seen, found(seen, name))


def tree(
    vault: "VaultHandle",
    entity: str,
    *,
    depth: int | str = DEPTH_MAX,
    max_aspects: int | str = 20,
    max_groups: int | str = 20,
    max_claims: int | str = 50,
    status: str = ACTIVE,
    agent_id: str | None = None,
    reader: "Reader | None" = None,
) -> Tree:
    """Outline what is said about an entity."""
    limits = Limits(
        checked_number("depth", depth, 1, DEPTH_MAX),
        checked_number("max_aspects", max_aspects, 1),
        checked_number("max_groups", max_groups, 1),
        checked_number("max_claims", max_claims, 1),
    )
    walk = _walk(vault, entity, status, agent_id, reader)
    return Tree(counted(walk.sight, walk.stored), limits, walk.shown())


def aspects(
    vault: "VaultHandle",
    entity: str,
    *,
    status: str = ACTIVE,
    agent_id: str | None = None,
    limit: int | str = 50,
    offset: int | str = 0,
    reader: "Reader | None" = None,
) -> Page[Aspect]:
    """List the aspects of an entity."""
    part = checked_part(limit, offset)
    return part.of(_walk(vault, entity, status, agent_id, reader).shown())


def groups(
    vault: "VaultHandle",
    entity: str,
    aspect: str,
    *,
    status: str = ACTIVE,
    agent_id: str | None = None,
    limit: int | str = 50,
    offset: int | str = 0,
    reader: "Reader | None" = None,
) -> Page[Group]:
    """List the groups of an aspect."""
    part = checked_part(limit, offset)
    return part.of(_walk(vault, entity, status, agent_id, reader).groups(aspect))


def claims(
    vault: "VaultHandle",
    entity: str,
    aspect: str,
    group: str,
    *,
    status: str = ACTIVE,
    agent_id: str | None = None,
    limit: int | str = 50,
    offset: int | str = 0,
    reader: "Reader | None" = None,
) -> Page[Claim]:
    """List the claims of a group."""
    part = checked_part(limit, offset)
    return part.of(_walk(vault, entity, status, agent_id, reader).claims(aspect, group))


def attributes(
    vault: "VaultHandle",
    entity: str,
    aspect: str,
    group: str,
    claim: str,
    *,
    status: str = ACTIVE,
    kind: str | None = None,
    agent_id: str | None = None,
    limit: int | str = 50,
    offset: int | str = 0,
    reader: "Reader | None" = None,
) -> Page[State]:
    """List what is said in a claim, and with other statuses what was said before; newest first."""
    part = checked_part(limit, offset)
    checked_word("status", status, STATUSES)
    wanted = None if kind is None else checked_word("kind", kind, KINDS) == KINDS[0]
    known = _walk(vault, entity, ALL, agent_id, reader).claim(aspect, group, claim).states
    return part.of([state for state in known if status in (ALL, state.status) and wanted in (None, state.is_attribute)])


def _sight(vault: "VaultHandle", agent: str | None, reader: "Reader | None") -> Sight:
    moment = vault.past.moment if vault.past else None
    return sight(vault.snapshot(reader), agent or None, moment or vault.clock())


@dataclass(frozen=True, slots=True)
class _Walk:
    """Where a walk begins: an entity, and all that is and was said about it."""

    sight: Sight
    stored: "Stored | None"
    known: Sequence[Aspect]
    vacant: bool

    @property
    def _name(self) -> str:
        return self.stored.entry.key if self.stored else UNASSIGNED

    def shown(self) -> Sequence[Aspect]:
        """The aspects, without vacant places unless those were asked for."""
        return self.known if self.vacant else occupied(self.known)

    def groups(self, aspect: str) -> Sequence[Group]:
        """The groups of an aspect: none in one that is vacant."""
        key = matched(self.known, "aspect", aspect, self._name)
        return next((one.groups for one in self.shown() if one.key == key), ())

    def claims(self, aspect: str, group: str) -> Sequence[Claim]:
        """The claims of a group: none in one that is vacant."""
        known = _Walk(self.sight, self.stored, self.known, vacant=True).groups(aspect)
        key = matched(known, "group", group, f"{self._name} › {aspect}")
        return next((one.claims for one in self.groups(aspect) if one.key == key), ())

    def claim(self, aspect: str, group: str, claim: str) -> Claim:
        """A claim, vacant or not."""
        known = self.claims(aspect, group)
        key = matched(known, "claim", claim, f"{self._name} › {aspect} › {group}")
        return next(one for one in known if one.key == key)


def _walk(vault: "VaultHandle", name: str, status: str, agent: str | None, reader: "Reader | None") -> _Walk:
    checked_word("status", status, PLACE_STATUSES)
    seen = _sight(vault, agent, reader)
    stored = found(seen, name)
    return _Walk(seen, stored, outline(_states(vault, seen, stored)), vacant=status == ALL)


def _states(vault: "VaultHandle", seen: Sight, about: "Stored | None") -> list[State]:
    """All that is and was said about an entity, or about none, newest first.

    A fact that was about it and is about another now is looked at whole, so that its versions have their order.
    """
    entities = seen.entities() if about is None else {about.entry.key}
    ledger, number = _history(vault)
    wanted = entities if about else {*seen.subjects(), *(ledger.subjects() if ledger else ())} - entities
    keys = {*seen.facts_about(wanted), *(ledger.facts_about(wanted, seen.snapshot.scopes) if ledger else ())}
    past = versions(ledger, keys, number) if ledger else []
    return [
        state
        for state in states(seen.facts(keys), seen.unhidden(past), _telling(vault, seen))
        if seen.is_of_agent(state.slot.agent) and (state.slot.subject in entities) is (about is not None)
    ]


def _telling(vault: "VaultHandle", seen: Sight) -> Telling:
    local, past = seen.snapshot.layout.settings.local, vault.past
    if past is None:
        return Telling(local, vault.clock(), seen.knows)
    return Telling(
        local, past.moment or vault.clock(), seen.knows, past.commit or WORKTREE, past.commits if past.moment else None
    )


def _history(vault: "VaultHandle") -> "tuple[Ledger | None, int]":
    """The ledger, and the last commit of the chain to look at; None without history, or for a commit beside it."""
    if vault.repository is None:
        return None, -1
    ledger, commit = vault.ledger, vault.past.commit if vault.past else None
    number = ledger.number(commit) if commit else ledger.tip()
    return (None, -1) if number is None else (ledger, number)
