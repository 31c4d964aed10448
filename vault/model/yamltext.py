"""YAML, read safely and edited by span: the settings of a vault and the front matter of a note."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path

import yaml

from vault.errors import VaultError


class YamlError(VaultError):
    """A YAML text that cannot be read; `line` and `column` are 1-based."""

    code = "bad-yaml"
    next_step = "correct the YAML at that place; quote a value that holds `: ` or starts with `@`, `%` or `[`"

    def __init__(self, where: str, problem: str, line: int, column: int) -> None:
        super().__init__(
            f"{where}:{line}:{column}: {problem}",
            hint=self.next_step,
            details={"path": where, "line": line, "column": column},
        )
        self.line, self.column, self.problem = line, column, problem


class RepeatedKey(YamlError):
    """A mapping that gives one key twice; `line` is that of the second."""

    next_step = "keep one of the two, or merge their values"

    def __init__(self, where: str, key: str, first: int, line: int, column: int) -> None:
        self.key, self.first_line = key, first
        super().__init__(where, f"the key `{key}` is already on line {first}", line, column)


#: What the loader raises for a value that is not of the kind its tag says, as in `!!timestamp soon`.
_ODD_TAGS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*|0b[0-1_]+|0x[0-9a-fA-F_]+)\Z")
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|\.(?:inf|Inf|INF))\Z"
    r"|\.(?:nan|NaN|NAN)\Z"
)
_TIMESTAMP = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:(?:[Tt]|[ \t]+)(?P<hour>\d\d?):(?P<rest>\d\d(?::\d\d(?:\.\d{1,6})?)?)"
    r"[ \t]*(?P<zone>Z|UTC|GMT|[-+]\d\d?(?::?\d\d)?)?)?\Z"
)
_OWN_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp")


def read_timestamp(text: str) -> date | datetime | None:
    """Read a date or moment as blogs and notebooks write it (`2016-02-08 10:40:40 -0400`); None for other text."""
    match = _TIMESTAMP.match(text)
    if match is None:
        return None
    try:
        if match["hour"] is None:
            return date.fromisoformat(match["day"])
        return datetime.fromisoformat(f"{match['day']}T{match['hour']:0>2}:{match['rest']}{_offset(match['zone'])}")
    except ValueError:
        return None


def _offset(zone: str | None) -> str:
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return "+00:00" if zone else ""
    hours, _, minutes = zone[1:].partition(":")
    if len(hours) > 2:  # noqa: PLR2004  `-0400`
        hours, minutes = hours[:-2], hours[-2:]
    return f"{zone[0]}{hours:0>2}:{minutes or '00'}"


class _AsWrittenLoader(_Loader):  # type: ignore[misc]  # a class chosen when the module is loaded
    """Reads what people mean: `12:30`, `007` and `1.10` stay as they are written, and more forms are dates."""


def number_as_written(text: str) -> float | str:
    """Read a decimal number; one whose digits a float would lose, such as the version `1.10`, stays text."""
    digits = text.lstrip("+")
    lead = "0" if digits.startswith(".") else ""
    number = float(text.replace("_", ""))
    return number if repr(number) in (lead + digits, digits) else text


def _float_as_written(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float | str:
    if node.value.lstrip("-+.").isalpha():  # `.inf`, `.nan`
        return float(loader.construct_yaml_float(node))
    return number_as_written(node.value)


def _timestamp_as_written(_: yaml.SafeLoader, node: yaml.ScalarNode) -> date | datetime | str:
    if not _TIMESTAMP.match(node.value):  # an explicit tag
        raise ValueError(node.value)
    return read_timestamp(node.value) or str(node.value)


def _set_up_as_written() -> None:
    _AsWrittenLoader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _OWN_TAGS]
        for first, resolvers in _Loader.yaml_implicit_resolvers.items()  # type: ignore[attr-defined]  # a Resolver
    }
    for tag, pattern, first in zip(
        _OWN_TAGS, (_INTEGER, _FLOAT, _TIMESTAMP), ("-+0123456789", "-+0123456789.", "0123456789"), strict=True
    ):
        _AsWrittenLoader.add_implicit_resolver(tag, pattern, list(first))
    _AsWrittenLoader.add_constructor(_OWN_TAGS[1], _float_as_written)
    _AsWrittenLoader.add_constructor(_OWN_TAGS[2], _timestamp_as_written)


_set_up_as_written()


def read_yaml(text: str, where: str | Path, *, as_written: bool = False) -> object:
    """Read one YAML document with the safe loader; dates become `datetime.date` and `datetime`.

    With `as_written`, numbers that YAML 1.1 would change (`12:30`, `007`, `1.10`) stay text, and dates may
    have an offset such as `-0400`. Raises `YamlError` naming the place, `RepeatedKey` for a key given twice.
    """
    try:
        return _load(text, str(where), _AsWrittenLoader if as_written else _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise YamlError(str(where), error.problem or "not YAML", line, column) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        raise YamlError(str(where), f"the character {error.character!r} is not allowed", line, column) from error
    except (yaml.YAMLError, RecursionError, *_ODD_TAGS) as error:
        raise YamlError(str(where), f"a value cannot be read as what its tag says ({error})", 1, 1) from error


def _load(text: str, where: str, kind: type) -> object:
    loader = kind(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        for mapping in _mappings(root):
            _refuse_repeated_key(loader, mapping, where)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    """Every mapping of a document, each once however many aliases lead to it."""
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            yield node
            inner = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        fresh = [part for part in inner if id(part) not in seen]
        seen.update(map(id, fresh))
        waiting += reversed(fresh)


def _refuse_repeated_key(loader: yaml.SafeLoader, mapping: yaml.MappingNode, where: str) -> None:
    first: dict[object, int] = {}
    for key, _ in mapping.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        merges = key.tag == "tag:yaml.org,2002:merge"
        value = "<<" if merges else loader.construct_object(key, deep=True)
        line = key.start_mark.line + 1
        if value in first and not merges:
            raise RepeatedKey(where, key.value, first[value], line, key.start_mark.column + 1)
        first.setdefault(value, line)


def write_yaml(data: object) -> str:
    """Write plain data as YAML in block style, keys in the order given."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def put_yaml(text: str, keys: Sequence[str], value: object) -> str:
    """Put a value at a path of keys, changing nothing else of a text that `read_yaml` takes.

    Mappings on the way are made where they are missing. A text that says a thing in a roundabout way (an
    alias, a merge) may not come out right: read the result before it is written.
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return _with_line(text, len(text), keys[0], _nested(keys[1:], value), 0)
    for depth, key in enumerate(keys):
        rest = _nested(keys[depth + 1 :], value)
        if not isinstance(node, yaml.MappingNode):
            return text
        pair = next((pair for pair in node.value if pair[0].value == key), None)
        if pair is None:
            return _with_key(text, node, key, rest)
        if depth == len(keys) - 1 or not isinstance(pair[1], yaml.MappingNode):
            return _with_value(text, pair[1], rest, in_flow=bool(node.flow_style))
        node = pair[1]
    return text


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _flow(value: object) -> str:
    """A value on one line, as it may stand inside brackets."""
    dumped = yaml.safe_dump([value], sort_keys=False, allow_unicode=True, default_flow_style=True, width=10**9)
    return dumped.strip()[1:-1]


def _with_value(text: str, held: yaml.Node, value: object, *, in_flow: bool) -> str:
    start, end = held.start_mark.index, held.end_mark.index
    if start == end and isinstance(value, dict) and value and not in_flow:  # `spaces:` with nothing behind it
        column = len(text[:start]) - (text.rfind("\n", 0, start) + 1)
        line = text[start - column : start]
        (key, inner) = next(iter(value.items()))
        return _with_line(text, start, key, inner, len(line) - len(line.lstrip()) + 2)
    lead = " " if start == end else ""
    tail = "\n" if text[start:end].endswith("\n") else ""
    return text[:start] + lead + _flow(value) + tail + text[end:]


def _with_key(text: str, mapping: yaml.MappingNode, key: str, value: object) -> str:
    if not mapping.flow_style:
        return _with_line(text, _last(mapping), key, value, mapping.value[0][0].start_mark.column)
    written = _flow({key: value})[1:-1]
    if not mapping.value:
        place = mapping.start_mark.index + 1
        return text[:place] + written + text[place:]
    place = _last(mapping)
    blank = " " if text[place - 1] == ":" else ""  # `a:,` would be one word
    return f"{text[:place]}{blank}, {written}{text[place:]}"


def _last(node: yaml.Node) -> int:
    """Where the last thing a collection holds ends; the marks of a block lie behind the comments after it."""
    if not isinstance(node, yaml.CollectionNode) or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    key, value = last if isinstance(last, tuple) else (None, last)
    if key is not None and value.start_mark.index < key.end_mark.index:  # an alias: its anchor stands elsewhere
        return int(key.end_mark.index)
    return int(value.end_mark.index) if value.__dict__.get("flow_style") else _last(value)


def _with_line(text: str, place: int, key: str, value: object, column: int) -> str:
    """Put `key: value` on lines of its own behind the line of a place."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text[:place].endswith("\n"):
        found = text.find("\n", place)
        if found < 0 and text:
            text += newline
        place = len(text) if found < 0 else found + 1
    rows = write_yaml({key: value}).splitlines()
    written = "".join(f"{' ' * column}{row}{newline}" for row in rows)
    return text[:place] + written + text[place:]
