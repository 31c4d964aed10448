"""Input made to hurt: it is read to its end, with few words about it."""

import pytest

from vault.lang.format import format_text
from vault.lang.lower import read
from vault.lang.parse import PROBLEM_LIMIT

MEGABYTE = 1_000_000
MANY = 200_000

HOSTILE = {
    "quotes": '"' * MEGABYTE,
    "unclosed strings": '"a\n' * (MANY // 3),
    "unclosed multi-line string": '"""' + 'a"' * (MANY // 2),
    "opening braces": "{" * MANY,
    "closing braces": "}" * MANY,
    "open blocks": "a b {" * (MANY // 5),
    "nested blocks": f"a b {{{'x{' * 100_000}{'}' * 100_001}",
    "nested lists": f"a b {{ x = {'[' * 100_000}{']' * 100_000} }}",
    "open lists": f"a b {{ x = {'[' * MANY}",
    "commas": f"a b {{ x = [{',' * MANY}",
    "comment openings": "/*" * (MANY // 2),
    "stars": "/*" + "*" * MEGABYTE,
    "numbers and comments": f"a b {{ x = {'1 /* c */ ' * 100_000}}}",
    "a number and a comment without end": "a b { x = 1 " + "/* " * 300_000,
    "dates and blanks": f"a b {{ x = 2025-01-15{' ' * 300_000}at{' ' * 300_000}x }}",
    "digits": f"a b {{ x = {'1' * MEGABYTE}x }}",
    "fields without values": f"a b {{ {'x= ' * (MANY // 3)}}}",
    "bad values": f"a b {{ {'x=99999999999999999999 ' * 40_000}}}",
    "conflict openings": "<<<<<<< a\n" * (MANY // 10),
    "conflict middles": "<<<<<<< a\n" + "||||||| b\n" * 50_000 + "=======\n" * 50_000,
    "paths": "path /* " * (MANY // 8),
    "NUL": "\0" * MEGABYTE,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_ends_in_few_diagnostics(text: str) -> None:
    found = read(text, "x.firm")
    assert 1 <= len(found.diagnostics) <= PROBLEM_LIMIT + 1
    assert format_text(text) == text or not found.document.problems


def test_problems_beyond_the_limit_are_counted() -> None:
    found = read(f"a b {{ {'x= ' * 150}}} c d {{ y = 2025-02-30 }}", "x.firm").diagnostics
    assert len(found) == PROBLEM_LIMIT + 1
    assert found[-1].code == "syntax-error"
    assert found[-1].message == "and 200 more problems in this file"
    values = read(f"a b {{ {' '.join(f'x{n} = 2025-02-30' for n in range(150))} }}", "x.firm").diagnostics
    assert (values[-1].code, values[-1].message) == ("bad-value", "and 50 more problems in this file")
