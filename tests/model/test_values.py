"""Values: kinds, sameness, moments and paths; and their JSON."""

import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given

from tests.lang.strategies import values
from vault.model.codec import iso, pack, plain, unpack
from vault.model.entry import Entry
from vault.model.values import (
    Currency,
    EnumValue,
    Moment,
    PathValue,
    Reference,
    Value,
    moment_of,
    plain_text,
    references_in,
    same,
)

DAY = date(2025, 1, 15)
REFERENCE = Reference("a", "b")


@given(values)
def test_values_survive_json(value: Value) -> None:
    assert same(unpack(json.loads(json.dumps(pack(value)))), value)
    json.dumps(plain(value))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1.0, False),
        (1, True, False),
        ((1,), (1,), True),
        ((1,), (1, 2), False),
        ((1,), (True,), False),
        (Currency(Decimal("5.0"), "EUR"), Currency(Decimal("5.00"), "EUR"), False),
        (Currency(Decimal("1E+1"), "EUR"), Currency(Decimal(10), "EUR"), True),
        (Currency(Decimal(5), "EUR"), Currency(Decimal(5), "USD"), False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (1.0, 1.0, True),
        (Moment(DAY), Moment(DAY, time()), False),
        (EnumValue("a"), EnumValue("A"), False),
    ],
)
def test_same(left: Value, right: Value, *, expected: bool) -> None:
    assert same(left, right) is expected


def test_moments_are_instants() -> None:
    east = timezone(timedelta(hours=3))
    assert Moment(DAY, time(9), 180).instant() == datetime(2025, 1, 15, 6, tzinfo=UTC)
    assert Moment(DAY, time(9)).instant(east) == datetime(2025, 1, 15, 6, tzinfo=UTC)
    assert Moment(DAY).instant() == datetime(2025, 1, 15, tzinfo=UTC)
    assert moment_of(datetime(2025, 1, 15, 9, 0, 5, 99, tzinfo=east)) == Moment(DAY, time(6, 0, 5), 0)


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (Moment(DAY), "2025-01-15"),
        (Moment(DAY, time(9)), "2025-01-15T09:00:00"),
        (Moment(DAY, time(9), 0), "2025-01-15T09:00:00Z"),
        (Moment(DAY, time(9), -330), "2025-01-15T09:00:00-05:30"),
        (Moment(DAY, time(9), 60), "2025-01-15T09:00:00+01:00"),
    ],
)
def test_iso(moment: Moment, written: str) -> None:
    assert iso(moment) == plain(moment) == written


@pytest.mark.parametrize(
    ("text", "file", "path"),
    [
        ("./a.md", "x.firm", "./a.md"),
        ("a.md", "d/x.firm", "./d/a.md"),
        ("../a.md", "d/e/x.firm", "./d/a.md"),
        ("../../a.md", "d/x.firm", "../a.md"),
        ("/a.md", "d/x.firm", "/a.md"),
        ("b/../../c//./a.md", "d/x.firm", "./c/a.md"),
        ("..", "d/x.firm", "./"),
    ],
)
def test_paths_from_the_root(text: str, file: str, path: str) -> None:
    assert PathValue(text).from_root(file) == path


def test_values_shown_to_people() -> None:
    held: Value = (True, False)
    assert plain_text(held) == "true, false"
    assert plain_text((REFERENCE, Reference("a", "b", "c"))) == "a.b, a.b.c"
    assert plain(((Currency(Decimal("5.00"), "EUR"), 1), (PathValue("p"), True))) == [["5.00 EUR", 1], ["p", True]]


def test_references_of_an_entry() -> None:
    entry = Entry("t", "x", {"a": ((REFERENCE,), ()), "b": "a.b", "c": REFERENCE})
    assert references_in("a.b") == []
    assert entry.references() == [("a", REFERENCE), ("c", REFERENCE)]


def test_what_an_entry_is_called() -> None:
    assert Entry("t", "x", {"name": " ", "statement": "it holds"}).name == "it holds"
    assert Entry("t", "x", {"name": 5}).name == "x"
    entry = Entry("t", "x", {"name": "N", "aliases": ("a", "b"), "tags": "one", "other": 5, "numbers": (1, 2)})
    assert (entry.name, entry.key) == ("N", "t.x")
    assert [entry.texts(name) for name in ("aliases", "tags", "other", "numbers", "none")] == [
        ["a", "b"],
        ["one"],
        [],
        [],
        [],
    ]
