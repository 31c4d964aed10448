"""From a question to an answer, by words and by vectors of a small model."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.conftest import NOW, Shelf, everything, idents
from vault.model.settings import Fusion
from vault.search.find import Answer, Share, search
from vault.search.neighbours import SHARE, Link
from vault.search.rank import Question

MODES = ["keyword", "semantic", "hybrid"]
PARAGRAPHS = [f"# Part {number}\n\n{f'stone{number} ' * 90}" for number in range(4)]


def long(shelf: Shelf, ident: str, paragraphs: list[str], body: str = "") -> None:
    """Write an entry whose text is of several passages."""
    text = "\n\n".join(paragraphs).replace("\n", "\n    ")
    shelf.kept.write(f"global/t/{ident}.firm", f't {ident} {{\n    {body}\n    text = """\n    {text}\n    """\n}}\n')


# -- entries and passages ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_an_entry_is_one_result_however_many_passages_fit(shelf: Shelf, mode: str) -> None:
    long(shelf, "big", [f"{paragraph} garden gate" for paragraph in PARAGRAPHS])
    shelf.put("small", "garden gate")
    found = shelf.find("garden gate", meant="garden gate", mode=mode)
    assert sorted(idents(found)) == ["big", "small"]


def test_the_passage_that_answers_is_shown(shelf: Shelf) -> None:
    long(shelf, "big", [*PARAGRAPHS[:2], "# Gates\n\nThe garden gate", *PARAGRAPHS[2:]])
    (found,) = shelf.find("garden gate")
    assert (found.heading, found.snippet, found.path) == ("Gates", "The garden gate", "global/t/big.firm")
    lines = (shelf.kept.root / found.path).read_text().split("\n")
    assert lines[found.line - 1].strip() == "The garden gate"
    assert [found.snippet[start:end] for start, end in found.marks] == ["garden", "gate"]


def test_the_passage_that_is_nearest_is_shown_where_words_are_none(shelf: Shelf) -> None:
    long(shelf, "big", [*PARAGRAPHS[:2], "# Gates\n\nportal portal portal", PARAGRAPHS[3]], 'name = "Big"')
    (found,) = shelf.find("zebra", meant="portal", mode="semantic")
    assert (found.snippet, found.marks, list(found.ranks)) == ("portal portal portal", (), ["cosine"])


def test_a_name_alone_that_fits_shows_the_beginning(shelf: Shelf) -> None:
    long(shelf, "big", PARAGRAPHS, 'name = "portal"')
    found = shelf.find("zebra", meant="portal", mode="semantic")
    assert idents(found) == ["big"]
    assert found[0].path == "global/t/big.firm"


def test_an_address_outlives_an_edit_elsewhere_in_the_entry(shelf: Shelf) -> None:
    gate = "# Gates\n\nThe garden gate"
    long(shelf, "big", [*PARAGRAPHS[:2], gate])
    (before,) = shelf.find("garden gate")
    long(shelf, "big", ["# New\n\nA word before", *PARAGRAPHS[:1], "# More\n\nand another", gate, PARAGRAPHS[3]])
    (after,) = shelf.find("garden gate")
    assert before.address.startswith("t.big#")
    assert after.address == before.address
    assert after.line != before.line
    long(shelf, "big", [*PARAGRAPHS[:2], f"{gate} is red"])
    (edited,) = shelf.find("garden gate")
    assert edited.address != before.address


# -- what fits -----------------------------------------------------------------------------------------


def test_nothing_is_found_where_nothing_fits(shelf: Shelf) -> None:
    shelf.put("a", "the garden gate by the river")
    for mode in MODES:
        assert shelf.find("zebra", mode=mode) == []
        assert shelf.find("", mode=mode) == []
    assert shelf.find("zebra crossing elephants wander quietly over garden", mode="keyword") == []
    assert shelf.find("zebra", meant="quartz", mode="hybrid") == []
    assert shelf.find("zebra", meant="quartz", mode="semantic") == []


def test_an_empty_vault_answers_nothing(shelf: Shelf) -> None:
    assert shelf.find("garden", meant="garden") == []


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_a_real_match_stays(shelf: Shelf, fusion: str) -> None:
    shelf.put("a", "the garden gate by the river")
    shelf.put("b", "clouds above a mountain")
    for meant in (None, "garden gate", "river"):
        assert idents(shelf.find("who painted the garden gate", meant=meant, fusion=fusion))[0] == "a"


def test_what_reaches_little_of_the_best_is_left_out(shelf: Shelf) -> None:
    shelf.put("all", "walnut table polish")
    shelf.put("one", "table")
    for number in range(9):
        shelf.put(f"n{number}", f"table number{number}")
    assert idents(shelf.find("walnut polish recipes", mode="keyword")) == ["all"]


def test_meaning_finds_what_words_do_not(shelf: Shelf) -> None:
    shelf.put("a", "portal")
    shelf.put("b", "mountain")
    assert shelf.find("gate") == []
    assert idents(shelf.find("gate", meant="portal", mode="hybrid")) == ["a"]
    assert shelf.find("gate", meant="portal", mode="keyword") == []


def test_an_entry_without_a_vector_is_found_by_words(shelf: Shelf) -> None:
    shelf.put("named", body='name = "Garden" tags = ["gate"]')
    shelf.kept.entry("empty", 'tags = ["portal"]')
    assert "empty" in idents(shelf.find("portal", meant="garden"))


def test_a_question_the_model_gives_no_vector_for_is_answered_by_words(shelf: Shelf) -> None:
    shelf.put("a", "the garden gate")
    assert idents(shelf.find("garden gate", meant="")) == ["a"]


def test_what_is_named_always_fits(shelf: Shelf) -> None:
    shelf.put("ada", "wrote letters", 'name = "Ada"')
    long_question = " ".join(f"zebra{number}" for number in range(30))
    (found,) = shelf.find(f"Ada {long_question}")
    assert found.stored.entry.id == "ada"
    assert "concept" in found.ranks


# -- order ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_of_equals_what_is_current_comes_first_then_what_is_newer(shelf: Shelf, mode: str) -> None:
    for ident, body in {
        "ended": "created_at = 2025-03-01 at 00:00 UTC valid_until = 2025-05-01 at 00:00 UTC",
        "old": "created_at = 2020-01-01 at 00:00 UTC",
        "new": "created_at = 2025-01-01 at 00:00 UTC valid_until = 2025-07-01 at 00:00 UTC",
        "a_undated": "",
        "b_undated": "",
    }.items():
        shelf.put(ident, "garden gate", body)
    found = shelf.find("garden gate", mode=mode, meant="garden gate")
    assert idents(found) == ["new", "old", "a_undated", "b_undated", "ended"]
    assert [each.current for each in found] == [True, True, True, True, False]
    assert idents(shelf.find("garden gate", mode=mode, limit=3)) == ["new", "old", "a_undated"]


def test_the_limit_is_kept(shelf: Shelf) -> None:
    for number in range(7):
        shelf.put(f"n{number}", "garden gate", f"uses = [t.n{(number + 1) % 7}]")
    for mode in MODES:
        for limit in (1, 3, 99):
            found = shelf.find("garden", meant="garden", mode=mode, limit=limit)
            assert len(found) == min(limit, 7)
    assert shelf.find("garden", meant="garden", limit=0) == []


def test_scores_fall(shelf: Shelf) -> None:
    for number in range(5):
        shelf.put(f"n{number}", "garden " * (5 - number) + "gate " * number)
    for mode in MODES:
        scores = [each.score for each in shelf.find("garden gate", meant="garden", mode=mode)]
        assert scores == sorted(scores, reverse=True)
        assert scores


# -- ranks and neighbours ------------------------------------------------------------------------------


def test_ranks_tell_what_each_ranker_says(shelf: Shelf) -> None:
    shelf.put("ada", "the garden gate", 'name = "Ada"')
    shelf.put("b", "the garden wall of stone")
    first, second = shelf.find("Ada garden gate", meant="ada garden gate")
    assert (first.stored.entry.id, set(first.ranks)) == ("ada", {"bm25", "coverage", "cosine", "concept"})
    assert {name: rank.place for name, rank in first.ranks.items()} == dict.fromkeys(first.ranks, 1)
    assert first.ranks["coverage"].score == pytest.approx(1.0)
    assert set(second.ranks) == {"bm25", "coverage", "cosine"}
    assert second.ranks["bm25"].place == 2
    (alone, *_) = shelf.find("garden gate", mode="keyword")
    assert set(alone.ranks) == {"bm25"}
    assert alone.score == alone.ranks["bm25"].score


def test_neighbours_are_added_below_their_source(shelf: Shelf) -> None:
    shelf.put("a", "garden gate", "uses = [t.b]")
    shelf.put("b", "walnut")
    shelf.put("c", "walnut", "uses = [t.a]")
    first, *rest = shelf.find("garden gate")
    assert (first.stored.entry.id, first.via) == ("a", None)
    assert [(each.stored.entry.id, each.via) for each in rest] == [
        ("b", Link("t.a", "uses")),
        ("c", Link("t.a", "uses", backward=True)),
    ]
    assert [each.score for each in rest] == [first.score * SHARE] * 2
    assert [each.snippet for each in rest] == ["walnut"] * 2


def test_neighbours_come_in_hybrid_answers_alone_and_only_if_approved(shelf: Shelf) -> None:
    shelf.put("a", "garden gate", "uses = [t.b]")
    shelf.put("b", "walnut")
    assert idents(shelf.find("garden gate", mode="keyword")) == ["a"]
    assert idents(shelf.find("garden gate", meant="garden gate", mode="semantic")) == ["a"]
    assert idents(shelf.find("garden gate", approved=lambda *_: False)) == ["a"]


def test_a_neighbour_that_fits_by_itself_comes_once(shelf: Shelf) -> None:
    shelf.put("a", "garden gate", "uses = [t.b]")
    shelf.put("b", "garden gate", "uses = [t.a]")
    assert [each.via for each in shelf.find("garden gate")] == [None, None]


def test_what_stands_higher_by_itself_than_beside_its_source_stays_there(shelf: Shelf) -> None:
    shelf.put("a", "garden gate river stone")
    shelf.put("b", "garden gate river", "uses = [t.c]")
    shelf.put("c", "garden gate river")
    first, second, third = shelf.find("garden gate river stone")
    assert [each.stored.entry.id for each in (first, second, third)] == ["a", "b", "c"]
    assert second.score * SHARE < third.score < first.score * SHARE
    assert third.via is None


# -- filters and scopes --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_type_and_tag_filter_every_ranker(shelf: Shelf, mode: str) -> None:
    shelf.put("plain", "garden gate", 'name = "Gate" uses = [t.linked]')
    shelf.put("tagged", "garden gate", 'name = "Gate" tags = ["Home"] uses = [t.linked, note.n]')
    shelf.put("linked", "walnut")
    shelf.kept.write("global/note/n.firm", 'note n { name = "Gate" text = "garden gate" uses = [t.plain] }\n')
    asked: dict[str, Any] = {"meant": "gate garden gate", "mode": mode}
    assert idents(shelf.find("garden gate", tag="#home", **asked)) == ["tagged"]
    assert idents(shelf.find("garden gate", kind="note", **asked)) == ["n"]
    assert shelf.find("garden gate", kind="note", tag="home", **asked) == []
    assert shelf.find("garden gate", kind="nothing", **asked) == []


def test_neighbours_of_the_type_asked_for_are_added(shelf: Shelf) -> None:
    shelf.put("a", "garden gate", "uses = [note.n, note.m, note.o, t.b]")
    shelf.put("b", "walnut")
    for ident in ("n", "m", "o"):
        shelf.kept.write(f"global/note/{ident}.firm", f'note {ident} {{ text = "walnut" }}\n')
    assert idents(shelf.find("garden gate", kind="t")) == ["a", "b"]


@pytest.mark.parametrize("mode", MODES)
def test_a_reader_finds_what_they_see(shelf: Shelf, mode: str) -> None:
    for scope in ("global", "work", "home", "diary"):
        shelf.put(f"in_{scope}", "garden gate", 'name = "Gate"', scope)
    asked: dict[str, Any] = {"meant": "gate garden gate", "mode": mode}
    assert idents(shelf.find("garden gate", **asked)) == ["in_global"]
    assert sorted(idents(shelf.find("garden gate", space="work", **asked))) == ["in_global", "in_work"]
    assert sorted(idents(shelf.find("garden gate", space="diary", **asked))) == ["in_diary", "in_global"]


@pytest.mark.parametrize("mode", MODES)
def test_from_an_empty_private_space_the_global_is_found(shelf: Shelf, mode: str) -> None:
    shelf.put("a", "garden gate")
    assert idents(shelf.find("garden gate", space="diary", meant="garden gate", mode=mode)) == ["a"]


@pytest.mark.parametrize("mode", MODES)
def test_a_shadowed_entry_is_not_found(shelf: Shelf, mode: str) -> None:
    shelf.put("a", "garden gate", 'name = "Gate"')
    shelf.put("a", "mountain cloud", scope="work")
    asked: dict[str, Any] = {"meant": "gate garden gate", "mode": mode}
    assert idents(shelf.find("gate", **asked)) == ["a"]
    assert [each for each in shelf.find("gate", space="work", **asked) if each.snippet != "mountain cloud"] == []


def test_an_index_that_is_ahead_of_the_catalog_does_no_harm(shelf: Shelf) -> None:
    shelf.put("a", "garden gate")
    shelf.put("b", "garden gate")
    indexes = shelf.indexes(shelf.seen())
    (shelf.kept.root / "global/t/b.firm").unlink()
    fusions: list[Fusion] = ["convex", "rrf"]
    for fusion in fusions:
        question = Question("garden gate", fusion=fusion)
        found = search(shelf.seen(), indexes, question, meaning=None, approved=everything, now=NOW)
        assert idents(found) == ["a"]


# -- scripts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我们的工程师每天在办公室喝绿茶", "谁每天喝绿茶"),
        ("東京の代理店は来週の会議に参加します", "代理店は会議に参加しますか"),
        ("วิศวกรดูแลความเป็นส่วนตัวของข้อมูล", "ใครดูแลความเป็นส่วนตัว"),
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_question_in_a_language_without_blanks(shelf: Shelf, text: str, question: str, mode: str) -> None:
    shelf.put("a", text)
    shelf.put("b", "Something else entirely")
    (found,) = shelf.find(question, mode=mode)
    assert (found.stored.entry.id, found.snippet) == ("a", text)


@given(query=st.text(st.characters()), mode=st.sampled_from(MODES), fusion=st.sampled_from(["convex", "rrf"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
def test_any_text_is_a_legal_question(shelf: Shelf, query: str, mode: str, fusion: str) -> None:
    shelf.put("a", "garden gate 绿茶 é 0", 'name = "A" uses = [t.b]')
    shelf.put("b", "stone")
    assert set(idents(shelf.find(query, meant="garden", mode=mode, fusion=fusion))) <= {"a", "b"}


@pytest.mark.parametrize("query", ["\ud800", "garden \udcff", "\udcff" * 99])
@pytest.mark.parametrize("mode", MODES)
def test_bytes_that_are_no_text_are_a_legal_question(shelf: Shelf, query: str, mode: str) -> None:
    shelf.put("a", "garden")
    assert set(idents(shelf.find(query, mode=mode))) <= {"a"}


# -- the answer ----------------------------------------------------------------------------------------


def test_an_answer_is_a_sequence_of_its_results(shelf: Shelf) -> None:
    for ident in ("a", "b", "c"):
        shelf.put(ident, "garden")
    found = tuple(shelf.find("garden"))
    answer = Answer(found, "hybrid", "convex", Share(2, 5))
    assert (len(answer), tuple(answer), answer[1], answer[1:]) == (3, found, found[1], found[1:])
    assert (answer.problem, answer.embedded and answer.embedded.missing) == ("", 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_a_score_does_not_depend_on_how_many_results_are_wanted(shelf: Shelf, mode: str, fusion: Fusion) -> None:
    for number in range(60):
        words = " ".join(["garden"] * (number % 7 + 1) + ["gate"] * (number % 3) + [f"stone{number}"] * 9)
        shelf.put(f"e{number}", words, body=f"uses = [t.e{(number + 1) % 60}]")
    answers = {
        limit: [
            (found.stored.entry.id, round(found.score, 6))
            for found in shelf.find("garden gate", meant="garden", mode=mode, fusion=fusion, limit=limit)
        ]
        for limit in (1, 3, 10, 11, 40, 1000)
    }
    most = answers[1000]
    for limit, found in answers.items():
        assert found == most[:limit]
