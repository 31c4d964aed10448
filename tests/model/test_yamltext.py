"""YAML, read safely."""

from datetime import date, datetime, timedelta, timezone

import pytest

from vault.model.yamltext import RepeatedKey, YamlError, read_timestamp, read_yaml, write_yaml


def test_yaml_is_read_and_written() -> None:
    assert read_yaml("a: [1, x]\nd: 2025-01-15\n", "x") == {"a": [1, "x"], "d": date(2025, 1, 15)}
    assert read_yaml("", "x") is None
    assert write_yaml({"b": "é", "a": [1]}) == "b: é\na:\n- 1\n"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 1\nb: [\n", 3, 1),
        ("a: 1\nb: x: y\n", 2, 5),
        ("a: b\nc: \x07\n", 2, 4),
        ("a: !!timestamp soon", 1, 1),
        ("a: !!bool soon", 1, 1),
        ("a: !!int ''", 1, 1),
        ("a: !!float x", 1, 1),
        ("a: 2025-99-99", 1, 1),
        ("a: !!python/object:os.system x", 1, 4),
        ("[a]: [b]\n? {c: d}\n: e", 1, 1),
        ("--- a\n--- b\n", 2, 1),
        ("[" * 5000 + "]" * 5000, 1, 1001),
    ],
)
def test_what_is_no_yaml_names_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(YamlError) as caught:
        read_yaml(text, "notes/a.md")
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert error.message.startswith(f"notes/a.md:{error.line}:{error.column}: ")
    assert error.problem


@pytest.mark.parametrize(
    ("text", "key", "first", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "a", 1, 3),
        ("s:\n  d: {private: true}\n  e: {}\n  d:\n    x: 1\n", "d", 2, 4),
        ("- {a: 1, b: 2, 'a': 3}\n", "a", 1, 1),
        ("1: a\ntrue: b\n", "true", 1, 2),
        ("&x a: 1\nb: *x\n'a': 2\n", "a", 1, 3),
    ],
)
def test_a_repeated_key_is_an_error_that_names_both_lines(text: str, key: str, first: int, line: int) -> None:
    with pytest.raises(RepeatedKey) as caught:
        read_yaml(text, "vault.yaml")
    error = caught.value
    assert (error.key, error.first_line, error.line) == (key, first, line)
    assert f"vault.yaml:{line}:" in error.message
    assert f"`{key}` is already on line {first}" in error.message


def test_a_merged_key_is_not_a_repeated_one() -> None:
    text = "base: &b {x: 1, y: 2}\nown: &o\n  <<: *b\n  x: 3\nthird:\n  <<: *b\n  y: 4\n"
    assert read_yaml(text, "x") == {"base": {"x": 1, "y": 2}, "own": {"x": 3, "y": 2}, "third": {"x": 1, "y": 4}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.10", "1.10"),
        ("1.5", 1.5),
        ("-2.0", -2.0),
        (".5", 0.5),
        ("3.14159265358979323846", "3.14159265358979323846"),
        (".inf", float("inf")),
        ("9:30", "9:30"),
        ("007", "007"),
        ("0x1F", 31),
        ("1_000", 1000),
        ("0", 0),
        ("2021-13-45", "2021-13-45"),
        ("2016-02-08", date(2016, 2, 8)),
        ("2016-02-08 10:40:40 -0400", datetime(2016, 2, 8, 10, 40, 40, tzinfo=timezone(timedelta(hours=-4)))),
        ("'2016-02-08'", "2016-02-08"),
    ],
)
def test_values_are_read_as_people_wrote_them(text: str, value: object) -> None:
    made = read_yaml(text, "x", as_written=True)
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("Z", 0), (" UTC", 0), ("+05:30", 330), (" -0400", -240), ("+2", 120), ("", None)],
)
def test_a_moment_keeps_its_offset(text: str, minutes: int | None) -> None:
    zone = None if minutes is None else timezone(timedelta(minutes=minutes))
    assert read_timestamp(f"2020-01-02T3:04{text}") == datetime(2020, 1, 2, 3, 4, tzinfo=zone)
