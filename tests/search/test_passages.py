"""Passages: where texts are cut, the lines they are cited by, and what is embedded of them."""

import hashlib
import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lang.strategies import files
from tests.search.test_wordpieces import expected
from vault.lang.lower import read
from vault.model.schema import FieldSpec, Schema
from vault.search import wordpieces
from vault.search.passages import BYTES_PER_PIECE, PIECE_LIMIT, RUN_LENGTH, address, embedded_text, split
from vault.store.records import Passage
from vault.workspace.ingest import Sidecar

WORDS = "word " * 80

#: What is hard to cut: no blanks, characters that go together, words of many pieces and unknown ones.
FRAGMENTS = [
    *("word", "字" * 40, "字" * 999, "각" * 99, "ก" * 400, "x" * 700, "q7" * 50, "é", "e\u0301" * 300, "😀" * 300),
    *("👩‍👩‍👧‍👦" * 50, "a" + "\u0301" * 500, ",;" * 300, "a,b" * 200, "。", "!", ". ", "\x0c", "\x1c", "\u07fd" * 300),
    *("\n", "\n\n", " " * 999, "# h\n", "\r\n", "[SEP]" * 90),
]


def passages(text: str, sidecar: str | None = None, primary: str = "") -> list[Passage]:
    entry = read(text, "x.firm").entries[0]
    schema = Schema("t", tuple(FieldSpec(name, "string", embed=True) for name in primary.split())) if primary else None
    return split(entry, text, None if sidecar is None else Sidecar("x.md", sidecar), schema)


def cuts(text: str) -> list[str]:
    return [passage.text for passage in passages("t x { }", text) if passage.text]


def assert_within_the_limit(found: list[Passage]) -> None:
    for passage in found:
        assert expected(passage.text) <= wordpieces.count(passage.text) <= PIECE_LIMIT
        assert len(passage.text.encode()) <= PIECE_LIMIT * BYTES_PER_PIECE + len(passage.lines)


def assert_lines_are_right(found: list[Passage], texts: dict[str, str]) -> None:
    for passage in found:
        rows = texts[passage.path].split("\n")
        shown = passage.text.split("\n")
        assert len(shown) == len(passage.lines)
        for number, row in zip(passage.lines, shown, strict=True):
            assert row.strip() in rows[number - 1]


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
        for passage in split(entry, text, None, None):
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


@pytest.mark.parametrize("between", ["", " "])
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
def test_no_passage_is_too_long_and_no_line_is_wrong(between: str, pieces: list[str]) -> None:
    text = between.join(pieces)
    found = passages("t x { }", text)
    assert_lines_are_right([p for p in found if p.path == "x.md"], {"x.md": text})
    assert_within_the_limit(found)
    kept = "".join("".join(p.text.split()) for p in found)
    assert kept == "".join(text.split())


@given(st.text(min_size=PIECE_LIMIT // 2))
def test_no_passage_of_any_text_is_too_long(text: str) -> None:
    assert_within_the_limit(passages("t x { }", text * 3))


@pytest.mark.parametrize(
    "line", ["# " + " " * 100_000 + "x", "x" * 500_000, "字" * 100_000, "a " * 200_000, " " * 500_000, ".)" * 100_000]
)
def test_hostile_lines_end_in_short_passages(line: str) -> None:
    assert_within_the_limit(passages("t x { }", line))


@pytest.mark.parametrize("unit", ["x", "字", "a ", "One. ", "だ。", "q\n", "😀", "a\u0301", " ", "# h\n\nt\n"])
def test_twice_the_text_takes_twice_the_calls(unit: str) -> None:
    def calls(text: str) -> int:
        count = 0

        def see(frame: FrameType, event: str, arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(see)
        try:
            passages("t x { }", text)
        finally:
            sys.setprofile(before)
        return count

    calls(unit * 4000)  # what is read or remembered once is no part of it
    assert calls(unit * 8000) < 2.2 * calls(unit * 4000)


def test_long_lines_are_cut_where_sentences_end() -> None:
    sentence = "This is one of many sentences (of twelve words), isn't it? "
    found = cuts(sentence * 40)
    assert len(found) == 4
    assert all(text.startswith("This") and text.endswith("it?") for text in found)


@pytest.mark.parametrize("end", ["。", "！", "？」", "। ", "． ", '." ', "…) Then! "])
def test_sentences_end_in_many_scripts(end: str) -> None:
    found = cuts(("字" * 30 + end) * 20)
    assert len(found) > 1
    assert all(text.endswith(end.strip()) and text.startswith("字") for text in found)


@pytest.mark.parametrize("text", ["3.14159" * 300, "a.b" * 300, "।क" * 300])
def test_a_full_stop_inside_a_word_ends_no_sentence(text: str) -> None:
    assert all(len(piece) % RUN_LENGTH == 0 for piece in cuts(text)[:-1])


def test_long_sentences_are_cut_at_blanks_into_full_pieces() -> None:
    found = cuts("word " * 1000)
    assert [len(text.split()) for text in found] == [PIECE_LIMIT] * 5


def test_short_texts_of_many_pieces_are_cut_too() -> None:
    assert [wordpieces.count(text) for text in cuts("각 " * 90)] == [198, 72]


def test_what_has_no_blanks_is_cut_into_full_pieces() -> None:
    assert [len(text) for text in cuts("字" * 1000)] == [PIECE_LIMIT] * 5


@pytest.mark.parametrize("cluster", ["e\u0301", "👍🏽", "👩\u200d🔧", "กำ่", "❤\ufe0f"])
def test_no_piece_begins_with_what_belongs_to_the_character_before(cluster: str) -> None:
    found = cuts("x" + cluster * 1500)
    assert len(found) > 1
    assert all(text.removeprefix("x").replace(cluster, "") == "" for text in found)


def test_pieces_of_a_line_have_its_number_and_one_heading() -> None:
    text = "\n# first " + "# word " * 300
    found = passages("t x { }", text)
    assert {number for passage in found for number in passage.lines} == {2}
    assert len({passage.heading for passage in found}) == 1
    assert found[0].heading.startswith("first # word")
    assert found[2].text.startswith("# word")


def test_primary_content_leads() -> None:
    text = 't x {\n  kind = enum"k"\n  statement = "s"\n  name = "unread"\n  value = "v"\n  summary = "sum"\n}'
    assert passages(text) == [Passage("x.firm", "k\ns\nv\nsum", (2, 3, 5, 6))]
    assert passages(text, primary="name summary statement") == [Passage("x.firm", "s\nsum\nk\nv", (3, 6, 2, 5))]


def test_long_primary_content_leads_where_no_short_one_does() -> None:
    text = f't x {{\n  kind = enum"k"\n  more = "{WORDS * 3}"\n  text = "{WORDS * 3}"\n}}'
    assert [p.lines for p in passages(text)] == [(2,), (3,), (3,), (4,), (4,)]
    assert [p.lines for p in passages(text, primary="text")] == [(4,), (4,), (2,), (3,), (3,)]
    assert [p.lines for p in passages(text, primary="text kind")] == [(2,), (4,), (4,), (3,), (3,)]


def test_a_sidecar_counts_as_the_text() -> None:
    text = f't x {{\n  kind = enum"k"\n  more = "{WORDS * 3}"\n}}'
    assert [p.path for p in passages(text, "in it")] == ["x.firm"] * 3 + ["x.md"]
    assert [(p.path, p.lines) for p in passages(text, "in it", primary="text")][:2] == [
        ("x.md", (1,)),
        ("x.firm", (2,)),
    ]
    assert [p.path for p in passages(text, "in it", primary="more")] == ["x.firm"] * 3 + ["x.md"]
    assert [p.path for p in passages(text, "in it", primary="more text")] == ["x.md"] + ["x.firm"] * 3


def test_embedded_text_is_name_headings_and_text() -> None:
    passage = Passage("x.md", "the text\nand more", (1, 2), "One › Two")
    assert embedded_text("A\n  name", passage) == "A name\nOne › Two\nthe text\nand more"
    assert embedded_text("", Passage("x.md", "text", (1,))) == "text"
    assert embedded_text("name", Passage("x.md", "", (1,))) == "name"


def test_embedded_text_is_bounded() -> None:
    passage = Passage("x.md", "text", (1,), "far › " * 99 + "near")
    name, heading, _ = embedded_text("n" * 500, passage).split("\n")
    assert (name, len(heading)) == ("n" * 120, 200)
    assert heading.endswith("far › near")


def test_addresses_tell_passages_by_their_text() -> None:
    found = [Passage("x.md", text, (number,)) for number, text in enumerate(["a", "b", " a\n", "a", "b"], 1)]
    first, second = (hashlib.blake2b(text).hexdigest()[:8] for text in (b"a", b"b"))
    assert address(found) == [first, second, f"{first}-2", f"{first}-3", f"{second}-2"]


def test_addresses_survive_an_edit_elsewhere_and_a_move() -> None:
    text = "\n\n".join(f"# Part {number}\n\n{WORDS}" for number in range(5))
    before = address(passages("t x { }", text))
    edited = address(passages("t x { }", text.replace("Part 2", "Another")))
    assert len(set(before)) == 5
    assert [old == new for old, new in zip(before, edited, strict=True)] == [True, True, False, True, True]
    moved = split(read("t y { }", "z.firm").entries[0], "", Sidecar("z.md", "\n\n" + text), None)
    assert address(moved) == before


def test_lines_of_a_sidecar_are_those_an_editor_counts() -> None:
    text = "one\x0cstill one\u2028still\r\ntwo\n"
    assert passages("t x { }", text) == [Passage("x.md", "one\x0cstill one\u2028still\ntwo", (1, 2))]
