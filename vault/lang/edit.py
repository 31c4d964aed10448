"""Edits by span: change the fields of one entry and leave every other byte as it is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from vault.lang.lists import edited_list
from vault.lang.lower import BadValue, lower_value
from vault.lang.order import rank_in
from vault.lang.parse import parse
from vault.lang.syntax import TRIVIA, BlockNode, FieldNode, tokens
from vault.lang.write import INDENT, Unwritable, write_field, write_value
from vault.model.keys import is_identifier
from vault.model.values import Value, same


class EditFailed(Unwritable):
    """An edit whose result does not read back as what was asked: nothing is written."""

    code = "edit-failed"


def newline_of(text: str) -> str:
    """The line ending a text uses: that of its first line, a plain one for a text of one line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def find_block(text: str, kind: str, ident: str) -> BlockNode | None:
    """Find the first entry `kind ident` of a text."""
    return next((b for b in parse(text).blocks if (b.type, b.id) == (kind, ident)), None)


def set_fields(
    text: str, block: BlockNode, changes: Mapping[str, Value | None], order: Sequence[str] | None = None
) -> str:
    """Return the text with fields of `block` set, added, or (None) removed.

    `block` was parsed from `text`. With `order`, the names that a schema declares, new text
    is in canonical layout: a new field goes to its place, and the items of a new list to lines of their own. Without
    it, a new field goes to the end and a list is on one line, as Firm writes them.
    Raises `Unwritable` for a value no text holds, and `EditFailed` if the result would not read back exactly.
    """
    edits: list[tuple[int, int, str]] = []
    added: dict[str, Value] = {}
    for name, value in changes.items():
        if not is_identifier(name):
            raise EditFailed(name, "it is not a field name")
        nodes = [node for node in block.fields() if node.name == name]
        if value is None:
            edits += [(*_whole_field(text, node), "") for node in nodes]
        elif nodes:
            edits.append(_replacement(text, nodes[-1], value, rows=order is not None))
        else:
            added[name] = value
    if added:
        stays = [item for item in block.items if isinstance(item, BlockNode) or changes.get(item.name, "") is not None]
        for place, fields in _places(text, block, stays, added, order):
            edits.append(_insertion(text, block, place, fields, rows=order is not None))
    result = _apply(text, edits)
    if edits:
        _verify(text, result, block, changes)
    return result


def _places(
    text: str,
    block: BlockNode,
    stays: Sequence[FieldNode | BlockNode],
    added: Mapping[str, Value],
    order: Sequence[str] | None,
) -> Iterator[tuple[FieldNode | BlockNode | None, dict[str, Value]]]:
    """Each item that new fields go behind, with those fields; None is the block's opening brace."""
    if order is None or not stays or "\n" not in text[block.open : block.close]:
        yield stays[-1] if stays else None, dict(added)
        return
    rank = rank_in(order)
    behind: dict[int, dict[str, Value]] = {}
    for name in sorted(added, key=rank):
        before = [item for item in stays if isinstance(item, FieldNode) and rank(item.name) < rank(name)]
        last = max(before, key=lambda item: rank(item.name)) if before else None
        behind.setdefault(last.start if last else -1, {})[name] = added[name]
    places = {item.start: item for item in stays}
    yield from ((places.get(start), fields) for start, fields in behind.items())


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    pieces, position = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[position:start], new]
        position = max(position, end)
    return "".join([*pieces, text[position:]])


def _replacement(text: str, node: FieldNode, value: Value, *, rows: bool) -> tuple[int, int, str]:
    is_list = node.value.kind == "LIST"
    if is_list and isinstance(value, tuple) and not (rows and _outgrows_line(text, node, value)):
        source = edited_list(text, node.value, value, newline_of(text))
        if source is not None:
            return node.value.start, node.value.end, source
    written = write_value(value, field=node.name, indent=_line_indent(text, node.start), rows=rows)
    if not _ends_token(text, node.value.end):
        written += " "
    return node.value.start, node.value.end, written.replace("\n", newline_of(text))


def _outgrows_line(text: str, node: FieldNode, value: tuple[Value, ...]) -> bool:
    """Whether a list that was on one line because it had one item at most gets a line for each item."""
    line_start = text.rfind("\n", 0, node.start) + 1
    is_alone = not text[line_start : node.start].strip(" \t")
    is_plain = not {"\n", "/"} & {*text[node.value.start : node.value.end]}
    return is_alone and is_plain and len(node.value.items) < 2 <= len(value)  # noqa: PLR2004


def _ends_token(text: str, offset: int) -> bool:
    """Whether what stands at an offset keeps a number or word before it apart."""
    return offset == len(text) or text[offset].isspace() or text[offset] in '{}[]=,"/'


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


def remove_field(text: str, node: FieldNode) -> str:
    """Return the text without a field, and without its line where nothing else stands on it."""
    return _apply(text, [(*_whole_field(text, node), "")])


def _insertion(
    text: str, block: BlockNode, last: FieldNode | BlockNode | None, added: Mapping[str, Value], *, rows: bool
) -> tuple[int, int, str]:
    """Place new fields behind the last item that stays, laid out as that one is."""
    newline = newline_of(text)
    outer = _line_indent(text, block.start)
    indent = outer + INDENT if last is None else _line_indent(text, last.start)
    start = block.open + 1 if last is None else last.end
    position = _behind_line(text, start, block.close)
    if position is None and last is not None:
        inline = "".join(f" {write_field(n, v, indent or INDENT)}" for n, v in added.items())
        if not _ends_token(text, start):
            inline += " "
        return start, start, inline.replace("\n", newline)
    lines = "".join(f"\n{indent}{write_field(n, v, indent, rows=rows)}" for n, v in added.items())
    if position is None:  # all on one line: the brace, or a comment before it, goes to a line of its own
        end = start if text[start : block.close].strip() else block.close
        return start, end, f"{lines}\n{outer}".replace("\n", newline)
    return position, position, lines.replace("\n", newline)


def _behind_line(text: str, start: int, limit: int) -> int | None:
    """The end of the line `start` is in, if only blanks and comments follow there; else None."""
    for token in tokens(text[start:limit], trivia=True):
        line_end = text.find("\n", start + token.start, start + token.end)
        if line_end >= 0 and token.kind == "BLANK":
            return line_end - 1 if text[line_end - 1] == "\r" else line_end
        if token.kind not in TRIVIA:
            return None
    return None


def _verify(before: str, result: str, block: BlockNode, changes: Mapping[str, Value | None]) -> None:
    """Make sure the edited text says what was asked, and all else as it did."""
    document = parse(result)
    edited = next((b for b in document.blocks if b.start == block.start), None)
    if edited is None or document.problems:
        raise EditFailed(next(iter(changes)), "the file would not parse")
    others = [before[b.start : b.end] for b in parse(before).blocks if b.start != block.start]
    kept = _kept(before, block, changes) == _kept(result, edited, changes)
    if not kept or others != [result[b.start : b.end] for b in document.blocks if b is not edited]:
        raise EditFailed(next(iter(changes)), "something else would change with it")
    nodes = {node.name: node for node in edited.fields()}
    for name, wanted in changes.items():
        found = _value(result, nodes[name]) if name in nodes else None
        exact = same(found, wanted) if found is not None and wanted is not None else found is wanted
        if not exact:
            raise EditFailed(name, "it would read back as another value")


def _kept(text: str, block: BlockNode, changes: Mapping[str, Value | None]) -> list[tuple[str, str]]:
    """What a change leaves alone: the block's heading, its other fields, and the blocks inside."""
    return [
        (block.type, block.id),
        *((node.name, text[node.value.start : node.end]) for node in block.fields() if node.name not in changes),
        *((inner.type, text[inner.start : inner.end]) for inner in block.blocks()),
    ]


def _value(text: str, node: FieldNode) -> Value:
    try:
        return lower_value(text, node.value)
    except BadValue as error:
        raise EditFailed(node.name, str(error)) from error


def remove_block(text: str, block: BlockNode) -> str:
    """Return the text without an entry; comments around it stay."""
    start = text.rfind("\n", 0, block.start) + 1
    shares_line = bool(text[start : block.start].strip(" \t"))
    if shares_line:
        start = block.start
    end = block.end
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    if shares_line and not rest.strip():
        return text[:start].rstrip(" \t") + (text[line_end - rest.endswith("\r") :] if line_end >= 0 else "")
    if not rest.strip():
        end = len(text) if line_end < 0 else line_end + 1
    before, after = text[:start], text[end:]
    if not after:
        before = re.sub(r"(\r?\n)(?:\r?\n)+\Z", r"\1", before)
    elif before.endswith(("\n\n", "\n\r\n")) and after.startswith(("\n", "\r\n")):
        after = after[after.index("\n") + 1 :]
    return before + after
