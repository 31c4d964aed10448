"""Values and entries as text."""

import math
from datetime import UTC, date, time
from decimal import Decimal
from typing import cast

import pytest

from vault.lang.lower import read
from vault.lang.write import (
    Layout,
    Unwritable,
    write_entry,
    write_schema,
    write_value,
)
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value

NOON = time(12)


def nested(depth: int) -> Value:
    value: Value = ()
    for _ in range(depth - 1):
        value = (value,)
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('a """ b', "three quotes"),
        (" outer\n", "outer blanks"),
        ("  a\n  b", "common indentation"),
        ("a\r\nb", "carriage return"),
        ("a\0b", "cannot be written"),
        ("a\ud800b", "cannot be written"),
        (math.inf, "finite"),
        (math.nan, "finite"),
        (2**63, "64 bits"),
        ((1, 2.0), "one kind"),
        (nested(65), "64 deep"),
        (PathValue("a\nb"), "no quote"),
        (EnumValue('"'), "no quote"),
        (Currency(Decimal("NaN"), "EUR"), "not an amount"),
        (Currency(Decimal(1), "QQQ"), "not an amount"),
        (Moment(date(2025, 1, 1), None, 0), "after the time"),
        (Moment(date(2025, 1, 1), time(1, 2, 3, 4)), "fractions"),
        (Moment(date(2025, 1, 1), NOON.replace(tzinfo=UTC)), "fractions"),
        (Moment(date(2025, 1, 1), NOON, 900), "15 hours"),
        (Reference("a b", "c"), "not a reference"),
        (Reference("a", "b", ""), "not a reference"),
        (cast("Value", None), "not a kind of value"),
    ],
)
def test_what_no_text_holds_is_refused(value: Value, reason: str) -> None:
    with pytest.raises(Unwritable, match=reason) as caught:
        write_value(value, field="f")
    assert caught.value.field == "f"
    assert caught.value.details == {"field": "f"}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1e22, "10000000000000000000000.0"),
        (1e-7, "0.0000001"),
        (Currency(Decimal("1E+3"), "EUR"), "1000 EUR"),
        (Moment(date(33, 1, 1)), "0033-01-01"),
        (Moment(date(2025, 1, 1), time(9, 0, 5), -330), "2025-01-01 at 09:00:05 UTC-5:30"),
        ("", '""'),
        ("a\n\n  b", '"""\n    a\n\n      b\n    """'),
    ],
)
def test_values_are_written(value: Value, written: str) -> None:
    assert write_value(value) == written
    assert read(f"a b {{ c = {written} }}", "").diagnostics == []


def test_entries_keep_their_layout() -> None:
    entry = write_entry("t", "x", {"a": "1\n2"}, Layout("\t", "\r\n"))
    assert entry == 't x {\r\n\ta = """\r\n\t1\r\n\t2\r\n\t"""\r\n}\r\n'
    assert write_entry("t", "x", {}) == "t x {\n}\n"


def test_a_schema_reads_back() -> None:
    schema = Schema(
        "s",
        (
            FieldSpec("a", "list", item_type="reference", target=("t", "u"), description="who", unique=True),
            FieldSpec("b", "float", required=True, min=0, max=1.5, embed=True),
            FieldSpec("c", "string", pattern="[a-z]+"),
            FieldSpec("d", "enum", allowed_values=("x", "y")),
        ),
        closed=True,
        description="what it is",
    )
    found = read(write_schema(schema), "")
    assert found.diagnostics == []
    assert found.schemas == [schema]
