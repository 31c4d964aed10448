"""Words of a command line as values."""

from datetime import date, time
from decimal import Decimal

import pytest

from vault.lang.literal import BadLiteral, read_literal
from vault.model.schema import FieldSpec
from vault.model.values import Currency, EnumValue, Kind, Moment, PathValue, Reference, Value

DAY = date(2025, 1, 15)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", '"as typed"', '"as typed"'),
        ("boolean", " Yes ", True),
        ("boolean", "false", False),
        ("integer", " 42 ", 42),
        ("float", "42", 42.0),
        ("float", "-0.5", -0.5),
        ("currency", "5.00 USD", Currency(Decimal("5.00"), "USD")),
        ("reference", "actor.ada", Reference("actor", "ada")),
        ("reference", "actor.ada.name", Reference("actor", "ada", "name")),
        ("datetime", "2025-01-15", Moment(DAY)),
        ("datetime", "2025-01-15 at 9:00 UTC+3", Moment(DAY, time(9), 180)),
        ("datetime", "2025-01-15T09:00:05.25Z", Moment(DAY, time(9, 0, 5), 0)),
        ("datetime", "2025-01-15 09:00", Moment(DAY, time(9))),
        ("enum", 'enum"on"', EnumValue("on")),
        ("enum", " enumerated ", EnumValue("enumerated")),
        ("path", 'path"a b"', PathValue("a b")),
        ("path", "pathology.md", PathValue("pathology.md")),
        ("list", "one", ("one",)),
        ("list", '["one", "two"]', ("one", "two")),
        ("list", "[not a list", ("[not a list",)),
    ],
)
def test_declared_fields_read_their_kind(kind: Kind, text: str, value: Value) -> None:
    found = read_literal(text, "f", FieldSpec("f", kind))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("boolean", "maybe"),
        ("integer", "4.2"),
        ("integer", "99999999999999999999"),
        ("float", "5 USD"),
        ("float", "true"),
        ("currency", "5 QQQ"),
        ("reference", "ada"),
        ("datetime", "soon"),
        ("datetime", "2025-02-30"),
        ("datetime", "2025-01-15T99:00"),
        ("datetime", "2025-01-15T09:00+20:00"),
        ("enum", 'a "quote"'),
        ("enum", " "),
        ("path", ""),
        ("path", "two\nlines"),
        ("string\0", "x" * 70),
    ],
)
def test_what_is_not_of_the_kind_is_refused(kind: str, text: str) -> None:
    spec = FieldSpec("f", "boolean" if kind == "string\0" else kind)  # type: ignore[arg-type]  # a long word
    with pytest.raises(BadLiteral, match="for `f`") as caught:
        read_literal(text, "f", spec)
    assert caught.value.status == 2
    assert len(caught.value.message) < 100


def test_lists_take_items_of_their_kind() -> None:
    spec = FieldSpec("f", "list", item_type="reference")
    assert read_literal("a.b", "f", spec) == (Reference("a", "b"),)
    assert read_literal("[a.b, c.d]", "f", spec) == (Reference("a", "b"), Reference("c", "d"))
    with pytest.raises(BadLiteral, match="list of reference values"):
        read_literal("[1]", "f", spec)
    with pytest.raises(BadLiteral):
        read_literal("word", "f", spec)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("true", True),
        ("2025-01-15", Moment(DAY)),
        ("[1, 2]", (1, 2)),
        ('enum"x"', EnumValue("x")),
        ('"quoted"', "quoted"),
        ("node.js", "node.js"),
        ("two words", "two words"),
        ("1 b = 2", "1 b = 2"),
        ("1 } d e {", "1 } d e {"),
        ("2025-02-30", "2025-02-30"),
        ("", ""),
    ],
)
def test_undeclared_fields_take_what_is_plainly_a_value(text: str, value: Value) -> None:
    assert read_literal(text, "f", None) == value
