"""The values a field can hold.

Booleans, strings, integers and floats are Python's own; a list is a tuple. The other kinds are the
frozen classes below. `kind_of` names a value's kind as schemas do.
"""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from vault.model.currencies import CURRENCIES

Kind = Literal[
    "boolean",
    "string",
    "integer",
    "float",
    "currency",
    "datetime",
    "reference",
    "list",
    "path",
    "enum",
]
KINDS: tuple[Kind, ...] = (
    "boolean",
    "string",
    "integer",
    "float",
    "currency",
    "reference",
    "list",
    "datetime",
    "path",
    "enum",
)

INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1
#: No zone is further from UTC than this many minutes.
OFFSET_MAX = 14 * 60 + 59


@dataclass(frozen=True, slots=True)
class Currency:
    """An exact amount in an ISO 4217 currency; trailing zeros are part of the value."""

    amount: Decimal
    code: str

    def __str__(self) -> str:
        return f"{self.amount:f} {self.code}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, or a date and time, with or without the zone it was written with.

    `clock` is None for a bare date; `offset` is minutes east of UTC, None where none was written.
    """

    day: date
    clock: time | None = None
    offset: int | None = None

    def instant(self, local: tzinfo | None = None) -> datetime:
        """Return the aware instant; a moment without a zone is read in `local` (the machine's if None)."""
        naive = datetime.combine(self.day, self.clock or time())
        if self.offset is not None:
            return naive.replace(tzinfo=timezone(timedelta(minutes=self.offset)))
        try:
            return naive.replace(tzinfo=local) if local else naive.astimezone()
        except (ValueError, OverflowError):  # the machine's zone knows no offset at the ends of the calendar
            return naive.replace(tzinfo=UTC)

    def __str__(self) -> str:
        if self.clock is None:
            return self.day.isoformat()
        clock = f"{self.clock:%H:%M:%S}" if self.clock.second else f"{self.clock:%H:%M}"
        return f"{self.day.isoformat()} at {clock}{offset_text(self.offset)}"


def offset_text(offset: int | None) -> str:
    """Write an offset in minutes as ` UTC`, ` UTC+3` or ` UTC+5:30`; nothing for None."""
    if offset is None:
        return ""
    if offset == 0:
        return " UTC"
    hours, minutes = divmod(abs(offset), 60)
    sign = "-" if offset < 0 else "+"
    return f" UTC{sign}{hours}" + (f":{minutes:02d}" if minutes else "")


def moment_of(instant: datetime) -> Moment:
    """Make a moment of an aware datetime, to the second, in UTC."""
    utc = instant.astimezone(UTC).replace(microsecond=0)
    return Moment(utc.date(), utc.time(), 0)


@dataclass(frozen=True, slots=True)
class Reference:
    """`type.id`, or `type.id.field` for a field of an entry."""

    type: str
    id: str
    field: str | None = None

    @property
    def key(self) -> str:
        """The entry the reference names: `type.id`."""
        return f"{self.type}.{self.id}"

    def __str__(self) -> str:
        return self.key if self.field is None else f"{self.key}.{self.field}"


@dataclass(frozen=True, slots=True)
class PathValue:
    """A path as it was written: relative to the file it stands in, or absolute."""

    text: str

    def from_root(self, file: str) -> str:
        """Return the path relative to the workspace root, given the file it stands in.

        Normalised with a leading `./`; one that leaves the root keeps its `../`; absolute stays.
        """
        if self.text.startswith("/"):
            return self.text
        parts: list[str] = []
        for part in PurePosixPath(file).parent.joinpath(self.text).parts:
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        joined = "/".join(parts)
        return joined if joined.startswith("..") else f"./{joined}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class EnumValue:
    """One of a schema's allowed values; compared trimmed and without case."""

    text: str

    @property
    def folded(self) -> str:
        """The form two enum values are compared in."""
        return self.text.strip().casefold()

    def __str__(self) -> str:
        return self.text


Scalar: TypeAlias = bool | str | int | float | Currency | Moment | Reference | PathValue | EnumValue
Value: TypeAlias = Scalar | tuple["Value", ...]


_KINDS: dict[type, Kind] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "float",
    Currency: "currency",
    Moment: "datetime",
    Reference: "reference",
    PathValue: "path",
    EnumValue: "enum",
    tuple: "list",
}


def kind_of(value: Value) -> Kind:
    """Name the kind of a value, as a schema would."""
    return _KINDS[type(value)]


def same(left: Value, right: Value) -> bool:
    """Say whether two values are the same in kind and in every digit (`5.0` is not `5.00`)."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, Currency) and isinstance(right, Currency):
        return str(left) == str(right)
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return left == right


def is_currency_code(code: str) -> bool:
    """Say whether `code` is an active or historic ISO 4217 code."""
    return code in CURRENCIES


def references_in(value: Value) -> list[Reference]:
    """List the references a value holds, in order, however deep in lists."""
    if isinstance(value, Reference):
        return [value]
    if isinstance(value, tuple):
        return [found for item in value for found in references_in(item)]
    return []


def plain_text(value: Value) -> str:
    """Show a value to a person: strings bare, lists joined by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(plain_text(item) for item in value)
    return str(value)


def from_root(value: Value, file: str) -> Value:
    """A value of an entry in a file, with its paths counted from the workspace root; a URL stays as it is."""
    if isinstance(value, tuple):
        return tuple(from_root(item, file) for item in value)
    is_path = isinstance(value, PathValue) and "://" not in value.text
    return PathValue(value.from_root(file)) if isinstance(value, PathValue) and is_path else value
