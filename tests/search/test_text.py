"""The text index by itself."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from math import log1p
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.conftest import document
from vault.search.text import (
    NEAR_SHARE,
    TERM_LIMIT,
    DamagedTextIndex,
    Filters,
    IndexWriteFailed,
    PassageDocument,
    TextIndex,
)

HERE = Filters(("global",))
BODIES = ["the garden gate", "the garden wall", "a gate of stone", "nothing of it"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    """Four passages: rows 0 to 3 are `BODIES`."""
    return made(tmp_path_factory.mktemp("index") / "texts", map(document, range(4), BODIES))


def made(folder: Path, documents: Iterable[PassageDocument], language: str = "english") -> TextIndex:
    index = TextIndex(folder, language)
    index.write(documents, [])
    return index


def covered(index: TextIndex, query: str, rows: Iterable[int] = range(99), filters: Filters = HERE) -> dict[int, float]:
    return {hit.row: hit.score for hit in index.coverage(query, filters, set(rows))}


def found(index: TextIndex, query: str, filters: Filters = HERE) -> set[int]:
    return {hit.row for hit in index.search(query, filters, 99)}


def weight(passages: int, of: int = 4) -> float:
    return log1p((of - passages + 0.5) / (passages + 0.5))


# -- how much of a query a passage holds ---------------------------------------------------------------


def test_coverage_is_the_share_of_words_by_their_rarity(texts: TextIndex) -> None:
    garden, stone = weight(2), weight(1)
    whole = garden + stone
    assert covered(texts, "garden of stone") == pytest.approx({0: garden / whole, 1: garden / whole, 2: stone / whole})
    assert covered(texts, "stone gates") == pytest.approx(
        {0: weight(2) / (weight(1) + weight(2)), 2: 1.0},
    )


def test_coverage_counts_a_word_once_and_an_unknown_one_too(texts: TextIndex) -> None:
    assert covered(texts, "stone stone stone stone") == {2: pytest.approx(1.0)}
    assert covered(texts, "stone zebra") == {2: pytest.approx(weight(1) / (weight(1) + weight(0)))}
    assert covered(texts, "zebra") == {}


def test_coverage_is_best_first(texts: TextIndex) -> None:
    scores = [hit.score for hit in texts.coverage("garden gate", HERE, {0, 1, 2, 3})]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(1.0)


def test_coverage_counts_a_word_nearby_for_less(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "privacy"), document(2, "private"), document(3, "river")])
    scores = covered(index, "privacy")
    assert scores[1] == pytest.approx(1.0)
    assert 0 < scores[2] <= NEAR_SHARE
    assert 3 not in scores
    misspelt = covered(index, "rivar")
    assert misspelt == {3: pytest.approx(NEAR_SHARE)}


def test_coverage_looks_into_names_and_labels(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, name="Garden"), replace(document(2), labels="gate")])
    assert covered(index, "gardens").keys() == {1}
    assert covered(index, "gates").keys() == {2}


def test_coverage_is_told_of_the_rows_asked_for_alone(texts: TextIndex) -> None:
    assert covered(texts, "garden", [1, 2]).keys() == {1}
    assert covered(texts, "garden", [7]) == covered(texts, "garden", []) == {}
    assert covered(texts, "garden", filters=Filters(("work",))) == {}
    assert covered(texts, "garden", filters=replace(HERE, without=[0])).keys() == {1}
    assert covered(texts, "garden", filters=replace(HERE, type="other")) == {}


def test_coverage_by_pairs_in_scripts_without_blanks(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "我们的工程师喝绿茶"), document(2, "她喝绿色的水"), document(3, "plain")])
    assert covered(index, "绿茶")[1] == pytest.approx(1.0)
    assert covered(index, "绿茶").keys() == {1}
    both = covered(index, "喝绿茶")
    assert both[1] == pytest.approx(1.0)
    assert 0 < both[2] < 1
    assert covered(index, "plain 绿茶").keys() == {1, 3}


def test_coverage_of_stop_words_alone(texts: TextIndex) -> None:
    assert covered(texts, "what of the") != {}
    assert covered(texts, "the garden") == pytest.approx(covered(texts, "garden"))


@pytest.mark.parametrize("query", ["", " ", "?!", "\0", "-"])
def test_coverage_of_no_words(texts: TextIndex, query: str) -> None:
    assert covered(texts, query) == {}
    assert found(texts, query) == set()


def test_an_index_of_nothing_is_asked_without_harm(tmp_path: Path) -> None:
    index = TextIndex(tmp_path / "i")
    assert (index.count(), covered(index, "garden"), found(index, "garden")) == (0, {}, set())
    assert index.terms("the garden") == ["garden"]


def test_nothing_is_found_of_nothing_asked_for(texts: TextIndex) -> None:
    assert texts.search("garden", HERE, 0) == []


# -- languages -----------------------------------------------------------------------------------------


def test_german_stems_and_question_words(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "die schönen Gärten"), document(2, "wie man wartet")], "german")
    assert index.terms("Wie und wann wurde der Garten schöner?") == ["garten", "schoner"]
    assert found(index, "Garten") == {1}
    assert covered(index, "schönes") == {1: pytest.approx(1.0)}


def test_no_language_keeps_every_word_as_it_is(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "the gardens")], "none")
    assert index.terms("What is the garden") == ["what", "is", "the", "garden"]
    assert found(index, "the") == {1}
    assert covered(index, "gardens") == {1: pytest.approx(1.0)}
    assert covered(index, "garden")[1] < 1.0


def test_stop_words_are_left_out_as_they_are_spelt(tmp_path: Path) -> None:
    index = TextIndex(tmp_path / "i", "french")
    assert index.terms("où la forêt") == ["foret"]


# -- terms ---------------------------------------------------------------------------------------------


def test_terms_are_words_in_order_without_stop_words(texts: TextIndex) -> None:
    assert texts.terms("Where is the Gate of the Garden's gate?") == ["gate", "garden", "s"]
    assert texts.terms("C++, c# and node.js 🎉") == ["c++", "c#", "node", "js", "🎉"]
    assert texts.terms("who are you") == ["who", "are", "you"]


def test_of_many_terms_the_rarest_are_kept_and_known_ones_first(texts: TextIndex) -> None:
    unknown = [f"zebra{number}" for number in range(TERM_LIMIT)]
    terms = texts.terms(" ".join([*unknown, "garden", "stone"]))
    assert len(terms) == TERM_LIMIT
    assert terms[-2:] == ["garden", "stone"]
    assert terms[:-2] == unknown[:-2]


@given(st.text(), st.sampled_from(BODIES))
def test_any_text_is_a_legal_query(texts: TextIndex, query: str, more: str) -> None:
    for asked in (query, f"{query} {more}", f"{more}{query}"):
        assert found(texts, asked) <= {0, 1, 2, 3}
        assert all(0 <= score <= 1 for score in covered(texts, asked).values())


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text())
def test_any_text_is_taken(tmp_path_factory: pytest.TempPathFactory, body: str, name: str) -> None:
    index = made(tmp_path_factory.mktemp("index") / "i", [document(1, body, name=name)])
    assert index.count() == 1
    assert found(index, body) <= {1}


def test_short_words_are_found_as_they_are_alone(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "cat"), document(2, "cats"), document(3, "cattle car")])
    assert found(index, "cat") == {1, 2}
    assert found(index, "cart") == set()


# -- writing and opening -------------------------------------------------------------------------------


def test_files_are_taken_out_and_put_in(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "garden"), document(2, "garden")])
    index.write([document(3, "garden gate")], ["global/1.firm"])
    assert found(index, "garden") == {2, 3}
    assert index.content()["passages"] == [(2, 0), (3, 0)]
    assert found(TextIndex(tmp_path / "i"), "garden") == {2, 3}


def test_content_is_equal_however_it_came_about(tmp_path: Path) -> None:
    one = made(tmp_path / "a", [document(1, "garden"), document(2, "gate")])
    other = made(tmp_path / "b", [document(2, "gate"), document(3, "wall")])
    other.write([document(1, "garden")], ["global/3.firm"])
    assert one.content() == other.content()
    other.write([document(4, "wall")], [])
    assert one.content() != other.content()


@pytest.mark.parametrize("damage", ["garbage", "empty", "segments"])
def test_a_damaged_index_is_told(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "i"
    made(folder, [document(1, "garden")])
    if damage == "segments":
        for file in folder.iterdir():
            if file.name != "meta.json" and file.suffix:
                file.unlink()
    else:
        (folder / "meta.json").write_bytes(b"garbage" if damage == "garbage" else b"")
    with pytest.raises(DamagedTextIndex) as caught:
        TextIndex(folder)
    assert caught.value.code == "damaged-index"
    assert "vault index --rebuild" in caught.value.hint


def test_a_file_in_the_way_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "i").write_text("in the way")
    assert found(made(tmp_path / "i", [document(1, "garden")]), "garden") == {1}


PROGRAM = """
import resource, signal, sys
from pathlib import Path
from tests.search.conftest import document
from vault.search.text import Filters, IndexWriteFailed, TextIndex
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
index = TextIndex(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    index.write([document(2, "garden wall")], ["global/1.firm"])
except IndexWriteFailed as error:
    print(error.code, [hit.row for hit in index.search("garden", Filters(("global",)), 9)])
"""


def test_where_no_space_is_left_the_index_holds_what_it_held(tmp_path: Path) -> None:
    made(tmp_path / "i", [document(1, "garden")])
    measured_elsewhere = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "i")],
        env={**measured_elsewhere, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "index-failed [1]\n"), ended.stderr
    assert found(TextIndex(tmp_path / "i"), "garden") == {1}


def test_two_writers_at_once_are_told(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "garden")])
    writer = index.index.writer(heap_size=15_000_000, num_threads=1)
    with pytest.raises(IndexWriteFailed) as caught:
        TextIndex(tmp_path / "i").write([document(2, "garden")], [])
    assert "no entry is affected" in caught.value.hint
    writer.rollback()


def test_a_word_that_nobody_could_have_written_is_not_looked_up(tmp_path: Path) -> None:
    index = made(tmp_path / "i", [document(1, "garden " + "a" * 5_000)])
    assert index.terms("garden " + "ab" * 90_000) == ["garden"]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert found(index, "garden " + "ab" * 90_000) == {1}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # with a letter wrong: 5 GB
