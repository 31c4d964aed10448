"""Tokens and the lossless tree of a Firm file.

A tree holds offsets into the text it was made of and no text of its own: what lies between two nodes
(comments, blanks, order) is still there, so an edit replaces a span and touches nothing else.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import NamedTuple

from vault.diagnostics import Span

TRIVIA = frozenset(["COMMENT", "BLANK"])

#: What no terminal of the grammar matches: an unclosed comment or string, a malformed word, one character.
_BROKEN = (
    ("UNCLOSED_COMMENT", r"/\*(?s:.*)"),
    ("UNCLOSED_STRING", r'"[^\n]*'),
    ("PUNCTUATION", r"[{}\[\]=,]"),
    ("WORD", r'[^\s{}\[\]=,"/]+|.'),
)


class Token(NamedTuple):
    """A run of the text: its kind (punctuation stands for itself) and where it is."""

    kind: str
    start: int
    end: int


class ValueNode(NamedTuple):
    """A value as written; `items` is filled for a list only."""

    kind: str
    start: int
    end: int
    items: tuple["ValueNode", ...] = ()


class FieldNode(NamedTuple):
    """`name = value`; the field begins where its name does and ends where its value ends."""

    name: str
    start: int
    name_end: int
    value: ValueNode

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.value.end


@dataclass(slots=True, eq=False)
class BlockNode:
    """An entry (`type id {}`), a schema (`schema name {}`) or a nested block (`name {}`, `id` empty).

    `open` is the offset of the opening brace; `end` lies behind the closing one. `broken` is set where
    the block's own braces or words are in error; `close` is then -1 if no closing brace was found.
    """

    type: str
    id: str
    start: int
    open: int
    close: int = -1
    end: int = -1
    broken: bool = False
    items: list["FieldNode | BlockNode"] = field(default_factory=list)

    def fields(self) -> Iterator[FieldNode]:
        """Iterate over the fields of the block itself."""
        return (item for item in self.items if isinstance(item, FieldNode))

    def blocks(self) -> Iterator["BlockNode"]:
        """Iterate over the blocks directly inside."""
        return (item for item in self.items if isinstance(item, BlockNode))


@dataclass(slots=True)
class Lines:
    """Offsets → lines and columns of one text; columns count characters, both are 1-based.

    A BOM is no character of the first line: editors do not show it.
    """

    starts: list[int]

    @classmethod
    def of(cls, text: str) -> "Lines":
        """Index the line starts of a text."""
        first = 1 if text.startswith("\ufeff") else 0
        return cls([first, *(match.end() for match in re.finditer("\n", text))])

    def line(self, offset: int) -> int:
        """Return the line an offset is in."""
        return max(bisect_right(self.starts, offset), 1)

    def span(self, path: str, start: int, end: int) -> Span:
        """Return the span from `start` to `end`."""
        first, last = self.line(start), self.line(max(start, end))
        return Span(
            path,
            first,
            start - self.starts[first - 1] + 1,
            last,
            max(start, end) - self.starts[last - 1] + 1,
        )


#: A terminal of the grammar file: its name and regular expression; they stand there in the order they are tried.
_TERMINAL = re.compile(r"^([A-Z]+)\.[0-9]+: /(.+)/$", re.MULTILINE)


def terminals() -> list[tuple[str, str]]:
    """The grammar's terminals, read from `firm.lark` in its order.

    Lark itself would take 90 ms of every command that reads a changed file; a test shows that it finds
    the same. `BOOL` is a `NAME` to the scanner: where a word stands decides whether it is a value.
    """
    grammar = resources.files("vault.lang").joinpath("firm.lark").read_text("utf-8")
    return [(name, expression) for name, expression in _TERMINAL.findall(grammar) if name != "BOOL"]


@cache
def _scanner() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{expression})" for name, expression in (*terminals(), *_BROKEN)))


def tokens(text: str, *, trivia: bool = False) -> list[Token]:
    """Split a text into tokens; with `trivia` their joined texts are the text itself."""
    found = []
    for match in _scanner().finditer(text):
        kind = match.lastgroup or "WORD"
        if kind in TRIVIA and not trivia:
            continue
        if kind == "PUNCTUATION":
            kind = match[0]
        found.append(Token(kind, *match.span()))
    return found
