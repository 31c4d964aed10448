"""The parser: text → tree and syntax errors. It never raises and always reaches the end of the text.

After an error it goes on at the next field or block. A block that is never closed is blamed on its
opening brace, and ends where the next entry begins.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from vault.lang.conflicts import find_conflicts, without_conflicts
from vault.lang.syntax import BlockNode, FieldNode, Lines, Token, ValueNode, tokens

SCALARS = frozenset(["MSTRING", "STRING", "PATH", "ENUM", "DATETIME", "CURRENCY", "NUMBER", "REFERENCE"])
#: Deeper lists and blocks are refused, so that nothing that walks a tree needs more stack than this.
DEPTH_LIMIT = 64
#: More problems than this in one file say no more; the rest is counted.
PROBLEM_LIMIT = 100


class SyntaxProblem(NamedTuple):
    """A syntax error by offsets; `lowering` turns it into a diagnostic."""

    code: str
    message: str
    start: int
    end: int
    hint: str = ""


@dataclass(slots=True)
class Document:
    """A parsed file: the text, its top-level blocks and what is wrong with its syntax.

    `more` counts the problems beyond the first `PROBLEM_LIMIT`.
    """

    text: str
    blocks: list[BlockNode] = field(default_factory=list)
    problems: list[SyntaxProblem] = field(default_factory=list)
    more: int = 0

    def add(self, problem: SyntaxProblem) -> None:
        """Keep a problem, or count it where there are plenty."""
        if len(self.problems) < PROBLEM_LIMIT:
            self.problems.append(problem)
        else:
            self.more += 1

    @property
    def lines(self) -> Lines:
        """The text's line index, made on each call."""
        return Lines.of(self.text)


def parse(text: str) -> Document:
    """Parse a text; every problem is in the result."""
    document = Document(text)
    conflicts = find_conflicts(text)
    for conflict in conflicts:
        ours, theirs = (_short(text[start:end]) for start, end in (conflict.ours, conflict.theirs))
        document.add(
            SyntaxProblem(
                "conflict-marker",
                f"a merge left both sides here: `{ours}` and `{theirs}`",
                conflict.start,
                conflict.start + 7,
                "keep one side (or both, edited) and delete the lines that begin with <<<<<<<, ======= and >>>>>>>",
            )
        )
    _Parser(without_conflicts(text, conflicts) if conflicts else text, document).run()
    document.problems.sort(key=lambda problem: problem.start)
    return document


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"  # noqa: PLR2004  fits a terminal line twice


class _Parser:
    """One pass over the tokens, with an explicit stack: depth costs memory, never recursion."""

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.tokens = tokens(text)
        self.tokens += [Token("END", len(text), len(text))] * 3
        self.kinds = [token.kind for token in self.tokens]
        self.at = 0

    def problem(self, code: str, message: str, token: Token, hint: str = "") -> None:
        """Record a problem at a token."""
        self.document.add(SyntaxProblem(code, message, token.start, token.end, hint))

    def run(self) -> None:
        """Read top-level blocks until the end."""
        while self.kinds[self.at] != "END":
            if self._starts_entry(self.at):
                self._block()
            elif self.kinds[self.at] == "NAME" and self.kinds[self.at + 1] == "{":
                self._nameless()
            else:
                self._stray()

    def _starts_entry(self, at: int) -> bool:
        kinds = self.kinds
        return kinds[at] == "NAME" and kinds[at + 1] in ("NAME", "WORD", "REFERENCE") and kinds[at + 2] == "{"

    def _block(self) -> None:
        kind, ident, brace = self.tokens[self.at : self.at + 3]
        block = BlockNode(self._word(kind), self._word(ident), kind.start, brace.start)
        if ident.kind != "NAME":
            block.broken = True
            self.problem(
                "syntax-error",
                f"`{_short(self._word(ident))}` is not an id",
                ident,
                "use ASCII letters, digits and `_`; it cannot start with a digit",
            )
        self.at += 3
        self.document.blocks.append(block)
        self._items(block)

    def _nameless(self) -> None:
        name, brace = self.tokens[self.at : self.at + 2]
        self.problem(
            "syntax-error",
            f"`{self._word(name)}` needs a type and an id in front of its brace",
            name,
            f"write `{self._word(name)} some_id {{`",
        )
        block = BlockNode(self._word(name), "", name.start, brace.start, broken=True)
        self.at += 2
        self._items(block)

    def _stray(self) -> None:
        """Report what belongs to no block, once, and go on at the next entry."""
        token = self.tokens[self.at]
        if token.kind == "}":
            self.problem("syntax-error", "this brace closes nothing", token)
            self.at += 1
            return
        self._blame(token, "expected an entry: `type id { … }`")
        depth = 0
        while (kind := self.kinds[self.at]) != "END":
            depth += (kind == "{") - (kind == "}")
            self.at += 1
            if depth <= 0 and self._may_begin(self.at):
                return

    def _may_begin(self, at: int) -> bool:
        """Whether what stands here is worth a look of its own at the top level."""
        kinds = self.kinds
        return kinds[at] == "}" or (kinds[at] == "NAME" and kinds[at + 1] == "{") or self._starts_entry(at)

    def _items(self, block: BlockNode) -> None:
        """Read the items of a block and of the blocks inside it, up to the closing brace."""
        stack = [block]
        while stack:
            kind = self.kinds[self.at]
            following = self.kinds[self.at + 1]
            if kind == "NAME" and following == "=":
                stack[-1].items.append(self._field())
            elif kind == "}":
                self._close(stack.pop())
            elif kind == "NAME" and following == "{":
                if len(stack) == DEPTH_LIMIT:
                    self.problem("syntax-error", f"blocks nest deeper than {DEPTH_LIMIT}", self.tokens[self.at])
                stack.append(self._nested(stack[-1]))
            elif kind == "END" or self._starts_entry(self.at):
                self._unclosed(stack)
            else:
                self._skip_item(stack[-1])

    def _close(self, block: BlockNode) -> None:
        token = self.tokens[self.at]
        block.close, block.end = token.start, token.end
        self.at += 1

    def _nested(self, parent: BlockNode) -> BlockNode:
        name, brace = self.tokens[self.at : self.at + 2]
        block = BlockNode(self._word(name), "", name.start, brace.start)
        parent.items.append(block)
        self.at += 2
        return block

    def _unclosed(self, stack: list[BlockNode]) -> None:
        end = self.tokens[self.at - 1].end
        outermost = stack[0]
        brace = Token("{", outermost.open, outermost.open + 1)
        name = f"{outermost.type} {outermost.id}".strip()
        self.problem("unclosed-block", f"the brace of `{name}` is never closed", brace, "add a `}`")
        for block in stack:
            block.end, block.broken = end, True
        stack.clear()

    def _skip_item(self, block: BlockNode) -> None:
        """Report what is no item of a block, once, and go on at the next item."""
        token = self.tokens[self.at]
        block.broken = True
        if token.kind == ",":
            self.problem(
                "syntax-error", "remove the comma: fields are not separated by commas", token, "remove the comma"
            )
        else:
            self._blame(token, "expected a field: `name = value`")
        self.at += 1
        while not self._resumes(self.at):
            self.at += 1

    def _resumes(self, at: int) -> bool:
        kind = self.kinds[at]
        if kind in ("END", "}"):
            return True
        return kind == "NAME" and (self.kinds[at + 1] in ("=", "{") or self._starts_entry(at))

    def _field(self) -> FieldNode:
        name = self.tokens[self.at]
        self.at += 2
        value = self._value()
        if self.kinds[self.at - 1] == "UNCLOSED_STRING":  # what follows may be meant as text
            while not self._resumes(self.at):
                self.at += 1
        return FieldNode(self._word(name), name.start, name.end, value)

    def _value(self) -> ValueNode:
        token = self.tokens[self.at]
        if token.kind in SCALARS:
            self.at += 1
            if token.kind == "NUMBER" and self._odd_currency():
                return ValueNode("BROKEN", token.start, self.tokens[self.at - 1].end)
            return ValueNode(*token)
        if token.kind == "[":
            return self._list()
        return self._odd_value(token)

    def _odd_currency(self) -> bool:
        """Report a word behind a number, on its line, that is no currency code, as in `5000 US`."""
        token = self.tokens[self.at]
        if "\n" in self.text[self.tokens[self.at - 1].end : token.start]:
            return False
        if token.kind != "NAME" or self.kinds[self.at + 1] in ("=", "{") or self._starts_entry(self.at):
            return False
        word = self._word(token)
        self.problem("syntax-error", f"`{word}` is not a currency: a code is three capitals, as in `5 USD`", token)
        self.at += 1
        return True

    def _odd_value(self, token: Token) -> ValueNode:
        if token.kind == "NAME" and self.kinds[self.at + 1] not in ("=", "{"):
            self.at += 1
            word = self._word(token)
            if word in ("true", "false"):
                return ValueNode("BOOL", token.start, token.end)
            if word in ("path", "enum") and self.kinds[self.at] == "UNCLOSED_STRING":
                return self._odd_value(self.tokens[self.at])
            self.problem(
                "syntax-error", f"the bare word `{word}` is not a value", token, f'for a string write "{word}"'
            )
            return ValueNode("BROKEN", token.start, token.end)
        if token.kind in ("WORD", "UNCLOSED_STRING", "UNCLOSED_COMMENT"):
            self._blame(token, "expected a value")
            self.at += 1
            return ValueNode("BROKEN", token.start, token.end)
        before = self.tokens[self.at - 1]
        self.problem("syntax-error", "expected a value here", before)
        return ValueNode("BROKEN", before.end, before.end)

    def _list(self) -> ValueNode:
        """Read a list; lists inside are kept on a stack of (start, items)."""
        stack: list[tuple[Token, list[ValueNode]]] = []
        expect_item = True
        while True:
            token = self.tokens[self.at]
            if token.kind == "[" and expect_item:
                if len(stack) == DEPTH_LIMIT:
                    self.problem("syntax-error", f"lists nest deeper than {DEPTH_LIMIT}", token)
                stack.append((token, []))
                self.at += 1
                continue
            if token.kind == "]":
                self.at += 1
                opening, items = stack.pop()
                node = ValueNode("LIST", opening.start, token.end, tuple(items))
                if len(stack) >= DEPTH_LIMIT:
                    node = ValueNode("BROKEN", opening.start, token.end)
                if not stack:
                    return node
                stack[-1][1].append(node)
                expect_item = False
            elif token.kind == "," and not expect_item:
                self.at += 1
                expect_item = True
            elif self._list_is_left(token):
                return self._unclosed_list(stack[0][0])
            else:
                expect_item = self._item(token, stack[-1][1], expect_item=expect_item)

    def _list_is_left(self, token: Token) -> bool:
        if token.kind in ("END", "}", "{", "="):
            return True
        return token.kind == "NAME" and (self.kinds[self.at + 1] in ("=", "{") or self._starts_entry(self.at))

    def _item(self, token: Token, items: list[ValueNode], *, expect_item: bool) -> bool:
        """Read one item, or report what stands in its place; return whether an item is expected next."""
        if token.kind == ",":
            self.problem("syntax-error", "expected an item between the commas", token)
            items.append(ValueNode("BROKEN", token.start, token.start))
            self.at += 1
            return True
        if not expect_item:
            self.problem("syntax-error", "expected a comma between two items", token)
            items.append(ValueNode("BROKEN", token.start, token.start))
        if token.kind == "[":
            return True
        items.append(self._value())
        return False

    def _unclosed_list(self, opening: Token) -> ValueNode:
        self.problem("syntax-error", "this list is never closed", opening, "add a `]`")
        return ValueNode("BROKEN", opening.start, self.tokens[self.at - 1].end)

    def _blame(self, token: Token, expectation: str) -> None:
        """Report a token that stands where something else should."""
        word = _short(self._word(token))
        if token.kind == "UNCLOSED_STRING":
            quotes = '"""' if word.startswith('"""') else '"'
            self.problem("syntax-error", "this string is never closed", token, f"add a closing `{quotes}`")
        elif word[:7] in ("<" * 7, "|" * 7, ">" * 7):
            self.problem(
                "conflict-marker", "a merge left this mark here", token, "delete it once both sides are settled"
            )
        elif token.kind == "UNCLOSED_COMMENT":
            self.problem("syntax-error", "this comment is never closed", token, "add `*/`")
        elif token.kind == "WORD" and word[:1].isdigit():
            self.problem("syntax-error", f"`{word}` is not a number or a date", token, "put a text in quotes")
        else:
            self.problem("syntax-error", f"{expectation}, found `{word}`", token)

    def _word(self, token: Token) -> str:
        return self.text[token.start : token.end]
