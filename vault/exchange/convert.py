"""YAML data → values: nested data flattened into cells, and every cell made a value of one kind."""

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from vault.exchange.notes import trim_blank_lines
from vault.model.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    EnumValue,
    Kind,
    Moment,
    PathValue,
    Value,
    kind_of,
    plain_text,
)
from vault.model.yamltext import read_timestamp

SKIP = "skip"

#: A number that reading kept as it is written, such as `0.50`.
_DECIMAL = re.compile(r"[-+]?(?:\d{1,15}\.\d{0,15}|\.\d{1,15})")
_EXACT_FLOAT = 2**53
_PRINTABLE_BITS = 14_000  # Python refuses to write more than 4300 decimal digits


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of the front matter: where it stood (`a.b`, `list[].key`), and what it may be called.

    `target` is the field a mapping names for it, "" if none does.
    """

    source: str
    name: str
    target: str
    value: Value


def cells_of(data: Mapping[str, object], targets: Mapping[str, str]) -> tuple[Cell, ...]:
    """Flatten front matter: maps to `a_b`, lists of maps to lists of equal length; null is left out."""
    return tuple(cell for key, value in data.items() for cell in _cells(key, key, value, targets))


def _cells(source: str, name: str, raw: object, targets: Mapping[str, str]) -> Iterator[Cell]:
    target = targets.get(source, "")
    if raw is None or target == SKIP:
        return
    if isinstance(raw, Mapping) and raw:
        for key, value in raw.items():
            yield from _cells(f"{source}.{key}", f"{target or name}_{key}", value, targets)
    elif isinstance(raw, list) and raw and all(isinstance(row, Mapping) and row for row in raw):
        yield from _columns(source, target or name, raw, targets)
    else:
        yield Cell(source, name, target, to_value(raw))


def _columns(
    source: str, name: str, rows: Sequence[Mapping[object, object]], targets: Mapping[str, str]
) -> Iterator[Cell]:
    if targets.get(f"{source}[]") == SKIP:
        return
    for key in dict.fromkeys(key for row in rows for key in row):
        place = f"{source}[].{key}"
        target = targets.get(place, "")
        if target != SKIP:
            column = ["" if row.get(key) is None else row[key] for row in rows]
            yield Cell(place, f"{name}_{key}", target, to_value(column))


def to_value(raw: object) -> Value:
    """Make a value of anything YAML can say; what has no kind becomes its text."""
    if isinstance(raw, set | frozenset):
        raw = sorted(raw, key=str)
    if isinstance(raw, list | tuple):
        items = [_scalar(item) for item in raw if item is not None]
        kinds = {kind_of(item) for item in items}
        return tuple(items if len(kinds) == 1 else (plain_text(item) for item in items))
    return _scalar(raw)


def _scalar(raw: object) -> Value:
    match raw:
        case bool():
            return raw
        case str():
            return trim_blank_lines(raw) if "\n" in raw else raw
        case int() | float():
            return _number(raw)
        case date():
            return moment_from(raw) or str(raw)
        case time() | bytes():
            return raw.isoformat() if isinstance(raw, time) else base64.b64encode(raw).decode()
    return json.dumps(_plain(raw), ensure_ascii=False)


def _number(raw: float) -> Value:
    """Keep a number that a field can hold; write out any other."""
    if isinstance(raw, int) and not INTEGER_MIN <= raw <= INTEGER_MAX:
        return str(raw) if raw.bit_length() < _PRINTABLE_BITS else hex(raw)
    return raw if math.isfinite(raw) else str(raw)


def _plain(raw: object) -> object:
    """Make nested data fit for JSON, in an order that is the same on every run."""
    match raw:
        case Mapping():
            return {str(key): _plain(value) for key, value in raw.items()}
        case set() | frozenset():
            return sorted(map(str, raw))
        case list() | tuple():
            return [_plain(item) for item in raw]
        case None | bool():
            return raw
    value = _scalar(raw)
    return value if isinstance(value, str | int | float) else str(value)


def moment_from(raw: date) -> Moment | None:
    """Make a moment of a date or datetime; None if a moment cannot hold all of it."""
    if not isinstance(raw, datetime):
        return Moment(raw)
    offset = raw.utcoffset()
    if raw.microsecond or (offset is not None and offset % timedelta(minutes=1)):
        return None
    minutes = None if offset is None else offset // timedelta(minutes=1)
    return Moment(raw.date(), raw.time(), minutes)


def coerce(value: Value, kind: Kind, item_type: Kind | None = None) -> Value | None:
    """Fit a value to the kind a field declares; None where that would change what it says."""
    if kind == "list":
        return _coerce_list(value, item_type)
    if isinstance(value, tuple):
        return coerce(value[0], kind) if len(value) == 1 else None
    if kind == kind_of(value):
        return value
    return plain_text(value) if kind == "string" else _coerce_scalar(value, kind)


def _coerce_scalar(value: Value, kind: Kind) -> Value | None:
    match kind, value:
        case "float", int() if not isinstance(value, bool) and abs(value) <= _EXACT_FLOAT:
            return float(value)
        case "float", str() if _DECIMAL.fullmatch(value):
            return float(value)
        case "datetime", str():
            return _read_moment(value)
        case "enum", str():
            return EnumValue(value)
        case "path", str():
            return PathValue(value)
    return None


def _coerce_list(value: Value, item_type: Kind | None) -> Value | None:
    items = value if isinstance(value, tuple) else (value,)
    if item_type is None:
        return items
    fitted = [coerce(item, item_type) for item in items if item != ""]
    return None if None in fitted else tuple(item for item in fitted if item is not None)


def _read_moment(text: str) -> Moment | None:
    """Read a date or moment; a moment of ours holds seconds, so a fraction of one is left out."""
    read = read_timestamp(text.strip())
    if isinstance(read, datetime):
        read = read.replace(microsecond=0)
    return None if read is None else moment_from(read)
