"""Input made to hurt: it is read to its end, with few words about it."""

import pytest

from tests.endurance import amount
from vault.lang.format import format_text
from vault.lang.lower import read
from vault.lang.parse import PROBLEM_LIMIT

MEGABYTE = amount(200_000, 1_000_000)
MANY = amount(40_000, 200_000)
DEEP = MANY // 2

HOSTILE = {
    "quotes": '"' * MEGABYTE,
    "unclosed strings": '"a\n' * (MANY // 3),
    "unclosed multi-line string": '"""' + 'a"' * (MANY // 2),
    "opening braces": "{" * MANY,
    "closing braces": "}" * MANY,
    "open blocks": "a b {" * (MANY // 5),
    "nested blocks": f"a b {{{'x{' * DEEP}{'}' * (DEEP + 1)}",
    "nested lists": f"a b {{ x = {'[' * DEEP}{']' * DEEP} }}",
    "open lists": f"a b {{ x = {'[' * MANY}",
    "commas": f"a b {{ x = [{',' * MANY}",
    "comment openings": "/*" * (MANY // 2),
    "stars": "/*" + "*" * MEGABYTE,
    "numbers and comments": f"a b {{ x = {'1 /* c */ ' * DEEP}}}",
    "a number and a comment without end": "a b { x = 1 " + "/* " * MANY,
    "dates and blanks": f"a b {{ x = 2025-01-15{' ' * MANY}at{' ' * MANY}x }}",
    "digits": f"a b {{ x = {'1' * MEGABYTE}x }}",
    "fields without values": f"a b {{ {'x= ' * (MANY // 3)}}}",
    "bad values": f"a b {{ {'x=99999999999999999999 ' * (MANY // 5)}}}",
    "conflict openings": "<<<<<<< a\n" * (MANY // 10),
    "conflict middles": "<<<<<<< a\n" + "||||||| b\n" * (MANY // 4) + "=======\n" * (MANY // 4),
    "paths": "path /* " * (MANY // 8),
    "NUL": "\0" * MEGABYTE,
}


@pytest.mark.endurance
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
