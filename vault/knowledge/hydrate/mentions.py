"""Which entries a message names: by name, alias, id or key, in whole words of any script."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vault.knowledge.navigate.visibility import Sight
from vault.model.keys import fold_name
from vault.model.words import run_spans, word_spans

#: Words of the longest name that is looked for, and characters of one in a script without blanks.
NAME_WORDS, NAME_CHARACTERS = 8, 12
#: Words at the beginning and at the end of a message that are looked at: what is between is pasted.
ENDS = 200
#: Types of records that are no knowledge: what a proposal says is not approved.
RECORDS = ("source", "proposal", "turn")

By = Literal["key", "id", "name", "alias", "first name"]
Span = tuple[int, int]
#: A row of the catalog, its key, where it is named, and by what, and what it is called.
Hit = tuple[int, str, Span, By, str]

_KEY = re.compile(r"(?<![\w.])[A-Za-z_]\w*\.[A-Za-z_]\w*(?!\w)", re.ASCII)
_IDENT = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w)", re.ASCII)
#: Addresses and paths: a name in one names nobody.
_ADDRESS = re.compile(
    r"\w+://[!-~]+|[\w.+-]+@\w[\w-]*\.[\w.-]+|(?<!\S)~?[.]{0,2}/[!-~]+|[\w.-]+/[\w.-]+/[!-~]*", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of a message that names an entry, which stands in a row of the catalog; `words` are the message's."""

    row: int
    key: str
    start: int
    end: int
    words: str
    by: By

    @property
    def span(self) -> Span:
        """Where it stands in the message."""
        return self.start, self.end


def mentions(sight: Sight, text: str) -> list[Mention]:
    """Every place of a message that names an entry the reader sees, in the order of the message.

    Names inside of longer ones are among them: `outermost` leaves them out.
    """
    places: dict[str, list[Span]] = defaultdict(list)
    idents: dict[str, list[Span]] = defaultdict(list)
    addresses = [match.span() for match in _ADDRESS.finditer(text)]
    for start, end in _phrases(text):
        if stands_alone(text, start, end) and not _inside((start, end), addresses):
            folded = fold_name(text[start:end])
            if folded:
                places[folded].append((start, end))
                idents["_".join(folded.split())].append((start, end))
    keys: dict[str, list[Span]] = defaultdict(list)
    for match in _KEY.finditer(text):
        keys[match[0]].append(match.span())
    for match in _IDENT.finditer(text):
        if not _inside(match.span(), addresses):
            idents[match[0]].append(match.span())
    by_id = [hit for hit in _keyed(sight, _keys(sight, idents), "id") if _may_be_id(text, hit)]
    found = [*_labelled(sight, text, places), *_keyed(sight, keys, "key"), *by_id]
    named = _distinct(text, [*found, *_first_names(sight, text, places, found)])
    return sorted(named, key=lambda one: (one.start, -one.end, one.key))


def outermost(found: Iterable[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Divide mentions: those that no longer one overlaps, and the others. All of one place stay together."""
    kept: list[Mention] = []
    inner: list[Mention] = []
    taken: set[Span] = set()
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        free = one.span in taken or not any(one.start < end and start < one.end for start, end in taken)
        (kept if free else inner).append(one)
        if free:
            taken.add(one.span)
    return sorted(kept, key=lambda one: one.start), inner


def stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether a phrase is made of whole words: no piece of an identifier (`ada_id`, `ada.id`) or a cluster."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before == "_" or after == "_" or (after and unicodedata.category(after) == "Mn"):
        return False
    attached = before == "." and start > 1 and text[start - 2].isalnum()
    return not attached and not (after == "." and text[end + 1 : end + 2].isalnum())


def _inside(span: Span, others: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _pieces(text: str) -> list[Span]:
    """The words of a text; where scripts without blanks meet others, each is a word."""
    runs = run_spans(text)
    found: list[Span] = []
    for start, end in word_spans(text):
        edges = {start, end, *(edge for run in runs for edge in run if start < edge < end)} if runs else (start, end)
        cuts = sorted(edges)
        found += pairwise(cuts)
    return found


def _phrases(text: str) -> Iterator[Span]:
    """Every run of words that may be a name, at both ends of a text."""
    pieces = _pieces(text)
    windows = [pieces] if len(pieces) <= 2 * ENDS else [pieces[:ENDS], pieces[-ENDS:]]
    runs = set(run_spans(text))
    for window in windows:
        for place, (start, first_end) in enumerate(window):
            for _, end in window[place : place + NAME_WORDS]:
                yield start, end
                if text[end : end + 1].strip():  # `Yahoo!`
                    yield start, end + 1
                if text[max(0, start - 1) : start].strip():  # `.NET`
                    yield start - 1, end
            if runs and any(left <= start < right for left, right in runs):
                yield from _parts(start, first_end)


def _parts(start: int, end: int) -> Iterator[Span]:
    """The parts of a run of a script without blanks that may be a name."""
    for left in range(start, end - 1):
        for right in range(left + 2, min(end, left + NAME_CHARACTERS) + 1):
            yield left, right


def _may_be_id(text: str, hit: Hit) -> bool:
    """Say whether a word may be an id: one that was made of another script, or of a sign, is written like a name."""
    _, _, (start, end), _, name = hit
    word = text[start:end]
    is_made_up = name.startswith(".") or not any(char.isascii() and char.isalnum() for char in name)
    return not is_made_up or not word.isalpha() or word.istitle()


def _labelled(sight: Sight, text: str, places: Mapping[str, Sequence[Span]]) -> Iterator[Hit]:
    """The entries that go by one of some folded spellings; of `.NET` the point is a part."""
    for row, key, label, kind, written in sight.snapshot.catalog.namings(sight.visible(), places, without=RECORDS):
        for span in places[label]:
            if not written.startswith(".") or text[span[0]] == ".":
                yield row, key, span, kind, written


def _keys(sight: Sight, idents: Mapping[str, Sequence[Span]]) -> dict[str, Sequence[Span]]:
    """The keys that ids may be of: one for each type there is."""
    types = sorted({*sight.snapshot.schemas} - {*RECORDS})
    usable = {ident: spans for ident, spans in idents.items() if _IDENT.fullmatch(ident)}
    return {f"{kind}.{ident}": spans for ident, spans in usable.items() for kind in types}


def _keyed(sight: Sight, keys: Mapping[str, Sequence[Span]], by: By) -> Iterator[Hit]:
    """The entries of some keys."""
    if not keys:
        return
    for row, key, name in sight.snapshot.catalog.names_by_key(sight.visible(), keys, without=RECORDS):
        for span in keys[key]:
            yield row, key, span, by, name


def _first_names(sight: Sight, text: str, places: Mapping[str, Sequence[Span]], named: Iterable[Hit]) -> Iterator[Hit]:
    """People who are called by the first word of their name, where only one person has it.

    It has a capital, unless the message has none at all.
    """
    careless = text == text.lower()
    taken = {hit[2] for hit in named}
    firsts = {
        folded: [span for span in spans if span not in taken and (careless or text[span[0]].isupper())]
        for folded, spans in places.items()
        if folded.isalpha() and len(folded) > 1
    }
    wanted = [folded for folded, spans in firsts.items() if spans]
    if not wanted:
        return
    for first, row, key, number in sight.snapshot.catalog.first_names(sight.visible(), wanted):
        if number == 1:
            for span in firsts[first]:
                yield row, key, span, "first name", first


def _distinct(text: str, found: Iterable[Hit]) -> list[Mention]:
    """Mentions, each entry once at a place: by the first way it was found."""
    ways: dict[tuple[int, Span], Mention] = {}
    for row, key, (start, end), by, _ in found:
        ways.setdefault((row, (start, end)), Mention(row, key, start, end, text[start:end], by))
    return list(ways.values())
