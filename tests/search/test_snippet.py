"""The line that answers, and the words marked in it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.search.snippet import SNIPPET_LENGTH, Snippet, matcher, snippet
from vault.search.text import TextIndex
from vault.store.records import Passage

LONG = "stone " * 60


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    """An index of nothing, which knows how words are cut and stemmed."""
    return TextIndex(tmp_path_factory.mktemp("index") / "texts")


def shown(index: TextIndex, text: str, query: str) -> Snippet:
    lines = tuple(range(10, 10 + text.count("\n") + 1))
    return snippet(Passage("x.md", text, lines), matcher(query, index))


def marked(index: TextIndex, text: str, query: str) -> list[str]:
    found = shown(index, text, query)
    return [found.text[start:end] for start, end in found.marks]


def test_the_line_with_most_words_of_the_query_is_shown(texts: TextIndex) -> None:
    text = "The garden\n  A gate in the Garden\nThe gate and the garden"
    assert shown(texts, text, "garden gate") == Snippet("A gate in the Garden", 11, ((2, 6), (14, 20)))


def test_a_word_twice_is_no_better_than_once(texts: TextIndex) -> None:
    assert shown(texts, "gate\ngate Gate GATE", "gate").line == 10


def test_where_no_word_matches_the_line_that_says_most_is_shown(texts: TextIndex) -> None:
    assert shown(texts, "short\na little longer\nalso", "zebra") == Snippet("a little longer", 11, ())
    assert shown(texts, f"{LONG}\n{LONG} more", "zebra").line == 10
    assert shown(texts, "", "zebra") == Snippet("", 10, ())
    assert shown(texts, "stone", "") == Snippet("stone", 10, ())


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("The gates of gardening", "garden gate", ["gates", "gardening"]),
        ("a private matter", "privacy", ["private"]),
        ("Åsa knows", "asa", ["Åsa"]),
        ("Asa knows", "åsa", ["Asa"]),
        ("we write C++ and C", "C++", ["C++"]),
        ("the who and the what", "the who", ["the", "who", "the"]),
        ("cat and cattle", "cat", ["cat"]),
        ("We won 🎉", "🎉", ["🎉"]),
        ("我们的工程师喝绿茶", "绿茶", ["绿茶"]),
        ("plain 绿茶", "plain", ["plain"]),
        ("东京と大阪", "大阪 东京", ["东京", "大阪"]),
        ("东京都庁", "东京都 京都庁", ["东京都庁"]),
        ("plain", "绿茶", []),
    ],
)
def test_matched_words_are_marked(texts: TextIndex, text: str, query: str, words: list[str]) -> None:
    assert marked(texts, text, query) == words


def test_a_long_line_is_cut_around_the_first_mark(texts: TextIndex) -> None:
    found = shown(texts, f"{LONG}garden gate {LONG}", "garden gate")
    assert found.text.startswith("…stone")
    assert found.text.endswith("…")
    assert len(found.text) <= SNIPPET_LENGTH + 2
    assert [found.text[start:end] for start, end in found.marks] == ["garden", "gate"]


def test_a_long_line_is_cut_at_its_end_alone(texts: TextIndex) -> None:
    found = shown(texts, f"garden {LONG}gate", "garden gate")
    assert found.text.startswith("garden")
    assert (found.text[-1], found.marks) == ("…", ((0, 6),))


def test_a_long_line_is_cut_at_its_beginning_alone(texts: TextIndex) -> None:
    found = shown(texts, f"{LONG}garden", "garden")
    assert found.text.startswith("…stone")
    assert found.text.endswith("garden")


def test_a_long_line_without_blanks_is_cut_anywhere(texts: TextIndex) -> None:
    found = shown(texts, "字" * 300 + "绿茶" + "字" * 300, "绿茶")
    assert [found.text[start:end] for start, end in found.marks] == ["绿茶"]
    assert found.text[0] == found.text[-1] == "…"


def test_a_mark_beyond_the_cut_ends_there(texts: TextIndex) -> None:
    found = shown(texts, "绿茶" * 200, "绿茶" * 150)
    assert found.marks == ((0, SNIPPET_LENGTH),)


@given(
    st.text(st.sampled_from(" \t\ngarde绿茶é🎉C+'\u0301"), max_size=400),
    st.text(st.sampled_from(" garde绿茶é🎉C+'\u0301"), max_size=20),
)
def test_marks_are_words_of_the_text_in_order(texts: TextIndex, text: str, query: str) -> None:
    found = shown(texts, text, query)
    row = text.split("\n")[found.line - 10]
    assert found.text.strip("…").strip() in row
    assert len(found.text) <= SNIPPET_LENGTH + 2
    ends = [offset for mark in found.marks for offset in mark]
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(found.text) and found.text[start:end] in row for start, end in found.marks)


@given(st.text(), st.text())
def test_any_text_is_shown(texts: TextIndex, text: str, query: str) -> None:
    found = shown(texts, text, query)
    assert all(0 <= start < end <= len(found.text) for start, end in found.marks)


def test_without_a_language_words_match_as_they_are(tmp_path: Path) -> None:
    index = TextIndex(tmp_path / "i", "none")
    assert marked(index, "the cats", "the cat") == ["the"]
