"""What ships with the product, among the results of a search: there only where a question is about the product.

Results of the vault's own keep their order and their scores, which nothing that ships has a part in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf

from vault.model.words import word_spans
from vault.search.find import Chosen, Found, grouped, presented
from vault.search.rank import Meaning, Question, rank
from vault.search.snippet import matcher
from vault.search.text import Filters, Words
from vault.workspace.snapshot import Snapshot

#: Entries that an answer holds at the most.
MOST = 3
#: What the mean of coverage and cosine has to reach; without vectors, and by vectors alone, the one that is known.
#: Of 762 questions about chats none reaches the mean (.33) or the coverage (.45), of 64 about computing and 400 about
#: an encyclopedia none either; of 85 about the product 81 find their entry, by words alone 69.
LEAST_MEAN, LEAST_COVERAGE, LEAST_COSINE = 0.36, 0.5, 0.45
#: Few words are found in any text: what they mean has to be near, or without vectors all of them have to be there.
NEAR, NEARER, NEAREST = 0.25, 0.34, 0.5
ONE_TERM, NEARLY_ALL = 0.42, 0.9
FEW_WORDS = 4


@dataclass(frozen=True, slots=True)
class Fit:
    """How well an entry fits a question: the share of the words it holds, its cosine, how much of the question it is.

    `cosine` is None where it has no vector.
    """

    coverage: float
    cosine: float | None = None
    named: float = 0.0

    def strength(self, *, meaning: bool) -> float:
        """What it is worth beside another entry, by meaning too where both have a vector."""
        mean = (self.coverage + max(self.cosine, 0.0)) / 2 if meaning and self.cosine is not None else self.coverage
        return max(mean, self.named)


def with_shipped(
    found: Sequence[Found],
    snapshot: Snapshot,
    indexes: Sequence[Words],
    question: Question,
    *,
    meaning: Meaning | None,
    own: Sequence[Words],
    now: datetime,
) -> list[Found]:
    """Put among results what ships with the product and fits the question for sure.

    `snapshot`, `indexes` and `meaning` are of what ships, `own` are the indexes that the results come from.
    """
    asked = question if question.mode == "semantic" else replace(question, mode="hybrid")  # coverage says how well
    ranked = rank(snapshot, indexes, asked, meaning)
    scores = {ranking.name: ranking.scores for ranking in ranked.rankings}
    coverage, named = scores.get("coverage", {}), scores.get("concept", {})
    fits = {
        row: Fit(coverage.get(row, 0.0), scores["cosine"].get(row), named.get(row, 0.0))
        for row in {*coverage, *named, *scores["cosine"]}
    }
    sure = [row for row, fit in fits.items() if _is_sure(fit, question, len(indexes[0].terms(question.text)))]
    entries = snapshot.rows(sure)
    words = scores.get("bm25", {})
    order = sorted(
        entries, key=lambda row: (-_strength(fits[row], question), -words.get(row, 0.0), entries[row].entry.key)
    )
    order = order[:MOST]
    passages = grouped(snapshot.catalog.passages(order)) if order else {}
    chosen = [Chosen(entries[row], _strength(fits[row], question)) for row in order]
    shown = presented(chosen, passages, ranked, matcher(question.text, indexes[0]), now)
    return _placed(found, [(one, fits[one.stored.row]) for one in shown], question, own) if shown else list(found)


def _is_sure(fit: Fit, question: Question, terms: int) -> bool:
    """Say whether an entry fits so well that the question must be about the product; `terms` are its telling words."""
    words = len(word_spans(question.text))
    if fit.named and question.mode != "semantic":
        return True
    if not terms or words == 1:
        return False
    if question.mode == "semantic":
        return (fit.cosine or 0.0) >= (NEAREST if words < FEW_WORDS else LEAST_COSINE)
    if question.mode == "keyword" or fit.cosine is None:
        return fit.coverage >= _least_coverage(words, terms)
    return fit.cosine >= _least_cosine(words, terms) and fit.strength(meaning=True) >= LEAST_MEAN


def _least_coverage(words: int, terms: int) -> float:
    """How much of a question an entry has to hold where nothing tells what it means: never enough of a few words."""
    if terms < 2 or (terms == 2 and words < FEW_WORDS):  # noqa: PLR2004
        return inf
    return NEARLY_ALL if terms == 2 or words < FEW_WORDS else LEAST_COVERAGE  # noqa: PLR2004


def _least_cosine(words: int, terms: int) -> float:
    """How near an entry has to be to a question: nearer to one of fewer words, which any text holds."""
    if terms == 1:
        return ONE_TERM
    if words < FEW_WORDS:
        return NEAREST
    return NEARER if terms == 2 else NEAR  # noqa: PLR2004


def _strength(fit: Fit, question: Question) -> float:
    return (fit.cosine or 0.0) if question.mode == "semantic" else fit.strength(meaning=question.mode == "hybrid")


def _placed(
    found: Sequence[Found], shown: Sequence[tuple[Found, Fit]], question: Question, own: Sequence[Words]
) -> list[Found]:
    """Results with others among them, each above the first that fits less well, and scored as the one it is above."""
    fits = _own_fits(found, question, own)
    places = list(found)
    at = 0
    for one, fit in shown:
        while at < len(places) and not _is_better(fit, fits[places[at].stored.row], question):
            at += 1
        below = places[at : at + 1] or places[-1:]
        places.insert(at, replace(one, score=below[0].score) if below else one)
        at += 1
    return places[: question.limit]


def _is_better(fit: Fit, other: Fit, question: Question) -> bool:
    if question.mode == "semantic":
        return (fit.cosine or 0.0) > (other.cosine or 0.0)
    both = question.mode == "hybrid" and fit.cosine is not None and other.cosine is not None
    return fit.strength(meaning=both) > other.strength(meaning=both)


def _own_fits(found: Sequence[Found], question: Question, own: Sequence[Words]) -> dict[int, Fit]:
    """How well results of the vault's own fit."""
    rows, scopes = {one.stored.row for one in found}, sorted({one.stored.scope for one in found})
    hits = [hit for index in own for hit in index.coverage(question.text, Filters(scopes), rows)]
    covered: dict[int, float] = {}
    for hit in hits:
        covered[hit.row] = max(covered.get(hit.row, 0.0), hit.score)
    return {
        one.stored.row: Fit(covered.get(one.stored.row, 0.0), _score(one, "cosine"), _score(one, "concept") or 0.0)
        for one in found
    }


def _score(found: Found, ranker: str) -> float | None:
    """What a ranker says of a result."""
    return found.ranks[ranker].score if ranker in found.ranks else None
