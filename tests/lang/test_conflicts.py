"""Merge conflicts in a text."""

import pytest

from vault.lang.conflicts import find_conflicts, without_conflicts

WHOLE = "<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n"


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("plain", []),
        (WHOLE, [("ours\n", "theirs\n")]),
        ("<<<<<<< a\n||||||| base\nwas\n=======\ntheirs\n>>>>>>> b", [("", "theirs\n")]),
        (WHOLE + WHOLE, [("ours\n", "theirs\n")] * 2),
        ("<<<<<<< cut short\n" + WHOLE, [("ours\n", "theirs\n")]),
        ("=======\n>>>>>>> b\n" + WHOLE, [("ours\n", "theirs\n")]),
        ("<<<<<<< a\n>>>>>>> b\n=======\n", []),
        ("<<<<<<< a\nx\n=======\n=======\n||||||| c\ny\n>>>>>>> b", [("x\n", "=======\n||||||| c\ny\n")]),
        (" " + WHOLE, []),
    ],
)
def test_find_conflicts(text: str, sides: list[tuple[str, str]]) -> None:
    found = find_conflicts(text)
    assert [(text[slice(*c.ours)], text[slice(*c.theirs)]) for c in found] == sides
    assert without_conflicts(text, found).count("\n") == text.count("\n")


def test_our_side_stays_where_it_is() -> None:
    text = f"before\n{WHOLE}after"
    left = without_conflicts(text, find_conflicts(text))
    assert len(left) == len(text)
    assert left.split() == ["before", "ours", "after"]
    assert left.index("ours") == text.index("ours")
