"""YAML data as values."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.exchange.convert import Cell, cells_of, coerce, to_value
from vault.model.values import EnumValue, Kind, Moment, PathValue, Reference, Value, kind_of

DAY = date(2023, 9, 12)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (True, True),
        ("a", "a"),
        ("two\nlines\n\n", "two\nlines"),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (-(2**63) - 1, "-9223372036854775809"),
        (1.5, 1.5),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (DAY, Moment(DAY)),
        (datetime(2023, 9, 12, 8, 5, 7), Moment(DAY, time(8, 5, 7))),  # noqa: DTZ001  written without a zone
        (datetime(2023, 9, 12, 8, tzinfo=UTC), Moment(DAY, time(8), 0)),
        (
            datetime(2023, 9, 12, 8, tzinfo=timezone(timedelta(hours=5, minutes=30))),
            Moment(DAY, time(8), 330),
        ),
        (datetime(2023, 9, 12, 8, 0, 0, 5, tzinfo=UTC), "2023-09-12 08:00:00.000005+00:00"),
        (b"\x00\x01", "AAE="),
        ({}, "{}"),
    ],
)
def test_a_scalar_keeps_what_it_says(raw: object, value: Value) -> None:
    assert to_value(raw) == value


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ([], ()),
        ([1, 2], (1, 2)),
        (["a", None], ("a",)),
        ([1, "a", True, DAY], ("1", "a", "true", "2023-09-12")),
        ([1, 2.5], ("1", "2.5")),
        ([[1, 2], [3]], ("[1, 2]", "[3]")),
        ([{"a": DAY}, "b"], ('{"a": "2023-09-12"}', "b")),
        ({"b", "a"}, ("a", "b")),
        ([[{"b", "a"}, None]], ('[["a", "b"], null]',)),
    ],
)
def test_a_list_has_items_of_one_kind(raw: object, value: Value) -> None:
    assert to_value(raw) == value


def test_a_number_too_long_to_write_out_is_written_in_hexadecimal() -> None:
    assert to_value(10**5000) == hex(10**5000)


def test_nested_data_is_flattened_into_cells() -> None:
    data = {"a": {"b": 1, "c": {"d": "x"}}, "none": None, "rows": [{"n": "x", "k": 1}, {"n": None, "m": [1]}]}
    assert [(cell.source, cell.name, cell.value) for cell in cells_of(data, {})] == [
        ("a.b", "a_b", 1),
        ("a.c.d", "a_c_d", "x"),
        ("rows[].n", "rows_n", ("x", "")),
        ("rows[].k", "rows_k", ("1", "")),
        ("rows[].m", "rows_m", ("", "[1]")),
    ]


def test_a_mapping_names_cells_and_leaves_some_out() -> None:
    data = {"a": {"b": 1, "c": 2}, "rows": [{"n": "x", "k": 1}], "more": [{"n": 1}], "gone": {"x": 1}}
    targets = {
        "a": "z",
        "a.c": "skip",
        "rows[].n": "names",
        "rows[].k": "skip",
        "more[]": "skip",
        "gone": "skip",
    }
    assert cells_of(data, targets) == (
        Cell("a.b", "z_b", "", 1),
        Cell("rows[].n", "rows_n", "names", ("x",)),
    )


@pytest.mark.parametrize(
    ("value", "kind", "item_type", "fitted"),
    [
        ("a", "string", None, "a"),
        (2023, "string", None, "2023"),
        (("a",), "string", None, "a"),
        (("a", "b"), "string", None, None),
        ("a", "list", "string", ("a",)),
        (("a", "", "b"), "list", "string", ("a", "b")),
        ((1, 2), "list", "string", ("1", "2")),
        ((1, 2), "list", None, (1, 2)),
        ("a", "list", "integer", None),
        (1, "float", None, 1.0),
        (2**60 + 1, "float", None, None),
        ("0.50", "float", None, 0.5),
        ("half", "float", None, None),
        (True, "float", None, None),
        ("yes", "boolean", None, None),
        ("person", "enum", None, EnumValue("person")),
        ("a.md", "path", None, PathValue("a.md")),
        ("2023-09-12", "datetime", None, Moment(DAY)),
        ("2023-09-12T08:00:00.000Z", "datetime", None, Moment(DAY, time(8), 0)),
        ("2023-09-12 08:00", "datetime", None, Moment(DAY, time(8))),
        ("2023-13-12", "datetime", None, None),
        ("soon", "datetime", None, None),
        (Reference("note", "a"), "reference", None, Reference("note", "a")),
    ],
)
def test_a_value_is_fitted_to_a_kind(value: Value, kind: Kind, item_type: Kind | None, fitted: Value | None) -> None:
    made = coerce(value, kind, item_type)
    assert (made, type(made)) == (fitted, type(fitted))


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes()
    | st.datetimes(timezones=st.timezones()) | st.binary() | st.sets(st.text(max_size=3), max_size=3)
)  # fmt: skip
yaml_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), yaml_values, max_size=5))
def test_anything_yaml_says_becomes_values(data: dict[str, object]) -> None:
    for cell in cells_of(data, {}):
        items = cell.value if isinstance(cell.value, tuple) else (cell.value,)
        assert len({kind_of(item) for item in items}) <= 1
