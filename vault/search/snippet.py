"""The line of a passage that answers, cut to what fits, with the words that matched in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from vault.model.words import fold, runs, word_spans
from vault.search.text import Words
from vault.store.records import Passage

SNIPPET_LENGTH = 160

_HEADING = re.compile(r"#{1,6}\s")

#: Finds the words of a query in a line: the offsets of each, in order.
Matcher = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Snippet:
    """One line of text, the line of the file it stands on, and the offsets of the words that matched."""

    text: str
    line: int
    marks: tuple[tuple[int, int], ...]


def snippet(passage: Passage, find: Matcher) -> Snippet:
    """Choose the line of a passage with most of the query's words; without any, the one that says most."""
    rows = passage.text.split("\n")
    marks = [find(row) for row in rows]
    told = [number for number, row in enumerate(rows) if row.strip() and not _HEADING.match(row)]
    looked_at = told or range(len(rows))  # a heading is shown before the line anyway
    best = max(looked_at, key=lambda n: (len({rows[n][a:b].casefold() for a, b in marks[n]}), -n))
    if not marks[best]:  # its name or tags matched, or its meaning
        best = max(looked_at, key=lambda n: (min(len(rows[n].strip()), SNIPPET_LENGTH), -n))
    text, shown = _window(rows[best], marks[best])
    return Snippet(text, passage.lines[best], shown)


def matcher(query: str, index: Words) -> Matcher:
    """Make the function that finds a query's words in a line."""
    terms = index.terms(query)
    stems = {stem for term in terms for stem in index.stems.analyze(term)}
    beginnings = tuple(term[: max(4, -(-len(term) * 7 // 10))] for term in terms if len(term) >= 4)  # noqa: PLR2004
    without_blanks = [run for run in runs(fold(query)) if run]

    def matches(word: str) -> bool:
        folded = index.words.analyze(fold(word))
        return any(
            form in terms
            or (beginnings and form.startswith(beginnings))
            or bool(stems & set(index.stems.analyze(form)))
            for form in folded
        )

    def find(line: str) -> list[tuple[int, int]]:
        found = [(start, end) for start, end in word_spans(line) if matches(line[start:end])]
        for run in without_blanks:
            at = line.find(run)
            if at >= 0:
                found.append((at, at + len(run)))
        return _merged(found)

    return find


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort spans and join those that overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _window(row: str, marks: list[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut a line to what fits, around its first mark; marks move along."""
    start = 0
    if len(row) > SNIPPET_LENGTH and marks:
        start = max(0, min(marks[0][0] - SNIPPET_LENGTH // 3, len(row) - SNIPPET_LENGTH))
        start = row.find(" ", start, marks[0][0]) + 1 or start
    end = min(len(row), start + SNIPPET_LENGTH)
    lead = "…" if start else ""
    text = lead + row[start:end] + ("…" if end < len(row) else "")
    offset = len(lead) - start
    stripped = text.lstrip()
    offset -= len(text) - len(stripped)
    shown = tuple((a + offset, min(b, end) + offset) for a, b in marks if a >= start and a < end)
    return stripped.rstrip(), shown
