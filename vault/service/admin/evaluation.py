"""Measuring how well search finds: on a judged corpus, or with a person's own questions on their own vault."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import Reader
from vault.search.embedding import ModelUnavailable
from vault.search.metrics import Grades, mean, ndcg_at, percentile, recall_at, reciprocal_rank, relevant, success_at
from vault.service.admin import evaluation_corpus
from vault.service.admin.evaluation_corpus import BadLine, Built, NothingJudged, Query, Say, Watch, lines_of
from vault.service.admin.reindex import index
from vault.service.arguments.evaluation_options import MODES, EvaluationOptions
from vault.service.read.search import search
from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.search.find import Answer

#: What is measured → how the vault is asked for it. `hybrid` is what a person gets.
WITHOUT_MODEL = "keyword"
#: How many results are asked for: as many as the deepest measure looks at.
DEPTH = 10


class CorpusUnread(VaultError):
    """A vault made of a corpus that does not hold all of it."""

    code = "corpus-unread"

    def __init__(self, root: Path, held: int, wanted: int) -> None:
        super().__init__(
            f"{root} holds {held} of the corpus's {wanted} documents",
            hint="repeat the command with --fresh; if that does not help, git ignores that folder:"
            " name another one in XDG_CACHE_HOME",
            details={"path": str(root), "documents": held},
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A query, who asks it (None: the vault's own reader), and the grade of each name that answers it."""

    id: str
    text: str
    wanted: Grades
    reader: Reader | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured: the figures of each mode by name, and the questions of which it found no answer.

    `unavailable` says why only keywords were measured; `notes` are what is odd about the judgements.
    """

    corpus: str
    documents: int
    queries: int
    modes: Mapping[str, Mapping[str, float]]
    misses: Mapping[str, Sequence[Judged]]
    unavailable: str = ""
    notes: Sequence[str] = ()


@dataclass(slots=True)
class _Measured:
    """The rankings of one mode and how long each took, in seconds."""

    questions: Sequence[Judged]
    rankings: list[list[str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """The averages over all questions; times in milliseconds."""
        asked = [(ranking, question.wanted) for ranking, question in zip(self.rankings, self.questions, strict=True)]
        return {
            "recall@5": mean([recall_at(5, *pair) for pair in asked]),
            "recall@10": mean([recall_at(10, *pair) for pair in asked]),
            "ndcg@10": mean([ndcg_at(10, *pair) for pair in asked]),
            "mrr": mean([reciprocal_rank(*pair) for pair in asked]),
            "success@3": mean([success_at(3, *pair) for pair in asked]),
            "p50_ms": 1000 * percentile(0.5, self.seconds),
            "p95_ms": 1000 * percentile(0.95, self.seconds),
        }

    def misses(self) -> list[Judged]:
        """The questions of which no answer was found."""
        asked = zip(self.rankings, self.questions, strict=True)
        return [question for ranking, question in asked if not success_at(DEPTH, ranking, question.wanted)]


def evaluate_corpus(
    folder: Path,
    cache: Path,
    asking: EvaluationOptions,
    *,
    fresh: bool = False,
    environ: Mapping[str, str] | None = None,
    watch: Watch = lambda _label: None,
    say: Say = lambda _text: None,
) -> Report:
    """Measure search on the judged corpus in a folder, which becomes a vault in the cache."""
    judged = evaluation_corpus.checked_folder(folder)
    grades = evaluation_corpus.judgements(judged)
    asked = list(evaluation_corpus.queries(folder / evaluation_corpus.QUERIES))
    if not any(relevant(grades.get(query.id, {})) for query in asked):
        raise NothingJudged(judged)
    with (
        evaluation_corpus.using(folder, cache, watch=watch, say=say, fresh=fresh) as built,
        VaultHandle.open(built.root, outside=True, environ=environ) as vault,
    ):
        vault.progress, vault.say = watch, say
        _check_whole(vault, built)
        return evaluate(
            vault,
            _questions(asked, grades, built),
            asking,
            name=_origin,
            title=folder.resolve().name,
            documents=len(built.documents),
            notes=_odd(grades, {query.id for query in asked}, built, judged),
        )


def _questions(asked: Iterable[Query], grades: Mapping[str, Grades], built: Built) -> list[Judged]:
    """The judged ones among the queries."""
    return [
        Judged(query.id, query.text, grades[query.id], _reader(query.conversation, built))
        for query in asked
        if relevant(grades.get(query.id, {}))
    ]


def _reader(conversation: str | None, built: Built) -> Reader:
    """Who asks a query: from inside the space of its conversation, else of all of them."""
    if conversation is None:
        return Reader(all_spaces=True)
    return Reader(built.spaces.get(conversation))


def _origin(stored: Stored) -> str:
    return str(stored.entry.fields.get("origin", ""))


def _check_whole(vault: VaultHandle, built: Built) -> None:
    """Raise `CorpusUnread` unless every document of a corpus is an entry of its vault."""
    held = vault.snapshot(Reader(owner=True)).count()
    if held != len(built.documents):
        raise CorpusUnread(built.root, held, len(built.documents))


def _odd(grades: Mapping[str, Grades], asked: set[str], built: Built, judged: Path) -> list[str]:
    """What the judgements name that is not there."""
    unknown = sum(name not in built.documents for found in grades.values() for name in relevant(found))
    unasked = len(grades.keys() - asked)
    told = {
        f"answers that are not in the corpus, counted as never found: {unknown}": unknown,
        f"judged queries that are not in {evaluation_corpus.QUERIES}, not asked: {unasked}": unasked,
    }
    return [f"{judged}: {text}" for text, count in told.items() if count]


# -- a vault at hand


def evaluate_vault(vault: VaultHandle, file: Path, asking: EvaluationOptions) -> Report:
    """Measure search in a vault, as its reader sees it, with the questions of a file.

    Each line holds a query, a tab, and what should be found: keys, ids, paths or origins, by blanks or tabs.
    """
    snapshot = vault.snapshot()
    names = _Names.of(snapshot.entries())
    questions, notes = [], []
    for number, line in lines_of(file):
        query, tab, cell = line.partition("\t")
        if not tab or not query.strip() or not cell.strip():
            raise BadLine(file, number, "the line holds no query with its answers", "put a tab between the two")
        wanted, unknown = names.wanted(cell.strip())
        questions.append(Judged(str(number), query.strip(), wanted))
        notes += [f"{file}:{number}: there is no entry `{name}`; it counts as never found" for name in unknown]
    if not questions:
        raise NothingAsked(file)
    return evaluate(
        vault,
        questions,
        asking,
        name=lambda stored: stored.entry.key,
        title=vault.root.name,
        documents=snapshot.count(),
        notes=notes,
    )


class NothingAsked(VaultError):
    """A file of questions without any."""

    code = "nothing-asked"

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file} holds no question",
            hint="write one on each line: the query, a tab, and the entries that answer it",
            details={"path": str(file)},
        )


@dataclass(frozen=True, slots=True)
class _Names:
    """What entries go by → their keys: exactly, and by the end of the place they were imported from."""

    exact: Mapping[str, set[str]]
    ends: Mapping[str, set[str]]

    @classmethod
    def of(cls, entries: Iterable[Stored]) -> "_Names":
        exact: dict[str, set[str]] = {}
        ends: dict[str, set[str]] = {}
        for stored in entries:
            entry, origin = stored.entry, _origin(stored)
            place = origin.rpartition("@")[0] or origin
            for name in (entry.key, entry.id, entry.path, stored.text_file, origin, place):
                if name:
                    exact.setdefault(name, set()).add(entry.key)
            parts = place.split("/")
            for first in range(1, len(parts)):
                ends.setdefault("/".join(parts[first:]), set()).add(entry.key)
        return cls(exact, ends)

    def keys(self, name: str) -> set[str]:
        """The entries that go by a name: several, where it is the end of several places."""
        plain = name.removeprefix("./").strip("/")
        return self.exact.get(name) or self.exact.get(plain) or self.ends.get(plain) or set()

    def wanted(self, cell: str) -> tuple[dict[str, int], list[str]]:
        """The grades of what is wanted, and the names nothing goes by; a name may hold blanks if tabs part them."""
        names = [cell] if self.keys(cell) else [part.strip() for part in cell.split("\t" if "\t" in cell else None)]
        found = {name: self.keys(name) for name in names if name}
        unknown = [name for name, keys in found.items() if not keys]
        return {key: 1 for name, keys in found.items() for key in sorted(keys) or [name]}, unknown


# -- measuring


def evaluate(
    vault: VaultHandle,
    questions: Sequence[Judged],
    asking: EvaluationOptions,
    *,
    name: Callable[[Stored], str],
    title: str,
    documents: int,
    notes: Sequence[str] = (),
) -> Report:
    """Ask questions in each mode, in order, and measure what is found; `name` is what answers go by.

    Where the model cannot be used only keywords are measured; if they are not asked for, the error is raised.
    """
    asked = asking.sample(questions)
    modes, unavailable, unseen = _measurable(vault, asking.chosen, asked[0])
    measured = {mode: _measure(vault, mode, asked, name) for mode in modes}
    return Report(
        title,
        documents,
        len(asked),
        {mode: result.figures() for mode, result in measured.items()},
        {mode: result.misses() for mode, result in measured.items()},
        unavailable,
        [*notes, *unseen],
    )


def _measurable(vault: VaultHandle, modes: list[str], question: Judged) -> tuple[list[str], str, list[str]]:
    """The modes that can be measured, why the others cannot, and what they do not see.

    Every vector is made before meaning is measured; for keywords alone none is.
    """
    if modes == [WITHOUT_MODEL]:
        return modes, "", []
    try:
        index(vault)
        share = _ask(vault, "semantic", question).embedded
    except ModelUnavailable as error:
        if WITHOUT_MODEL not in modes:
            raise
        return [WITHOUT_MODEL], error.message, []
    unseen = f"{share.missing} of {share.of} passages have no vector" if share and share.missing else ""
    return modes, "", [unseen] if unseen else []


def _measure(vault: VaultHandle, mode: str, questions: Sequence[Judged], name: Callable[[Stored], str]) -> _Measured:
    measured, report = _Measured(questions), vault.progress(f"asking {mode}")
    _ask(vault, mode, questions[0])  # what is loaded once is no part of a query's time
    for number, question in enumerate(questions, 1):
        begun = perf_counter()
        found = _ask(vault, mode, question)
        measured.seconds.append(perf_counter() - begun)
        measured.rankings.append(list(dict.fromkeys(name(result.stored) for result in found)))
        if report:
            report(number, len(questions))
    return measured


def _ask(vault: VaultHandle, mode: str, question: Judged) -> "Answer":
    how, fusion = MODES[mode]
    return search(vault, question.text, limit=DEPTH, mode=how, fusion=fusion, reader=question.reader)
