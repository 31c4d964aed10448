"""The outline of what is said about an entity: aspects, the groups in each, and the claims in those."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import TypeVar

from vault.knowledge.navigate.parameters import PlaceNotFound, checked_key
from vault.knowledge.navigate.states import State

#: Characters of a statement that a preview shows.
PREVIEW = 120
#: Places that are named to who asks for one that is not there.
NAMED = 5


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, with its states, newest first."""

    key: str
    group: str
    states: Sequence[State]

    @property
    def current(self) -> Sequence[State]:
        """What is said now."""
        return [state for state in self.states if state.is_current]

    @property
    def preview(self) -> str | None:
        """The newest statement that holds now, else the newest current one, cut; None where the claim is vacant."""
        shown = next((state for state in self.current if state.holds), next(iter(self.current), None))
        if shown is None:
            return None
        flat = " ".join(shown.statement.split())
        return flat if len(flat) <= PREVIEW else f"{flat[: PREVIEW - 1]}…"

    def number(self, status: str) -> int:
        """How many states have a status."""
        return sum(state.status == status for state in self.states)

    @property
    def attributes(self) -> int:
        """How many current facts are attributes."""
        return sum(state.is_attribute for state in self.current)

    @property
    def constraints(self) -> int:
        """How many current facts are constraints."""
        return len(self.current) - self.attributes

    @property
    def updated(self) -> datetime | None:
        """When it was last changed: of a vacant one, when it was left."""
        return max((state.touched for state in self.current or self.states if state.touched), default=None)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of an aspect, with its claims: those most is said in first."""

    key: str
    claims: Sequence[Claim]

    @property
    def attributes(self) -> int:
        """How many current facts are attributes."""
        return sum(claim.attributes for claim in self.claims)

    @property
    def constraints(self) -> int:
        """How many current facts are constraints."""
        return sum(claim.constraints for claim in self.claims)

    @property
    def updated(self) -> datetime | None:
        """When one of its claims was last changed."""
        return max((claim.updated for claim in self.claims if claim.updated), default=None)


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of an entity, with its groups: those most is said in first."""

    key: str
    groups: Sequence[Group]

    @property
    def attributes(self) -> int:
        """How many current facts are attributes."""
        return sum(group.attributes for group in self.groups)

    @property
    def constraints(self) -> int:
        """How many current facts are constraints."""
        return sum(group.constraints for group in self.groups)

    @property
    def claims(self) -> int:
        """How many claims its groups have."""
        return sum(len(group.claims) for group in self.groups)


Place = TypeVar("Place", Aspect, Group, Claim)


def outline(states: Iterable[State]) -> list[Aspect]:
    """Sort states, newest first, into their places."""
    places: dict[str, dict[str, dict[str, list[State]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for state in states:
        slot = state.slot
        places[slot.aspect][slot.group][slot.claim].append(state)
    return _ordered([Aspect(key, _groups(groups)) for key, groups in places.items()])


def _groups(places: dict[str, dict[str, list[State]]]) -> list[Group]:
    return _ordered(
        [
            Group(key, _ordered([Claim(name, key, states) for name, states in claims.items()]))
            for key, claims in places.items()
        ]
    )


def occupied(aspects: Iterable[Aspect]) -> list[Aspect]:
    """Those places of an outline in which something is said now."""
    found = []
    for aspect in aspects:
        groups = [Group(group.key, [claim for claim in group.claims if claim.current]) for group in aspect.groups]
        found.append(Aspect(aspect.key, [group for group in groups if group.claims]))
    return [aspect for aspect in found if aspect.groups]


def _ordered(places: list[Place]) -> list[Place]:
    return sorted(places, key=lambda place: (-place.attributes - place.constraints, place.key))


def matched(places: Sequence[Place], what: str, given: str, inside: str) -> str:
    """The key of the place that is meant: as it is listed, or spelt in another way.

    Raises `InvalidParameter` for what is no key, and `PlaceNotFound`.
    """
    keys = [place.key for place in places]
    if given in keys:
        return given
    key = checked_key(what, given)
    if key not in keys:
        raise PlaceNotFound(what, key, inside, get_close_matches(key, keys, n=NAMED) or keys[:NAMED])
    return key


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of an outline is shown: depth 1 stops at aspects, 2 at groups, 3 at claims."""

    depth: int
    aspects: int
    groups: int
    claims: int

    def leave_out(self, aspects: Sequence[Aspect]) -> bool:
        """Say whether something of an outline is left out, within the depth that is shown."""
        shown = aspects[: self.aspects]
        groups = [group for aspect in shown for group in aspect.groups[: self.groups]]
        return (
            len(aspects) > self.aspects
            or (self.depth > 1 and any(len(aspect.groups) > self.groups for aspect in shown))
            or (self.depth > 2 and any(len(group.claims) > self.claims for group in groups))  # noqa: PLR2004  of claims
        )
