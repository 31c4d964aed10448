"""From the text of a query to what it says."""

import re
from collections.abc import Callable, Sequence
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from typing import NoReturn, cast

from vault.model.values import OFFSET_MAX, Currency, EnumValue, Moment, PathValue, Reference, Value, is_currency_code
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

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELD = re.compile(r"@?[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(r"==|!=|>=|<=|>|<|(?:contains|startswith|endswith|in)\b", re.IGNORECASE)
_COMBINATOR = re.compile(r"(?:and|or)\b", re.IGNORECASE)
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:\s+at\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s+(UTC)(?:([+-])(\d{1,2})(?::(\d{2}))?)?)?)?(?![\w-])"
)
_CURRENCY = re.compile(r"(-?\d+(?:\.\d+)?)\s+([A-Z]{3})(?![A-Za-z0-9_])")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])")
_TEXT = re.compile(r'"[^"]*"|' + r"'[^']*'")
_TYPED = re.compile(r"""(enum|path)\s*("[^"]*"|'[^']*')""")
_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\.([A-Za-z_][A-Za-z0-9_]*)(?:\.([A-Za-z_][A-Za-z0-9_]*))?(?![\w.])")

_OPERATIONS = ("where", "related", "order", "limit", "search")
_AGGREGATIONS = ("select", "count", "sum", "average", "median")
_VALUES = "a value: a text in quotes, a number, true or false, a date, an amount with its currency, or `type.id`"
INTEGER_MAX = 2**63


def parse(text: str) -> Query:
    """Read a query; raises `BadQuery` with the place and what was expected there."""
    return _Parser(text).query()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    # -- what stands next

    def skip(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self.skip()
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def sign(self, sign: str) -> bool:
        self.skip()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def word(self, *words: str) -> str | None:
        """Take one of some words, in any case."""
        self.skip()
        match = _WORD.match(self.text, self.at)
        if match is None or match[0].lower() not in words:
            return None
        self.at = match.end()
        return match[0].lower()

    def fail(self, expected: str, *, near: Sequence[str] = (), at: int | None = None) -> NoReturn:
        self.skip()
        place = self.at if at is None else at
        found = re.match(r"\S{1,20}", self.text[place:])
        told = f"`{found[0]}`" if found else "the end of the query"
        close = get_close_matches(found[0].lower(), near, n=1) if found else []
        raise BadQuery(
            self.text, place, f"expected {expected}, not {told}", f"did you mean `{close[0]}`?" if close else ""
        )

    # -- the parts of a query

    def query(self) -> Query:
        if not self.word("from"):
            self.fail("`from` and a type, as in `from actor`", near=["from"])
        self.skip()
        start = self.at
        match = None if self.sign("*") else self.take(_WORD)
        if match is None and self.text[start : start + 1] != "*":
            self.fail("a type, or `*` for all")
        operations: list[Operation] = []
        while self.sign("|"):
            found = self.operation()
            if isinstance(found, (Select, Count, Calculate)):
                self.end("nothing more: an aggregation is the last part of a query")
                return Query(self.text, match[0] if match else "*", operations, found, start)
            operations.append(found)
        self.end("`|` and the next part, or the end")
        return Query(self.text, match[0] if match else "*", operations, None, start)

    def end(self, expected: str) -> None:
        self.skip()
        if self.at < len(self.text):
            self.fail(expected)

    def operation(self) -> Operation | Aggregation:
        self.skip()
        start = self.at
        name = self.word(*_OPERATIONS, *_AGGREGATIONS)
        if name is None:
            names = (*_OPERATIONS, *_AGGREGATIONS)
            self.fail(f"one of {', '.join(names)}", near=names)
        return _PARTS[name](self, start)

    def where(self, _: int) -> Where:
        conditions = [self.condition()]
        combinator = ""
        while match := self.take(_COMBINATOR):
            word = match[0].lower()
            if combinator and word != combinator:
                self.fail(f"`{combinator}`: `and` and `or` do not go together in one `where`", at=match.start())
            combinator = word
            conditions.append(self.condition())
        return Where(conditions, "or" if combinator == "or" else "and")

    def condition(self) -> Condition:
        self.skip()
        start = self.at
        name = self.field()
        match = self.take(_OPERATOR)
        if match is None:
            words = ("contains", "startswith", "endswith", "in")
            self.fail(f"a comparison: == != > < >= <= {' '.join(words)}", near=words)
        operator = cast("Operator", match[0].lower())
        self.skip()
        if operator == "in" and not self.text.startswith("[", self.at):
            self.fail("a list, as in `in [1, 2]`")
        return Condition(name, operator, self.value(), start)

    def field(self) -> str:
        match = self.take(_FIELD)
        if match is None:
            self.fail(f"a field, or one of {', '.join(METADATA)}")
        if match[0].startswith("@") and match[0] not in METADATA:
            self.fail(f"one of {', '.join(METADATA)}", near=METADATA, at=match.start())
        return match[0]

    def related(self, _: int) -> Related:
        degree = 1
        if self.sign("("):
            match = self.take(re.compile(r"\d+"))
            if match is None:
                self.fail("how many references away, as in `related(2)`")
            degree = int(match[0])
            if not self.sign(")"):
                self.fail("`)`")
        kind = self.take(_WORD)
        return Related(degree, kind[0] if kind else None)

    def order(self, _: int) -> Order:
        name = self.field()
        return Order(name, self.word("asc", "desc") == "desc")

    def limit(self, _: int) -> Limit:
        match = self.take(re.compile(r"\d+(?![\w.])"))
        if match is None:
            self.fail("a number of entries")
        return Limit(int(match[0]))

    def search(self, _: int) -> Find:
        match = self.take(_TEXT)
        if match is None:
            self.fail("what to search for, in quotes")
        return Find(match[0][1:-1])

    def select(self, _: int) -> Select:
        fields = [self.field()]
        while self.sign(","):
            fields.append(self.field())
        return Select(fields)

    def count(self, _: int) -> Count:
        self.skip()
        return Count(self.field() if self.text[self.at : self.at + 1] not in ("", "|") else None)

    def calculate(self, start: int) -> Calculate:
        figure = cast("Figure", self.text[start : self.at].lower())
        return Calculate(figure, self.field(), start)

    # -- values

    def value(self) -> Value:
        self.skip()
        for pattern, make in _LITERALS:
            start = self.at
            match = self.take(pattern)
            if match and (value := make(self, match)) is not None:
                return value
            self.at = start
        if self.sign("["):
            return self.items()
        word = self.word("true", "false")
        if word is None:
            self.fail(_VALUES)
        return word == "true"

    def items(self) -> tuple[Value, ...]:
        items: list[Value] = []
        while not self.sign("]"):
            items.append(self.value())
            if not self.sign(",") and not self.text[self.at :].lstrip().startswith("]"):
                self.fail("`,` or `]`")
        return tuple(items)

    def moment(self, match: re.Match[str]) -> Moment:
        year, month, day, hour, minute, second, zone, sign, hours, minutes = match.groups()
        try:
            clock = time(int(hour), int(minute), int(second or 0)) if hour else None
            offset = (int(hours or 0) * 60 + int(minutes or 0)) * (-1 if sign == "-" else 1) if zone else None
            if abs(offset or 0) > OFFSET_MAX:
                raise ValueError  # noqa: TRY301  as `date` says it
            return Moment(date(int(year), int(month), int(day)), clock, offset)
        except ValueError:
            raise BadQuery(self.text, match.start(), f"`{match[0]}` is not a date") from None

    def currency(self, match: re.Match[str]) -> Currency | None:
        return Currency(Decimal(match[1]), match[2]) if is_currency_code(match[2]) else None

    def number(self, match: re.Match[str]) -> int | float:
        if "." in match[0]:
            return float(match[0])
        number = int(match[0])
        if not -INTEGER_MAX <= number < INTEGER_MAX:
            raise BadQuery(self.text, match.start(), f"{match[0]} is larger than any integer of Firm")
        return number

    def typed(self, match: re.Match[str]) -> EnumValue | PathValue:
        held = match[2][1:-1]
        return EnumValue(held) if match[1] == "enum" else PathValue(held)


_Part = Callable[[_Parser, int], Operation | Aggregation]
_PARTS: dict[str, _Part] = {
    "where": _Parser.where,
    "related": _Parser.related,
    "order": _Parser.order,
    "limit": _Parser.limit,
    "search": _Parser.search,
    "select": _Parser.select,
    "count": _Parser.count,
    "sum": _Parser.calculate,
    "average": _Parser.calculate,
    "median": _Parser.calculate,
}
_LITERALS: tuple[tuple[re.Pattern[str], Callable[[_Parser, re.Match[str]], Value | None]], ...] = (
    (_MOMENT, _Parser.moment),
    (_CURRENCY, _Parser.currency),
    (_NUMBER, _Parser.number),
    (_TYPED, _Parser.typed),
    (_TEXT, lambda _, match: match[0][1:-1]),
    (_REFERENCE, lambda _, match: Reference(match[1], match[2], match[3])),
)
