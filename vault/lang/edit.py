"""Edits by span: change the fields of one entry and leave every other byte as it is."""

from collections.abc import Mapping

from vault.lang.parse import parse
from vault.lang.lower import BadValue, lower_value
from vault.lang.syntax import BlockNode, FieldNode, tokens
from vault.lang.write import INDENT, Unwritable, write_field, write_value
from vault.model.values import Value, same


class EditFailed(Unwritable):
    """An edit whose result does not read back as what was asked: nothing is written."""

    code = "edit-failed"


def newline_of(text: str) -> str:
    """The line ending a text uses: that of its first line, `\\n` for a text of one line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def find_block(text: str, kind: str, ident: str) -> BlockNode | None:
    """Find the first entry `kind ident` of a text."""
    return next((b for b in parse(text).blocks if (b.type, b.id) == (kind, ident)), None)


def set_fields(text: str, block: BlockNode, changes: Mapping[str, Value | None]) -> str:
    """Return the text with fields of `block` set, added, or (None) removed.

    `block` was parsed from `text`. Raises `Unwritable` for a value no text holds, and `EditFailed` if
    the result would not read back exactly.
    """
    edits: list[tuple[int, int, str]] = []
    added: dict[str, Value] = {}
    for name, value in changes.items():
        nodes = [node for node in block.fields() if node.name == name]
        if value is None:
            edits += [(*_whole_field(text, node), "") for node in nodes]
        elif nodes:
            edits.append(_replacement(text, nodes[-1], value))
        else:
            added[name] = value
    if added:
        edits.append(_insertion(text, block, added))
    result = _apply(text, edits)
    _verify(result, block, changes)
    return result


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _replacement(text: str, node: FieldNode, value: Value) -> tuple[int, int, str]:
    written = write_value(value, field=node.name, indent=_line_indent(text, node.start))
    return node.value.start, node.value.end, written.replace("\n", newline_of(text))


def _line_indent(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _whole_field(text: str, node: FieldNode) -> tuple[int, int]:
    """The span of a field, with its whole lines where nothing else stands on them."""
    line_start = text.rfind("\n", 0, node.start) + 1
    line_end = text.find("\n", node.end)
    line_end = len(text) if line_end < 0 else line_end + 1
    if text[line_start : node.start].strip(" \t") or text[node.end : line_end].strip():
        end = node.end
        while text[end : end + 1] in (" ", "\t"):
            end += 1
        return node.start, end
    return line_start, line_end


def _insertion(text: str, block: BlockNode, added: Mapping[str, Value]) -> tuple[int, int, str]:
    """Place new fields behind the block's last item, laid out as that one is."""
    newline = newline_of(text)
    outer = _line_indent(text, block.start)
    last = block.items[-1] if block.items else None
    if last is None:
        indent = outer + INDENT
        rows = "".join(f"{newline}{indent}{write_field(n, v, indent)}" for n, v in added.items())
        rows = rows.replace("\r\n", "\n").replace("\n", newline)
        if text[block.open + 1 : block.close].strip():
            position = _behind_line(text, block.open + 1, block.close) or block.open + 1
            tail = "" if position != block.open + 1 else f"{newline}{outer}"
            return position, position, rows + tail
        return block.open + 1, block.close, f"{rows}{newline}{outer}"
    indent = _line_indent(text, last.start)
    position = _behind_line(text, last.end, block.close)
    if position is None:
        inline = "".join(f" {write_field(n, v, indent or INDENT)}" for n, v in added.items())
        return last.end, last.end, inline.replace("\n", newline)
    rows = "".join(f"\n{indent}{write_field(n, v, indent)}" for n, v in added.items())
    return position, position, rows.replace("\n", newline)


def _behind_line(text: str, start: int, limit: int) -> int | None:
    """The end of the line `start` is in, if only blanks and comments follow there; else None."""
    position = start
    for token in tokens(text[start:limit], trivia=True):
        begin, end = start + token.start, start + token.end
        line_end = text.find("\n", begin, end)
        if line_end >= 0 and token.kind == "BLANK":
            return line_end - 1 if text[line_end - 1 : line_end] == "\r" else line_end
        if token.kind not in ("BLANK", "COMMENT"):
            return None
        position = end
    return position if text[position - 1 : position] == "\n" else None


def _verify(result: str, block: BlockNode, changes: Mapping[str, Value | None]) -> None:
    """Make sure the edited text says what was asked."""
    document = parse(result)
    edited = next((b for b in document.blocks if (b.type, b.id) == (block.type, block.id)), None)
    if edited is None or document.problems:
        raise EditFailed(next(iter(changes), ""), "the file would no longer parse")
    nodes = {node.name: node for node in edited.fields()}
    for name, wanted in changes.items():
        if (name in nodes) != (wanted is not None):
            raise EditFailed(name, "it did not take the change")
        if wanted is not None and not same(_value(result, nodes[name]), wanted):
            raise EditFailed(name, "it would read back as another value")


def _value(text: str, node: FieldNode) -> Value:
    try:
        return lower_value(text, node.value)
    except BadValue as error:
        raise EditFailed(node.name, str(error)) from error


def remove_block(text: str, block: BlockNode) -> str:
    """Return the text without an entry; comments around it stay."""
    start = text.rfind("\n", 0, block.start) + 1
    if text[start : block.start].strip(" \t"):
        start = block.start
    end = block.end
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    if not rest.strip():
        end = len(text) if line_end < 0 else line_end + 1
    before, after = text[:start], text[end:]
    if before.endswith(("\n\n", "\n\r\n")) and after.startswith(("\n", "\r\n")):
        after = after[after.index("\n") + 1 :]
    return before + after
