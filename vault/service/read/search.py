"""Answering a question: what is asked of words, what of meaning, and what is said where that is missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.model.access import Reader
from vault.model.settings import FUSIONS, NO_MODEL, Fusion
from vault.search.bundled_results import with_shipped
from vault.search.embedding import ModelUnavailable
from vault.search.find import Answer, Found, Share
from vault.search.find import search as ranked
from vault.search.rank import RANKERS, Meaning, Mode, Question
from vault.search.text import Words
from vault.search.vectors.near import VectorsFailed
from vault.service.arguments.choices import check_type, checked_choice
from vault.service.runtime.committed_references import CommittedReferences
from vault.store.files import WriteFailed
from vault.workspace.bundled_entries import HELD
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


def search(
    vault: "VaultHandle",
    query: str,
    *,
    kind: str | None = None,
    tag: str | None = None,
    limit: int = 10,
    mode: Mode = "hybrid",
    fusion: Fusion | None = None,
    history: bool = False,
    reader: Reader | None = None,
) -> Answer:
    """Find entries by words and by meaning; see `Vault.search`."""
    checked_choice("mode", mode, RANKERS)
    checked_choice("fusion", fusion or FUSIONS[0], FUSIONS)
    snapshot = vault.snapshot(reader)
    check_type(snapshot, kind)
    chosen = fusion or vault.layout.settings.finding.fusion
    return answer(vault, snapshot, Question(query, kind, tag, limit, mode, chosen), history=history)


def answer(vault: "VaultHandle", snapshot: Snapshot, question: Question, *, history: bool = False) -> Answer:
    """Answer a question; with `history` also by what was said once and is no more.

    Where there is no model, a hybrid one is answered by words, and the answer says why. Raises
    `ModelUnavailable` for a semantic one, and `OnlyWords` where that asks the past.
    """
    if not history and vault.past is None:
        return _answer_now(vault, snapshot, question)
    from vault.service.read.history_search import (  # dulwich is loaded where it is used
        OnlyWords,
        answer_then,
        with_former,
    )

    if question.mode == "semantic":
        raise OnlyWords
    past = vault.past
    found = answer_then(vault, past, snapshot, question) if past else _answer_now(vault, snapshot, question)
    return with_former(vault, snapshot, question, found) if history else found


def _answer_now(vault: "VaultHandle", snapshot: Snapshot, question: Question) -> Answer:
    indexes = vault.indexes.text(snapshot)
    meaning, share, problem = None, None, ""
    chosen = vault.layout.settings.finding.model
    if question.mode == "semantic" or (question.mode == "hybrid" and chosen != NO_MODEL):
        try:
            meaning, share = meaning_of(vault, snapshot, question.text, always=question.mode == "semantic")
        except ModelUnavailable as error:
            if question.mode == "semantic":
                raise
            problem = f"{error.message}; {error.hint}"
    approved = CommittedReferences(vault).states
    found = ranked(snapshot, indexes, question, meaning=meaning, approved=approved, now=vault.clock())
    if not found and not vault.indexes.prove(snapshot):
        indexes = vault.indexes.text(snapshot)
        found = ranked(snapshot, indexes, question, meaning=meaning, approved=approved, now=vault.clock())
    found = _with_shipped(vault, snapshot.shipped(), question, found, meaning, indexes)
    return Answer(tuple(found), question.mode, question.fusion, share, problem)


def _with_shipped(  # noqa: PLR0917  what the vault's own was asked with
    vault: "VaultHandle",
    shipped: Snapshot,
    question: Question,
    found: list[Found],
    meaning: Meaning | None,
    own: Sequence[Words],
) -> list[Found]:
    """Results with what ships with the product among them, where a question is about that."""
    if not shipped.catalog.meta(HELD):
        return found
    theirs = Meaning(vault.meanings.tables(shipped), meaning.vector) if meaning else None
    indexes, now = vault.indexes.text(shipped), vault.clock()
    return with_shipped(found, shipped, indexes, question, meaning=theirs, own=own, now=now)


def meaning_of(
    vault: "VaultHandle", snapshot: Snapshot, text: str, *, always: bool = False
) -> tuple[Meaning | None, Share | None]:
    """The vectors to compare, and how many there are; a few that are missing are made where that costs little.

    Where few of many are there, none are compared, unless that is `always` wanted. Raises `ModelUnavailable`.
    """
    from vault.service.runtime.embed_job import READ_BUDGET, embed_some  # numpy is loaded where it is used

    meanings = vault.meanings
    share = meanings.share(snapshot)
    few = meanings.wanted and share.of <= READ_BUDGET
    worth_it = share.passages or few or always
    if not (share.of and worth_it and meanings.understands(text)):
        return None, share
    loaded = meanings.loaded
    meaning = meanings.of(snapshot, text)
    if meanings.loaded and not loaded:  # the model may say that what is there is of another length
        share = meanings.share(snapshot)
    if not meaning.vector:
        return None, share
    if share.missing and meanings.wanted and (meanings.loaded or share.missing <= READ_BUDGET):
        try:
            embed_some(meanings, snapshot)
        except (ModelUnavailable, VectorsFailed, WriteFailed) as error:
            vault.say(f"{error.message}; {error.hint}")
        share = meanings.share(snapshot)
    return meaning, share
