"""From the text of a query to its tree. `query.lark` is the grammar; Lark makes the parser of it."""

import re
from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from vault.model.values import (
    OFFSET_MAX,
    Currency,
    EnumValue,
    Moment,
    PathValue,
    Reference,
    Value,
    is_currency_code,
)
from vault.query.errors import BadQuery
from vault.query.tree import (
    METADATA,
    Aggregation,
    Calculate,
    Condition,
    Count,
    Figure,
    Find,
    Limit,
    Operation,
    Operator,
    Order,
    Query,
    Related,
    Select,
    Where,
)

_PARTS = (
    *("where", "related", "order", "limit", "search"),
    *("select", "count", "sum", "average", "median"),
)
_COMPARISONS = ("contains", "startswith", "endswith", "in")
_VALUES = "a value: a text in quotes, a number, true or false, a date, an amount with its currency, or `type.id`"
_TIME = re.compile(
    r"(\d+)-(\d+)-(\d+)"
    r"(?:\s+at\s+(\d+):(\d+)(?::(\d+))?(?:\s+(UTC)(?:([+-])(\d+)(?::(\d+))?)?)?)?"
)
INTEGER_MAX = 2**63


def parse(text: str) -> Query:
    """Read a query; raises `BadQuery` with the place and what was expected there."""
    parser = _parser().parse_interactive(text)
    try:
        parser.exhaust_lexer()
        tree = parser.feed_eof()  # type: ignore[no-untyped-call]  # Lark's, without types
    except (UnexpectedCharacters, UnexpectedToken) as error:
        is_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        place = len(text) if is_end else error.pos_in_stream or 0
        accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]
        raise _unexpected(text, place, accepted) from None
    try:
        return _Build(text).transform(tree)
    except VisitError as error:
        raise error.orig_exc from None


@cache
def _parser() -> Lark:
    grammar = resources.files("vault.query").joinpath("query.lark").read_text("utf-8")
    return Lark(grammar, start="query", parser="lalr", maybe_placeholders=True)


#: What a person reads for the tokens that can follow: the first row of which all are possible.
_EXPECTED: tuple[tuple[frozenset[str], str, Sequence[str]], ...] = (
    (frozenset(["_FROM"]), "`from` and a type, as in `from actor`", ["from"]),
    (frozenset(["ALL"]), "a type, or `*` for all", ()),
    (frozenset(["_WHERE"]), f"one of {', '.join(_PARTS)}", _PARTS),
    (frozenset(["COMPARISON"]), f"a comparison: == != > < >= <= {' '.join(_COMPARISONS)}", _COMPARISONS),
    (frozenset(["MOMENT"]), _VALUES, ()),
    (frozenset(["_BAR"]), "`|` and the next part, or the end", ()),
    (frozenset(["$END", "FIELD"]), "a field, or nothing more: an aggregation is the last part of a query", ()),
    (frozenset(["$END"]), "nothing more: an aggregation is the last part of a query", ()),
    (frozenset(["COMMA"]), "`,` or `]`", ()),
    (frozenset(["FIELD"]), f"a field, or one of {', '.join(METADATA)}", ()),
    (frozenset(["DEGREE"]), "how many references away, as in `related(2)`", ()),
    (frozenset(["RPAR"]), "`)`", ()),
    (frozenset(["AMOUNT"]), "a number of entries", ()),
    (frozenset(["TEXT"]), "what to search for, in quotes", ()),
    (frozenset(["LSQB"]), "a list, as in `in [1, 2]`", ()),
)


def _unexpected(text: str, place: int, accepted: set[str]) -> BadQuery:
    """What is wrong where the grammar cannot go on, and which tokens it accepts there."""
    word = re.match(r"\S{1,20}", text[place:])
    combinator = {"and": "or", "or": "and"}.get(word[0].lower() if word else "", "")
    if combinator and f"_{combinator.upper()}" in accepted and len(accepted & {"_AND", "_OR"}) == 1:
        reason = "`and` and `or` do not go together in one `where`"
        expected, near = f"`{combinator}`: {reason}", cast("Sequence[str]", ())
    else:
        expected, near = next(row[1:] for row in _EXPECTED if row[0] <= accepted)
    present = f"`{word[0]}`" if word else "the end of the query"
    close = get_close_matches(word[0].lower(), near, n=1) if word else []
    hint = f"did you mean `{close[0]}`?" if close else ""
    return BadQuery(text, place, f"expected {expected}, not {present}", hint)


@v_args(inline=True)
class _Build(Transformer[Token, Query]):
    """Makes the values of `vault.query.tree` of Lark's tree; each method has the name of a rule."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def query(self, source: Token, *parts: Operation | Aggregation) -> Query:
        operations = [part for part in parts if not isinstance(part, Select | Count | Calculate)]
        last = parts[-1] if parts else None
        aggregation = last if isinstance(last, Select | Count | Calculate) else None
        return Query(self._text, str(source), operations, aggregation, source.start_pos or 0)

    def type(self, name: Token) -> Token:
        return name

    # -- parts

    def where(self, *conditions: Condition) -> Where:
        return Where(conditions, "and")

    def where_any(self, *conditions: Condition) -> Where:
        return Where(conditions, "or")

    def condition(self, field: Token, operator: Token, value: Value) -> Condition:
        chosen = cast("Operator", operator.lower())
        return Condition(self._field(field), chosen, value, field.start_pos or 0)

    def related(self, degree: Token | None, kind: Token | None) -> Related:
        return Related(int(degree) if degree else 1, str(kind) if kind else None)

    def order(self, field: Token, direction: Token | None) -> Order:
        return Order(self._field(field), direction is not None and direction.lower() == "desc")

    def limit(self, number: Token) -> Limit:
        return Limit(int(number))

    def search(self, words: Token) -> Find:
        return Find(words[1:-1])

    def select(self, *fields: Token) -> Select:
        return Select([self._field(field) for field in fields])

    def count(self, field: Token | None) -> Count:
        return Count(self._field(field) if field else None)

    def calculate(self, figure: Token, field: Token) -> Calculate:
        return Calculate(cast("Figure", figure.lower()), self._field(field), figure.start_pos or 0)

    def _field(self, name: Token) -> str:
        if name.startswith("@") and name not in METADATA:
            raise _unknown_metadata(self._text, name)
        return str(name)

    # -- values

    def moment(self, literal: Token) -> Moment:
        match = _TIME.fullmatch(literal)
        parts = match.groups() if match else ()
        try:
            return _moment(*parts)
        except ValueError:
            raise self._bad(literal, f"`{literal}` is not a date") from None

    def currency(self, literal: Token) -> Currency:
        number, code = literal.split()
        if not is_currency_code(code):
            raise self._bad(literal, f"`{code}` is not a currency code")
        return Currency(Decimal(number), code)

    def number(self, literal: Token) -> int | float:
        if "." in literal:
            return float(literal)
        number = int(literal)
        if not -INTEGER_MAX <= number < INTEGER_MAX:
            raise self._bad(literal, f"{literal} is larger than any integer of Firm")
        return number

    def enum(self, literal: Token) -> EnumValue:
        return EnumValue(_quoted(literal))

    def path(self, literal: Token) -> PathValue:
        return PathValue(_quoted(literal))

    def text(self, literal: Token) -> str:
        return literal[1:-1]

    def reference(self, literal: Token) -> Reference:
        kind, ident, *field = literal.split(".")
        return Reference(kind, ident, field[0] if field else None)

    def boolean(self, literal: Token) -> bool:
        return literal.lower() == "true"

    def list(self, *items: Value | None) -> tuple[Value, ...]:
        return tuple(item for item in items if item is not None)

    def _bad(self, literal: Token, problem: str) -> BadQuery:
        return BadQuery(self._text, literal.start_pos or 0, problem)


def _unknown_metadata(text: str, name: Token) -> BadQuery:
    close = get_close_matches(name.lower(), METADATA, n=1)
    problem = f"expected one of {', '.join(METADATA)}, not `{name}`"
    return BadQuery(text, name.start_pos or 0, problem, f"did you mean `{close[0]}`?" if close else "")


def _quoted(literal: str) -> str:
    """The text between the quotes that end a literal."""
    return literal[literal.index(literal[-1]) + 1 : -1]


def _moment(*parts: Any) -> Moment:
    """A moment of the groups of `_TIME`; raises `ValueError` for a day or an hour that does not exist."""
    year, month, day, hour, minute, second, zone, sign, hours, minutes = parts
    clock = time(int(hour), int(minute), int(second or 0)) if hour else None
    offset = None
    if zone:
        offset = (int(hours or 0) * 60 + int(minutes or 0)) * (-1 if sign == "-" else 1)
        if abs(offset) > OFFSET_MAX:
            raise ValueError
    return Moment(date(int(year), int(month), int(day)), clock, offset)
