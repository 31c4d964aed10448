"""Merge conflicts: what git leaves in a file where two sides changed the same lines."""

import re
from typing import NamedTuple

_MARKER = re.compile(r"^(?:<{7} |\|{7}(?:[ \r]|$)|={7}\r?$|>{7} )[^\n]*\n?", re.MULTILINE)


class Conflict(NamedTuple):
    """One conflict by offsets: the whole with its markers, and the lines of each side."""

    start: int
    end: int
    ours: tuple[int, int]
    theirs: tuple[int, int]


def find_conflicts(text: str) -> list[Conflict]:
    """Find every conflict that is whole; a marker alone is none. Linear in the text."""
    if "<<<<<<< " not in text:
        return []
    found: list[Conflict] = []
    opening: re.Match[str] | None = None
    ours_end: int | None = None
    middle: re.Match[str] | None = None
    for match in _MARKER.finditer(text):
        sign = match[0][0]
        if sign == "<":
            opening, ours_end, middle = match, None, None
        elif opening is None:
            continue
        elif sign == "|" and middle is None:
            ours_end = match.start() if ours_end is None else ours_end
        elif sign == "=" and middle is None:
            middle = match
            ours_end = match.start() if ours_end is None else ours_end
        elif sign == ">" and middle is not None and ours_end is not None:
            sides = (opening.end(), ours_end), (middle.end(), match.start())
            found.append(Conflict(opening.start(), match.end(), *sides))
            opening = None
    return found


def without_conflicts(text: str, conflicts: list[Conflict]) -> str:
    """Blank out the markers and the other side's lines, so that offsets stay and our side is read."""
    pieces, position = [], 0
    for conflict in conflicts:
        begin, end = conflict.ours
        pieces += [text[position : conflict.start], _blank(text[conflict.start : begin]), text[begin:end]]
        pieces.append(_blank(text[end : conflict.end]))
        position = conflict.end
    return "".join([*pieces, text[position:]])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
