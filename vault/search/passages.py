"""Passages: the runs of an entry's text that are found and cited.

A short entry is one passage. A long text is split at headings and paragraphs; each passage keeps the
headings above it as context and knows the line of the file every line of it stands on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vault.lang.lower import WHITE_SPACE
from vault.lang.syntax import tokens
from vault.model.entry import Entry
from vault.model.values import EnumValue, Value
from vault.store.records import Passage
from vault.workspace.ingest import Sidecar

#: About 200 word-pieces of the default embedding model, which makes 1.3 of an English word.
WORD_LIMIT = 150

#: Fields whose text says nothing about the entry, or that a ranker of their own reads.
UNREAD = frozenset(["name", "aliases", "tags", "origin", "agent", "chat", "text_file"])

_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_TEXT_FIELD = frozenset(["STRING", "MSTRING"])


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text and where it stands: the line of `path`."""

    path: str
    number: int
    text: str


def split(entry: Entry, text: str, sidecar: Sidecar | None) -> list[Passage]:
    """Make the passages of an entry, given its file's text and the sidecar its text is in."""
    groups: list[list[Line]] = [[]]
    for name, value in entry.fields.items():
        if name not in UNREAD:
            lines = list(_lines(entry, name, value, text))
            if _words(lines) > WORD_LIMIT:
                groups.append(lines)
            else:
                groups[0] += lines
    if sidecar:
        rows = enumerate(sidecar.text.split("\n"), 1)
        groups.append([Line(sidecar.path, number, row.rstrip("\r")) for number, row in rows])
    passages = [passage for lines in groups for passage in _pack(lines)]
    return passages or [Passage(entry.path, "", (entry.place.line,))]


def _lines(entry: Entry, name: str, value: Value, text: str) -> Iterator[Line]:
    """The text of a field line by line, with the lines of the file it stands on."""
    place = (entry.places or {}).get(name)
    line = place.line if place else entry.place.line
    if isinstance(value, str):
        first = line + (_leading_lines(text[place.start : place.end]) if place else 0)
        for offset, row in enumerate(value.split("\n")):
            yield Line(entry.path, first + offset, row.rstrip("\r"))
    elif isinstance(value, EnumValue):
        yield Line(entry.path, line, _on_one_line(value.text))
    elif isinstance(value, tuple) and value and isinstance(value[0], str):
        items = ", ".join(item for item in value if isinstance(item, str))
        yield Line(entry.path, line, _on_one_line(items))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _leading_lines(written: str) -> int:
    """How many lines below a field's name its string's first line of text stands."""
    opening = written.find('"')
    if "/" in written[:opening]:  # perhaps a comment with a quote in it
        opening = next(token.start for token in tokens(written) if token.kind in _TEXT_FIELD)
    if not written.startswith('"""', opening):
        return written.count("\n", 0, opening)
    inner = written[opening + 3 :]
    blank = len(inner) - len(inner.lstrip(WHITE_SPACE))
    return written.count("\n", 0, opening + 3 + blank)


def _words(lines: Sequence[Line]) -> int:
    return sum(_weight(line.text) for line in lines)


def _weight(text: str) -> int:
    """The number of words; ten letters count as one, in scripts without blanks two characters do."""
    return max(len(text.split()), len(text) // 10 if text.isascii() else len(text.encode()) // 6)


def _title(line: str) -> tuple[int, str] | None:
    """The level and words of a heading; None for any other line."""
    match = _HEADING.match(line)
    if match is None:
        return None
    words = line[match.end() :].rstrip()
    bare = words.rstrip("#")
    return len(match[1]), bare.rstrip() if bare[-1:] in ("", " ", "\t") else words  # `# C#` closes nothing


def _pack(lines: Sequence[Line]) -> list[Passage]:
    """Pack paragraphs into passages; a heading begins a new one, once the current one holds text."""
    passages: list[Passage] = []
    current: list[Line] = []
    weight, holds_text = 0, False
    headings: list[tuple[int, str]] = []
    context = ""
    for paragraph in _paragraphs(lines):
        heading = _title(paragraph[0].text)
        size = _words(paragraph)
        if current and ((heading and holds_text) or weight + size > WORD_LIMIT):
            passages.append(_passage(current, context))
            current, weight, holds_text = [], 0, False
        if heading:
            headings = [*(above for above in headings if above[0] < heading[0]), heading]
        if not holds_text:
            context = " › ".join(title for _, title in headings)
        current += paragraph
        weight += size
        holds_text = holds_text or heading is None
    if current:
        passages.append(_passage(current, context))
    return passages


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Split at empty lines and before headings; an overlong paragraph is split at its lines."""
    current: list[Line] = []
    weight = 0
    for line in _cut(lines):
        size = _weight(line.text)
        if current and (not line.text.strip() or _title(line.text) or weight + size > WORD_LIMIT):
            yield current
            current, weight = [], 0
        if line.text.strip():
            current.append(line)
            weight += size
            if _title(line.text):
                yield current
                current, weight = [], 0
    if current:
        yield current


def _cut(lines: Sequence[Line]) -> Iterator[Line]:
    """Cut lines longer than a passage, at blanks where there are some."""
    for line in lines:
        if _weight(line.text) <= WORD_LIMIT:
            yield line
            continue
        words = re.findall(r"\S+\s*", line.text)
        pieces = [word[i : i + 300] for word in words for i in range(0, len(word), 300)]
        piece = ""
        for word in pieces:
            if piece and _weight(piece + word) > WORD_LIMIT:
                yield Line(line.path, line.number, piece.rstrip())
                piece = ""
            piece += word
        yield Line(line.path, line.number, piece.rstrip())


def _passage(lines: Sequence[Line], heading: str) -> Passage:
    return Passage(
        lines[0].path,
        "\n".join(line.text for line in lines),
        tuple(line.number for line in lines),
        heading,
    )
