"""The concept resolver: entries whose name, alias or key a query mentions."""

import re
from collections.abc import Collection, Iterator
from unicodedata import normalize

from vault.model.keys import fold_name, make_id
from vault.model.words import QUESTION_WORDS, runs, word_spans
from vault.workspace.snapshot import Snapshot

#: Words of the longest name that is looked for, and characters of one in a script without blanks.
NAME_WORDS = 8
NAME_CHARACTERS = 12
#: Words of a query that are looked at: beyond these it is a text, not a question.
QUERY_WORDS = 64

#: A key in running text, which a comma or a full stop may follow.
_KEY = re.compile(r"(?<![\w.])[A-Za-z_]\w*\.[A-Za-z_]\w*", re.ASCII)


def mentioned(snapshot: Snapshot, query: str, terms: Collection[str]) -> dict[int, float]:
    """The visible entries a query mentions, by catalog row: the share of its letters that name them.

    `terms` are the query's words without stop words; a name that is only stop words is none.
    """
    total = sum(map(len, terms)) or 1
    spellings = {fold_name(words): words for words in _phrases(query)}
    forms = [form for spelling in spellings if spelling for form in _forms(spelling)]
    rows = snapshot.catalog.rows_by_label(snapshot.visible(), forms, _KEY.findall(query))
    found: dict[int, float] = {}
    for row, label in rows:
        latin = make_id(label)
        known = sum(_letters(term, label, latin) for term in terms)
        if known:
            found[row] = max(found.get(row, 0.0), min(1.0, known / total))
    return found


def _forms(spelling: str) -> tuple[str, ...]:
    """A folded name, and how a file or an id may be called after it."""
    if " " not in spelling:
        return (spelling,)
    return spelling, spelling.replace(" ", "-"), spelling.replace(" ", "_")


def _letters(term: str, label: str, latin: str) -> int:
    """How many letters of a word name what a label does: all, or in a script without blanks those of the label."""
    folded = fold_name(term)
    if folded in label or term in latin:  # words lose strokes (`ø`) that labels keep
        return len(term)
    return len(normalize("NFC", label)) if runs(term) and label in folded else 0


def _phrases(query: str) -> Iterator[str]:
    """Every run of words of a query that may be a name."""
    spans = word_spans(query)[:QUERY_WORDS]
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first : first + NAME_WORDS]:
            yield query[start:end]
            if query[end : end + 1].strip():  # `Yahoo!`
                yield query[start : end + 1]
            if query[max(0, start - 1) : start].strip():  # `.NET`
                yield query[start - 1 : end]
    for run in runs(query):
        for start in range(min(len(run), QUERY_WORDS)):
            for length in range(2, NAME_CHARACTERS + 1):
                yield run[start : start + length]


def named_in(snapshot: Snapshot, text: str, language: str) -> list[int]:
    """The visible entries that a text of any length names, by catalog row, in the order of the text."""
    stops = {fold_name(word) for each in {"english", language} for word in QUESTION_WORDS.get(each, ())}
    spans = word_spans(text)
    found: dict[int, None] = {}
    for first in range(0, max(1, len(spans)), QUERY_WORDS - NAME_WORDS):
        window = spans[first : first + QUERY_WORDS]
        if window:
            part = text[window[0][0] : window[-1][1]]
            terms = {fold_name(text[start:end]) for start, end in window} - stops
            found |= dict.fromkeys(mentioned(snapshot, part, terms))
    return list(found)
