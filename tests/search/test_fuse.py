"""Fusing rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.search.fuse import COVERAGE_POWER, FUSIONS, RRF_K, WEIGHTS, Ranking, convex, rrf

NAMES = ("bm25", "coverage", "cosine", "concept")

scores = st.dictionaries(st.integers(1, 9), st.floats(-1.0, 50.0))
rankings = st.lists(st.builds(Ranking, st.sampled_from(NAMES), scores, st.booleans(), st.floats(-1.0, 1.0)))


def test_places_of_equal_scores_are_shared() -> None:
    assert Ranking("bm25", {1: 2.0, 2: 5.0, 3: 2.0, 4: 1.0}).places() == {2: 1, 1: 2, 3: 2, 4: 4}
    assert Ranking("bm25", {}).places() == {}


@given(scores)
def test_places_follow_scores(found: dict[int, float]) -> None:
    places = Ranking("bm25", found).places()
    assert places.keys() == found.keys()
    for row, place in places.items():
        assert place == 1 + sum(other > found[row] for other in found.values())


def test_rrf_adds_weight_over_place() -> None:
    fused = rrf([Ranking("bm25", {1: 9.0, 2: 3.0}), Ranking("coverage", {2: 0.5, 3: 0.5})])
    weights = WEIGHTS["rrf"]
    assert fused == pytest.approx(
        {
            1: weights["bm25"] / (RRF_K + 1),
            2: weights["bm25"] / (RRF_K + 2) + weights["coverage"] / (RRF_K + 1),
            3: weights["coverage"] / (RRF_K + 1),
        }
    )


def test_rrf_takes_nothing_from_a_score_of_nothing() -> None:
    assert rrf([Ranking("cosine", {1: 0.0, 2: -0.4})]) == {}
    assert rrf([Ranking("bm25", {1: 1.0}), Ranking("cosine", {1: -0.4})]) == pytest.approx({1: 1 / (RRF_K + 1)})


def test_convex_scales_what_is_only_relative() -> None:
    weights = WEIGHTS["convex"]
    fused = convex([Ranking("bm25", {1: 30.0, 2: 15.0}, scaled=True), Ranking("cosine", {1: 0.5, 2: 0.4})])
    assert fused == pytest.approx(
        {1: weights["bm25"] + 0.5 * weights["cosine"], 2: 0.5 * weights["bm25"] + 0.4 * weights["cosine"]}
    )


def test_convex_takes_an_entry_without_a_score_for_the_unknown_one() -> None:
    fused = convex([Ranking("concept", {1: 1.0, 2: 0.0}), Ranking("cosine", {1: 0.6}, unknown=0.3)])
    weights = WEIGHTS["convex"]
    assert fused[2] == pytest.approx(0.3 * weights["cosine"])
    assert fused[1] == pytest.approx(weights["concept"] + 0.6 * weights["cosine"])


def test_convex_counts_half_of_what_is_asked_less_than_half() -> None:
    fused = convex([Ranking("coverage", {1: 1.0, 2: 0.5})])
    assert fused[2] == pytest.approx(fused[1] * 0.5**COVERAGE_POWER)


def test_convex_takes_what_is_below_nothing_for_nothing() -> None:
    assert convex([Ranking("cosine", {1: -0.5}, unknown=-1.0), Ranking("concept", {2: 0.0})]) == {1: 0.0, 2: 0.0}


def test_convex_of_scores_of_nothing() -> None:
    assert convex([Ranking("bm25", {1: 0.0}, scaled=True)]) == {1: 0.0}
    assert convex([Ranking("bm25", {}, scaled=True)]) == {}


@pytest.mark.parametrize("fusion", ["rrf", "convex"])
@pytest.mark.parametrize("name", NAMES)
def test_a_ranker_alone_keeps_its_order(fusion: str, name: str) -> None:
    fused = FUSIONS[fusion]([Ranking(name, {1: 0.2, 2: 0.9, 3: 0.5})])  # type: ignore[index]  # a name of one
    assert sorted(fused, key=lambda row: -fused[row]) == [2, 3, 1]


@given(rankings)
def test_no_fusion_invents_or_punishes(found: list[Ranking]) -> None:
    known = {row for ranking in found for row in ranking.scores}
    for fuse in FUSIONS.values():
        fused = fuse(found)
        assert fused.keys() <= known
        assert all(score >= 0 for score in fused.values())
    assert convex(found).keys() == known


@given(scores, st.floats(0.1, 100.0))
def test_the_scale_of_scaled_scores_does_not_matter(found: dict[int, float], factor: float) -> None:
    larger = {row: score * factor for row, score in found.items()}
    one, other = (convex([Ranking("bm25", each, scaled=True)]) for each in (found, larger))
    assert one == pytest.approx(other, abs=1e-9)
