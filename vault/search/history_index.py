"""Finding by words what a vault knew: indexes of all that ever stood, and which of it did at a time.

There is one index for each scope, so that no statistic of a space crosses into another, whatever was private when. A
unit of the ledger is a row; it never changes, so an index catches up by the units that are newer than its last.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vault.model.entry import Entry
from vault.search.fuse import COVERAGE_POWER, WEIGHTS
from vault.search.passages import split
from vault.search.rank import FEW_WORDS, LEAST_COVERAGE, Question
from vault.search.sync import document, folder_name
from vault.search.text import DamagedTextIndex, Filters, Hit, PassageDocument, TextIndex
from vault.store.files import make_derived_dir, remove, sweep_temporaries
from vault.store.ledger import Ledger
from vault.store.ledger_queries import Unit
from vault.store.records import Passage
from vault.store.sealed import folder_fits, folder_is_whole, read_json, seal_folder, write_json
from vault.workspace.ingest import Sidecar

#: Another number means that indexes of the past are made anew.
FORMAT = 1

Progress = Callable[[int, int], None]
#: Reads the text in a blob; None for one that is no text, or too large.
ReadText = Callable[[str], str | None]


def passages_of(entry: Entry, source: str = "", beside: Sidecar | None = None) -> list[Passage]:
    """The passages of a former entry: whatever the schemas said then, its fields in their order."""
    return split(entry, source, beside, None)


def documents(found: Iterable[Unit], read: ReadText) -> Iterator[PassageDocument]:
    """Make the index documents of some units."""
    for unit in found:
        text = read(unit.text) if unit.text else None
        beside = None if text is None else Sidecar("", text)
        for ordinal, passage in enumerate(passages_of(unit.entry, "", beside)):
            place = ("", unit.scope, unit.entry.type, unit.id, ordinal)
            yield document(place, unit.entry.id, unit.labels, passage.heading, passage.text)


@dataclass(frozen=True, slots=True)
class FormerSync:
    """The indexes of the past below one folder (`.vault/text/past`), and the ledger they follow.

    `damaged` are the scopes whose index turned out to be damaged and was made again.
    """

    folder: Path
    ledger: Ledger
    lock: Callable[[], AbstractContextManager[object]]
    read: ReadText
    language: str = "english"
    progress: Progress | None = None
    damaged: list[str] = field(default_factory=list)

    def scopes(self) -> list[str]:
        """The scopes that have an index."""
        names = {place.stem for place in self.folder.glob("*.json")}
        return [scope for scope in self.ledger.unit_scopes() if folder_name(scope) in names]

    def index(self, scope: str) -> TextIndex:
        """Bring the index of one scope up to date and return it; a damaged one is made anew."""
        opened = self._open(scope)
        if opened is not None:
            return opened
        with self.lock():
            opened = self._open(scope)
            return opened if opened is not None else self._catch_up(scope)

    def prove(self, scope: str) -> bool:
        """Say whether every byte of an index is what was written; one that is damaged is made again at the next use."""
        whole = folder_is_whole(self._place(scope), self._state(scope).get("files"))
        if not whole:
            self.damaged.append(scope)
            remove(self._state_file(scope))
        return whole

    def _open(self, scope: str) -> TextIndex | None:
        """The index, if it is whole and holds what the ledger does."""
        state = self._state(scope)
        return self._followed(scope, state) if state.get("unit") == self.ledger.last_unit(scope) else None

    def _expected(self, scope: str) -> dict[str, object]:
        identity = self.ledger.meta("identity")
        return {"format": FORMAT, "ledger": identity, "scope": scope, "language": self.language}

    def _place(self, scope: str) -> Path:
        return self.folder / folder_name(scope)

    def _state_file(self, scope: str) -> Path:
        return self._place(scope).with_suffix(".json")

    def _state(self, scope: str) -> dict[str, object]:
        return read_json(self._state_file(scope)) or {}

    def _followed(self, scope: str, state: Mapping[str, object]) -> TextIndex | None:
        """The index as it is, if it follows this ledger; one that a crash left ahead of its state does not."""
        expected = self._expected(scope)
        if {name: state.get(name) for name in expected} != expected:
            return None
        if not folder_fits(self._place(scope), state.get("files")):
            return None
        try:
            index = TextIndex(self._place(scope), self.language)
        except DamagedTextIndex:
            return None
        return index if index.count() == state.get("passages") else None

    def _catch_up(self, scope: str) -> TextIndex:
        state, place = self._state(scope), self._place(scope)
        index, last = self._followed(scope, state), state.get("unit")
        file = self._state_file(scope)
        if index is None and file.is_file() and not folder_fits(place, state.get("files")):
            self.damaged.append(scope)
        if index is None or not isinstance(last, int):
            last = 0
            make_derived_dir(self.folder.parent)
            make_derived_dir(self.folder)
            sweep_temporaries(self.folder)
            remove(place)
            index = TextIndex(place, self.language)
        newest = self.ledger.last_unit(scope)
        remove(file)  # until it is sealed, nobody reads it
        index.write(documents(self._counted(scope, last, newest), self.read), [])
        state = {**self._expected(scope), "unit": newest, "passages": index.count(), "files": seal_folder(place)}
        write_json(file, state, root=self.folder)
        return index

    def _counted(self, scope: str, last: int, newest: int) -> Iterator[Unit]:
        for unit in self.ledger.units(scope, last):
            yield unit
            if self.progress:
                self.progress(unit.id - last, newest - last)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stood in an index at some time: the catalog rows of each unit that did."""

    index: TextIndex
    rows: Mapping[int, Sequence[int]]

    @property
    def words(self) -> Any:
        """What cuts a text into words."""
        return self.index.words

    @property
    def stems(self) -> Any:
        """What cuts a text into stems."""
        return self.index.stems

    def terms(self, query: str) -> list[str]:
        """The words of a query that are looked up."""
        return self.index.terms(query)

    def search(self, query: str, filters: Filters, limit: int) -> list[Hit]:
        """The passages that fit a query best."""
        inner = replace(filters, without=(), only=self.rows.keys())
        return self._placed(self.index.search(query, inner, limit), filters)

    def coverage(self, query: str, filters: Filters, rows: Collection[int]) -> list[Hit]:
        """How much of a query passages of some entries hold, 0 to 1, best first."""
        wanted = [unit for unit, own in self.rows.items() if any(row in rows for row in own)]
        return self._placed(self.index.coverage(query, replace(filters, without=()), wanted), filters)

    def _placed(self, hits: Iterable[Hit], filters: Filters) -> list[Hit]:
        return [
            Hit(row, hit.ordinal, hit.score)
            for hit in hits
            for row in self.rows.get(hit.row, ())
            if row not in filters.without
        ]


@dataclass(frozen=True, slots=True)
class FormerHit:
    """A passage of a unit that stands no more, and how well it fits, 0 to 1."""

    unit: int
    ordinal: int
    score: float


def former_hits(index: TextIndex, question: Question, filters: Filters, limit: int) -> list[FormerHit]:
    """The best passage of each unit that fits a question by its words, best first; `filters.only` are the units."""
    hits = index.search(question.text, filters, limit) if filters.only else []
    top = max((hit.score for hit in hits), default=1.0)
    found = {(hit.row, hit.ordinal): hit.score / top for hit in hits}
    least = LEAST_COVERAGE * min(1.0, FEW_WORDS / max(1, len(index.terms(question.text))))
    weights = WEIGHTS["convex"]
    best: dict[int, FormerHit] = {}
    for hit in index.coverage(question.text, replace(filters, only=None), {row for row, _ in found}):
        if hit.score >= least:
            bm25 = found.get((hit.row, hit.ordinal), 0.0)
            score = (weights["bm25"] * bm25 + weights["coverage"] * hit.score**COVERAGE_POWER) / (
                weights["bm25"] + weights["coverage"]
            )
            if hit.row not in best or best[hit.row].score < score:
                best[hit.row] = FormerHit(hit.row, hit.ordinal, score)
    return sorted(best.values(), key=lambda one: (-one.score, -one.unit))
