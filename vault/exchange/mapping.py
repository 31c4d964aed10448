"""The file of `--map`: which types the files of a folder become, and which fields their keys."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache

from vault.errors import VaultError
from vault.exchange.convert import SKIP
from vault.model.keys import is_identifier
from vault.model.values import EnumValue, Value

_ENUM = re.compile(r"enum\(\s*[\"']?([^\"'()]+?)[\"']?\s*\)")
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_GLOB_PARTS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


class MappingError(VaultError):
    """A mapping that does not say what to do; `where` names its file."""

    code = "bad-mapping"
    status = 2

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        super().__init__(
            f"{where}: {problem}",
            hint=hint or "a mapping has `identity`, `types` (match, type, set) and `fields` (key: field)",
            details={"path": where},
        )


@dataclass(frozen=True, slots=True)
class TypeRule:
    """Files whose path matches become entries of `type`, with the fields of `constants` set."""

    pattern: str
    type: str
    constants: Mapping[str, Value] = field(default_factory=dict)

    def matches(self, path: str) -> bool:
        """Say whether a file falls under the rule."""
        return is_match(path, self.pattern)


def is_match(path: str, pattern: str) -> bool:
    """Say whether a path fits a pattern; `**` stands for any folders."""
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = _GLOB.findall(pattern)
    return re.compile("".join(_GLOB_PARTS.get(part) or re.escape(part) for part in parts))


_DEFAULT_RULE = TypeRule("**", "note")


@dataclass(frozen=True, slots=True)
class ImportMapping:
    """What becomes of files and keys; empty, every file becomes a note.

    `fields` maps a key of the source (`a.b`, `list[].key`) to a field, or to `skip`; `places` maps a key to
    the pattern of the files that its values name.
    """

    identity: str = "id"
    rules: tuple[TypeRule, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def rule_for(self, path: str) -> TypeRule:
        """Return the first rule a file falls under."""
        return next((rule for rule in self.rules if rule.matches(path)), _DEFAULT_RULE)


def read_mapping(data: object, where: str) -> ImportMapping:
    """Read a mapping from plain data; `where` is what an error calls its file.

    Raises `MappingError`; an unknown key is an error that names its near match.
    """
    table = _table(data, ("identity", "types", "fields"), where, "a mapping")
    identity, types = table.get("identity", "id"), table.get("types", [])
    if not isinstance(identity, str) or not isinstance(types, list):
        raise MappingError(where, "`identity` is the name of a key, and `types` a list of rules")
    rules = tuple(_read_rule(rule, where) for rule in types)
    fields, places = _read_fields(table.get("fields", {}), where)
    return ImportMapping(identity, rules, fields, places)


def _table(data: object, known: tuple[str, ...], where: str, what: str) -> dict[str, object]:
    """Check that data has known keys only; keys without a value are left out."""
    table = {} if data is None else data
    if not isinstance(table, dict):
        raise MappingError(where, f"{what} is made of keys and values")
    for key in table:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            raise MappingError(where, f"`{key}` is not a key of {what}", f"did you mean `{near[0]}`?" if near else "")
    return {key: value for key, value in table.items() if value is not None}


def _read_rule(data: object, where: str) -> TypeRule:
    table = _table(data, ("match", "type", "set"), where, "a rule of `types`")
    pattern, kind, constants = table.get("match", "**"), table.get("type", "note"), table.get("set", {})
    if not isinstance(pattern, str):
        raise MappingError(where, "`match` is a pattern of paths, such as `people/**`")
    if not isinstance(kind, str) or not is_identifier(kind):
        raise MappingError(where, f"`{kind}` cannot be a type", "use letters, digits and `_`")
    if not isinstance(constants, dict):
        raise MappingError(where, "`set` is made of fields and values")
    return TypeRule(pattern, kind, {_field(key, where): _constant(value, where) for key, value in constants.items()})


def _read_fields(data: object, where: str) -> tuple[dict[str, str], dict[str, str]]:
    """Read the field of each key, and where the names that are its values live, if the mapping says it."""
    if not isinstance(data, dict):
        raise MappingError(where, "`fields` is made of keys of the source and fields")
    fields, places = dict[str, str](), dict[str, str]()
    for key, value in data.items():
        name = value
        if isinstance(value, dict):
            table = _table(value, ("to", "in"), where, f"`{key}` of `fields`")
            name, pattern = table.get("to", "relates_to"), table.get("in", "**")
            if not isinstance(pattern, str):
                raise MappingError(where, "`in` is a pattern of paths, such as `topics/**`")
            places[str(key)] = pattern
        fields[str(key)] = _field(name, where)
    return fields, places


def _field(name: object, where: str) -> str:
    if not isinstance(name, str) or not is_identifier(name):
        raise MappingError(
            where,
            f"`{name}` cannot be a field",
            f"a field is made of letters, digits and `_`; `{SKIP}` leaves a key out",
        )
    return name


def _constant(value: object, where: str) -> Value:
    if isinstance(value, str) and (found := _ENUM.fullmatch(value)):
        return EnumValue(found[1])
    if isinstance(value, str | int | float):
        return value
    raise MappingError(where, f"`{value}` cannot be set", "set a string, a number, true, false, or enum(…)")
