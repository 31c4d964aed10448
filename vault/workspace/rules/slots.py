"""Slots: two attributes that claim one place at one time."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import pairwise

from vault.diagnostics import Diagnostic, Related, diagnostic
from vault.model.entry import Entry
from vault.model.slots import Slot, Validity, ending_day, validity_of
from vault.workspace.due import day
from vault.workspace.rules.whole import Whole, first_span


@dataclass(frozen=True, slots=True)
class _Claim:
    """A fact of a slot, and when it holds."""

    slot: Slot
    fact: Entry
    validity: Validity


def slot_conflicts(whole: Whole) -> Iterator[Diagnostic]:
    """Open attributes that share a slot, and ended ones whose times overlap."""
    for claims in _shared(whole).values():
        yield from _open(claims, whole.now, whole.layout.settings.local)
        yield from _overlapping([claim for claim in claims if _is_dated(claim, whole.now)], whole.now)


def _shared(whole: Whole) -> Mapping[tuple[str, Slot], Sequence[_Claim]]:
    """The attributes of every slot that more than one fills, by scope and slot, in path order."""
    slots = whole.catalog.shared_slots(whole.paths)
    found: dict[tuple[str, Slot], list[_Claim]] = defaultdict(list)
    for stored in sorted(whole.catalog.entries_at(slots), key=lambda stored: (stored.entry.path, stored.row)):
        slot, validity = slots[stored.row], validity_of(stored.entry, whole.layout.settings.local)
        found[stored.scope, slot].append(_Claim(slot, stored.entry, validity))
    return found


def _is_dated(claim: _Claim, now: datetime) -> bool:
    """Say whether a fact's time can overlap another's: it is over, or it is open since a day it names."""
    return claim.validity.is_over(now) or (claim.validity.begins is not None and claim.validity.is_open(now))


def _open(claims: Sequence[_Claim], now: datetime, local: tzinfo | None) -> Iterator[Diagnostic]:
    """Open attributes: those that begin on one day conflict, now or then; a later one is due once its day has come."""
    days: dict[object, list[_Claim]] = defaultdict(list)
    for claim in claims:
        if not claim.validity.is_over(now):
            days[day(claim.validity, local)].append(claim)
    for same in days.values():
        yield from _open_twice(same, now, local)
    begun = sorted((claim for claim in claims if claim.validity.is_open(now)), key=_begin)
    if len({day(claim.validity, local) for claim in begun}) == len(begun):
        for first, claim in pairwise(begun):
            yield _due(first, claim)


def _due(first: _Claim, claim: _Claim) -> Diagnostic:
    return diagnostic(
        "slot-due",
        f"`{claim.fact.key}` has succeeded `{first.fact.key}` as {claim.slot}",
        first_span(claim.fact, "valid_from"),
        hint="the next write to the slot, or `vault check --fix`, moves it into the file of the other",
        subject=claim.fact.key,
        related=(Related(first_span(first.fact, "claim"), "the fact that it has succeeded"),),
    )


def _open_twice(claims: Sequence[_Claim], now: datetime, local: tzinfo | None) -> Iterator[Diagnostic]:
    for other in claims[1:]:
        first, fact = claims[0].fact, other.fact
        if fact.key == first.key:  # one fact in two files, which `duplicate-entry` reports
            continue
        ends = ending_day(first, now, local)
        other_way = f"set {first.key} valid_until={ends}` ends" if ends else f"retract {first.key}` withdraws"
        yield diagnostic(
            "slot-conflict",
            f"`{fact.key}` and `{first.key}` both say what {other.slot} is now",
            first_span(fact, "claim"),
            hint=f"`vault supersede {first.key} {fact.key}` puts this one in its place; `vault {other_way} the other",
            subject=fact.key,
            related=(Related(first_span(first, "claim"), "the other open attribute of the slot"),),
        )


def _overlapping(claims: Sequence[_Claim], now: datetime) -> Iterator[Diagnostic]:
    """Attributes of which one begins before another, that began earlier, has ended; of open ones the later counts."""
    longest: _Claim | None = None
    for claim in sorted(claims, key=_begin):
        if longest is not None and longest.validity.overlaps(claim.validity) and longest.validity.is_over(now):
            yield diagnostic(
                "overlapping-validity",
                f"`{claim.fact.key}` and `{longest.fact.key}` were both valid for {claim.slot}",
                first_span(claim.fact, "valid_from", "valid_until"),
                hint="correct the `valid_from` or `valid_until` of one of the two",
                subject=claim.fact.key,
                related=(Related(first_span(longest.fact, "valid_until"), "it was valid until then"),),
            )
        if longest is None or _end(claim) > _end(longest):
            longest = claim


def _begin(claim: _Claim) -> datetime:
    return claim.validity.begins or datetime.min.replace(tzinfo=UTC)


def _end(claim: _Claim) -> datetime:
    return claim.validity.ends or datetime.max.replace(tzinfo=UTC)
