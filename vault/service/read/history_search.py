"""Searching the past: what the vault knew at a time, and what it once said and says no more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from vault.errors import UsageError
from vault.model.access import GLOBAL
from vault.model.entry import Entry
from vault.model.keys import fold_name
from vault.model.settings import Settings
from vault.model.slots import FACT, version_of
from vault.search.find import Answer, Former, Found, Status, search
from vault.search.history_index import FormerHit, FormerSync, Standing, documents, former_hits, passages_of
from vault.search.passages import address
from vault.search.rank import WORD_PASSAGES, Question
from vault.search.snippet import matcher, snippet
from vault.search.text import DamagedTextIndex, Filters, IndexWriteFailed, TextIndex
from vault.service.runtime.as_of import settings_at
from vault.store.files import WriteFailed
from vault.store.ledger import Ledger
from vault.store.ledger_queries import Stood, Unit
from vault.store.records import Passage, Stored
from vault.workspace.ingest import Sidecar, decode
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.service.runtime.past import Past

LEDGER = "ledger.db"
#: What the best of history counts beside the best of what stands.
FORMER_SHARE = 0.9
#: Below what took its place a former text counts so much of it at the most.
BELOW = 0.99
#: Former texts of one entry that are shown at the most.
FORMER_TEXTS = 3


class OnlyWords(UsageError):
    """A search of the past by meaning: vectors are kept of what stands now."""

    code = "only-words"

    def __init__(self) -> None:
        super().__init__(
            "the past is searched by its words, not by meaning",
            hint="use `--mode keyword`, or leave `--mode` out",
        )


class NotOfThisHistory(UsageError):
    """A search of what came before a state that is none of HEAD's own history: of another branch, or what held."""

    code = "not-of-this-history"

    def __init__(self) -> None:
        super().__init__(
            "what was said once is told of what HEAD came along, and of what was known",
            hint="leave out --history and --valid-at, or give --at a commit of `git log --first-parent`",
        )


def index_of(vault: "VaultHandle", scope: str) -> TextIndex:
    """The index of all that ever stood in a scope, up to date; a temporary one if the disk refuses."""
    indexes, sync = vault.indexes, sync_of(vault)
    try:
        index = sync.index(scope)
    except (DamagedTextIndex, IndexWriteFailed, WriteFailed) as error:
        if not indexes.leave_the_disk(error):
            raise
        return sync_of(vault).index(scope)
    indexes.report(sync.damaged, "the index of the past of")
    return index


def has_ledger(vault: "VaultHandle") -> bool:
    """Say whether anything has looked at the past yet."""
    return vault.repository is not None and vault.derived is not None and (vault.derived / LEDGER).exists()


def past_scopes(vault: "VaultHandle") -> list[str]:
    """The scopes whose past has an index, private ones too."""
    return sync_of(vault).scopes() if has_ledger(vault) else []


def sync_of(vault: "VaultHandle") -> FormerSync:
    """What keeps the indexes of the past in step with the ledger."""
    return FormerSync(
        vault.indexes.folder() / "past",
        vault.ledger,
        vault.indexes.lock,
        lambda blob: _text(vault, vault.git().read_blob(blob)),
        vault.layout.settings.finding.language,
        vault.progress("indexing history"),
    )


def _text(vault: "VaultHandle", data: bytes) -> str | None:
    return None if len(data) > vault.layout.settings.file_limit else data.decode("utf-8-sig", "replace")


def answer_then(vault: "VaultHandle", then: "Past", snapshot: Snapshot, question: Question) -> Answer:
    """Answer a question by the words of what was known where the vault went back to."""
    indexes = _standing(vault, then, snapshot)
    found = search(
        snapshot,
        indexes,
        question,
        meaning=None,
        approved=lambda *_: True,  # all of it was committed
        now=vault.git().commit(then.commit).committer.time if then.commit else vault.clock(),
        passages=lambda rows: _passages(vault, snapshot, rows),
    )
    return Answer(tuple(found), question.mode, question.fusion)


def _standing(vault: "VaultHandle", then: "Past", snapshot: Snapshot) -> Sequence[Standing]:
    """What stood at a commit, in the index of each visible scope."""
    if then.number is None:
        return [_made(vault, snapshot)]
    rows: dict[str, dict[int, list[int]]] = {scope: {} for scope in snapshot.scopes}
    for scope, unit, row in vault.ledger.standing_units(then.number, snapshot.scopes):
        rows[scope].setdefault(unit, []).append(row)
    return [Standing(index_of(vault, scope), rows[scope]) for scope in snapshot.scopes]


def _made(vault: "VaultHandle", snapshot: Snapshot) -> Standing:
    """An index of what a reader sees of a state that the ledger does not number, for as long as the vault is open."""
    entries = list(snapshot.entries())
    labels = snapshot.catalog.labels()
    found = [Unit(one.row, one.scope, one.entry, labels.get(one.row, []), str(one.row)) for one in entries]
    texts = {str(one.row): vault.text_of(one) for one in entries}
    folder = vault.data.temporary() / f"past-{uuid4().hex}"
    index = TextIndex(folder, vault.layout.settings.finding.language)
    index.write(documents(found, texts.get), [])
    return Standing(index, {one.row: [one.row] for one in entries})


def _passages(vault: "VaultHandle", snapshot: Snapshot, rows: Sequence[int]) -> dict[tuple[int, int], Passage]:
    """The passages of entries where the vault went back to."""
    found: dict[tuple[int, int], Passage] = {}
    for row, stored in snapshot.rows(rows).items():
        text = vault.text_of(stored)
        beside = None if text is None or stored.text_file is None else Sidecar(stored.text_file, text)
        source = decode(vault.read(stored.entry.path), stored.entry.path)[0]
        found |= {(row, ordinal): one for ordinal, one in enumerate(passages_of(stored.entry, source, beside))}
    return found


def with_former(vault: "VaultHandle", snapshot: Snapshot, question: Question, answer: Answer) -> Answer:
    """An answer with what history once said to the question and nothing says any more.

    It stands below what took its place. Raises `NotOfThisHistory`.
    """
    ledger = vault.ledger
    number = vault.past.number if vault.past else ledger.tip()
    if number is None:
        raise NotOfThisHistory
    looking = _Looking(vault, snapshot, question, answer, number, ledger)
    merged = sorted([*answer, *looking.found()], key=lambda one: -one.score)
    return replace(answer, results=tuple(merged[: question.limit]))


@dataclass(slots=True)
class _Looking:
    """One look into history, for what fits a question."""

    vault: "VaultHandle"
    snapshot: Snapshot
    question: Question
    answer: Answer
    number: int
    ledger: Ledger
    _settings: dict[str, Settings] = field(default_factory=dict)

    def found(self) -> list[Found]:
        """What fits best, best first."""
        told: dict[tuple[str, str], set[object]] = {}
        results: list[Found] = []
        for hit, index in self._hits():
            if len(results) >= self.question.limit:
                break
            stood = self.ledger.last_stand(hit.unit, self.number)
            entry, scope = stood.stored.entry, stood.stored.scope
            known = told.setdefault((entry.key, scope), set())
            result = self._result(hit, stood, index) if len(known) < FORMER_TEXTS and self._shows(stood) else None
            says = version_of(entry) if entry.type == FACT else result and result.address
            if result and says not in known:
                known.add(says)
                results.append(result)
        return results

    def _hits(self) -> Iterator[tuple[FormerHit, TextIndex]]:
        """The units of each visible scope that fit, best first."""
        asked, pairs = self.question, []
        tag = fold_name(asked.tag.removeprefix("#")) if asked.tag else None
        for scope in self.snapshot.scopes:
            index = index_of(self.vault, scope)
            wanted = self.ledger.former_units(self.number, scope)
            filters = Filters([scope], asked.kind or None, tag, only=wanted)
            hits = former_hits(index, asked, filters, asked.limit * WORD_PASSAGES)
            pairs += [(hit, index) for hit in hits]
        return iter(sorted(pairs, key=lambda pair: -pair[0].score))

    def _shows(self, stood: Stood) -> bool:
        """Say whether the reader may see it: not what a private space said then, nor what their space overrides."""
        scope, space = stood.stored.scope, self.vault.reader.space
        if scope == space:
            return True
        if space and any(one.scope == space for one in self.snapshot.by_key(stood.stored.entry.key)):
            return False
        commit = self._commit(stood)
        if scope != GLOBAL and commit not in self._settings:
            self._settings[commit] = settings_at(self.vault, commit)
        return scope == GLOBAL or not self._settings[commit].is_private(scope)

    def _commit(self, stood: Stood) -> str:
        """The last commit of the chain that held it."""
        return self.ledger.ident(stood.until - 1) or ""

    def _result(self, hit: FormerHit, stood: Stood, index: TextIndex) -> Found | None:
        """A former text as a result; None for what still stands elsewhere in its entry."""
        stored, commit = stood.stored, self._commit(stood)
        passages = self._passages(stored, commit)
        passage = passages[min(hit.ordinal, len(passages) - 1)]
        current = next((one for one in self.snapshot.by_key(stored.entry.key) if one.scope == stored.scope), None)
        if current and self._is_still_said(stored.entry, current, passage):
            return None
        shown = snippet(passage, matcher(self.question.text, index))
        status = self._status(stood)
        part = address(passages)[min(hit.ordinal, len(passages) - 1)]
        return Found(
            stored,
            self._score(hit, current),
            passage.path,
            shown.line,
            passage.heading,
            shown.text,
            shown.marks,
            f"{stored.entry.key}#{part}",
            current=False,
            former=Former(status, commit, stood.ended, datetime.fromtimestamp(stood.time, UTC)),
        )

    def _status(self, stood: Stood) -> Status:
        if self._stood_on(stood) or self.ledger.is_displaced(stood):
            return "superseded"
        return "retracted" if stood.stored.entry.type == FACT else "deleted"

    def _stood_on(self, stood: Stood) -> bool:
        """Say whether something else of its entry stood where it ended."""
        return self.ledger.stands(stood.stored.entry.key, stood.stored.scope, stood.until)

    def _passages(self, stored: Stored, commit: str) -> list[Passage]:
        beside = None
        if stored.text_file:
            text = self._read(commit, stored.text_file)
            beside = None if text is None else Sidecar(stored.text_file, text)
        return passages_of(stored.entry, self._read(commit, stored.entry.path) or "", beside)

    def _read(self, commit: str, path: str) -> str | None:
        repository = self.vault.git()
        blob = repository.entry_at(commit, path)
        return None if blob is None else decode(repository.read_blob(blob), path)[0]

    def _is_still_said(self, former: Entry, current: Stored, passage: Passage) -> bool:
        """Say whether a fact stands in the same version, or another entry still has a passage."""
        if former.type == FACT:
            return version_of(former) == version_of(current.entry)
        rows = [current.row]
        past = _passages(self.vault, self.snapshot, rows) if self.vault.past else None
        found = self.snapshot.catalog.passages(rows) if past is None else past
        return any(_alike(one) == _alike(passage) for one in found.values())

    def _score(self, hit: FormerHit, current: Stored | None) -> float:
        top = max((one.score for one in self.answer), default=1.0)
        score = FORMER_SHARE * top * hit.score
        above = next((one.score for one in self.answer if current and one.stored.row == current.row), None)
        return score if above is None else min(score, BELOW * above)


def _alike(passage: Passage) -> set[str]:
    """The lines of a passage, in whatever order its fields stand."""
    return {line.strip() for line in passage.text.split("\n") if line.strip()}
