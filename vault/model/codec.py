"""Values ↔ JSON: a compact exact form for derived data, and a plain form for people's programs."""

from datetime import date, time
from decimal import Decimal
from typing import Any

from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value


def pack(value: Value) -> Any:
    """Turn a value into JSON data that `unpack` turns back exactly."""
    if isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, tuple):
        return [pack(item) for item in value]
    if isinstance(value, Reference):
        return {"r": [value.type, value.id, value.field]}
    if isinstance(value, Moment):
        clock = value.clock.isoformat() if value.clock else None
        return {"m": [value.day.isoformat(), clock, value.offset]}
    if isinstance(value, Currency):
        return {"c": [str(value.amount), value.code]}
    return {"e" if isinstance(value, EnumValue) else "p": value.text}


def unpack(data: Any) -> Value:
    """Read what `pack` made."""
    if isinstance(data, list):
        return tuple(unpack(item) for item in data)
    if not isinstance(data, dict):
        return data  # type: ignore[no-any-return]  # a JSON scalar is a value
    ((kind, held),) = data.items()
    if kind == "r":
        return Reference(*held)
    if kind == "m":
        day, clock, offset = held
        return Moment(date.fromisoformat(day), time.fromisoformat(clock) if clock else None, offset)
    if kind == "c":
        return Currency(Decimal(held[0]), held[1])
    return EnumValue(held) if kind == "e" else PathValue(held)


def plain(value: Value) -> Any:
    """Turn a value into JSON a person's program reads: text for every kind JSON lacks."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, Moment):
        return iso(value)
    return str(value)


def iso(moment: Moment) -> str:
    """Write a moment as ISO 8601, with a zone only if it was written with one."""
    if moment.clock is None:
        return moment.day.isoformat()
    local = f"{moment.day.isoformat()}T{moment.clock.isoformat()}"
    if moment.offset is None:
        return local
    hours, minutes = divmod(abs(moment.offset), 60)
    sign = "-" if moment.offset < 0 else "+"
    return f"{local}Z" if moment.offset == 0 else f"{local}{sign}{hours:02d}:{minutes:02d}"
