"""JSON's values → the values of fields, by the schema of the entry."""

from collections.abc import Collection, Mapping
from typing import Any

from vault.errors import UsageError
from vault.lang.literal import BadLiteral, read_literal, reference_in
from vault.model.keys import is_identifier, split_key
from vault.model.schema import FieldSpec, Schema
from vault.model.values import Value
from vault.service.arguments.path_values import stored_paths


class BadField(UsageError):
    """A field with a value it cannot take; the schema's structure is told with it."""

    code = "bad-field"

    def __init__(self, name: str, why: str, schema: Schema | None) -> None:
        expected = schema.structure() if schema else None
        spec = schema.by_name.get(name) if schema else None
        allowed = ", ".join(f'"{value}"' for value in (spec.allowed_values or ()) if value) if spec else ""
        super().__init__(
            f"`{name}`: {why}",
            hint=f"allowed: {allowed}" if allowed else "see `vault schema list`",
            details={"field": name, "expected": expected},
        )


def fields_of(given: Mapping[str, Any], schema: Schema | None, file: str) -> dict[str, Value | None]:
    """Read the fields of an entry in a file; null stands for one to be removed. Raises `BadField`.

    Text is a reference or a path where the schema declares one; `{"ref": "actor.ada"}` is a reference in any field.
    Paths count from the vault's folder.
    """
    found: dict[str, Value | None] = {}
    for name, value in given.items():
        if not is_identifier(name):
            raise BadField(name, "field names are ASCII letters, digits and `_`", schema)
        spec = schema.by_name.get(name) if schema else None
        try:
            found[name] = None if value is None else stored_paths(_value(value, name, spec), file)
        except BadLiteral as error:
            raise BadField(name, f"{error.message}; {error.hint}", schema) from error
        except TypeError as error:
            raise BadField(name, str(error), schema) from error
    return found


def kept_as_text(fields: Mapping[str, Value | None], schema: Schema | None, types: Collection[str]) -> tuple[str, ...]:
    """Say which fields that no schema declares hold a text that looks like a reference, and how to write one."""
    return tuple(
        f'`{name}` was written as text: {{"ref": "{item}"}} makes it a reference'
        for name, value in fields.items()
        if not (schema and name in schema.by_name)
        for item in (value if isinstance(value, tuple) else (value,))
        if isinstance(item, str) and (key := split_key(item)) and key[0] in types
    )


def _value(value: Any, name: str, spec: FieldSpec | None) -> Value:
    if isinstance(value, list):
        if spec is not None and spec.type != "list":
            raise TypeError(f"it takes a {spec.type}, not a list")
        return tuple(_item(item, name, spec) for item in value)
    if spec is not None and spec.type == "list":
        return (_item(value, name, spec),)
    return _scalar(value, name, spec.type if spec else None, spec)


def _item(value: Any, name: str, spec: FieldSpec | None) -> Value:
    if spec is None or spec.item_type is None:
        return _scalar(value, name, None, None)
    one = FieldSpec(name, spec.item_type, allowed_values=spec.allowed_values, target=spec.target)
    return _scalar(value, name, spec.item_type, one)


def _scalar(value: Any, name: str, kind: str | None, spec: FieldSpec | None) -> Value:
    """A string, number, boolean or `ref` as the kind that is expected; text is read as on a command line."""
    if isinstance(value, dict):
        return _reference(value, kind)
    if isinstance(value, str):
        return value if kind in (None, "string") else read_literal(value, name, spec)
    if not isinstance(value, (bool, int, float)):
        raise TypeError("it takes a string, a number, true or false, or a list of these")
    if kind in (None, "boolean", "integer", "float"):
        return float(value) if kind == "float" and not isinstance(value, bool) else value
    return read_literal(str(value), name, spec)


def _reference(value: Mapping[str, Any], kind: str | None) -> Value:
    """The reference that `{"ref": "actor.ada"}` writes."""
    text = value.get("ref")
    reference = reference_in(text) if isinstance(text, str) and len(value) == 1 else None
    if reference is None or kind not in (None, "reference"):
        raise TypeError('an object is a reference, written as in `{"ref": "actor.ada"}`, where a reference may stand')
    return reference
