"""Edits inside a list: items that stay keep their spelling, their lines and the comments around them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from vault.lang.lower import BadValue, lower_value
from vault.lang.parse import parse
from vault.lang.syntax import TRIVIA, ValueNode, tokens
from vault.lang.write import write_value
from vault.model.values import Value, same

#: (what is done, from and to among the items held, from and to among those wanted).
Step = tuple[str, int, int, int, int]

#: Pairs of items compared at the most: finding what two lists share takes as long as their product.
MOST_COMPARED = 1_000_000


@dataclass(frozen=True, slots=True)
class _Item:
    """An item as it is written, with what stands before it, between it and its comma, and behind that on its line."""

    lead: str
    text: str
    post: str = ""
    trail: str = ""


@dataclass(frozen=True, slots=True)
class _Written:
    """A list as it is written; `comma` says whether one trails the last item."""

    opening: str
    items: Sequence[_Item]
    closing: str
    comma: bool

    def source(self, newline: str) -> str:
        """The text of the list; what would stand behind a `//` comment begins a line."""
        last = len(self.items) - 1
        parts = ["[", self.opening]
        for number, item in enumerate(self.items):
            comma = "," if number < last or self.comma else ""
            parts += [item.lead, item.text, item.post, comma, item.trail]
        return _join(newline, *parts, self.closing, "]")


def _join(newline: str, *parts: str) -> str:
    """Put parts of a list together; what would stand behind a `//` comment begins a line."""
    made, commented = "", False
    for part in parts:
        told = part
        if commented and not part.startswith(("\n", "\r\n")):
            told = part.lstrip(" \t") and newline + part.lstrip(" \t")
        if told:
            made += told
            *_, end = tokens(told, trivia=True)
            commented = end.kind == "COMMENT" and told.startswith("//", end.start)
    return made


def edited_list(text: str, node: ValueNode, wanted: Sequence[Value], newline: str) -> str | None:
    """The source of a list with other items; None where that is to be written anew.

    `newline` is the text's line ending. What a removed item's comments say stays.
    """
    try:
        held = [write_value(lower_value(text, item)) for item in node.items]
    except BadValue:
        return None
    written = _split(text, node) if node.items else _empty(text, node)
    if written is None or (not wanted and not _has_comments(text[node.start : node.end])):
        return None
    made = _merged(written, held, [write_value(value) for value in wanted], newline).source(newline)
    return made if _reads_as(made, wanted) else None


def _has_comments(text: str) -> bool:
    return any(token.kind == "COMMENT" for token in tokens(text, trivia=True))


def _empty(text: str, node: ValueNode) -> _Written | None:
    """A list without items: its comments stand before what comes; None without comments."""
    inside = text[node.start + 1 : node.end - 1]
    comments = inside.rstrip()
    if not _has_comments(inside):
        return None
    return _Written(comments, (), inside[len(comments) :], comma="\n" in comments)


def _split(text: str, node: ValueNode) -> _Written:
    """Take a list apart, so that joining the parts gives the text again."""
    limits = [*(item.start for item in node.items[1:]), node.end - 1]
    opening, lead = _line_and_rest(text[node.start + 1 : node.items[0].start])
    items: list[_Item] = []
    comma = False
    for item, limit in zip(node.items, limits, strict=True):
        at = _comma(text, item.end, limit)
        comma = at is not None
        if at is None:
            post, between = _own_comment(text[item.end : limit])
        else:
            post, between = text[item.end : at], text[at + 1 : limit]
        trail, rest = _line_and_rest(between)
        items.append(_Item(lead, text[item.start : item.end], post, trail))
        lead = rest
    return _Written(opening, items, lead, comma)


def _own_comment(behind: str) -> tuple[str, str]:
    """Divide what stands behind the last item: comments on its line that end there are its own, the rest is not."""
    end = 0
    for token in tokens(behind, trivia=True):
        if token.kind == "BLANK" and "\n" in behind[token.start : token.end]:
            break
        if token.kind == "COMMENT":
            if behind.startswith("//", token.start):
                break
            end = token.end
    return behind[:end], behind[end:]


def _line_and_rest(between: str) -> tuple[str, str]:
    """Divide what stands between two items: what is left of the line, if it ends there, and the rest."""
    for token in tokens(between, trivia=True):
        line_end = between.find("\n", token.start, token.end) if token.kind == "BLANK" else -1
        if line_end >= 0:
            at = line_end - 1 if between[line_end - 1 : line_end] == "\r" else line_end
            return between[:at], between[at:]
    return "", between


def _comma(text: str, start: int, end: int) -> int | None:
    """Where the comma behind an item stands, None if there is none."""
    for token in tokens(text[start:end], trivia=True):
        if token.kind not in TRIVIA:
            return start + token.start
    return None


def _merged(written: _Written, held: Sequence[str], wanted: Sequence[str], newline: str) -> _Written:
    """The list with the items that are wanted; new ones are laid out as their neighbours are."""
    fresh = _fresh_lead(written, newline)
    one_line = fresh == " "
    items: list[_Item] = []
    carried = ""  # the comments of items that go
    for step, first, last, begin, end in _steps(held, wanted):
        if step != "equal":
            said = (part for item in written.items[first:last] for part in _comments(item, fresh))
            carried = _join(newline, carried, *said)
        added = [_Item(fresh, value) for value in wanted[begin:end]]
        for item in written.items[first:last] if step == "equal" else added:
            lead = item.lead
            if one_line and not items and not carried and not lead.strip():
                first_lead = written.items[0].lead if written.items else " "
                lead = first_lead if not first_lead.strip() else ""
            elif one_line and not lead:
                lead = fresh if item is written.items[0] else ""
            items.append(replace(item, lead=_join(newline, carried, lead)))
            carried = ""
    return replace(written, items=items, closing=_join(newline, carried, written.closing))


def _steps(held: Sequence[str], wanted: Sequence[str]) -> list[Step]:
    """How to come from some items to others: runs that stay (`equal`), and runs in place of which others stand."""
    limit = min(len(held), len(wanted))
    start = next((at for at in range(limit) if held[at] != wanted[at]), limit)
    rest = limit - start
    end = next((at for at in range(rest) if held[-1 - at] != wanted[-1 - at]), rest)
    old, new = held[start : len(held) - end], wanted[start : len(wanted) - end]
    if len(old) * len(new) > MOST_COMPARED:
        between: list[Step] = [("replace", 0, len(old), 0, len(new))]
    else:
        between = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    return [
        ("equal", 0, start, 0, start),
        *((step, start + a, start + b, start + c, start + d) for step, a, b, c, d in between),
        ("equal", len(held) - end, len(held), len(wanted) - end, len(wanted)),
    ]


def _fresh_lead(written: _Written, newline: str) -> str:
    """What stands before a new item: a blank, or a line of its own where items or comments have theirs."""
    leads = [item.lead for item in written.items]
    if any(item.trail.strip() for item in written.items):
        leads.append(written.closing)
    if not written.items:
        rows = written.opening.splitlines()
        indent = rows[-1][: len(rows[-1]) - len(rows[-1].lstrip())]
        return newline + indent if len(rows) > 1 else " "
    indents = [lead[lead.rfind("\n") + 1 :] for lead in leads if "\n" in lead]
    return next((newline + indent for indent in indents if not indent.strip()), " ")


def _comments(item: _Item, fresh: str) -> list[str]:
    """What is said around an item, for when it goes."""
    around = [f"{fresh}{part.strip()}" for part in (item.post, item.trail) if part.strip()]
    return [item.lead.rstrip(), *around] if item.lead.strip() else around


def _reads_as(source: str, wanted: Sequence[Value]) -> bool:
    document = parse(f"a b {{ c = {source} }}")
    fields = [field for block in document.blocks for field in block.fields()]
    if document.problems or len(fields) != 1:
        return False
    try:
        return same(lower_value(document.text, fields[0].value), tuple(wanted))
    except BadValue:  # items of several kinds
        return False
