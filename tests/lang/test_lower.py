"""Trees into entries: places, and what only a program can meet."""

import pytest

from vault.lang.lower import BadValue, dedent, lower_value, read, syntax_errors
from vault.lang.syntax import Lines, ValueNode


def test_places_are_those_of_the_file() -> None:
    entry = read("\ufefft x { a = 1\n  b = [1,\n  2] }", "x.firm").entries[0]
    assert (entry.place.line, entry.place.column, entry.place.end_line) == (1, 1, 3)
    assert entry.places is not None
    assert (entry.places["a"].line, entry.places["a"].column) == (1, 7)
    assert (entry.places["b"].line, entry.places["b"].column, entry.places["b"].end_line) == (2, 3, 3)


def test_lines_of_a_text_with_a_bom() -> None:
    assert Lines.of("\ufeff").line(0) == 1
    assert Lines.of("a\nb").line(2) == 2


def test_the_last_of_two_fields_counts_even_if_it_is_bad() -> None:
    assert read("t x { a = 1 a = 2 }", "").entries[0].fields == {"a": 2}
    found = read("t x { a = 1 a = 2025-02-30 }", "")
    assert found.entries[0].fields == {}
    assert [item.code for item in found.diagnostics] == ["duplicate-field", "bad-value"]


def test_nodes_no_text_gives_are_refused() -> None:
    with pytest.raises(BadValue, match="not a value"):
        lower_value("x", ValueNode("BROKEN", 0, 1))
    with pytest.raises(BadValue, match="is not a date"):
        lower_value("x", ValueNode("DATETIME", 0, 1))


@pytest.mark.parametrize(
    ("inside", "value"),
    [
        ("", ""),
        ("\n  a\n\t b\n", "a\nb"),
        ("\r\n    a\r\n\r\n      b\r\n    ", "a\n\n  b"),
        ("a\n  b", "a\n  b"),
        ("\n\u3000\u3000a\n", "a"),
    ],
)
def test_dedent(inside: str, value: str) -> None:
    assert dedent(inside) == value


def test_syntax_errors_keep_a_file_from_being_rewritten() -> None:
    found = read("t x { a = 2025-02-30 b = ? }", "").diagnostics
    assert [item.code for item in syntax_errors(found)] == ["syntax-error"]


def test_a_block_cut_short_before_anything_in_it_is_no_entry() -> None:
    assert read("t x {", "").entries == []
    assert [entry.key for entry in read("t x { a = 1\nt y { }", "").entries] == ["t.x", "t.y"]
