"""Schemas: what fields an entry type has, and whether an entry keeps to them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache

from vault.model.entry import Entry
from vault.model.values import (
    Currency,
    EnumValue,
    Kind,
    Reference,
    Value,
    kind_of,
    plain_text,
    references_in,
)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """The declaration of a field. `item_type` and `target` narrow lists and references."""

    name: str
    type: Kind
    required: bool = False
    allowed_values: tuple[str, ...] | None = None
    description: str = ""
    embed: bool = False
    item_type: Kind | None = None
    target: tuple[str, ...] = ()
    min: float | None = None
    max: float | None = None
    pattern: str = ""
    unique: bool = False

    def structure(self) -> str:
        """Show the field as it is written in an entry, as in `kind = enum"person"`."""
        return f"{self.name} = {self.example()}"

    def example(self) -> str:
        """Show what a value looks like."""
        if self.type == "list":
            return f"[{_EXAMPLES[self.item_type or 'string']}]"
        if self.type == "enum" and self.allowed_values:
            return f'enum"{self.allowed_values[0]}"'
        if self.type == "reference" and self.target:
            return f"{self.target[0]}.some_id"
        return _EXAMPLES[self.type]


_EXAMPLES: dict[Kind, str] = {
    "boolean": "true",
    "string": '"…"',
    "integer": "42",
    "float": "0.5",
    "currency": "5.00 USD",
    "reference": "actor.some_id",
    "list": '["…"]',
    "datetime": "2025-01-15 at 17:00 UTC",
    "path": 'path"./file.pdf"',
    "enum": 'enum"…"',
}


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of one entry type; the order of fields is the order they are shown in."""

    name: str
    fields: tuple[FieldSpec, ...]
    closed: bool = False
    description: str = ""
    path: str = ""
    by_name: Mapping[str, FieldSpec] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {spec.name: spec for spec in self.fields})

    def structure(self) -> str:
        """Show what an entry of this type looks like, required fields first."""
        ordered = sorted(self.fields, key=lambda spec: not spec.required)
        lines = [f"{self.name} some_id {{"]
        lines += [f"    {spec.structure()}{'  // required' if spec.required else ''}" for spec in ordered]
        return "\n".join([*lines, "}"])


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in an entry that its schema does not allow; `field` is "" for the entry itself."""

    code: str
    field: str
    message: str
    hint: str = ""


def validate(entry: Entry, schema: Schema) -> Iterator[Finding]:
    """Find what an entry's fields and its schema disagree about."""
    for spec in schema.fields:
        if spec.required and spec.name not in entry.fields:
            yield Finding(
                "missing-field",
                spec.name,
                f"{entry.type} needs the field `{spec.name}`",
                f"add `{spec.structure()}`",
            )
    for name, value in entry.fields.items():
        declared = schema.by_name.get(name)
        if declared is None:
            yield from _undeclared(name, schema)
        else:
            yield from _check_value(value, declared)


def _undeclared(name: str, schema: Schema) -> Iterator[Finding]:
    near = _nearest(name, tuple(schema.by_name))
    hint = f"did you mean `{near}`?" if near else ""
    if schema.closed:
        allowed = ", ".join(schema.by_name)
        yield Finding(
            "unknown-field",
            name,
            f"`{name}` is not a field of {schema.name}, whose schema is closed",
            hint or f"its fields: {allowed}",
        )
    elif near:
        yield Finding("unknown-field", name, f"`{name}` is not a field of {schema.name}", hint)


@lru_cache(maxsize=4096)  # thousands of entries have the same few undeclared fields
def _nearest(name: str, known: tuple[str, ...]) -> str:
    """Return the declared name that a name is a slip of; "" for none."""
    swapped = (each for each in known if sorted(each) == sorted(name))  # letters that changed places
    return next(iter(get_close_matches(name, known, n=1, cutoff=0.8)), "") or next(swapped, "")


def _check_value(value: Value, spec: FieldSpec) -> Iterator[Finding]:
    kind = kind_of(value)
    if kind != spec.type:
        yield Finding(
            "wrong-type",
            spec.name,
            f"`{spec.name}` takes {_a(spec.type)}, not {_a(kind)}",
            f"write `{_in_form(value, spec) or spec.structure()}`",
        )
        return
    if isinstance(value, EnumValue):
        yield from _check_enum(value, spec)
    elif isinstance(value, tuple) and spec.item_type and value and kind_of(value[0]) != spec.item_type:
        yield Finding(
            "wrong-type",
            spec.name,
            f"`{spec.name}` is a list of {spec.item_type} values, not of {kind_of(value[0])}",
            f"write `{spec.structure()}`",
        )
    yield from _check_target(value, spec)
    yield from _check_bounds(value, spec)


def _in_form(value: Value, spec: FieldSpec) -> str:
    """The field with its value in the form that is asked for, where that is only a matter of writing."""
    word = value if isinstance(value, str) and '"' not in value and "\n" not in value else None
    if spec.type == "enum" and word and word.strip().casefold() in _folded(spec):
        return f'{spec.name} = enum"{word}"'
    if spec.type == "list" and spec.item_type in (None, kind_of(value)):
        bare = isinstance(value, (Reference, int)) and not isinstance(value, bool)
        if word is not None:
            return f'{spec.name} = ["{word}"]'
        return f"{spec.name} = [{value}]" if bare else ""
    if spec.type == "float" and isinstance(value, int) and not isinstance(value, bool):
        return f"{spec.name} = {value}.0"
    return ""


def _folded(spec: FieldSpec) -> set[str]:
    return {text.strip().casefold() for text in spec.allowed_values or ()}


def _a(kind: Kind) -> str:
    return f"{'an' if kind[0] in 'aei' else 'a'} {kind}"


def _check_enum(value: EnumValue, spec: FieldSpec) -> Iterator[Finding]:
    allowed = spec.allowed_values or ()
    if value.folded in _folded(spec):
        return
    near = get_close_matches(value.folded, allowed, n=1)
    names = ", ".join(f'enum"{text}"' for text in allowed)
    yield Finding(
        "bad-enum",
        spec.name,
        f'`{spec.name}` cannot be enum"{value.text}"',
        (f'did you mean enum"{near[0]}"? ' if near else "") + (f"allowed: {names}" if names else "it allows nothing"),
    )


def _check_target(value: Value, spec: FieldSpec) -> Iterator[Finding]:
    if not spec.target:
        return
    for reference in references_in(value):
        if reference.type not in spec.target:
            yield Finding(
                "wrong-target",
                spec.name,
                f"`{spec.name}` names entries of type {' or '.join(spec.target)}, not `{reference.key}`",
            )


def _check_bounds(value: Value, spec: FieldSpec) -> Iterator[Finding]:
    number = value.amount if isinstance(value, Currency) else value
    if isinstance(number, (int, float, Decimal)) and not isinstance(number, bool):
        if spec.min is not None and number < spec.min:
            yield Finding("bad-value", spec.name, f"`{spec.name}` is at least {spec.min}, not {plain_text(value)}")
        if spec.max is not None and number > spec.max:
            yield Finding("bad-value", spec.name, f"`{spec.name}` is at most {spec.max}, not {plain_text(value)}")
    if spec.pattern and isinstance(value, str) and not re.fullmatch(spec.pattern, value):
        yield Finding("bad-value", spec.name, f"`{spec.name}` does not match the pattern `{spec.pattern}`")
