"""YAML, read safely."""

from datetime import date

import pytest

from vault.model.yamltext import YamlError, read_yaml, write_yaml


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
