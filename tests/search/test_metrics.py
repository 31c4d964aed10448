"""The measures: worked examples, edges, and what must hold of any ranking."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.search.metrics import mean, ndcg_at, percentile, recall_at, reciprocal_rank, relevant, success_at

GRADES = {"a": 2, "b": 1, "c": 1, "d": 0}

names = st.sampled_from("abcdefgh")
rankings = st.lists(names, unique=True)
graded = st.dictionaries(names, st.integers(0, 3))
depths = st.integers(1, 10)


def test_relevant_is_what_has_a_grade_above_zero() -> None:
    assert relevant(GRADES) == ["a", "b", "c"]


@pytest.mark.parametrize(("depth", "share"), [(1, 0), (2, 1 / 3), (3, 1 / 3), (4, 2 / 3), (10, 2 / 3)])
def test_recall_counts_answers_down_to_its_depth(depth: int, share: float) -> None:
    assert recall_at(depth, ["d", "b", "x", "a"], GRADES) == share


@pytest.mark.parametrize(("depth", "answered"), [(1, 0.0), (2, 1.0), (3, 1.0)])
def test_success_needs_one_answer(depth: int, answered: float) -> None:
    assert success_at(depth, ["d", "b", "a"], GRADES) == answered


def test_ndcg_has_linear_gain_and_logarithmic_discount() -> None:
    gained = 1 / log2(2) + 2 / log2(4)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(10, ["b", "x", "a"], GRADES) == pytest.approx(gained / ideal)
    assert ndcg_at(2, ["b", "x", "a"], GRADES) == pytest.approx(1 / (2 + 1 / log2(3)))


def test_ndcg_compares_with_the_best_ranking_of_its_depth() -> None:
    assert ndcg_at(1, ["a"], GRADES) == 1.0
    assert ndcg_at(3, ["a", "c", "b"], GRADES) == pytest.approx(1.0)


@pytest.mark.parametrize(("ranking", "value"), [(["a"], 1.0), (["d", "x", "c", "a"], 1 / 3), (["x"], 0.0), ([], 0.0)])
def test_reciprocal_rank_is_that_of_the_first_answer(ranking: list[str], value: float) -> None:
    assert reciprocal_rank(ranking, GRADES) == value


def test_without_answers_every_measure_is_zero() -> None:
    for grades in ({}, {"a": 0}):
        assert [recall_at(5, ["a"], grades), ndcg_at(5, ["a"], grades), success_at(5, ["a"], grades)] == [0, 0, 0]
        assert reciprocal_rank(["a"], grades) == 0


def test_mean_and_percentile() -> None:
    assert (mean([]), mean([1, 2, 6])) == (0.0, 3.0)
    assert percentile(0.5, []) == 0.0
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(share, values) for share in (0.0, 0.2, 0.5, 0.95, 1.0)] == [1.0, 1.0, 3.0, 5.0, 5.0]


@given(depths, rankings, graded)
def test_measures_lie_between_zero_and_one(depth: int, ranking: list[str], grades: dict[str, int]) -> None:
    for measure in (recall_at, success_at, ndcg_at):
        assert 0 <= measure(depth, ranking, grades) <= 1 + 1e-9
    assert 0 <= reciprocal_rank(ranking, grades) <= 1


@given(rankings, graded)
def test_a_deeper_look_finds_no_less(ranking: list[str], grades: dict[str, int]) -> None:
    for measure in (recall_at, success_at):
        found = [measure(depth, ranking, grades) for depth in range(1, 10)]
        assert found == sorted(found)


@given(depths, graded)
def test_the_best_ranking_gains_all(depth: int, grades: dict[str, int]) -> None:
    best = sorted(grades, key=lambda name: -grades[name])
    assert ndcg_at(depth, best, grades) == pytest.approx(float(bool(relevant(grades))))


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_percentile_is_one_of_the_values(values: list[float], share: float) -> None:
    found = percentile(share, values)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6
