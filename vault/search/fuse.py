"""Fusing rankings of entries into one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from vault.model.settings import Fusion

Scores = Mapping[int, float]

#: The constant of Reciprocal Rank Fusion: how little the first places differ (Cormack et al., SIGIR 2009).
RRF_K = 60

#: What each ranker counts. Chosen on chat turns, abstracts, encyclopedia paragraphs and a handbook together. Coverage
#: and cosine are absolute; BM25, which is not, decides among passages that hold the same words.
WEIGHTS: Mapping[Fusion, Mapping[str, float]] = {
    "convex": {"bm25": 0.12, "coverage": 0.18, "cosine": 0.7, "concept": 0.15},
    "rrf": {"bm25": 1.0, "coverage": 0.5, "cosine": 1.0, "concept": 0.2},
}
#: Half of what is asked is worth less than half: in a long text some words of any question stand somewhere.
COVERAGE_POWER = 1.6


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one ranker says: a score for each entry it knows of, by catalog row.

    `scaled` scores are higher or lower than each other and no more, so the best one counts as 1.
    `unknown` is what an entry without a score is taken for.
    """

    name: str
    scores: Scores
    scaled: bool = False
    unknown: float = 0.0

    def places(self) -> dict[int, int]:
        """The place of each entry, from 1 on; equal scores share the place of the first of them."""
        places: dict[int, int] = {}
        last, place = None, 0
        for number, row in enumerate(sorted(self.scores, key=lambda row: (-self.scores[row], row)), 1):
            if self.scores[row] != last:
                last, place = self.scores[row], number
            places[row] = place
        return places


def rrf(rankings: Sequence[Ranking]) -> dict[int, float]:
    """Weighted Reciprocal Rank Fusion: the sum of weight / (60 + place)."""
    fused: dict[int, float] = {}
    for ranking in rankings:
        weight = WEIGHTS["rrf"][ranking.name]
        for row, place in ranking.places().items():
            if ranking.scores[row] > 0:
                fused[row] = fused.get(row, 0.0) + weight / (RRF_K + place)
    return fused


def convex(rankings: Sequence[Ranking]) -> dict[int, float]:
    """The weighted sum of scores between 0 and 1 (Bruch et al., TOIS 2023)."""
    fused = dict.fromkeys((row for ranking in rankings for row in ranking.scores), 0.0)
    for ranking in rankings:
        weight = WEIGHTS["convex"][ranking.name]
        top = max(ranking.scores.values(), default=1.0) if ranking.scaled else 1.0
        scale = top if top > 0 else 1.0
        power = COVERAGE_POWER if ranking.name == "coverage" else 1.0
        for row in fused:
            share = min(1.0, max(0.0, ranking.scores.get(row, ranking.unknown)) / scale)
            fused[row] += weight * share**power
    return fused


FUSIONS: Mapping[Fusion, Callable[[Sequence[Ranking]], dict[int, float]]] = {"rrf": rrf, "convex": convex}
