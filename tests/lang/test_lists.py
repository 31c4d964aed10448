"""Edits inside a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.lang.edit import find_block, set_fields
from vault.lang.syntax import tokens


def edit(source: str, *wanted: str | int) -> str:
    """What a list is written as once its items are others."""
    text = f"t x {{\n    a = {source}\n    b = 1\n}}\n"
    block = find_block(text, "t", "x")
    assert block is not None
    edited = set_fields(text, block, {"a": wanted}, [])
    assert edited.endswith("\n    b = 1\n}\n")
    return edited[len("t x {\n    a = ") : -len("\n    b = 1\n}\n")]


@pytest.mark.parametrize(
    ("source", "wanted", "made"),
    [
        ('["a", "b"]', "abc", '["a", "b", "c"]'),
        ('["a","b",]', "abc", '["a","b", "c",]'),
        ('[ "a" ]', "ba", '[\n        "b",\n        "a",\n    ]'),
        ("[]", "ab", '[\n        "a",\n        "b",\n    ]'),
        ('[ "a", "b" ]', "cab", '[ "c", "a", "b" ]'),
        ('["a", "b"]', "b", '["b"]'),
        ('["a", "b"]', "a", '["a"]'),
        ('["a", "b", ]', "b", '["b", ]'),
        ('["a" /* one */, "b"]', "ab", '["a" /* one */, "b"]'),
        ('["a" /* one */, "b"]', "b", '[ /* one */ "b"]'),
        ('["a", /* of b */ "b"]', "xb", '["x", /* of b */ "b"]'),
        ('["""a""", "b"]', "abc", '["""a""", "b", "c"]'),
    ],
)
def test_a_line_of_items(source: str, wanted: str, made: str) -> None:
    assert edit(source, *wanted) == made


ROWS = """[ // all of them
        // the first
        "a", // why a
        "b"  // why b
        // the end
    ]"""


@pytest.mark.parametrize(
    ("wanted", "made"),
    [
        ("ab", ROWS),
        ("abc", ROWS.replace('"b"  // why b', '"b",  // why b\n        "c"')),
        ("axb", ROWS.replace("// why a", '// why a\n        "x",')),
        ("xab", ROWS.replace("        // the first", '        "x",\n        // the first')),
        ("b", ROWS.replace('"a", // why a', "// why a")),
        ("a", ROWS.replace('"a",', '"a"').replace('"b"  // why b', "// why b")),
    ],
)
def test_rows_of_items_keep_their_comments(wanted: str, made: str) -> None:
    assert edit(ROWS, *wanted) == made


def test_line_ends_are_those_of_the_text() -> None:
    text = 't x {\r\n  a = [\r\n    "a",\r\n  ]\r\n}'
    block = find_block(text, "t", "x")
    assert block is not None
    assert set_fields(text, block, {"a": ("a", "b")}) == 't x {\r\n  a = [\r\n    "a",\r\n    "b",\r\n  ]\r\n}'


def test_a_list_is_written_anew_where_nothing_can_stay() -> None:
    assert edit("[]", "a") == '["a"]'
    assert edit('["a",\n]') == "[]"
    assert edit("[2025-02-30 /* no day */]", 1) == "[1]"
    assert edit('["a" /* c */]', 1) == "[ /* c */ 1]"


SPACES = st.sampled_from(
    ["", " ", "\n        ", " // why\n        ", " /* what */ ", "\n    // how\n    ", " /* a\n b */", "\n"]
)


@st.composite
def lists(draw: st.DrawFn) -> tuple[str, list[str]]:
    """The source of a list of strings with anything between them, and the strings."""
    items = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4))
    told = [f'{draw(SPACES)}"{item}"{draw(SPACES)}' for item in items]
    return f"[{','.join(told)}{draw(st.sampled_from(['', ',']))}{draw(SPACES)}]", items


@given(lists(), st.data())
def test_other_items_change_no_comment(written: tuple[str, list[str]], data: st.DataObject) -> None:
    source, items = written
    some = st.lists(st.sampled_from([*items, "x"]), min_size=1, max_size=5)
    wanted = data.draw(st.permutations([*items, "x"]) | some)
    edited = edit(source, *wanted)
    assert comments(edited) == comments(source)
    if wanted == items:
        assert edited == source


def comments(text: str) -> list[str]:
    return sorted(text[token.start : token.end] for token in tokens(text, trivia=True) if token.kind == "COMMENT")


@pytest.mark.parametrize(
    ("source", "wanted", "made"),
    [
        ("[\n        // keep sorted\n    ]", "ab", '[\n        // keep sorted\n        "a",\n        "b",\n    ]'),
        ("[ /* none */ ]", "a", '[ /* none */ "a" ]'),
        ('["a", // why a\n    ]', "", "[\n    // why a\n    ]"),
        ('[\n        // keep sorted\n        "a",\n    ]', "", "[\n        // keep sorted\n    ]"),
        ('["a" /* b1 */, /* b2 */ "b" /* b3 */]', "abc", '["a" /* b1 */, /* b2 */ "b" /* b3 */, "c"]'),
    ],
)
def test_comments_outlive_the_items(source: str, wanted: str, made: str) -> None:
    assert edit(source, *wanted) == made


def test_long_lists_are_changed_in_linear_time() -> None:
    many = ["a"] * 20_000
    source = '["' + '", "'.join(many) + '"]'
    longer = edit(source, *many, "b")
    assert (len(longer), longer[-9:]) == (len(source) + 5, '"a", "b"]')
    assert edit(source, "b", *many[:-1], "c")[:11] == '["b", "a", '
