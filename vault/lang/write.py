"""Values and entries → Firm text that reads back unchanged."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from vault.errors import VaultError
from vault.lang.lower import dedent
from vault.lang.parse import DEPTH_LIMIT
from vault.model.keys import is_identifier
from vault.model.schema import FieldSpec, Schema
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

INDENT = "    "


class Unwritable(VaultError):
    """A value no Firm text reads back as; the field is named."""

    code = "unwritable"

    def __init__(self, field: str, reason: str, hint: str = "") -> None:
        super().__init__(f"`{field}` cannot be written: {reason}", hint=hint, details={"field": field})
        self.field = field


@dataclass(frozen=True, slots=True)
class Layout:
    """How text is laid out: the indentation of one step, the line ending, and whether items have lines of their own.

    Firm writes a list on one line; with `rows` a list of two or more items is written one item a line.
    """

    indent: str = INDENT
    newline: str = "\n"
    rows: bool = False


#: What no file holds: a NUL byte, and halves of characters, which UTF-8 cannot encode.
_UNENCODABLE = re.compile("[\0\ud800-\udfff]")


def fits_single_line(text: str) -> bool:
    """Say whether a string can stand between single quotes on its line."""
    return '"' not in text and "\n" not in text and "\r" not in text and not _UNENCODABLE.search(text)


def fits_string(text: str) -> bool:
    """Say whether any string form reads back as exactly `text`."""
    if fits_single_line(text):
        return True
    if '"""' in text or "\r" in text or _UNENCODABLE.search(text):
        return False
    return dedent(f"\n{text}\n") == text


def write_value(value: Value, *, field: str = "value", indent: str = INDENT, rows: bool = False) -> str:
    """Write a value; with `rows` a list of two or more items one item a line.

    `indent` is that of the line the value begins on, and of a multi-line string's content.
    Raises `Unwritable` for what no text reads back as: a string no form holds, a number that is not
    finite, a list of several kinds.
    """
    if isinstance(value, str):
        return _string(value, field, indent)
    if isinstance(value, tuple):
        return _list(value, field, indent, rows=rows)
    if isinstance(value, (PathValue, EnumValue)):
        if not fits_single_line(value.text):
            raise Unwritable(field, "a path or enum holds no quote and no line break")
        return f'{"path" if isinstance(value, PathValue) else "enum"}"{value.text}"'
    if isinstance(value, Moment):
        return _moment(value, field)
    if isinstance(value, Reference):
        return _reference(value, field)
    return _number(value, field)


def _number(value: Value, field: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value, field)
    if isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise Unwritable(field, "an integer has at most 64 bits")
        return str(value)
    if isinstance(value, Currency):
        if not value.amount.is_finite() or not is_currency_code(value.code):
            raise Unwritable(field, f"{value.amount} {value.code} is not an amount of a currency")
        return str(value)
    raise Unwritable(field, f"{type(value).__name__} is not a kind of value")


def _list(items: tuple[Value, ...], field: str, indent: str, *, rows: bool) -> str:
    if _depth(items) > DEPTH_LIMIT:
        raise Unwritable(field, f"lists nest at most {DEPTH_LIMIT} deep")
    rows = rows and len(items) > 1
    inner = indent + INDENT if rows else indent
    written = [write_value(item, field=field, indent=inner, rows=rows) for item in items]
    if len({kind_of(item) for item in items}) > 1:
        raise Unwritable(field, "the items of a list are of one kind")
    if not rows:
        return f"[{', '.join(written)}]"
    lines = "".join(f"\n{indent}{INDENT}{item}," for item in written)
    return f"[{lines}\n{indent}]"


def _depth(value: Value) -> int:
    """How deep lists nest, counted no further than one past the limit."""
    depth, lists = 0, [value] if isinstance(value, tuple) else []
    while lists and depth <= DEPTH_LIMIT:
        depth, lists = depth + 1, [inner for item in lists for inner in item if isinstance(inner, tuple)]
    return depth


def _moment(moment: Moment, field: str) -> str:
    if moment.clock is None and moment.offset is not None:
        raise Unwritable(field, "write the zone after the time")
    if moment.clock is not None and (moment.clock.microsecond or moment.clock.tzinfo):
        raise Unwritable(field, "a time has no fractions of a second, and its zone is kept beside it")
    if abs(moment.offset or 0) > OFFSET_MAX:
        raise Unwritable(field, "a zone is less than 15 hours from UTC")
    return str(moment)


def _reference(reference: Reference, field: str) -> str:
    parts = [reference.type, reference.id, *([] if reference.field is None else [reference.field])]
    if not all(is_identifier(part) for part in parts):
        raise Unwritable(field, f"`{reference}` is not a reference")
    return str(reference)


def _string(text: str, field: str, indent: str) -> str:
    if fits_single_line(text):
        return f'"{text}"'
    if not fits_string(text):
        raise Unwritable(
            field,
            "a string with quotes or line breaks holds no three quotes in a row, no outer blanks, "
            "no common indentation and no carriage return",
            "shorten or trim it, or keep a long text in the file that `text_file` names",
        )
    body = "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))
    return f'"""\n{body}\n{indent}"""'


def _float(number: float, field: str) -> str:
    if not math.isfinite(number):
        raise Unwritable(field, f"{number} is not a finite number")
    written = f"{Decimal(repr(number)):f}"  # Firm has no exponents
    return written if "." in written else f"{written}.0"


def write_field(name: str, value: Value, indent: str = INDENT, *, rows: bool = False) -> str:
    """Write `name = value` without its own indentation or line end."""
    return f"{name} = {write_value(value, field=name, indent=indent, rows=rows)}"


def write_entry(kind: str, ident: str, fields: Mapping[str, Value], layout: Layout | None = None) -> str:
    """Write an entry with its fields in the order given, ending in a line end."""
    layout = layout or Layout()
    lines = [f"{kind} {ident} {{"]
    lines += [
        f"{layout.indent}{write_field(name, value, layout.indent, rows=layout.rows)}" for name, value in fields.items()
    ]
    return "\n".join([*lines, "}", ""]).replace("\n", layout.newline)


def write_schema(schema: Schema, *, rows: bool = False) -> str:
    """Write a schema block; with `rows` lists of two or more items one item a line."""
    lines = [f"schema {schema.name} {{"]
    if schema.description:
        lines.append(f"{INDENT}{write_field('description', schema.description)}")
    if schema.closed:
        lines.append(f"{INDENT}closed = true")
    for spec in schema.fields:
        lines += [f"{INDENT}field {{", *(f"{INDENT * 2}{row}" for row in _settings(spec, rows=rows)), f"{INDENT}}}"]
    return "\n".join([*lines, "}", ""])


def _settings(spec: FieldSpec, *, rows: bool) -> list[str]:
    settings: list[tuple[str, Value | None]] = [
        ("name", spec.name),
        ("type", spec.type),
        ("item_type", spec.item_type),
        ("target", spec.target or None),
        ("allowed_values", spec.allowed_values),
        ("required", spec.required),
        ("description", spec.description or None),
        ("embed", spec.embed or None),
        ("min", spec.min),
        ("max", spec.max),
        ("pattern", spec.pattern or None),
        ("unique", spec.unique or None),
    ]
    return [write_field(name, value, INDENT * 2, rows=rows) for name, value in settings if value is not None]
