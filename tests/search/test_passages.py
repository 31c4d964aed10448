"""Passages: where texts are cut, and the lines they are cited by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lang.strategies import files
from vault.lang.lower import read
from vault.search.passages import WORD_LIMIT, split
from vault.store.records import Passage
from vault.workspace.ingest import Sidecar

WORDS = "word " * 60


def passages(text: str, sidecar: str | None = None) -> list[Passage]:
    entry = read(text, "x.firm").entries[0]
    return split(entry, text, None if sidecar is None else Sidecar("x.md", sidecar))


def assert_lines_are_right(found: list[Passage], texts: dict[str, str]) -> None:
    for passage in found:
        rows = texts[passage.path].split("\n")
        shown = passage.text.split("\n")
        assert len(shown) == len(passage.lines)
        for number, row in zip(passage.lines, shown, strict=True):
            assert row.strip() in rows[number - 1]


def weight(text: str) -> int:
    return max(len(text.split()), len(text.encode()) // 10)


def test_a_short_entry_is_one_passage() -> None:
    text = 't x {\n  name = "not read"\n  summary = "the sum"\n  kind = enum" on "\n  list = ["a", "b"]\n  n = [1]\n}'
    assert passages(text) == [Passage("x.firm", "the sum\non\na, b", (3, 4, 5))]


def test_an_entry_without_text_is_still_found() -> None:
    assert passages("\nt x { n = 5 }") == [Passage("x.firm", "", (2,))]


@pytest.mark.parametrize(
    "text",
    [
        't x {\n  a = """one\n  two"""\n}',
        't x {\n  a = """\n\n    one\n\n    two\n  """\n}',
        't x {\n  a\n  =\n  // a "quote"\n  "one\ntwo"\n}',
        't x {\r\n  a = """\r\n    one\r\n    two\r\n  """\r\n}',
        't x {\n  a = ["one\n  more", """\n  two\n  """]\n}',
    ],
)
def test_lines_are_those_of_the_file(text: str) -> None:
    found = passages(text)
    if "[" in text:
        assert found == [Passage("x.firm", "one more, two", (2,))]
    else:
        assert_lines_are_right(found, {"x.firm": text})


@given(files())
def test_every_line_of_every_passage_is_one_line(text: str) -> None:
    for entry in read(text, "x.firm").entries:
        for passage in split(entry, text, None):
            assert len(passage.lines) == passage.text.count("\n") + 1
            assert all(1 <= number <= text.count("\n") + 1 for number in passage.lines)


def test_headings_begin_passages_and_give_context() -> None:
    text = f"{WORDS}\n\n# One\n## Two ##\ntext\n### C#\nmore\n## Three\nlast\n#no heading\n# Empty\n"
    found = passages("t x { }", text)
    assert [(p.heading, p.lines) for p in found] == [
        ("", (1,)),
        ("One › Two", (3, 4, 5)),
        ("One › Two › C#", (6, 7)),
        ("One › Three", (8, 9, 10)),
        ("Empty", (11,)),
    ]
    assert_lines_are_right(found, {"x.md": text})


def test_long_texts_are_cut_between_paragraphs() -> None:
    text = "\n\n".join([WORDS] * 5)
    found = passages("t x { }", text)
    assert [p.lines for p in found] == [(1, 3), (5, 7), (9,)]


def test_a_long_field_stands_by_itself() -> None:
    long = "\n".join([WORDS] * 3)
    found = passages(f't x {{\n  summary = "short"\n  text = """\n{long}\n"""\n  more = "too"\n}}')
    assert [p.lines for p in found] == [(2, 8), (4, 5), (6,)]


@given(
    st.lists(
        st.sampled_from(["word", "字" * 40, "ก" * 400, "x" * 700, "\n", "\n\n", " " * 999, "# h\n", "é"]), max_size=60
    )
)
def test_no_passage_is_too_long_and_no_line_is_wrong(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = passages("t x { }", text)
    assert_lines_are_right([p for p in found if p.path == "x.md"], {"x.md": text})
    assert all(weight(p.text) <= WORD_LIMIT * 2 for p in found)
    kept = "".join("".join(p.text.split()) for p in found)
    assert kept == "".join(text.split())


@pytest.mark.parametrize(
    "line", ["# " + " " * 100_000 + "x", "x" * 500_000, "字" * 100_000, "a " * 200_000, " " * 500_000]
)
def test_hostile_lines_end_in_short_passages(line: str) -> None:
    assert all(weight(p.text) <= WORD_LIMIT * 2 for p in passages("t x { }", line))


def test_lines_of_a_sidecar_are_those_an_editor_counts() -> None:
    text = "one\x0cstill one\u2028still\r\ntwo\n"
    assert passages("t x { }", text) == [Passage("x.md", "one\x0cstill one\u2028still\ntwo", (1, 2))]
