"""Values and entries → Firm text that reads back unchanged."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from vault.errors import VaultError
from vault.lang.lower import WHITE_SPACE, dedent
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value

INDENT = "    "


class Unwritable(VaultError):
    """A value no Firm text reads back as; the field is named."""

    code = "unwritable"

    def __init__(self, field: str, reason: str, hint: str = "") -> None:
        super().__init__(f"`{field}` cannot be written: {reason}", hint=hint, details={"field": field})
        self.field = field


@dataclass(frozen=True, slots=True)
class Layout:
    """How text is laid out: the indentation of one step and the line ending."""

    indent: str = INDENT
    newline: str = "\n"


def fits_single_line(text: str) -> bool:
    """Say whether a string can stand between single quotes on its line."""
    return '"' not in text and "\n" not in text and "\r" not in text


def fits_string(text: str) -> bool:
    """Say whether any string form reads back as exactly `text`."""
    if fits_single_line(text):
        return True
    return '"""' not in text and "\r" not in text and "\0" not in text and dedent(f"\n{text}\n") == text


def write_value(value: Value, *, field: str = "value", indent: str = INDENT) -> str:
    """Write a value; `indent` is that of the line a multi-line string's content stands on.

    Raises `Unwritable` for a string no form holds, and for a number that is not finite.
    """
    if isinstance(value, str):
        return _string(value, field, indent)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value, field)
    if isinstance(value, tuple):
        return "[" + ", ".join(write_value(item, field=field, indent=indent) for item in value) + "]"
    if isinstance(value, (PathValue, EnumValue)):
        if not fits_single_line(value.text):
            raise Unwritable(field, "a path or enum holds no quote and no line break")
        return f'{"path" if isinstance(value, PathValue) else "enum"}"{value.text}"'
    if isinstance(value, (int, Currency, Moment, Reference)):
        return str(value)
    raise Unwritable(field, f"{type(value).__name__} is no kind of value")


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


def write_field(name: str, value: Value, indent: str = INDENT) -> str:
    """Write `name = value` without its own indentation or line end."""
    return f"{name} = {write_value(value, field=name, indent=indent)}"


def write_entry(kind: str, ident: str, fields: Mapping[str, Value], layout: Layout | None = None) -> str:
    """Write an entry with its fields in the order given, ending in a line end."""
    layout = layout or Layout()
    lines = [f"{kind} {ident} {{"]
    lines += [f"{layout.indent}{write_field(name, value, layout.indent)}" for name, value in fields.items()]
    return "\n".join([*lines, "}", ""]).replace("\n", layout.newline)


def write_entries(entries: list[tuple[str, str, Mapping[str, Value]]], layout: Layout, between: str) -> str:
    """Write several entries with `between` (such as an empty line) between two."""
    return between.join(write_entry(kind, ident, fields, layout) for kind, ident, fields in entries)


def write_schema(schema: Schema) -> str:
    """Write a schema block."""
    lines = [f"schema {schema.name} {{"]
    if schema.description:
        lines.append(f"{INDENT}{write_field('description', schema.description)}")
    if schema.closed:
        lines.append(f"{INDENT}closed = true")
    for spec in schema.fields:
        lines += [f"{INDENT}field {{", *(f"{INDENT * 2}{row}" for row in _settings(spec)), f"{INDENT}}}"]
    return "\n".join([*lines, "}", ""])


def _settings(spec: FieldSpec) -> list[str]:
    rows: list[tuple[str, Value | None]] = [
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
    return [write_field(name, value, INDENT * 2) for name, value in rows if value is not None]


def trim_outer_blank_lines(text: str) -> str:
    """Drop the blank lines around a text; its first line keeps its indentation."""
    lines = text.split("\n")
    while lines and not lines[0].strip(WHITE_SPACE):
        lines.pop(0)
    while lines and not lines[-1].strip(WHITE_SPACE):
        lines.pop()
    return "\n".join(lines)
