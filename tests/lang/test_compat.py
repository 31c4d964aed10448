"""What plain Firm does not read, and how it spells ids."""

import pytest

from vault.lang.compat import extensions, firm_id


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("-1", "below zero"),
        ("-0.5", "below zero"),
        ("-5.00 USD", "below zero"),
        ("2025-01-01 at 9:00:30", "seconds"),
        ("2025-01-01 at 9:00:00 UTC+3", "seconds"),
        ("2025-01-01 at 9:00 UTC+5:30", "minutes"),
        ("[[1], [-2]]", "below zero"),
    ],
)
def test_an_extension_is_found(value: str, words: str) -> None:
    (found,) = extensions(f"t x {{ a = {value} }}", "p")
    assert (found.code, found.subject) == ("firm-incompatible", "t.x")
    assert words in found.message


def test_what_firm_reads_is_no_extension() -> None:
    text = 't x { a = 1 b = "-1" c = 2025-01-01 at 9:00 UTC-7 d = [1.5, 2.0] e = 5.00 USD f = enum"-1" }'
    assert extensions(text, "p") == []


def test_extensions_are_found_in_nested_blocks_and_schemas() -> None:
    found = extensions("schema s { field { min = -1 } }\nt x { in { ner { a = -2 } } b = [-3, -4] }", "p")
    assert [(item.subject, item.span.line) for item in found] == [("schema s", 1), *[("t.x", 2)] * 3]


@pytest.mark.parametrize(
    ("ident", "kept"),
    [
        ("john_doe", "john_doe"),
        ("JohnDoe", "john_doe"),
        ("p1", "p_1"),
        ("p_1", "p_1"),
        ("HTTPServer2x", "http_server_2_x"),
    ],
)
def test_firm_id_has_underscores(ident: str, kept: str) -> None:
    assert firm_id(ident) == kept
