"""The fields of an imported entry: where each key of the front matter goes, and as what."""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from hashlib import sha1

from vault.exchange.convert import Cell, coerce
from vault.model.entry import Entry
from vault.model.keys import is_identifier, make_id
from vault.model.schema import Finding, Schema, validate
from vault.model.values import Value, plain_text

Holds = Callable[[str], bool]

#: Keys that mean a field of another name; of several keys for one field the first listed wins.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "name": ("title", "name"),
    "summary": ("summary", "description", "subtitle"),
    "aliases": ("aliases", "alias"),
    "tags": ("tags", "tag", "keywords"),
    "sources": ("sources", "source"),
    "created_at": ("created_at", "created", "date"),
}
_RANKED = {key: (name, rank) for name, keys in SYNONYMS.items() for rank, key in enumerate(keys)}

#: Fields the product gives a meaning that a key of the same name does not have: a note about an estate
#: agent is not to be hidden from all other agents. Only a mapping fills them.
OWN_MEANING = frozenset({"agent", "chat", "chat_turn", "origin", "text", "text_file"})

#: Long enough that the name with it is no near match of the name without it (`x_name` is one of `name`).
PREFIX = "imported_"


def wanted(cell: Cell, schema: Schema) -> str:
    """Return the declared field a cell is meant for, or the one a mapping names; "" for neither."""
    if cell.target:
        return cell.target
    key = cell.source.casefold()
    if key in _RANKED:
        return _RANKED[key][0]
    spec = schema.by_name.get(key)
    return key if spec and key not in OWN_MEANING else ""


def by_rank(cells: tuple[Cell, ...]) -> list[Cell]:
    """Order cells so that the best claim to a field comes first: a mapping's, then by `SYNONYMS`."""
    return sorted(cells, key=lambda cell: (not cell.target, _RANKED.get(cell.source.casefold(), ("", 0))[1]))


def fit(value: Value, name: str, schema: Schema) -> Value | None:
    """Fit a value to what the schema declares of a field; None if it does not belong there."""
    spec = schema.by_name.get(name)
    if spec is None:
        return value
    if name == "tags":
        value = tuple(_tags(value))
    fitted = coerce(value, spec.type, spec.item_type)
    return None if fitted is None or _findings(schema, name, fitted) else fitted


def _findings(schema: Schema, name: str, value: Value) -> list[Finding]:
    """List what the schema has against a field, a name like a slip of the pen included."""
    found = validate(Entry(schema.name, "checked", {name: value}), schema)
    return [finding for finding in found if finding.field == name]


def _tags(value: Value) -> Iterator[str]:
    """Split tags as people write them: one string with commas or blanks, or a list, with or without `#`."""
    if isinstance(value, str):
        value = tuple(value.split(",") if "," in value else value.split())
    for item in value if isinstance(value, tuple) else (value,):
        if tag := plain_text(item).strip().lstrip("#"):
            yield tag


def own_name(text: str, schema: Schema, taken: Container[str]) -> str:
    """Name a field that no schema declares: no declared name, nothing near one, none that is taken."""
    name = field_name(text)
    if name in schema.by_name or _findings(schema, name, ""):
        name = PREFIX + name
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def field_name(text: str) -> str:
    """Make the name of a field of any key, in any script."""
    if is_identifier(text):
        return text
    return make_id(text) or f"{PREFIX}{sha1(text.encode(), usedforsecurity=False).hexdigest()[:8]}"


def texts_in(value: Value) -> list[str]:
    """List the strings a value holds."""
    if isinstance(value, tuple):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


def ordered(fields: Mapping[str, Value], schema: Schema) -> tuple[tuple[str, Value], ...]:
    """Order fields for display: what names the entry, fields of its own, then what relates it."""
    declared = list(schema.by_name)
    middle = declared.index("sources") if "sources" in declared else len(declared)

    def place(name: str) -> int:
        position = declared.index(name) if name in declared else middle
        return position if position < middle else position + (name in declared)

    return tuple((name, fields[name]) for name in sorted(fields, key=place))


def is_held(value: Value, holds: Holds) -> bool:
    """Say whether a string field can hold every string of a value, and a file can."""
    return all(_is_text(text) and holds(text) for text in texts_in(value))


def _is_text(text: str) -> bool:
    """Say whether UTF-8 can write a text: an escape in YAML can make half a character."""
    return re.search(r"[\ud800-\udfff]", text) is None
