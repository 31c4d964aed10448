"""YAML, read safely and edited by span: the settings of a vault and the front matter of a note."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from vault.errors import VaultError


class YamlError(VaultError):
    """A YAML text that cannot be read; `line` and `column` are 1-based."""

    code = "bad-yaml"

    def __init__(self, where: str, problem: str, line: int, column: int) -> None:
        super().__init__(
            f"{where}:{line}:{column}: {problem}",
            hint="correct the YAML at that place; quote a value that holds `: ` or starts with `@`, `%` or `[`",
            details={"path": where, "line": line, "column": column},
        )
        self.line, self.column, self.problem = line, column, problem


#: What the loader raises for a value that is not of the kind its tag says, as in `!!timestamp soon`.
_ODD_TAGS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, where: str | Path) -> object:
    """Read one YAML document with the safe loader; dates become `datetime.date` and `datetime`.

    Raises `YamlError` naming the place.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a safe loader, in C where it is built in
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
