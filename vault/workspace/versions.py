"""The versions of facts: what history says of them, one statement after another."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vault.model.entry import Entry
from vault.model.slots import FACT, Slot, keys_of
from vault.model.trailers import OP
from vault.model.values import Value
from vault.store.ledger import Change, Ledger, Told

#: A fact's key and scope.
Identity = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Version:
    """A state of a fact, from the commit that began it to the one that ended it (None: it has not ended).

    `fact` is the entry as it last was in this version, `content` what the ledger keeps it under, and `digest` what
    tells it from others of the fact. `successor` is the version that took its place; one that was `retracted` has none.
    """

    fact: Entry
    scope: str
    content: int
    digest: bytes
    began: Told
    ended: Told | None = None
    retracted: bool = False
    successor: "Version | None" = None

    @property
    def keys(self) -> Slot:
        """Where the fact stood."""
        return keys_of(self.fact)


def versions(ledger: Ledger, keys: Iterable[str], until: int | None = None) -> list[Version]:
    """The versions of some facts up to a commit of the chain, each fact's oldest first."""
    number = ledger.tip() if until is None else until
    wanted = list(keys)
    now = ledger.standing(wanted, number)
    grouped: dict[Identity, list[Change]] = defaultdict(list)
    for change in ledger.changes(wanted, number):
        if change.key.startswith(f"{FACT}."):
            grouped[change.key, change.scope].append(change)
    found = [
        version
        for identity, changes in grouped.items()
        for version in _linked(_settled(ledger, _runs(changes), now.get(identity), changes[-1].told))
    ]
    return _displaced(found)


def _runs(changes: Sequence[Change]) -> list[Version]:
    """The runs of changes, in the order of commits, that left a fact the same version."""
    runs: list[Version] = []
    for change in changes:
        fact = (
            Entry(FACT, change.key.partition(".")[2], change.after, change.path) if change.after is not None else None
        )
        going_on = bool(runs) and runs[-1].ended is None
        if going_on and fact and runs[-1].digest == change.version:
            runs[-1] = replace(runs[-1], fact=fact, content=change.content or 0)
            continue
        if going_on:
            runs[-1] = replace(runs[-1], ended=change.told, retracted=fact is None)
        if fact:
            runs.append(Version(fact, change.scope, change.content or 0, change.version or b"", change.told))
    return runs


def _settled(ledger: Ledger, runs: list[Version], now: bytes | None, last: Told) -> list[Version]:
    """End the runs with the version that stands: of branches that were merged, it need not be the latest.

    What the merge did not keep ended with it.
    """
    if not runs or (runs[-1].ended is None and runs[-1].digest == now):
        return runs
    last = ledger.brought(last)
    ended = [run if run.ended else replace(run, ended=last, retracted=now is None) for run in runs]
    standing = next((run for run in reversed(ended) if run.digest == now), None)
    if standing is None:
        return ended
    return [*(run for run in ended if run is not standing), replace(standing, ended=None, retracted=False)]


def _displaced(found: list[Version]) -> list[Version]:
    """Name the successor of each fact whose file went while another fact took its place or took in its statement.

    The commit that ended it tells: it began a version of another fact in its slot, or is itself a supersession. Without
    this such a fact would count as retracted.
    """
    begun: dict[tuple[str, str], list[Version]] = defaultdict(list)
    for version in found:
        begun[version.began.ident, version.scope].append(version)

    def settled(version: Version) -> Version:
        if not version.retracted or version.ended is None:
            return version
        others = [one for one in begun[version.ended.ident, version.scope] if one.fact.key != version.fact.key]
        here = [one for one in others if one.keys == version.keys and version.keys.claim]
        if here or (OP, "supersede") in version.ended.trailers:
            alike = [one for one in others if _statement(one) == _statement(version)]
            return replace(version, retracted=False, successor=next(iter([*here, *alike]), None))
        return version

    return list(map(settled, found))


def _statement(version: Version) -> Value | None:
    return version.fact.fields.get("statement")


def _linked(runs: Sequence[Version]) -> list[Version]:
    """Name for each version the one that took its place: what the commit that ended it began, else the next."""
    linked: list[Version] = []
    begun: dict[str, Version] = {}
    for run in reversed(runs):
        if linked and not run.retracted and run.ended:
            linked.append(replace(run, successor=begun.get(run.ended.ident, linked[-1])))
        else:
            linked.append(run)
        begun[run.began.ident] = linked[-1]
    return linked[::-1]
