"""Passages: the runs of an entry's text that are found, embedded and cited.

A short entry is one passage. A long text is split at headings and paragraphs, then at lines, sentences and
blanks, then anywhere, so that none is longer than what the embedding model reads at once. Each keeps the
headings above it as context and knows the line of the file every line of it stands on.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from vault.lang.lower import WHITE_SPACE
from vault.lang.syntax import tokens
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.values import EnumValue, Value
from vault.search import wordpieces
from vault.store.records import Divided, Passage
from vault.workspace.ingest import Sidecar

#: The most word-pieces of text in a passage: the default model reads 256, of which a name and headings take some.
PIECE_LIMIT = 200

#: So many bytes weigh as a piece at least: a word the model does not know is one piece, however long it is.
BYTES_PER_PIECE = 10

#: The characters of a run where a text without blanks is cut; doubled by marks, it still fits (4 pieces each).
RUN_LENGTH = 20

#: How much of an entry's name and of the headings above a passage is embedded with it.
NAME_LENGTH = 120
CONTEXT_LENGTH = 200

#: Fields whose text says nothing about the entry, or that a ranker of their own reads.
UNREAD = frozenset(["name", "aliases", "tags", "origin", "agent", "chat", "text_file"])

_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_TEXT_FIELD = frozenset(["STRING", "MSTRING"])
_CLOSING = "[\"')\\]”’»」』）】]*"
_SENTENCE_END = re.compile(rf"[.!?．।॥]{_CLOSING}{wordpieces.BLANK}+|[。！？｡]{_CLOSING}{wordpieces.BLANK}*")
_BREAKS = (_SENTENCE_END, re.compile(rf"{wordpieces.BLANK}+"))
_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text, or a piece of one, and where it stands: the line of `path`."""

    path: str
    number: int
    text: str
    weight: int = 0
    title: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of one field, and whether they are an entry's primary content."""

    lines: Sequence[Line]
    primary: bool
    short: bool


def divide(entry: Entry, text: str, sidecar: Sidecar | None, schema: Schema | None) -> Divided:
    """Make the passages of an entry; where they are several, its name has a vector too.

    A name says in few words what all of them are about, and what is asked is often that.
    """
    passages = split(entry, text, sidecar, schema)
    name = next(iter(entry.texts("name")), "")
    return Divided(passages, digest_of(name_text(name)) if len(passages) > 1 else b"")


def split(entry: Entry, text: str, sidecar: Sidecar | None, schema: Schema | None) -> list[Passage]:
    """Make the passages of an entry, given its file's text, the sidecar its text is in, and its schema.

    What the schema marks `embed` leads, in the order of the file; a sidecar counts as the field `text`.
    """
    fields = [
        (_is_primary(name, schema), list(_lines(entry, name, value, text)))
        for name, value in entry.fields.items()
        if name not in UNREAD
    ]
    rows = list(_rows(sidecar)) if sidecar else []
    weigh = _nothing if _surely_fit([line for _, lines in fields for line in lines] + rows) else _weight
    parts = [_part(lines, weigh, primary=primary) for primary, lines in fields]
    if sidecar:
        primary = _is_primary("text", schema)
        parts.insert(0 if primary else len(parts), _part(rows, weigh, primary=primary, apart=True))
    passages = [passage for lines in _in_order(parts) for passage in _pack(lines)]
    name = next(iter(entry.texts("name")), "")
    found = passages or [Passage(entry.path, "", (entry.place.line,))]
    return [replace(passage, digest=digest_of(embedded_text(name, passage))) for passage in found]


def digest_of(text: str) -> bytes:
    """The 16 bytes that name what an embedding model sees; none for no text."""
    return blake2b(text.encode(), digest_size=16).digest() if text.strip() else b""


def embedded_text(name: str, passage: Passage) -> str:
    """What the model sees of a passage: the entry's `name` field, the headings above, and the text."""
    parts = [name_text(name), passage.heading[-CONTEXT_LENGTH:].lstrip(), passage.text]
    return "\n".join(part for part in parts if part)


def name_text(name: str) -> str:
    """What the model sees of an entry's name: alone, where several passages share it."""
    return _on_one_line(name)[:NAME_LENGTH].rstrip()


def address(passages: Sequence[Passage]) -> list[str]:
    """The address of each passage of one entry: 8 hex digits of its text, then `-2` for a second of that text."""
    seen: Counter[str] = Counter()
    found = []
    for passage in passages:
        digest = blake2b(passage.text.strip().encode()).hexdigest()[:8]
        seen[digest] += 1
        found.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return found


def _is_primary(name: str, schema: Schema | None) -> bool:
    spec = schema.by_name.get(name) if schema else None
    return spec is not None and spec.embed


def _part(lines: Sequence[Line], weigh: Callable[[str], int], *, primary: bool, apart: bool = False) -> Part:
    """Weigh the lines of a field; long ones, and those of another file, make passages of their own."""
    weighed = [Line(line.path, line.number, line.text, weigh(line.text)) for line in lines]
    return Part(weighed, primary, not apart and _total(weighed) <= PIECE_LIMIT)


def _in_order(parts: Sequence[Part]) -> list[Sequence[Line]]:
    """The short fields as one text, and each long one; the first text begins with primary content if there is any."""
    ordered = sorted(parts, key=lambda part: not part.primary)
    short = [part for part in ordered if part.short]
    long = [part for part in ordered if not part.short]
    ahead = 0 if any(part.primary for part in short) else sum(part.primary for part in long)
    texts: list[Sequence[Line]] = [part.lines for part in long]
    texts.insert(ahead, [line for part in short for line in part.lines])
    return texts


def _rows(sidecar: Sidecar) -> Iterator[Line]:
    for number, row in enumerate(sidecar.text.split("\n"), 1):
        yield Line(sidecar.path, number, row.rstrip("\r"))


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


def _surely_fit(lines: Sequence[Line]) -> bool:
    """Whether the texts are so short that they fit one passage whatever they say: nothing is counted then."""
    if sum(len(line.text) for line in lines) > PIECE_LIMIT:
        return False
    return sum(wordpieces.bound(line.text) for line in lines) <= PIECE_LIMIT


def _nothing(_: str) -> int:
    return 0


def _weight(text: str) -> int:
    return max(wordpieces.count(text), _bytes_weight(text))


def _bytes_weight(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_PIECE)


def _total(lines: Sequence[Line]) -> int:
    return sum(line.weight for line in lines)


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
        heading = paragraph[0].title
        size = _total(paragraph)
        if current and ((heading and holds_text) or weight + size > PIECE_LIMIT):
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
        size = line.weight
        if current and (not line.text.strip() or line.title or weight + size > PIECE_LIMIT):
            yield current
            current, weight = [], 0
        if line.text.strip():
            current.append(line)
            weight += size
            if line.title:
                yield current
                current, weight = [], 0
    if current:
        yield current


def _cut(lines: Sequence[Line]) -> Iterator[Line]:
    """Cut lines too heavy for a passage into pieces as full as the limit allows; know the headings."""
    for line in lines:
        if line.weight <= PIECE_LIMIT:
            title = _title(line.text)
            yield Line(line.path, line.number, line.text, line.weight, title) if title else line
            continue
        for index, (piece, weight) in enumerate(_pieces(line.text)):
            yield Line(line.path, line.number, piece.strip(), weight, None if index else _title(piece))


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    piece: list[str] = []
    weight = 0
    for unit, size in _units(text, _BREAKS):
        if weight + size > PIECE_LIMIT:
            yield "".join(piece), weight
            piece, weight = [], 0
        piece.append(unit)
        weight += size
    yield "".join(piece), weight


def _units(text: str, breaks: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, int]]:
    """Cut a text into units within the limit, with weights that hold when units are joined again.

    Counts do hold where a word ends. Within a word more pieces may come of the whole than of its parts, and
    a run weighs the most it can.
    """
    for part in _parted(text, breaks[0]):
        weight = _weight(part)
        if weight <= PIECE_LIMIT:
            yield part, weight
        elif breaks[1:]:
            yield from _units(part, breaks[1:])
        else:
            yield from ((run, max(wordpieces.bound(run), _bytes_weight(run))) for run in _runs(part))


def _parted(text: str, end: re.Pattern[str]) -> Iterator[str]:
    start = 0
    for found in end.finditer(text):
        yield text[start : found.end()]
        start = found.end()
    if start < len(text):
        yield text[start:]


def _runs(text: str) -> Iterator[str]:
    """Cut a text anywhere, but not before a mark while a run holds so few that it surely fits."""
    start = 0
    while start < len(text):
        end = start + RUN_LENGTH
        while end < min(len(text), start + 2 * RUN_LENGTH) and _continues(text, end):
            end += 1
        yield text[start:end]
        start = end


def _continues(text: str, at: int) -> bool:
    """Whether a character is drawn together with the one before: a mark, a tone of skin, or joined."""
    char = text[at]
    return _JOINER in text[at - 1 : at + 1] or unicodedata.category(char)[0] == "M" or "🏻" <= char <= "🏿"


def _passage(lines: Sequence[Line], heading: str) -> Passage:
    return Passage(
        lines[0].path,
        "\n".join(line.text for line in lines),
        tuple(line.number for line in lines),
        heading,
    )
