"""Schema blocks → schemas."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Protocol, get_args

from vault.lang.syntax import BlockNode
from vault.model.schema import FieldSpec, Schema
from vault.model.values import KINDS, Kind, Value

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


class Reader(Protocol):
    """What reading a schema needs of the reader of its text."""

    path: str

    def values(self, block: BlockNode) -> dict[str, Value]: ...

    def report(self, code: str, message: str, start: int, end: int, **more: str) -> None: ...


def read_schema(block: BlockNode, own: Mapping[str, Value], reader: Reader) -> Schema | None:
    """Read a schema block; a field that cannot be read is reported and left out."""
    specs: list[FieldSpec] = []
    for inner in block.blocks():
        if inner.type != "field":
            reader.report(
                "schema-error",
                f"a schema holds `field` blocks, not `{inner.type}`",
                inner.start,
                inner.open,
                subject=block.id,
            )
            continue
        spec = _field(inner, reader, block.id)
        if spec and spec.name in {known.name for known in specs}:
            reader.report(
                "schema-error",
                f"the field `{spec.name}` is declared twice",
                inner.start,
                inner.open,
                subject=block.id,
            )
        elif spec:
            specs.append(spec)
    description = own.get("description")
    return Schema(
        block.id,
        tuple(specs),
        closed=own.get("closed") is True,
        description=description if isinstance(description, str) else "",
        path=reader.path,
    )


def _field(block: BlockNode, reader: Reader, schema: str) -> FieldSpec | None:
    values = reader.values(block)

    def wrong(message: str, hint: str = "") -> None:
        reader.report("schema-error", message, block.start, block.open + 1, subject=schema, hint=hint)

    name, kind = values.get("name"), values.get("type")
    if not isinstance(name, str):
        wrong("a field needs a name", 'add `name = "…"`')
        return None
    if not isinstance(kind, str):
        wrong(f"the field `{name}` needs a type", f'add `type = "string"`; types: {", ".join(KINDS)}')
        return None
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"types: {', '.join(KINDS)}"
        wrong(f"the field `{name}` has the unknown type `{kind}`", hint)
        return None
    for setting, wanted in _SETTINGS.items():
        value = values.get(setting)
        if value is not None and (not isinstance(value, wanted) or (wanted != bool and value is True)):
            wrong(f"the setting `{setting}` of the field `{name}` is of the wrong kind")
            values.pop(setting)
    return _spec(values)


def _spec(values: Mapping[str, Value]) -> FieldSpec:
    settings: dict[str, Any] = {key: value for key, value in values.items() if key in _SETTINGS}
    for key in ("allowed_values", "target"):
        if key in settings:
            settings[key] = tuple(str(item) for item in settings[key])
    if settings.get("item_type") not in get_args(Kind):
        settings.pop("item_type", None)
    return FieldSpec(**settings)
