"""The canonical layout of a Firm file.

One field a line, indented by four blanks a level; a list on one line if it fits in 100 columns; one
empty line between entries. Comments stay where they stand, groups of fields stay apart, and no value
changes. A field with a comment inside it is left as written.
"""

from vault.lang.lower import dedent
from vault.lang.parse import Document, parse
from vault.lang.syntax import BlockNode, FieldNode, Token, ValueNode, tokens
from vault.lang.write import INDENT, fits_single_line, fits_string, write_value

WIDTH = 100


def format_text(text: str) -> str:
    """Return the text in canonical layout; a text with syntax errors comes back as it is.

    Line endings and a BOM are kept. Formatting a formatted text changes nothing.
    """
    document = parse(text)
    if document.problems:
        return text
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    return bom + _Formatter(document).run()


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
        line = f"[{', '.join(items)}]"
        if "\n" not in line and column + len(line) <= WIDTH:
            return line
        if not items:
            return "[]"
        return self.newline.join(["[", *(f"{indent}{INDENT}{item}," for item in items), f"{indent}]"])
