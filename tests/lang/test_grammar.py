"""The parser and the grammar agree on what a well-formed file is."""

from functools import cache
from importlib import resources

import pytest
from hypothesis import assume, example, given
from lark import Lark
from lark.exceptions import LarkError

from tests.lang.strategies import files, texts
from vault.lang.conflicts import find_conflicts
from vault.lang.parse import DEPTH_LIMIT, parse


@cache
def grammar() -> Lark:
    return Lark(resources.files("vault.lang").joinpath("firm.lark").read_text("utf-8"), parser="lalr")


def is_well_formed(text: str) -> bool:
    try:
        grammar().parse(text)
    except LarkError:
        return False
    return True


@given(texts | files())
@example("a b { x = 5 USD /* c */ = 3 }")
@example("a b { x = 2025-01-15 at 9:00 UTC // c\n { } }")
@example('a b { x = path /* " */ "p" path = 1 enum { } }')
@example("a b { x = [,] }")
@example("schema s { field { } }")
def test_the_parser_agrees_with_the_grammar(text: str) -> None:
    assume(not find_conflicts(text))
    assert is_well_formed(text) == (not parse(text).problems)


@pytest.mark.parametrize(("opening", "closing"), [("x {", "}"), ("x = [[", "]]")])
def test_only_depth_is_refused_by_the_parser_alone(opening: str, closing: str) -> None:
    fitting = f"a b {{ {'x {' * (DEPTH_LIMIT - 1)}{'}' * (DEPTH_LIMIT - 1)} }}"
    assert not parse(fitting).problems
    brackets = "[" * (DEPTH_LIMIT - 2), "]" * (DEPTH_LIMIT - 2)
    assert not parse(f"a b {{ x = [[{brackets[0]}{brackets[1]}]] }}").problems
    repeated = opening * DEPTH_LIMIT if closing == "}" else opening + "[" * DEPTH_LIMIT
    ended = closing * DEPTH_LIMIT if closing == "}" else closing + "]" * DEPTH_LIMIT
    deep = f"a b {{ {repeated}{ended} }}"
    assert is_well_formed(deep)
    assert [problem.code for problem in parse(deep).problems] == ["syntax-error"]
