"""The canonical layout of a Firm file.

One field a line, indented by four blanks a level; a list of two or more items one item a line; one empty line
between entries. The fields of an entry are in the order of its schema, then by name, within each group that empty
lines set apart: two people who add fields or items rarely touch the same line. Comments stay with what they are
above or behind, and no value changes. A field with a comment inside it keeps its text.
"""

from typing import NamedTuple

from vault.lang.lower import dedent
from vault.lang.order import Orders, rank_in
from vault.lang.parse import Document, parse
from vault.lang.syntax import BlockNode, FieldNode, Token, ValueNode, tokens
from vault.lang.write import INDENT, fits_single_line, fits_string, write_value

WIDTH = 100


def format_text(text: str, orders: Orders | None = None) -> str:
    """Return the text in canonical layout; a text with syntax errors comes back as it is.

    Fields are ordered in entries of the types that `orders` has. Line endings and a BOM are kept.
    Formatting a formatted text changes nothing.
    """
    document = parse(text)
    if document.problems:
        return text
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    laid_out = _Formatter(document).run()
    if orders:
        ordered = _with_ordered_fields(laid_out, orders)
        if ordered != laid_out:
            laid_out = _Formatter(parse(ordered)).run()
    return bom + laid_out


def _with_ordered_fields(text: str, orders: Orders) -> str:
    """Move fields to their canonical place; `text` is laid out, so that each has lines of its own."""
    pieces, position = [], 0
    for block in parse(text).blocks:
        if block.type not in orders:
            continue
        rank = rank_in(orders[block.type])
        for group in _groups(text, block):
            chunks = sorted(group, key=lambda chunk: rank(chunk.name))
            lines = [text[chunk.start : chunk.end] for chunk in chunks]
            pieces += [text[position : group[0].start], "\n".join(lines)]
            position = group[-1].end
    return "".join([*pieces, text[position:]])


class _Chunk(NamedTuple):
    """The lines of a field, from the comments above it to the one behind it."""

    name: str
    start: int
    end: int


def _groups(text: str, block: BlockNode) -> list[list[_Chunk]]:
    """The fields of a block in groups: an empty line or a block between them begins another."""
    if not block.items:
        return []
    groups: list[list[_Chunk]] = [[]]
    limits = [*(item.start for item in block.items[1:]), block.close]
    start = _between(text, block.open + 1, block.items[0].start)[1]
    for item, limit in zip(block.items, limits, strict=True):
        end, next_start, is_apart = _between(text, item.end, limit)
        if isinstance(item, FieldNode):
            groups[-1].append(_Chunk(item.name, start, end))
        if is_apart or isinstance(item, BlockNode):
            groups.append([])
        start = next_start
    return [group for group in groups if group]


def _between(text: str, start: int, limit: int) -> tuple[int, int, bool]:
    """Where a field's last line ends and the next field's first begins, and whether an empty line is between."""
    end, begin, is_apart = -1, limit, False
    for token in tokens(text[start:limit], trivia=True):
        line_end = text.find("\n", start + token.start, start + token.end)
        if token.kind != "BLANK" or line_end < 0:
            continue
        is_empty_line = text.count("\n", line_end, start + token.end) > 1
        is_apart = is_apart or is_empty_line
        if end < 0 or is_empty_line:
            begin = text.rindex("\n", start, start + token.end) + 1
        if end < 0:
            end = line_end
    return end, begin, is_apart


def _newline_between(text: str, everything: list[Token]) -> str:
    """The line ending between tokens, which stays where those inside of comments and strings come first."""
    for token in everything[everything[:1] != [] and everything[0].kind == "BLANK" :]:
        line_end = text.find("\n", token.start, token.end) if token.kind == "BLANK" else -1
        if line_end >= 0:
            return "\r\n" if text[line_end - 1 : line_end] == "\r" else "\n"
    return "\n"


class _Formatter:
    """Lays out one document.

    `rows` grows by lines without their line ends; a row that is kept as written may hold some.
    """

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.document = document
        everything = tokens(document.text, trivia=True)
        self.comments = [token for token in everything if token.kind == "COMMENT"]
        self.newline = _newline_between(document.text, everything)
        self.next = 0
        self.rows: list[str] = []

    def run(self) -> str:
        """Lay out every block and the comments around them."""
        position = 0
        for block in self.document.blocks:
            separated = position > 0
            position = self._comments_before(block.start, position, "", separated=separated)
            self._gap(position, block.start, force=separated and not self._touches(position, block.start))
            position = self._block(block, "")
        self._comments_before(len(self.text), position, "", separated=False)
        return self.newline.join([*self.rows, ""]) if self.rows else ""

    def _touches(self, position: int, start: int) -> bool:
        """Whether a comment's line directly above leads into what begins at `start`."""
        above = self.rows[-1].lstrip() if self.rows else ""
        return above.startswith(("//", "/*")) and self.text.count("\n", position, start) <= 1

    def _gap(self, position: int, start: int, *, force: bool = False) -> None:
        """Keep one empty line where at least one stood (or where `force` asks for one)."""
        blank = position > 0 and self.text.count("\n", position, start) > 1
        if self.rows and (blank or force) and self.rows[-1] != "":
            self.rows.append("")

    def _comments_before(self, limit: int, position: int, indent: str, *, separated: bool) -> int:
        """Write the comments up to `limit`; return where the last thing written ends in the text."""
        while self.next < len(self.comments) and self.comments[self.next].start < limit:
            comment = self.comments[self.next]
            self.next += 1
            written = self.text[comment.start : comment.end].rstrip()
            if self.rows and position and "\n" not in self.text[position : comment.start]:
                self.rows[-1] += f"  {written}"
            else:
                opens = bool(self.rows) and self.rows[-1].endswith("{")
                self._gap(position, comment.start, force=separated and not opens)
                self.rows.append(f"{indent}{written}")
            separated = False
            position = comment.end
        return position

    def _block(self, block: BlockNode, indent: str) -> int:
        """Write a block; return the offset behind its closing brace."""
        header = self._header(block)
        if not block.items and not self._commented(block.open, block.close):
            self.rows += [f"{indent}{header}{{}}"] if indent else [f"{header}{{", "}"]
            return block.end
        self.rows.append(f"{indent}{header}{{")
        position, inner = block.open + 1, indent + INDENT
        for item in block.items:
            position = self._comments_before(item.start, position, inner, separated=False)
            if not self.rows[-1].endswith("{"):
                self._gap(position, item.start)
            position = self._item(item, inner)
        self._comments_before(block.close, position, inner, separated=False)
        self.rows.append(f"{indent}}}")
        return block.end

    def _header(self, block: BlockNode) -> str:
        if self._commented(block.start, block.open):
            self._pass(block.open)
            return self.text[block.start : block.open]
        return f"{block.type} {block.id}".rstrip() + " "

    def _commented(self, start: int, end: int) -> bool:
        return self.next < len(self.comments) and start <= self.comments[self.next].start < end

    def _pass(self, end: int) -> None:
        """Leave out the comments before `end`: they stand in text that is kept as written."""
        while self.next < len(self.comments) and self.comments[self.next].start < end:
            self.next += 1

    def _item(self, item: FieldNode | BlockNode, indent: str) -> int:
        if isinstance(item, BlockNode):
            return self._block(item, indent)
        if self._commented(item.start, item.end):
            self._pass(item.end)
            self.rows.append(f"{indent}{self.text[item.start : item.end]}")
            return item.end
        value = self._value(item.value, indent, len(indent) + len(item.name) + 3)
        self.rows.append(f"{indent}{item.name} = {value}")
        return item.end

    def _value(self, node: ValueNode, indent: str, column: int) -> str:
        written = self.text[node.start : node.end]
        if node.kind == "LIST":
            return self._list(node, indent, column)
        if node.kind == "MSTRING":
            return self._multiline(written, indent)
        quote = written.rindex('"', 0, -1) if node.kind in ("STRING", "ENUM", "PATH") else len(written)
        if "/" in written[:quote]:  # a comment inside
            return written
        return " ".join(written[:quote].split()) + written[quote:]

    def _multiline(self, written: str, indent: str) -> str:
        value = dedent(written[3:-3])
        if fits_single_line(value) or not fits_string(value):
            return written
        return write_value(value, indent=indent).replace("\n", self.newline)

    def _list(self, node: ValueNode, indent: str, column: int) -> str:
        items = [self._value(item, indent + INDENT, len(indent) + len(INDENT)) for item in node.items]
        line = f"[{''.join(items)}]"
        is_short = len(items) == 1 and "\n" not in line and column + len(line) <= WIDTH
        if is_short or not items:
            return line
        return self.newline.join(["[", *(f"{indent}{INDENT}{item}," for item in items), f"{indent}]"])
