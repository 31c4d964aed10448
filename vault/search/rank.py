"""The rankers: each says which visible entries fit a question, by a score of its own."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log2
from typing import TYPE_CHECKING, Literal

from vault.model.keys import fold_name
from vault.model.settings import Fusion
from vault.search.concepts import mentioned
from vault.search.fuse import WEIGHTS, Ranking
from vault.search.text import Filters, Hit, Words
from vault.search.vectors.near import Near, by_entry
from vault.store.tables.passages import NAME
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.search.vectors.nearest import Compared, Table

Mode = Literal["hybrid", "keyword", "semantic"]

#: The rankers of each mode. Cosines are left out where there is no model.
RANKERS: Mapping[Mode, Collection[str]] = {
    "hybrid": ("bm25", "coverage", "cosine", "concept"),
    "keyword": ("bm25",),
    "semantic": ("cosine",),
}
#: Passages that BM25 and the vectors each put forward for a result: an entry may fill many places.
WORD_PASSAGES, NEAR_PASSAGES = 30, 20
#: The results that candidates are put forward for, however few or many are wanted: a score must not depend on that.
RESULTS = 10
#: An entry fits a question by the share of its words that it holds, by the cosine of its nearest passage (see
#: `least_cosine`), or by the mean of both. Where nothing reaches one of these, nothing fits; else what reaches most
#: of it is shown below. Set between questions asked of their own texts and of foreign ones (those of a chat, to
#: abstracts of papers): the former keep all but one in a hundred answers, of the latter three in four get none.
LEAST_COVERAGE, LEAST_MEAN = 0.18, 0.25
#: Of a question with more words a smaller share is enough; one of so few is fit by what has one of them.
FEW_WORDS, ALMOST_NONE = 7, 2
#: Some of several words do not make up for a meaning as far off as this part of the least cosine.
FAR_OFF, NEARLY_ALL = 0.5, 0.75
#: What part of the least an entry below the first has to reach.
REST = 0.75


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how: only entries of a type or tag, at most `limit` of them."""

    text: str
    kind: str | None = None
    tag: str | None = None
    limit: int = 10
    mode: Mode = "hybrid"
    fusion: Fusion = "convex"

    def __post_init__(self) -> None:
        """Take bytes that are no text, which a command line or JSON may hold, for a sign that says nothing."""
        object.__setattr__(self, "text", self.text.encode(errors="replace").decode())


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of a question and of what its reader sees."""

    tables: "Sequence[Table]"
    vector: bytes


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the rankers say, and for each entry (by catalog row) its best passage and whether it fits.

    `only` are the entries of the type and tag that are asked for; None: any. `cut` says that there may be candidates
    which were not looked at.
    """

    rankings: Sequence[Ranking]
    passage: Mapping[int, int]
    fits: Collection[int]
    only: Collection[int] | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What of the index a question is asked of: the visible entries of its type and tag."""

    filters: Filters
    only: frozenset[int] | None

    @classmethod
    def of(cls, snapshot: Snapshot, question: Question) -> "Seen":
        """What a reader sees of the entries a question is about."""
        kind, tag = question.kind or None, question.tag or None
        filters = Filters(snapshot.scopes, kind, fold_name(tag.removeprefix("#")) if tag else None, snapshot.hidden())
        only = frozenset(snapshot.chosen(kind=kind, tag=tag)) if kind or tag else None
        return cls(filters, only)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question's answers are judged by: its words, and how many passages were compared with it."""

    mode: Mode
    words: int
    passages: int


def rank(
    snapshot: Snapshot,
    indexes: Sequence[Words],
    question: Question,
    meaning: Meaning | None,
    *,
    results: int = RESULTS,
) -> Ranked:
    """Ask every ranker of the question's mode; candidates are put forward for so many results."""
    seen, wanted = Seen.of(snapshot, question), RANKERS[question.mode]
    hits = _hits(indexes, question, seen, results * WORD_PASSAGES) if "bm25" in wanted else []
    named = _named(snapshot, indexes[0], question, seen) if "concept" in wanted else {}
    compared = _compared(meaning, seen) if meaning and "cosine" in wanted else []
    near = [found for each in compared for found in each.nearest(results * NEAR_PASSAGES)]
    cut = len(hits) >= results * WORD_PASSAGES or len(near) >= results * NEAR_PASSAGES
    rows = {*(hit.row for hit in hits), *(found.row for found in near), *named}
    near = [found for each in compared for found in each.of_rows(rows)]
    covered = _covered(indexes, question, seen, rows) if question.mode != "semantic" else []
    cosines = {row: found.score for row, found in by_entry(near).items()}
    words = _best(hits)
    rankings = [
        Ranking("bm25", words, scaled=True),
        Ranking("coverage", _best(covered)),
        Ranking("cosine", cosines, unknown=_usual(cosines, words)),
        Ranking("concept", named),
    ]
    asked = [ranking for ranking in rankings if ranking.name in wanted]
    judged = _Asked(question.mode, len(indexes[0].terms(question.text)), sum(each.known for each in compared))
    fits = _fitting(rows, judged, rankings)
    return Ranked(asked, _passages(hits, covered, near), fits, seen.only, cut=cut)


def _hits(indexes: Sequence[Words], question: Question, seen: Seen, depth: int) -> list[Hit]:
    """What BM25 finds; scores of different indexes are taken for the same scale."""
    return [hit for index in indexes for hit in index.search(question.text, seen.filters, depth)]


def _covered(indexes: Sequence[Words], question: Question, seen: Seen, rows: Collection[int]) -> list[Hit]:
    return [hit for index in indexes for hit in index.coverage(question.text, seen.filters, rows)]


def _named(snapshot: Snapshot, index: Words, question: Question, seen: Seen) -> dict[int, float]:
    names = mentioned(snapshot, question.text, index.terms(question.text))
    return {row: score for row, score in names.items() if seen.only is None or row in seen.only}


def _compared(meaning: Meaning, seen: Seen) -> "list[Compared]":
    """The visible passages of each table beside the question."""
    return [
        table.compared(meaning.vector, table.visible(seen.filters.scopes, seen.filters.without, seen.only))
        for table in meaning.tables
    ]


def _usual(cosines: Mapping[int, float], found: Collection[int]) -> float:
    """What an entry without a vector is taken for: as near as those found by words are on the average."""
    known = [cosines[row] for row in found if row in cosines]
    return sum(known) / len(known) if known else 0.0


def _best(hits: Iterable[Hit]) -> dict[int, float]:
    """The best passage's score of each entry."""
    best: dict[int, float] = {}
    for hit in hits:
        best[hit.row] = max(best.get(hit.row, 0.0), hit.score)
    return best


def _passages(hits: Sequence[Hit], covered: Iterable[Hit], near: Iterable[Near]) -> dict[int, int]:
    """The passage of each entry that answers best, by all rankers of passages together."""
    top = max((hit.score for hit in hits), default=1.0)
    weights = WEIGHTS["convex"]
    scores: dict[tuple[int, int], float] = {}
    said: list[tuple[str, Iterable[Hit | Near], float]] = [
        ("bm25", hits, top),
        ("coverage", covered, 1.0),
        ("cosine", near, 1.0),
    ]
    for name, found, scale in said:
        for each in found:
            place = (each.row, each.ordinal)
            scores[place] = scores.get(place, 0.0) + weights[name] * each.score / scale
    ascending = sorted(scores, key=lambda place: (scores[place], -place[1]))
    return {row: ordinal for row, ordinal in ascending if ordinal != NAME}


def least_cosine(passages: int) -> float:
    """The cosine that more than chance gives the nearest of so many passages.

    Of 24 sentences the nearest to a foreign question has .16 to .24, of 3,000 abstracts .27 to .36.
    """
    return min(0.4, max(0.2, 0.16 + 0.017 * log2(max(1, passages))))


def _fitting(rows: Iterable[int], question: _Asked, rankings: Sequence[Ranking]) -> set[int]:
    """The entries that fit well enough to be shown; what a question names always does."""
    _, covered, cosines, named = (ranking.scores for ranking in rankings)
    scale = min(1.0, FEW_WORDS / max(1, question.words))
    least = least_cosine(question.passages)

    def fit(row: int) -> float:
        coverage, cosine = covered.get(row, 0.0), cosines.get(row)
        if row in named:
            return inf
        if question.mode == "semantic":
            return (cosine or 0.0) / least
        if cosine is None:
            return coverage / (LEAST_COVERAGE * scale)
        if question.words > 1 and cosine < FAR_OFF * least and coverage < NEARLY_ALL:
            return 0.0
        if question.words <= ALMOST_NONE and coverage >= LEAST_COVERAGE:
            return coverage / LEAST_COVERAGE
        return max(cosine / least, (coverage + max(cosine, 0.0)) / 2 / (LEAST_MEAN * scale))

    fits = {row: fit(row) for row in rows}
    return {row for row, value in fits.items() if value >= REST} if max(fits.values(), default=0.0) >= 1 else set()
