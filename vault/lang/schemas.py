"""Schema blocks → schemas."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Protocol

from vault.lang.syntax import BlockNode
from vault.model.keys import is_identifier
from vault.model.schema import FieldSpec, Schema
from vault.model.values import KINDS, Value, plain_text

_SETTINGS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "type": str,
    "required": bool,
    "allowed_values": tuple,
    "description": str,
    "embed": bool,
    "item_type": str,
    "target": tuple,
    "min": (int, float),
    "max": (int, float),
    "pattern": str,
    "unique": bool,
}
_EXAMPLES: dict[Any, str] = {str: '"…"', bool: "true", tuple: '["…"]', (int, float): "0.5"}


class Reader(Protocol):
    """What reading a schema needs of the reader of its text."""

    path: str

    def values(self, block: BlockNode, subject: str) -> dict[str, Value]:
        """Read the values of a block's own fields."""

    def report(self, code: str, message: str, start: int, end: int, *, subject: str, hint: str = "") -> None:
        """Add a diagnostic about a run of the text."""


def read_schema(block: BlockNode, reader: Reader) -> Schema:
    """Read a schema block; a field that cannot be read is reported and left out."""
    own = reader.values(block, block.id)
    specs: dict[str, FieldSpec] = {}
    for inner in block.blocks():

        def wrong(message: str, hint: str = "", place: BlockNode = inner) -> None:
            reader.report("schema-error", message, place.start, place.open + 1, subject=block.id, hint=hint)

        if inner.type != "field":
            wrong(f"a schema holds `field` blocks, not `{inner.type}`")
            continue
        spec = _field(reader.values(inner, block.id), wrong, broken=inner.broken)
        if spec and spec.name in specs:
            wrong(f"the field `{spec.name}` is declared twice")
        elif spec:
            specs[spec.name] = spec
    description = own.get("description")
    return Schema(
        block.id,
        tuple(specs.values()),
        closed=own.get("closed") is True,
        description=description if isinstance(description, str) else "",
        path=reader.path,
    )


def _field(values: dict[str, Value], wrong: Callable[..., None], *, broken: bool) -> FieldSpec | None:
    name, kind = values.get("name"), values.get("type")
    if not isinstance(name, str) or not is_identifier(name):
        if name is not None:
            wrong(f"`{plain_text(name)}` is not a field name", "use ASCII letters, digits and `_`")
        elif not broken:
            wrong("a field needs a name", 'add `name = "…"`')
        return None
    if not isinstance(kind, str):
        if not broken:
            wrong(f"the field `{name}` needs a type", f'add `type = "string"`; types: {", ".join(KINDS)}')
        return None
    if kind not in KINDS:
        wrong(f"the field `{name}` has the unknown type `{kind}`", _near_kind(kind))
        return None
    settings: dict[str, Any] = {}
    for setting, value in values.items():
        if setting not in _SETTINGS:
            continue
        problem, hint = _problem(setting, value)
        if problem:
            wrong(f"the setting `{setting}` of the field `{name}` {problem}", hint)
        else:
            settings[setting] = value
    return FieldSpec(**settings)


def _problem(setting: str, value: Value) -> tuple[str, str]:
    """What is wrong with a setting's value, and a hint; ("", "") if nothing is."""
    wanted = _SETTINGS[setting]
    if not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
        return "is of the wrong kind", f"write it as in `{setting} = {_EXAMPLES[wanted]}`"
    if isinstance(value, tuple) and not all(isinstance(item, str) for item in value):
        return "is a list of strings", f"write it as in `{setting} = {_EXAMPLES[tuple]}`"
    if setting == "item_type" and value not in KINDS:
        return f"names the unknown type `{value}`", _near_kind(str(value))
    if setting == "pattern":
        try:
            re.compile(str(value))
        except (re.error, RecursionError, OverflowError) as error:
            return f"is not a regular expression: {error}", ""
    return "", ""


def _near_kind(kind: str) -> str:
    near = get_close_matches(kind, KINDS, n=1)
    return f"did you mean `{near[0]}`?" if near else f"types: {', '.join(KINDS)}"
