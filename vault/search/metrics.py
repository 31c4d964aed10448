"""How good a ranking is: the measures that retrieval is judged by.

A ranking names documents, the best first, none twice. Grades say how well a document answers: above 0 it
is relevant, and a document without a grade is not. Every measure lies between 0 and 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log2

Grades = Mapping[str, int]


def relevant(grades: Grades) -> list[str]:
    """The documents that answer."""
    return [name for name, grade in grades.items() if grade > 0]


def recall_at(depth: int, ranking: Sequence[str], grades: Grades) -> float:
    """The share of the relevant documents among the first `depth` (trec_eval's `recall_K`)."""
    wanted = set(relevant(grades))
    return len(wanted.intersection(ranking[:depth])) / len(wanted) if wanted else 0.0


def success_at(depth: int, ranking: Sequence[str], grades: Grades) -> float:
    """1 if any relevant document is among the first `depth`, else 0 (trec_eval's `success_K`)."""
    return float(any(grades.get(name, 0) > 0 for name in ranking[:depth]))


def ndcg_at(depth: int, ranking: Sequence[str], grades: Grades) -> float:
    """Normalised discounted cumulative gain over the first `depth` (trec_eval's `ndcg_cut_K`).

    The gain is the grade and the discount log2(rank + 1), as in Järvelin and Kekäläinen, "Cumulated
    gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002; not the gain 2^grade - 1 of others.
    """
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    ideal = _gain(best[:depth])
    return _gain(max(grades.get(name, 0), 0) for name in ranking[:depth]) / ideal if ideal else 0.0


def _gain(grades: Iterable[int]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def reciprocal_rank(ranking: Sequence[str], grades: Grades) -> float:
    """1 / rank of the first relevant document, 0 if there is none (trec_eval's `recip_rank`).

    Its mean over queries is MRR: Voorhees, "The TREC-8 Question Answering Track Report", 1999.
    """
    return next((1 / rank for rank, name in enumerate(ranking, 1) if grades.get(name, 0) > 0), 0.0)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(share: float, values: Sequence[float]) -> float:
    """The smallest value that at least this share of the values does not exceed (nearest rank)."""
    return sorted(values)[max(ceil(share * len(values)), 1) - 1] if values else 0.0
