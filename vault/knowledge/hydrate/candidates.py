"""Which entries a message brings to mind: those it names with what is said of them, those it means, those retained."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Literal

from vault.knowledge.hydrate.ambiguity import doubt
from vault.knowledge.hydrate.common_words import telling
from vault.knowledge.hydrate.mentions import RECORDS, Mention, mentions, outermost
from vault.knowledge.navigate.visibility import Sight
from vault.model.keys import fold_name
from vault.model.slots import validity_of
from vault.store.records import Stored

#: Entries of one name that come, and facts of one entity that are looked at for it.
SHARED, FACTS = 3, 12
#: Facts of one entity that are looked at, the most important ones.
LOOKED_AT = 200
CROWDED = f"{FACTS} facts that matter more stand first"
#: How far below the nearest entry another one may be that comes by meaning, too, and how many come at the most.
MARGIN, NEAR = 0.1, 5
#: Types in the order in which entries of one name come.
_FIRST = ("actor", "thing", "output")

Source = Literal["name", "meaning", "fact", "retained", "changed"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be brought, why, and, where it is left `out`, why that is.

    `about` is the entity a fact comes with; `score` is a cosine where the source is meaning, else 1.
    """

    stored: Stored
    source: Source
    why: str
    out: str = ""
    about: str = ""
    score: float = 1.0

    @property
    def name(self) -> str:
        """What a session remembers it by."""
        return name_of(self.stored)


def name_of(stored: Stored) -> str:
    """What tells an entry from those of other scopes."""
    return f"{stored.scope} {stored.entry.key}"


def named(sight: Sight, text: str) -> list[Candidate]:
    """The entries a message names, the surest first, and those it only seems to name."""
    found = mentions(sight, text)
    stored = sight.snapshot.rows({one.row for one in found})
    doubts = {one: doubt(text, one, lambda mention: _own_words(stored[mention.row])) for one in found}
    kept, inner = outermost(one for one, reason in doubts.items() if not reason)
    around = {one: next(other for other in kept if other.start < one.end and one.start < other.end) for one in inner}
    reasons = {
        **doubts,
        **{one: f"part of “{other.words}”" for one, other in around.items()},
        **_crowded(kept, stored),
    }
    ordered = sorted(reasons, key=lambda one: (bool(reasons[one]), one.start, _rank(stored[one.row])))
    return _distinct(Candidate(stored[one.row], "name", _told(one), reasons[one]) for one in ordered)


def _told(mention: Mention) -> str:
    return f"named “{mention.words}” ({mention.by})"


def _own_words(stored: Stored) -> set[str]:
    """The words that say what an entry is about, and are not everybody's."""
    entry = stored.entry
    fields = ("summary", "text", "statement", "tags", "aliases", "kind")
    told = [part for field in fields for part in entry.texts(field)] + [str(entry.fields.get("kind", ""))]
    return telling("\n".join(told))


def _rank(stored: Stored) -> tuple[object, ...]:
    kind = stored.entry.type
    place = _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
    return place, stored.entry.fields.get("pinned") is not True, stored.entry.key, stored.scope


def _crowded(kept: Iterable[Mention], stored: Mapping[int, Stored]) -> dict[Mention, str]:
    """Those that too many others share a name with."""
    places: dict[tuple[int, int], list[Mention]] = defaultdict(list)
    for one in kept:
        places[one.span].append(one)
    return {
        one: f"one of {len(shared)} that go by “{one.words}”"
        for shared in places.values()
        for one in sorted(shared, key=lambda one: _rank(stored[one.row]))[SHARED:]
    }


def _distinct(found: Iterable[Candidate]) -> list[Candidate]:
    """Each entry once, as it comes first."""
    kept: dict[int, Candidate] = {}
    for one in found:
        kept.setdefault(one.stored.row, one)
    return list(kept.values())


def meant(sight: Sight, cosines: Mapping[int, float], floor: float) -> list[Candidate]:
    """The entries that say much the same, nearest first; `cosines` are by row of the catalog."""
    held = sight.snapshot.catalog.visible_at(sight.visible(), cosines, without=RECORDS)
    ordered = sorted(held, key=lambda one: (-cosines[one.row], one.entry.key))
    best = cosines[ordered[0].row] if ordered else 0.0
    return [
        Candidate(
            stored,
            "meaning",
            f"near in meaning ({cosines[stored.row]:.2f})",
            _far(place, cosines[stored.row], floor, best) or _nameless(stored),
            score=cosines[stored.row],
        )
        for place, stored in enumerate(ordered)
    ]


def _far(place: int, cosine: float, floor: float, best: float) -> str:
    """Say why an entry is not near enough."""
    if cosine < floor:
        return f"not as near as {floor:g}"
    if cosine < best - MARGIN:
        return f"far behind the nearest ({best:.2f})"
    return f"{NEAR} are nearer" if place >= NEAR else ""


def _nameless(stored: Stored) -> str:
    """Say why an entry that is a name and no more is not meant: where the name is a common word, much is near to it."""
    says = any(
        part.strip() for field in ("statement", "summary", "text", "hints") for part in stored.entry.texts(field)
    )
    return "" if says or stored.text_file or telling(stored.entry.name) else "its name is a common word"


def remembered(sight: Sight, names: Iterable[str]) -> dict[str, Stored]:
    """The entries of some names that the reader still sees."""
    wanted = {*names}
    keys = [name.partition(" ")[2] for name in wanted]
    held = sight.snapshot.catalog.visible_with_keys(sight.visible(), keys)
    return {name_of(stored): stored for stored in held if name_of(stored) in wanted}


def retained(sight: Sight, ages: Mapping[str, int]) -> list[Candidate]:
    """The entries that were matched some turns ago, latest first."""
    held = remembered(sight, ages)
    return [
        Candidate(held[name], "retained", f"matched {age} turn{'s' * (age != 1)} ago")
        for name, age in ages.items()
        if name in held
    ]


def joined(sight: Sight, roots: Sequence[Candidate], text: str, now: datetime) -> list[Candidate]:
    """The matches, each entry once, and behind them the facts about those that are in: as they are to be fitted.

    What no longer holds is out. Facts come one of each entity by turns, the most important first; of those that matter
    alike, what shares words with the message.
    """
    words = telling(text)
    matches = _distinct(_holding(sight, one, now) for one in sorted(roots, key=lambda one: bool(one.out)))
    told = {
        one.stored.entry.key: one
        for one in matches
        if not one.out and one.source in ("name", "retained") and one.stored.entry.type != "fact"
    }
    about = [_facts(sight, key, words, now) for key in told]
    known = {fact.stored.row: fact for facts in about for fact in facts}
    # a fact that was matched by itself comes first, but beside what it is about
    lead = [replace(one, about=known[one.stored.row].about) if one.stored.row in known else one for one in matches]
    turns = (fact for each in zip_longest(*about) for fact in each if fact is not None)
    # what is too far in meaning may be in as a fact: whatever lets an entry in counts
    return _distinct(sorted([*lead, *turns], key=lambda one: bool(one.out)))


def _facts(sight: Sight, key: str, words: Collection[str], now: datetime) -> list[Candidate]:
    """The facts about an entity: those in force, the most important first, those beyond the first few left out."""
    rows = sight.snapshot.catalog.ranked_facts(sight.visible(), key, LOOKED_AT)
    held = sight.snapshot.rows(row for row, *_ in rows)
    rank = {row: (-importance, attribute, -_shared(held[row], words)) for row, importance, attribute in rows}
    facts = [
        _holding(sight, Candidate(held[row], "fact", f"said of {key}", about=key), now)
        for row in sorted(rank, key=rank.__getitem__)
    ]
    late = {one.stored.row for one in [fact for fact in facts if not fact.out][FACTS:]}
    return [replace(fact, out=CROWDED) if fact.stored.row in late else fact for fact in facts]


def _shared(fact: Stored, words: Collection[str]) -> int:
    said = fold_name(fact.entry.name)
    return sum(word in said for word in words)


def _holding(sight: Sight, one: Candidate, now: datetime) -> Candidate:
    """A candidate, left out if it says what does not hold now."""
    if one.out:
        return one
    validity = validity_of(one.stored.entry, sight.snapshot.layout.settings.local)
    if validity.is_open(now):
        return one
    return replace(one, out="no longer holds" if validity.is_over(now) else "does not hold yet")


def grouped(kept: Sequence[Candidate]) -> list[tuple[Candidate, bool]]:
    """Candidates with the facts set below what they are about, where that is among them."""
    keys = {one.stored.entry.key for one in kept if not one.about}
    below: dict[str, list[Candidate]] = defaultdict(list)
    lead: list[Candidate] = []
    for one in kept:
        (below[one.about] if one.about in keys else lead).append(one)
    found: list[tuple[Candidate, bool]] = []
    for one in lead:
        found += [(one, False), *((fact, True) for fact in below.pop(one.stored.entry.key, ()))]
    return found
