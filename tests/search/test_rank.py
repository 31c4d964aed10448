"""What the rankers say by themselves."""

import pytest

from tests.search.conftest import Shelf, vector
from vault.search.rank import RANKERS, Meaning, Mode, Question, Ranked, Seen, rank


def ranked(shelf: Shelf, question: Question, meant: str | None = None, space: str | None = None) -> Ranked:
    snapshot = shelf.seen(space)
    meaning = None if meant is None else Meaning(shelf.tables(snapshot), vector(meant))
    return rank(snapshot, shelf.indexes(snapshot), question, meaning)


def row(shelf: Shelf, ident: str, space: str | None = None) -> int:
    return shelf.seen(space).by_key(f"t.{ident}")[0].row


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_each_mode_asks_its_rankers(shelf: Shelf, mode: Mode) -> None:
    shelf.put("a", "garden gate", 'name = "Gate"')
    for meant in (None, "garden"):
        assert [each.name for each in ranked(shelf, Question("gate", mode=mode), meant).rankings] == [*RANKERS[mode]]


def test_without_vectors_cosines_are_none(shelf: Shelf) -> None:
    shelf.put("a", "garden gate")
    by_name = {each.name: each for each in ranked(shelf, Question("garden")).rankings}
    assert (by_name["cosine"].scores, by_name["cosine"].unknown) == ({}, 0.0)
    assert by_name["bm25"].scores.keys() == by_name["coverage"].scores.keys() == {row(shelf, "a")}


def test_an_entry_without_a_vector_is_as_near_as_others_found_by_words(shelf: Shelf) -> None:
    shelf.put("a", "garden")
    shelf.put("b", "garden gate")
    shelf.put("c", body='tags = ["garden"]')
    (cosine,) = [each for each in ranked(shelf, Question("garden"), "garden").rankings if each.name == "cosine"]
    assert cosine.scores == pytest.approx({row(shelf, "a"): 1.0, row(shelf, "b"): 0.5**0.5})
    assert cosine.unknown == pytest.approx((1 + 0.5**0.5) / 2)


def test_the_best_passage_is_never_the_name(shelf: Shelf) -> None:
    shelf.put("a", "garden " * 300, 'name = "portal"')
    found = ranked(shelf, Question("zebra", mode="semantic"), "portal")
    assert found.passage.keys() == {row(shelf, "a")}
    assert all(ordinal >= 0 for ordinal in found.passage.values())


def test_what_is_seen_of_a_type_and_tag(shelf: Shelf) -> None:
    shelf.put("a", "garden", 'tags = ["Home Page"]')
    shelf.put("b", "garden")
    snapshot = shelf.seen()
    assert Seen.of(snapshot, Question("garden")).only is None
    tagged = Seen.of(snapshot, Question("garden", tag="#home  page"))
    assert (tagged.only, tagged.filters.tag) == (frozenset([row(shelf, "a")]), "home page")
    typed = Seen.of(snapshot, Question("garden", kind="t"))
    assert (typed.only, typed.filters.type) == (frozenset([row(shelf, "a"), row(shelf, "b")]), "t")
    assert Seen.of(snapshot, Question("garden", kind="none")).only == frozenset()


def test_what_is_hidden_is_left_out_of_the_index(shelf: Shelf) -> None:
    shelf.put("a", "garden")
    hidden = row(shelf, "a")
    shelf.put("a", "garden", scope="work")
    seen = Seen.of(shelf.seen("work"), Question("garden"))
    assert (seen.filters.scopes, list(seen.filters.without)) == (("work", "global"), [hidden])


def test_no_score_tells_of_a_private_space(shelf: Shelf) -> None:
    for number in range(3):
        shelf.put(f"n{number}", f"garden number{number}", 'name = "Gate"')
    question = Question("garden gate number1")
    before = ranked(shelf, question, "garden gate")
    for number in range(9):
        shelf.put(f"secret{number}", "garden number1", 'name = "Gate" uses = [t.n1]', "diary")
    assert ranked(shelf, question, "garden gate") == before
    assert ranked(shelf, question, "garden gate", "diary") != before


def test_of_a_long_question_a_smaller_share_is_enough(shelf: Shelf) -> None:
    shelf.put("a", "garden gate river stone")
    for number in range(20):
        shelf.put(f"n{number}", "mountain")
    words = [f"zebra{number}" for number in range(40)]
    assert ranked(shelf, Question(" ".join(["garden", *words[:10]]))).fits == set()
    assert ranked(shelf, Question(" ".join(["garden gate river stone", *words]))).fits == {row(shelf, "a")}


def test_a_lone_surrogate_says_nothing() -> None:
    assert Question("a \ud800b").text == "a ?b"
    assert Question("a 🎉\n").text == "a 🎉\n"
