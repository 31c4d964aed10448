"""The JSON schemas of declared answers.

Made here because each start of a server makes them, and pydantic takes 80 ms for what this does in 5.
"""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

Json = dict[str, Any]

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


#: What is told of a failure; some have more details than these.
ERROR: Json = {
    "type": "object",
    "description": "A failure, and what to do about it.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        }
    },
    "additionalProperties": False,
}


#: What an answer says that was read from a history which is cut off.
SHALLOW: Json = {
    "type": "object",
    "description": "Present if the clone is shallow: for `leftOut` facts it is unknown whether they were valid.",
    "required": ["leftOut", "message"],
    "properties": {"leftOut": {"type": "integer"}, "message": {"type": "string"}},
    "additionalProperties": False,
}


def schema_of(answers: Any) -> Json:
    """The schema of what a tool answers, whose root clients want to be an object.

    A failure is among it: there are clients that hold one to the schema as well.
    """
    schemas = Schemas()
    told = schemas.of(answers)
    for kind in told.get("anyOf", [told]):
        _named(kind, schemas.named)["properties"]["shallow"] = SHALLOW
    kinds = [*told.get("anyOf", [told]), {"$ref": "#/$defs/Error"}]
    return {"type": "object", "anyOf": kinds, "$defs": {**schemas.named, "Error": ERROR}}


#: A failure, in a list of tools.
_FAILURE: Json = {"required": ["error"], "properties": {"error": {"type": "object"}}}


def outline_of(answers: Any) -> Json:
    """The schema of what a tool answers, without the insides of its parts: every client reads the list of tools whole.

    `/openapi.json` has all of it.
    """
    schemas = Schemas()
    whole = schemas.of(answers)
    kinds = [_outlined(_named(kind, schemas.named), schemas.named) for kind in whole.get("anyOf", [whole])]
    return {"type": "object", "anyOf": [*kinds, _FAILURE]}  # clients want the root to be an object


def _named(part: Json, named: Mapping[str, Json]) -> Json:
    return named[part["$ref"].rpartition("/")[2]] if "$ref" in part else part


def _outlined(kind: Json, named: Mapping[str, Json]) -> Json:
    parts = {
        name: _part(part, named)
        for name, part in kind["properties"].items()
        if "anyOf" not in _named(part, named) or "description" in part  # null or a value tells nothing new
    }
    return {"required": kind["required"][:1], "properties": parts}


def _part(part: Json, named: Mapping[str, Json]) -> Json:
    """A property, with objects and lists that say no more than that."""
    shown: Json = {"description": part["description"]} if "description" in part and "$ref" not in part else {}
    whole = _named(part, named)
    if "anyOf" in whole:
        return {"anyOf": [_part(kind, named) for kind in whole["anyOf"]], **shown}
    shown |= {name: whole[name] for name in ("type", "enum") if name in whole}
    return shown


def parameters_of(schema: Json) -> Json:
    """The schema of a tool's parameters; what the whole is for is the tool's own description."""
    return {name: part for name, part in _slim(schema).items() if name != "description"}


def _slim(schema: Any) -> Any:
    """A schema of parameters without what clients do without.

    That is the titles that pydantic makes of names, and null as what an omitted parameter is.
    """
    if isinstance(schema, list):
        return [_slim(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _slim(part) for name, part in schema.items() if name != "title" or not isinstance(part, str)}
    if "default" in kept and kept["default"] is None:
        del kept["default"]
    kinds = [kind for kind in kept.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        del kept["anyOf"]
        return {**kinds[0], **kept}
    return kept


class Schemas:
    """Makes schemas; shapes that others are made of are named, and told once, in `named`."""

    def __init__(self, place: str = "#/$defs") -> None:
        self.place = place
        self.named: dict[str, Json] = {}

    def of(self, kind: Any) -> Json:
        """The schema of a type."""
        if kind in _NAMES:
            return {"type": _NAMES[kind]}
        if is_typeddict(kind):
            if kind.__name__ not in self.named:
                self.named[kind.__name__] = self.object(kind)
            return {"$ref": f"{self.place}/{kind.__name__}"}
        return self._composed(get_origin(kind), get_args(kind))

    def object(self, kind: Any) -> Json:
        """The schema of a declared object: its own keys and no others."""
        fields = get_type_hints(kind, include_extras=True)
        return {
            "type": "object",
            "description": kind.__doc__,
            "properties": {name: self.of(field) for name, field in fields.items()},
            "required": [name for name in fields if name in kind.__required_keys__],
            "additionalProperties": False,
        }

    def _composed(self, origin: Any, parts: tuple[Any, ...]) -> Json:
        if origin is NotRequired:
            return self.of(parts[0])
        if origin is Annotated:
            return {**self.of(parts[0]), "description": parts[1]}
        if origin is Literal:
            return {"type": "string", "enum": list(parts)}
        if origin is list:
            return {"type": "array"} if parts == (Any,) else {"type": "array", "items": self.of(parts[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in parts]}  # a list of types is less widely understood
        raise TypeError(f"there is no schema for {origin}")
