"""From hits to answers: entries in rank order, each with the words that matched and where they stand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vault.model.access import GLOBAL
from vault.model.keys import fold_name
from vault.search.text import Filters, Hit, TextIndex
from vault.search.words import fold, runs, word_spans
from vault.store.records import Passage, Stored
from vault.workspace.snapshot import Snapshot

#: Passages looked at for each result asked for: an entry may fill many places.
PASSAGES_PER_RESULT = 30
#: What an entry's second, third and fourth best passages add to its best one, each half the one before.
FURTHER_PASSAGES = (0.5, 0.25, 0.125)
SNIPPET_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Found:
    """A result: the entry, its score, and the place that answers.

    `snippet` is one line of text around the first match; `marks` are the (start, end) offsets of the
    matched words in it. `path` and `line` cite where the snippet stands.
    """

    stored: Stored
    score: float
    path: str
    line: int
    heading: str
    snippet: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """What a vault holds, for a reader who asks for nothing in particular."""

    total: int
    types: Mapping[str, int]
    scopes: Mapping[str, int]
    newest: Sequence[Stored]
    connected: Sequence[tuple[Stored, int]]


def search(
    snapshot: Snapshot,
    indexes: Iterable[TextIndex],
    query: str,
    *,
    kind: str | None = None,
    tag: str | None = None,
    limit: int = 10,
) -> list[Found]:
    """Find the entries that fit a query best, among those the reader sees."""
    filters = Filters(snapshot.scopes, kind, fold_name(tag.removeprefix("#")) if tag else None, _shadowed(snapshot))
    opened = list(indexes)
    hits = [hit for index in opened for hit in index.search(query, filters, limit * PASSAGES_PER_RESULT)]
    collapsed = _collapsed(hits)[: limit * 2]
    entries = snapshot.rows(hit.row for hit in collapsed)
    best = [hit for hit in collapsed if hit.row in entries]  # another process may be ahead in the index
    ranked = sorted(best, key=lambda hit: (-round(hit.score, 6), _recency(entries[hit.row])))[:limit]
    passages = snapshot.catalog.passages([hit.row for hit in ranked])
    return [_found(entries[hit.row], hit, passages[hit.row, hit.ordinal], query, opened[0]) for hit in ranked]


def _collapsed(hits: Iterable[Hit]) -> list[Hit]:
    """The best passage of each entry, scored for the entry as a whole, best first."""
    by_row: dict[int, list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        by_row.setdefault(hit.row, []).append(hit)
    whole = [
        replace(
            best,
            score=best.score + sum(w * hit.score for w, hit in zip(FURTHER_PASSAGES, others, strict=False)),
        )
        for best, *others in by_row.values()
    ]
    return sorted(whole, key=lambda hit: -hit.score)


def _shadowed(snapshot: Snapshot) -> list[int]:
    """The rows of entries that another scope's version hides from the reader."""
    space = snapshot.reader.space
    if not space or snapshot.reader.owner:
        return []
    rows = snapshot.catalog.db.execute(
        "SELECT e.id FROM entries e JOIN entries o ON o.key = e.key AND o.scope = ? WHERE e.scope <> ?",
        [space, space],
    )
    return [row for (row,) in rows]


def _recency(stored: Stored) -> tuple[tuple[int, ...], str, str]:
    """A sort key: of two equal scores the newer entry comes first, then the order of keys."""
    newest_first = tuple(-ord(char) for char in stored.created)
    return (newest_first or (0,), stored.entry.key, stored.scope)


def _found(stored: Stored, hit: Hit, passage: Passage, query: str, index: TextIndex) -> Found:
    matcher = _matcher(query, index)
    rows = passage.text.split("\n")
    marks = [matcher(row) for row in rows]
    best = max(range(len(rows)), key=lambda n: (len({rows[n][a:b].casefold() for a, b in marks[n]}), -n))
    if not marks[best]:  # its name or tags matched: show what says most of it
        best = max(range(len(rows)), key=lambda n: (min(len(rows[n].strip()), SNIPPET_LENGTH), -n))
    snippet, shown = _window(rows[best], marks[best])
    return Found(stored, hit.score, passage.path, passage.lines[best], passage.heading, snippet, shown)


def _matcher(query: str, index: TextIndex) -> Callable[[str], list[tuple[int, int]]]:
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


def overview(snapshot: Snapshot, *, kind: str | None = None, tag: str | None = None, limit: int = 5) -> Overview:
    """Count what the reader sees by type and scope, with the newest and the most connected entries."""
    seen = list(snapshot.entries(kind=kind, tag=tag))
    types: dict[str, int] = {}
    scopes: dict[str, int] = {}
    for stored in seen:
        types[stored.entry.type] = types.get(stored.entry.type, 0) + 1
        scopes[stored.scope] = scopes.get(stored.scope, 0) + 1
    newest = sorted((stored for stored in seen if stored.created), key=_recency)[:limit]
    degree = _degrees(snapshot, seen)
    connected = sorted((s for s in seen if degree[s.row]), key=lambda s: (-degree[s.row], s.entry.key))[:limit]
    return Overview(
        len(seen),
        dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        dict(sorted(scopes.items(), key=lambda item: (item[0] != GLOBAL, item[0]))),
        newest,
        [(stored, degree[stored.row]) for stored in connected],
    )


def _degrees(snapshot: Snapshot, seen: Sequence[Stored]) -> dict[int, int]:
    """How many references between visible entries begin or end at each."""
    degree = {stored.row: 0 for stored in seen}
    by_key: dict[str, list[int]] = {}
    for stored in seen:
        by_key.setdefault(stored.entry.key, []).append(stored.row)
    for row, target in snapshot.catalog.db.execute("SELECT DISTINCT entry, target FROM refs"):
        if row in degree and target in by_key:
            degree[row] += 1
            for named in by_key[target]:
                degree[named] += 1
    return degree
