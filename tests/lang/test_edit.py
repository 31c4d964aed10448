"""Edits by span: what is asked for, where it belongs, and nothing else."""

import pytest

from vault.lang.edit import EditFailed, find_block, newline_of, remove_block, set_fields
from vault.lang.write import Unwritable
from vault.model.values import EnumValue, Value

Changes = dict[str, Value | None]


def edited(text: str, changes: Changes, key: str = "t.x") -> str:
    kind, ident = key.split(".")
    block = find_block(text, kind, ident)
    assert block is not None
    return set_fields(text, block, changes)


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("t x {\n  a   =  1 // why\n}\n", {"a": 2}, "t x {\n  a   =  2 // why\n}\n"),
        ("t x {\n  a = 1 // why\n}", {"b": "y"}, 't x {\n  a = 1 // why\n  b = "y"\n}'),
        ("t x {\n\ta = 1\n}\n", {"b": 2, "c": 3}, "t x {\n\ta = 1\n\tb = 2\n\tc = 3\n}\n"),
        ("t x { a = 1 }\n", {"b": 2}, "t x { a = 1 b = 2 }\n"),
        ("t x {a=1}", {"b": 2}, "t x {a=1 b = 2}"),
        ("t x {a=1}", {"a": 'say "hi"'}, 't x {a="""\nsay "hi"\n"""}'),
        ('t x {a="x"b="y"}', {"a": 5}, 't x {a=5 b="y"}'),
        ("t x {}", {"a": True}, "t x {\n    a = true\n}"),
        ("t x {\n}\n", {"a": True}, "t x {\n    a = true\n}\n"),
        ("t x { /* empty */ }\n", {"a": 1}, "t x {\n    a = 1\n /* empty */ }\n"),
        ("t x { // empty\n}\n", {"a": 1}, "t x { // empty\n    a = 1\n}\n"),
        ("t x {\n  a = 1 /* one\n  two */\n}\n", {"b": 2}, "t x {\n  a = 1 /* one\n  two */\n  b = 2\n}\n"),
        ("t x {\n  a = 1\n  b = 2\n}\n", {"b": None, "c": 3}, "t x {\n  a = 1\n  c = 3\n}\n"),
        ("t x {\n  a = 1\n  in { b = 2 }\n}\n", {"c": 3}, "t x {\n  a = 1\n  in { b = 2 }\n  c = 3\n}\n"),
        ("t x {\n  a = [1, // one\n    2]\n  b = 2\n}\n", {"b": 3}, "t x {\n  a = [1, // one\n    2]\n  b = 3\n}\n"),
        ("t x {\n  a = 1\n  b = 2\n}\n", {"a": None}, "t x {\n  b = 2\n}\n"),
        ("t x {\n  a = 1 // stays\n  b = 2\n}\n", {"a": None}, "t x {\n  // stays\n  b = 2\n}\n"),
        ("t x { a = 1 b = 2 c = 3 }", {"a": None, "c": None}, "t x { b = 2 }"),
        ("t x { a = 1 a = 2 }", {"a": None}, "t x { }"),
        ("t x { a = 1 a = 2 }", {"a": 3}, "t x { a = 1 a = 3 }"),
        ("t x {\r\n  a = 1\r\n}\r\n", {"b": "y"}, 't x {\r\n  a = 1\r\n  b = "y"\r\n}\r\n'),
        ("\ufefft x {\r\n}", {"a": "1\n2"}, '\ufefft x {\r\n    a = """\r\n    1\r\n    2\r\n    """\r\n}'),
        ("t x { a = 1 }", {}, "t x { a = 1 }"),
        ("t x { a = 1 }", {"b": None}, "t x { a = 1 }"),
        ("t x { a = 1 in { } in { } }", {"b": 2}, "t x { a = 1 in { } in { } b = 2 }"),
        ("t x{in{}/**/}", {"b": 2}, "t x{in{} b = 2/**/}"),
        ('t x {a="x"b=2}', {"b": None, "c": 3}, 't x {a="x" c = 3 }'),
        ("t x { a = 1 }", {"a": None, "b": 2}, "t x {\n    b = 2\n }"),
        ("t x {\n  a = 1\n}\n", {"a": None, "b": 2}, "t x {\n    b = 2\n}\n"),
    ],
)
def test_set_fields_gives_exactly(text: str, changes: Changes, expected: str) -> None:
    assert edited(text, changes) == expected


def test_the_block_of_two_alike_is_the_one_given() -> None:
    text = "t x { a = 1 }\nt x { a = 2 }\n"
    first = find_block(text, "t", "x")
    assert first is not None
    assert set_fields(text, first, {"a": 3}) == "t x { a = 3 }\nt x { a = 2 }\n"


def test_what_cannot_be_exact_is_refused() -> None:
    with pytest.raises(EditFailed, match="would not parse"):
        edited("t x { a = 1 b = ? }", {"a": 2})
    with pytest.raises(EditFailed, match="not a field name"):
        edited("t x { a = 1 }", {"in { } b": 2})
    with pytest.raises(Unwritable, match="`a` cannot be written"):
        edited("t x { a = 1 }", {"a": EnumValue('"')})


def test_what_stands_behind_a_value_that_is_none_is_no_matter() -> None:
    assert edited("t x { a = 2025-02-30 }", {"a": "never"}) == 't x { a = "never" }'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t x { }\n", ""),
        ("t x { }", ""),
        ("// about\nt x {\n}\n\nt y { }\n", "// about\n\nt y { }\n"),
        ("t a { }\n\nt x { }\n\nt y { }\n", "t a { }\n\nt y { }\n"),
        ("t a { } t x { } t y { }\n", "t a { }  t y { }\n"),
        ("t a { }\r\n\r\nt x { }\r\n\r\nt y { }\r\n", "t a { }\r\n\r\nt y { }\r\n"),
        ("t x { } // kept\n", " // kept\n"),
    ],
)
def test_remove_block_leaves_what_is_around(text: str, expected: str) -> None:
    block = find_block(text, "t", "x")
    assert block is not None
    assert remove_block(text, block) == expected


def test_find_block_and_newline() -> None:
    assert find_block("t x { }", "t", "y") is None
    assert [newline_of(text) for text in ("", "\n", "a\r\nb\n", "a\nb\r\n")] == ["\n", "\n", "\r\n", "\n"]
