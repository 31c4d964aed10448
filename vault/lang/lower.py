"""Trees → entries, schemas and diagnostics."""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal

from vault.diagnostics import Diagnostic, Related, diagnostic
from vault.lang.parse import PROBLEM_LIMIT, Document, SyntaxProblem, parse
from vault.lang.schemas import read_schema
from vault.lang.syntax import BlockNode, FieldNode, Lines, ValueNode
from vault.model.entry import Entry, Place
from vault.model.schema import Schema
from vault.model.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    OFFSET_MAX,
    Currency,
    EnumValue,
    Moment,
    PathValue,
    Reference,
    Value,
    is_currency_code,
    kind_of,
)

#: The blanks Unicode calls White_Space, which is what trimming a multi-line string removes.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

_DATETIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?: at (\d{1,2}):(\d\d)(?::(\d\d))?(?: (UTC)(?:([+-])(\d{1,2})(?::(\d\d))?)?)?)?\Z"
)
_COMMENT = re.compile(r"//[^\n]*|/\*(?s:.*?)\*/")


class BadValue(ValueError):
    """A value that is written well and means nothing, such as 30 February."""

    def __init__(self, message: str, node: ValueNode, code: str = "bad-value", hint: str = "") -> None:
        super().__init__(message)
        self.node, self.code, self.hint = node, code, hint


@dataclass(slots=True)
class Lowered:
    """What a file says: its entries and schemas, and every problem in it."""

    document: Document
    path: str
    entries: list[Entry] = field(default_factory=list)
    schemas: list[Schema] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read(text: str, path: str) -> Lowered:
    """Parse and lower a file's text; `path` is where the text stands, relative to the vault."""
    return lower(parse(text), path)


def lower(document: Document, path: str) -> Lowered:
    """Turn a tree into entries and schemas with typed values."""
    result = Lowered(document, path)
    lines = document.lines
    result.diagnostics = [_from_syntax(problem, lines, path) for problem in document.problems]
    reader = _Reader(document.text, path, lines, result.diagnostics)
    for block in document.blocks:
        if block.type == "schema":
            result.schemas.append(read_schema(block, reader))
        elif block.id and not (block.broken and block.close < 0 and not block.items):
            result.entries.append(reader.entry(block))
    _say_how_many_more(document.more, reader.more, result.diagnostics)
    return result


def _from_syntax(problem: SyntaxProblem, lines: Lines, path: str) -> Diagnostic:
    return diagnostic(problem.code, problem.message, lines.span(path, problem.start, problem.end), hint=problem.hint)


def _say_how_many_more(syntax: int, values: int, found: list[Diagnostic]) -> None:
    if syntax or values:
        code = "syntax-error" if syntax else found[-1].code
        message = f"and {syntax + values} more problems in this file"
        found.append(diagnostic(code, message, found[-1].span))


class _Reader:
    """Reads the values of one text."""

    def __init__(self, text: str, path: str, lines: Lines, diagnostics: list[Diagnostic]) -> None:
        self.text = text
        self.path = path
        self.lines = lines
        self.diagnostics = diagnostics
        self.more = 0

    def report(self, code: str, message: str, start: int, end: int, *, subject: str, hint: str = "") -> None:
        """Add a diagnostic about a run of the text."""
        span = self.lines.span(self.path, start, end)
        self._add(diagnostic(code, message, span, hint=hint, subject=subject))

    def _add(self, item: Diagnostic) -> None:
        if len(self.diagnostics) < PROBLEM_LIMIT:
            self.diagnostics.append(item)
        else:
            self.more += 1

    def entry(self, block: BlockNode) -> Entry:
        """Read a block as an entry."""
        places = {node.name: self.place(node.start, node.end) for node in block.fields()}
        return Entry(
            block.type,
            block.id,
            self.values(block, f"{block.type}.{block.id}"),
            self.path,
            self.place(block.start, block.end),
            places,
            broken=block.broken,
        )

    def place(self, start: int, end: int) -> Place:
        """Locate a run of the text."""
        line = self.lines.line(start)
        last = line if end <= start else self.lines.line(end - 1)
        return Place(start, end, line, start - self.lines.starts[line - 1] + 1, last)

    def values(self, block: BlockNode, subject: str) -> dict[str, Value]:
        """Read the values of a block's own fields; the last of two with one name counts."""
        values: dict[str, Value] = {}
        seen: dict[str, FieldNode] = {}
        for node in block.fields():
            if node.name in seen:
                self._duplicate(node, seen[node.name], subject)
            seen[node.name] = node
            value = self.value(node, subject)
            if value is not None:
                values[node.name] = value
            else:
                values.pop(node.name, None)
        return values

    def _duplicate(self, node: FieldNode, first: FieldNode, subject: str) -> None:
        self._add(
            diagnostic(
                "duplicate-field",
                f"`{node.name}` is set twice",
                self.lines.span(self.path, node.start, node.name_end),
                hint="keep one of the two",
                subject=subject,
                related=(Related(self.lines.span(self.path, first.start, first.name_end), "it is set here first"),),
            )
        )

    def value(self, node: FieldNode, subject: str) -> Value | None:
        """Read a field's value; a bad one is reported and None."""
        try:
            return lower_value(self.text, node.value)
        except BadValue as error:
            if error.node.kind != "BROKEN":
                self.report(
                    error.code,
                    f"`{node.name}`: {error}",
                    error.node.start,
                    error.node.end,
                    subject=subject,
                    hint=error.hint,
                )
            return None


def lower_value(text: str, node: ValueNode) -> Value:
    """Read a value node; raises `BadValue` for what no value can be."""
    if node.kind == "LIST":
        return _list(text, node)
    read_kind = _READERS.get(node.kind)
    if read_kind is None:
        raise BadValue("not a value", node)
    return read_kind(text[node.start : node.end], node)


def _list(text: str, node: ValueNode) -> Value:
    items = tuple(lower_value(text, item) for item in node.items)
    kinds = [kind_of(item) for item in items]
    for index, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise BadValue(
                f"the items of a list are of one kind: {kinds[0]}, then {kind} at item {index + 1}",
                node.items[index],
                "heterogeneous-list",
            )
    return items


def _quoted(written: str) -> str:
    """What stands between the quotes of a path or enum; a comment before them may hold quotes too."""
    return written[written.rindex('"', 0, -1) + 1 : -1]


def _number(written: str, node: ValueNode) -> Value:
    if "." in written:
        real = float(written)
        if not math.isfinite(real):
            raise BadValue("a float is at most about 1.8 × 10³⁰⁸", node, hint="write it as a string")
        return real
    number = int(written) if len(written) <= 20 else INTEGER_MAX + 1  # noqa: PLR2004  -2**63 has 20 characters
    if not INTEGER_MIN <= number <= INTEGER_MAX:
        raise BadValue("an integer has at most 64 bits", node, hint="write it as a string or with `.0`")
    return number


def _bare(written: str) -> str:
    """The words of a value of several words, without the comments and line ends between them."""
    return " ".join((_COMMENT.sub(" ", written) if "/" in written else written).split())


def _currency(written: str, node: ValueNode) -> Value:
    amount, code = _bare(written).split(" ")
    if not is_currency_code(code):
        raise BadValue(f"{code} is not an ISO 4217 currency code", node)
    return Currency(Decimal(amount), code)


def _moment(written: str, node: ValueNode) -> Value:
    words = _bare(written)
    match = _DATETIME.match(words)
    if match is None:  # the grammar's DATETIME is this pattern with trivia spelled out
        raise BadValue(f"{words} is not a date", node)
    year, month, day, hour, minute, second, zone, sign, offset, offset_minute = match.groups()
    try:
        on = date(int(year), int(month), int(day))
        clock = time(int(hour), int(minute), int(second or 0)) if hour else None
    except ValueError as error:
        raise BadValue(f"there is no {words}: {error}", node) from error
    minutes = int(offset or 0) * 60 + int(offset_minute or 0)
    if minutes > OFFSET_MAX or int(offset_minute or 0) > 59:  # noqa: PLR2004  an hour has 60
        raise BadValue(
            f"there is no zone {words.rpartition(' ')[2]}", node, hint="zones reach from UTC-14:59 to UTC+14:59"
        )
    offset_minutes = -minutes if sign == "-" else minutes
    return Moment(on, clock, offset_minutes if zone else None)


def dedent(text: str) -> str:
    """Read the inside of a multi-line string: common indentation removed, then the whole trimmed."""
    lines = text.replace("\r\n", "\n").split("\n")
    indents = [len(line) - len(line.lstrip(WHITE_SPACE)) for line in lines if line.strip(WHITE_SPACE)]
    common = min(indents, default=0)
    return "\n".join([line[common:] for line in lines] if common else lines).strip(WHITE_SPACE)


_READERS: dict[str, Callable[[str, ValueNode], Value]] = {
    "STRING": lambda written, _: written[1:-1],
    "MSTRING": lambda written, _: dedent(written[3:-3]),
    "REFERENCE": lambda written, _: Reference(*written.split(".")),
    "BOOL": lambda written, _: written == "true",
    "NUMBER": _number,
    "ENUM": lambda written, _: EnumValue(_quoted(written)),
    "PATH": lambda written, _: PathValue(_quoted(written)),
    "CURRENCY": _currency,
    "DATETIME": _moment,
}


def syntax_errors(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those diagnostics that mean the file cannot be rewritten safely."""
    codes = ("syntax-error", "unclosed-block", "conflict-marker", "bad-encoding", "too-large")
    return [item for item in found if item.code in codes]
