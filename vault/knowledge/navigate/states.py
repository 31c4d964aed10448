"""The states of facts: what is said now, and what was said before it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from vault.knowledge.navigate.parameters import ACTIVE, RETRACTED, SUPERSEDED
from vault.model.entry import Entry
from vault.model.slots import Slot, is_attribute, keys_of, validity_of, version_of
from vault.model.values import Moment
from vault.store.ledger import Told
from vault.store.records import Stored
from vault.workspace.versions import Identity, Version

#: Stands for a commit where there is none yet.
WORKTREE = "worktree"


@dataclass(frozen=True, slots=True)
class State:
    """A version of a fact: the current one, or one that another took the place of or that was taken back.

    `slot` is where it stands, a fact without a claim under its own id. `ordinal` counts the fact's versions from 1.
    `commit` is the one that made it, or `worktree`; `successor` is `key@commit` of what took its place. `touched`
    is when the state came to be what it is; None where nobody knows. `holds` is whether its time is now.
    """

    fact: Entry
    slot: Slot
    scope: str
    status: str
    ordinal: int
    commit: str
    author: str | None = None
    created: datetime | None = None
    touched: datetime | None = None
    ended: datetime | None = None
    successor: str | None = None
    reason: str | None = None
    line: int | None = None
    holds: bool = True

    @property
    def statement(self) -> str:
        """What it says."""
        said = self.fact.fields.get("statement")
        return said if isinstance(said, str) else self.fact.name

    @property
    def is_current(self) -> bool:
        """Whether it is what is said now."""
        return self.status == ACTIVE

    @property
    def is_attribute(self) -> bool:
        """Whether it says how its subject is."""
        return is_attribute(self.fact)


def place_of(fact: Entry) -> Slot:
    """Where a fact is listed: its slot, and without a claim its own id in place of one."""
    keys = keys_of(fact)
    return keys if keys.claim else keys._replace(claim=fact.id)


@dataclass(frozen=True, slots=True)
class Telling:
    """How states are told: the zone of moments without one, what is now, whose words may be read, what has no commit.

    `held` is given where what held at a moment counts as current: the commits that began those statements, by path,
    that are said no more.
    """

    local: tzinfo | None
    now: datetime
    knows: Callable[[str], bool]
    uncommitted: str = WORKTREE
    held: Mapping[str, str] | None = None


def states(current: Iterable[Stored], past: Iterable[Version], telling: Telling) -> list[State]:
    """The states of some facts, newest first, of their current entries and of all versions that history has."""
    here: dict[Identity, list[Stored]] = defaultdict(list)
    for stored in current:
        here[stored.entry.key, stored.scope].append(stored)
    runs: dict[Identity, list[Version]] = defaultdict(list)
    for version in past:
        runs[version.fact.key, version.scope].append(version)
    found = [
        state
        for identity in sorted({*here, *runs})
        for state in _timeline(runs.get(identity, []), here.get(identity, []), telling)
    ]
    found = [replace(one, holds=validity_of(one.fact, telling.local).is_open(telling.now)) for one in found]
    return sorted(found, key=_recency, reverse=True)


def _recency(state: State) -> tuple[bool, datetime, int, str]:
    begun = state.created or state.touched or datetime.min.replace(tzinfo=UTC)
    return state.is_current and state.created is None, begun, state.ordinal, state.fact.key


def _timeline(runs: Sequence[Version], here: Sequence[Stored], telling: Telling) -> Iterator[State]:
    """The states of one fact: the version that stands in history is what is said now if its entry still says it."""
    runs = runs if telling.held is None else _until_held(runs, here, telling.held)
    standing = runs[-1].digest if runs and runs[-1].ended is None else None
    same = next((stored for stored in here if version_of(stored.entry) == standing), None)
    others = [stored for stored in here if stored is not same]
    latest: datetime | None = None
    for ordinal, run in enumerate(runs, 1):
        # a clock that went back does not change which version came first
        latest = max(run.began.moment, latest or run.began.moment)
        if run.ended is not None:
            yield _ended(run, ordinal, latest, telling)
        elif same:
            yield _standing(run, same, ordinal, latest)
        else:
            yield _left(run, ordinal, latest, replaced=bool(others), telling=telling)
    for ordinal, stored in enumerate(others, len(runs) + 1):
        touched = [moment for moment in (_written(stored, telling.local), latest) if moment]
        yield State(
            stored.entry,
            place_of(stored.entry),
            stored.scope,
            ACTIVE,
            ordinal,
            telling.uncommitted,
            touched=max(touched, default=None),
            line=stored.entry.place.line,
        )


def _until_held(runs: Sequence[Version], here: Sequence[Stored], held: Mapping[str, str]) -> Sequence[Version]:
    """The versions of a fact up to the one that held, as if none had followed; none of a fact that did not hold."""
    if not here:
        return ()
    commit = held.get(here[0].entry.path)
    place = next((place for place, run in enumerate(runs) if run.began.ident == commit), None)
    if place is None:
        return runs
    return [*runs[:place], replace(runs[place], ended=None, retracted=False, successor=None)]


def _standing(run: Version, stored: Stored, ordinal: int, begun: datetime) -> State:
    told = run.began
    line = stored.entry.place.line
    return State(
        stored.entry,
        place_of(stored.entry),
        run.scope,
        ACTIVE,
        ordinal,
        told.ident,
        told.author,
        begun,
        begun,
        line=line,
    )


def _ended(run: Version, ordinal: int, begun: datetime, telling: Telling) -> State:
    told, ended = run.began, run.ended
    successor = run.successor
    return State(
        run.fact,
        place_of(run.fact),
        run.scope,
        RETRACTED if run.retracted else SUPERSEDED,
        ordinal,
        told.ident,
        told.author,
        begun,
        ended.moment if ended else None,
        ended.moment if ended else None,
        f"{successor.fact.key}@{successor.began.ident}" if successor else None,
        _reason(ended, telling.knows) if ended else None,
    )


def _left(run: Version, ordinal: int, begun: datetime, *, replaced: bool, telling: Telling) -> State:
    """A version that history still holds, and the files do not."""
    told = run.began
    status = SUPERSEDED if replaced else RETRACTED
    successor = f"{run.fact.key}@{telling.uncommitted}" if replaced else None
    return State(
        run.fact,
        place_of(run.fact),
        run.scope,
        status,
        ordinal,
        told.ident,
        told.author,
        begun,
        touched=begun,
        successor=successor,
    )


def _reason(told: Told, knows: Callable[[str], bool]) -> str | None:
    """Why a commit was made, if it says so; what one says that touches what a reader may not know of is kept."""
    return (told.reason or None) if all(map(knows, told.scopes)) else None


def _written(stored: Stored, local: tzinfo | None) -> datetime | None:
    created = stored.entry.fields.get("created_at")
    return created.instant(local) if isinstance(created, Moment) else None
