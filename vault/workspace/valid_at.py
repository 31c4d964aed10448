"""What held at a moment: of all that is known, the statements whose time it was."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from vault.model.entry import Entry
from vault.model.slots import FACT, Slot, is_attribute, slot_of, validity_of, version_of
from vault.model.values import Moment
from vault.store.catalog import Catalog
from vault.store.ledger import Ledger
from vault.store.records import Stored
from vault.workspace.due import begin
from vault.workspace.versions import Identity, Version, versions


class _Said(NamedTuple):
    """A statement of a fact, when it was committed, and its version (None for what is so today).

    `cut` says that history is cut off there: it may have been made earlier.
    """

    fact: Entry
    time: datetime
    version: Version | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """A catalog in which the facts are those that held; `commits` are those that others than today's are cited at.

    `unknown` are the facts of which a history that is cut off does not say whether they held.
    """

    catalog: Catalog
    commits: Mapping[str, str]
    unknown: frozenset[Identity] = frozenset()


def held(
    known: Catalog,
    ledger: Ledger,
    until: int | None,
    moment: datetime,
    *,
    now: datetime,
    local: tzinfo | None,
    boundary: Collection[str] = (),
) -> Held:
    """What held at a moment, by what a catalog and history up to a commit of the chain know of.

    A statement holds from its `valid_from`, else `observed_at`, else the time of its commit, until its
    `valid_until` and no longer than until its successor's beginning, or until it was retracted. Of a fact's
    statements the latest one counts. Entries that are no facts stand as they are known. `boundary` are the commits
    at which history is cut off.
    """
    today: dict[Identity, list[Stored]] = defaultdict(list)
    for stored in known.entries(FACT):
        today[stored.entry.key, stored.scope].append(stored)
    before: dict[Identity, list[Version]] = defaultdict(list)
    for version in versions(ledger, ledger.fact_keys(), until):
        before[version.fact.key, version.scope].append(version)
    gone: list[int] = []
    back: list[Version] = []
    unknown: set[Identity] = set()
    found: dict[Identity, _Said | None] = {}
    for identity in {**today, **before}:
        rows = today.get(identity, [])
        said = _told(before.get(identity, []), rows[0].entry if rows else None, now, boundary)
        holding = found[identity] = _holding(said, moment, now, local)
        if holding is None and said and said[0].cut and moment < said[0].time and not _is_over(said[0], moment, local):
            unknown.add(identity)
    succeeded = _succeeded(found, local)
    for identity, latest in found.items():
        rows = today.get(identity, [])
        holding = None if identity in succeeded else latest
        if holding is None or holding.version is not None:
            gone += [stored.row for stored in rows]
        if holding is not None and holding.version is not None:
            back.append(holding.version)
    commits = {version.fact.path: version.began.ident for version in back}
    return Held(_catalog(known, ledger, gone, back), commits, frozenset(unknown))


def _is_over(said: _Said, moment: datetime, local: tzinfo | None) -> bool:
    ends = validity_of(said.fact, local).ends
    return ends is not None and ends <= moment


def _succeeded(found: Mapping[Identity, _Said | None], local: tzinfo | None) -> set[Identity]:
    """The facts whose slot another one had filled by then: of several, the one that began last counts."""
    slots: dict[tuple[str, Slot], list[tuple[datetime, bool, Identity]]] = defaultdict(list)
    for identity, said in found.items():
        slot = slot_of(said.fact) if said else None
        if said and slot and is_attribute(said.fact):
            validity = validity_of(said.fact, local)
            stands = said.version is None or validity.begins is None
            slots[identity[1], slot].append((begin(validity), stands, identity))
    # a successor that was moved into the file of the fact it succeeded is known under both ids
    return {
        identity
        for facts in slots.values()
        for begins, stands, identity in facts
        if (begins, stands) < max((begun, standing) for begun, standing, _ in facts)
    }


def _told(before: Sequence[Version], fact: Entry | None, now: datetime, boundary: Collection[str]) -> list[_Said]:
    """What was said of a fact, in the order in which it was."""
    told = []
    for version in before:
        cut = version.began.ident in boundary and _is_undated(version.fact)
        told.append(_Said(version.fact, version.began.moment, version, cut))
    standing = before[-1] if before and before[-1].ended is None else None
    if fact is None:
        return told
    if standing is not None and standing.digest == version_of(fact):
        return [*told[:-1], told[-1]._replace(fact=fact, version=None)]
    return [*told, _Said(fact, now, None)]


def _holding(said: Sequence[_Said], moment: datetime, now: datetime, local: tzinfo | None) -> _Said | None:
    """The latest statement that held at a moment; each held no longer than until the next one began."""
    after: datetime | None = None
    for one in reversed(said):
        begins = _begin(one.fact, one.time, local)
        ends = [validity_of(one.fact, local).ends, after]
        version = one.version
        if version is not None and version.ended and (version.retracted or after is None):
            ends[1] = version.ended.moment
        elif version is not None and after is None:  # its file is gone, and no commit says so yet
            ends[1] = now
        if begins <= moment and all(end is None or moment < end for end in ends):
            return one
        after = begins
    return None


def _is_undated(fact: Entry) -> bool:
    """Say whether a fact names no day since when it holds."""
    return not {"valid_from", "observed_at"} & fact.fields.keys()


def _begin(fact: Entry, committed: datetime, local: tzinfo | None) -> datetime:
    """When a statement begins to hold."""
    validity, observed = validity_of(fact, local), fact.fields.get("observed_at")
    begins = validity.begins or (observed.instant(local) if isinstance(observed, Moment) else committed)
    # an end before anybody wrote it down: it began at some time before
    return datetime.min.replace(tzinfo=UTC) if validity.ends and begins >= validity.ends else begins


def _catalog(known: Catalog, ledger: Ledger, gone: Sequence[int], back: Sequence[Version]) -> Catalog:
    """A copy of a catalog without some rows and with some versions of the past."""
    made = known.sketch(without=gone)
    ledger.put_into(made, ((version.content, version.fact.path, version.scope) for version in back))
    return made
