"""The canonical order of fields: in new entries, where a field is added, and in `fmt`."""

import random

import pytest
from hypothesis import given

from tests.bench.merges import conflicts
from tests.endurance import amount, report
from tests.lang.strategies import files
from vault.lang.edit import find_block, set_fields
from vault.lang.format import format_text
from vault.lang.lower import read
from vault.lang.order import in_order
from vault.lang.syntax import tokens
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Value

ORDERS = {"t": ["name", "text", "tags"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t x { zoo = 1 tags = [1] able = 2 name = 3 }", "name = 3|tags = [1]|able = 2|zoo = 1"),
        ("other x { zoo = 1 able = 2 }", "zoo = 1|able = 2"),
        ("t x {\n  // of text\n  text = 1 // behind\n  name = 2\n}", "name = 2|// of text|text = 1  // behind"),
        ("t x {\n  tags = [1]\n\n  text = 1\n  name = 2\n}", "tags = [1]||name = 2|text = 1"),
        ("t x {\n  text = 1\n  // apart\n\n  name = 2\n}", "text = 1|// apart||name = 2"),
        ("t x {\n  text = 1\n\n  // above\n  tags = [1]\n  // of name\n  name = 2\n}", None),
        ('t x {\n  text = """\n    one\n    "two"\n    """\n  name = 2\n  // last\n}', None),
        ("t x { /* a\n b */ text = 1 name = 2 }", None),
        ("t x { text = 1 in { b = 1 a = 2 } name = 2 }", "text = 1|in {|    b = 1|    a = 2|}|name = 2"),
        ("t x { tags = [1, 2] name = [[1, 2], [3]] }", None),
        ("t x { }", None),
    ],
)
def test_fields_are_put_in_order(text: str, expected: str | None) -> None:
    once = format_text(text, ORDERS)
    if expected is not None:
        rows = "\n".join(f"    {row}".rstrip() for row in expected.split("|"))
        assert once == f"{text.split(maxsplit=1)[0]} x {{\n{rows}\n}}\n"
    assert format_text(once, ORDERS) == once
    assert read(once, "").entries[0].fields == read(text, "").entries[0].fields


@given(files())
def test_ordering_settles_and_keeps_values_and_comments(text: str) -> None:
    orders = {"t": ["b", "a"], "e0": ["c"], "u": []}
    orders |= {entry.type: ["b", "a"] for entry in read(text, "").entries}
    once = format_text(text, orders)
    assert format_text(once, orders) == once
    before, after = read(text, ""), read(once, "")
    assert [(e.key, e.fields) for e in before.entries] == [(e.key, e.fields) for e in after.entries]
    assert comments(once) == comments(text)


def comments(text: str) -> list[str]:
    return sorted(
        " ".join(text[token.start : token.end].split())
        for token in tokens(text, trivia=True)
        if token.kind == "COMMENT"
    )


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("t x {\n  name = 1\n  zoo = 1\n}\n", {"text": 2}, "t x {\n  name = 1\n  text = 2\n  zoo = 1\n}\n"),
        ("t x {\n  zoo = 1\n}\n", {"able": 2, "name": 3}, "t x {\n    name = 3\n    able = 2\n  zoo = 1\n}\n"),
        ("t x {\n  zoo = 1 // a\n  text = 1 // b\n}\n", {"tags": 2}, None),
        ("t x { zoo = 1 }\n", {"name": 3}, "t x { zoo = 1 name = 3 }\n"),
        ("t x {\n  name = 1\n}\n", {"name": None, "text": 3}, "t x {\n    text = 3\n}\n"),
        ("t x {\n  name = 1 text = 2\n}\n", {"tags": 3}, "t x {\n  name = 1 text = 2\n  tags = 3\n}\n"),
    ],
)
def test_a_new_field_goes_to_its_place(text: str, changes: dict[str, Value], expected: str | None) -> None:
    block = find_block(text, "t", "x")
    assert block is not None
    edited = set_fields(text, block, changes, ORDERS["t"])
    assert edited == (expected or "t x {\n  zoo = 1 // a\n  text = 1 // b\n  tags = 2\n}\n")


def test_the_fields_of_a_new_entry_are_in_order() -> None:
    schema = Schema("t", (FieldSpec("name", "string"), FieldSpec("text", "string")))
    fields: dict[str, Value] = {"b": 1, "text": 2, "a": 3, "name": 4}
    assert list(in_order(fields, schema)) == ["name", "text", "a", "b"]
    assert list(in_order(fields, None)) == list(fields)


@pytest.mark.endurance
def test_edits_of_two_people_conflict_less_often(tmp_path_factory: pytest.TempPathFactory) -> None:
    pairs = amount(40, 500)
    before, after = conflicts(tmp_path_factory.mktemp("merges"), pairs, random.Random(7))
    report("merges", {"pairs": pairs, "conflicts before": before, "conflicts after": after})
    assert after < before
