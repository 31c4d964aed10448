"""From a question to an answer: rankers, fusion, one hop, and the places that answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from math import inf
from typing import Literal, overload

from vault.model.settings import Fusion
from vault.search.fuse import FUSIONS, Ranking
from vault.search.neighbours import Approved, Link, neighbours
from vault.search.order import is_current, recency
from vault.search.passages import address
from vault.search.rank import RESULTS, Meaning, Mode, Question, Ranked, rank
from vault.search.snippet import Matcher, matcher, snippet
from vault.search.text import Words
from vault.store.records import Passage, Stored
from vault.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rank:
    """Where one ranker puts a result: its place from 1 on, and its score."""

    place: int
    score: float


Status = Literal["superseded", "retracted", "deleted"]
#: Reads the passages of entries, by row and ordinal.
ReadPassages = Callable[[Sequence[int]], Mapping[tuple[int, int], Passage]]


@dataclass(frozen=True, slots=True)
class Former:
    """What became of what a result says: it held up to `commit`, and `ended` in another one.

    `status` is superseded (something else stands in its place), or retracted (of a fact) or deleted.
    """

    status: Status
    commit: str
    ended: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """A result: the entry, its score, and the place that answers.

    `snippet` is one line of text around the first match; `marks` are the (start, end) offsets of the
    matched words in it. `path` and `line` cite where the snippet stands; `address` names the passage
    however the file around it changes. `ranks` tells what each ranker says; `via` is how a neighbour
    of another result was come by; `current` is False for what no longer holds; `former` is what history alone has.
    """

    stored: Stored
    score: float
    path: str
    line: int
    heading: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    address: str = ""
    ranks: Mapping[str, Rank] = field(default_factory=dict)
    via: Link | None = None
    current: bool = True
    former: Former | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the passages that a search looks at have a vector."""

    passages: int
    of: int

    @property
    def missing(self) -> int:
        """How many have none yet."""
        return self.of - self.passages


@dataclass(frozen=True, slots=True)
class Answer(Sequence[Found]):
    """The results of a search, best first, and how they were found.

    `embedded` is None where no vectors were asked; `problem` says why they could not be.
    """

    results: tuple[Found, ...]
    mode: Mode
    fusion: Fusion
    embedded: Share | None = None
    problem: str = ""

    @overload
    def __getitem__(self, index: int) -> Found: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Found]: ...
    def __getitem__(self, index: int | slice) -> Found | Sequence[Found]:
        """A result by its place, from 0 on."""
        return self.results[index]

    def __len__(self) -> int:
        """The number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[Found]:
        """The results, best first."""
        return iter(self.results)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An entry that is a result."""

    stored: Stored
    score: float
    via: Link | None = None


def search(
    snapshot: Snapshot,
    indexes: Sequence[Words],
    question: Question,
    *,
    meaning: Meaning | None,
    approved: Approved,
    now: datetime,
    passages: ReadPassages | None = None,
) -> list[Found]:
    """Find the entries that fit a question best, among those the reader sees; none if nothing fits.

    `passages` reads those of entries by row, where the catalog has none.
    """
    look = partial(_best, snapshot, indexes, question, meaning, approved=approved, now=now)
    ranked, best = look(results=RESULTS)
    if ranked.cut and len(best) < question.limit and question.limit > RESULTS:
        ranked, more = look(results=question.limit)
        best = [*best, *_below(best, more)][: question.limit]
    own = grouped((passages or snapshot.catalog.passages)([each.stored.row for each in best]))
    return presented(best, own, ranked, matcher(question.text, indexes[0]), now)


def _best(
    snapshot: Snapshot,
    indexes: Sequence[Words],
    question: Question,
    meaning: Meaning | None,
    *,
    approved: Approved,
    now: datetime,
    results: int,
) -> tuple[Ranked, list[Chosen]]:
    """The best entries and their neighbours, among the candidates for so many results."""
    ranked = rank(snapshot, indexes, question, meaning, results=results)
    fused = _fused(ranked.rankings, question.fusion)
    chosen = _chosen(snapshot, question, ranked, fused, now)
    if question.mode == "hybrid":
        direct = [(each.stored, each.score) for each in chosen]
        around = neighbours(snapshot, direct, fused, approved, now, only=ranked.only)
        chosen = _joined(chosen, [Chosen(each.stored, each.score, each.link) for each in around])
    return ranked, sorted(chosen, key=lambda each: _order(each.stored, each.score, now))[: question.limit]


def _below(best: Sequence[Chosen], more: Sequence[Chosen]) -> Iterator[Chosen]:
    """What a deeper look adds, below what was found before it."""
    known = {each.stored.row for each in best}
    least = min((each.score for each in best), default=inf)
    return (replace(each, score=min(each.score, least)) for each in more if each.stored.row not in known)


def grouped(found: Mapping[tuple[int, int], Passage]) -> dict[int, list[Passage]]:
    """The passages of each entry, in their order."""
    passages: dict[int, list[Passage]] = {}
    for (row, _), passage in sorted(found.items()):
        passages.setdefault(row, []).append(passage)
    return passages


def _joined(direct: Sequence[Chosen], around: Sequence[Chosen]) -> list[Chosen]:
    """Results and their neighbours; what is both stands where it stands higher."""
    best = {each.stored.row: each for each in direct}
    for each in around:
        held = best.get(each.stored.row)
        if held is None or held.score < each.score:
            best[each.stored.row] = each
    return list(best.values())


def _fused(rankings: Sequence[Ranking], fusion: Fusion) -> Mapping[int, float]:
    """One score for each entry; a ranker alone keeps its own."""
    return rankings[0].scores if len(rankings) == 1 else FUSIONS[fusion](rankings)


def _chosen(
    snapshot: Snapshot, question: Question, ranked: Ranked, fused: Mapping[int, float], now: datetime
) -> list[Chosen]:
    """The best entries that fit. All equals of the last one are looked at: the number of a row chooses nothing."""
    scores = {row: round(fused[row], 6) for row in ranked.fits & fused.keys()}
    least = sorted(scores.values(), reverse=True)[: question.limit * 2][-1:]
    rows = [row for row, score in scores.items() if least and score >= least[0]]
    entries = snapshot.rows(rows)  # another process may be ahead in the index: some are not there
    chosen = [Chosen(entries[row], fused[row]) for row in rows if row in entries]
    return sorted(chosen, key=lambda each: _order(each.stored, each.score, now))[: question.limit]


def _order(stored: Stored, score: float, now: datetime) -> tuple[object, ...]:
    return (-round(score, 6), not is_current(stored, now), recency(stored))


def presented(
    chosen: Sequence[Chosen], passages: Mapping[int, Sequence[Passage]], ranked: Ranked, find: Matcher, now: datetime
) -> list[Found]:
    """The results that chosen entries are, each with the passage that answers."""
    places = {ranking.name: (ranking.places(), ranking.scores) for ranking in ranked.rankings}
    found = []
    for each in chosen:
        row = each.stored.row
        if row in passages:  # else another process has just read the file anew
            ranks = {name: Rank(at[row], scores[row]) for name, (at, scores) in places.items() if row in at}
            own, ordinal = passages[row], ranked.passage.get(row, 0)
            found.append(_found(each, own, ordinal, ranks, find, current=is_current(each.stored, now)))
    return found


def _found(
    each: Chosen, own: Sequence[Passage], ordinal: int, ranks: Mapping[str, Rank], find: Matcher, *, current: bool
) -> Found:
    passage = own[min(ordinal, len(own) - 1)]
    shown = snippet(passage, find)
    return Found(
        each.stored,
        each.score,
        passage.path,
        shown.line,
        passage.heading,
        shown.text,
        shown.marks,
        f"{each.stored.entry.key}#{address(own)[min(ordinal, len(own) - 1)]}",
        ranks,
        each.via,
        current,
    )
