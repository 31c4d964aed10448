"""Searching in a vault that has bundled entries: they answer questions about the product, and no others."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bundled.conftest import OTHERS
from vault.model.access import BUNDLED, Reader
from vault.model.settings import Fusion
from vault.search.find import Answer
from vault.search.rank import Mode
from vault.service.admin.reindex import differences
from vault.service.vault import Vault
from vault.service.write import create

QUESTIONS = [
    (question, set(keys.split()))
    for line in (Path(__file__).parent / "questions.tsv").read_text("utf-8").splitlines()
    for question, keys in [line.split("\t")]
]


@pytest.fixture(scope="module")
def stocked(sample: Path) -> Iterator[Vault]:
    """The sample vault, which is not changed."""
    with Vault.open(sample, max_age=1e9) as vault:
        yield vault


def bundled_in(answer: Answer) -> list[str]:
    return [found.stored.entry.key for found in answer if found.stored.scope == BUNDLED]


@pytest.mark.parametrize(("mode", "share"), [("hybrid", 0.9), ("keyword", 0.75), ("semantic", 0.6)])
def test_questions_about_the_product_are_answered(stocked: Vault, mode: Mode, share: float) -> None:
    missed = [
        question
        for question, keys in QUESTIONS
        if not keys & {found.stored.entry.key for found in stocked.search(question, mode=mode, limit=3)}
    ]
    assert len(missed) <= (1 - share) * len(QUESTIONS), missed


def test_questions_are_enough() -> None:
    assert len(QUESTIONS) >= 40


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("question", OTHERS)
def test_other_questions_get_the_vaults_own_answers(stocked: Vault, question: str, mode: Mode) -> None:
    assert bundled_in(stocked.search(question, mode=mode)) == []


def test_a_question_by_name_is_answered_first(stocked: Vault) -> None:
    first = stocked.search("vault hydrate")[0]
    assert (first.stored.entry.key, first.path) == ("thing.vault_hydrate", "bundled:thing/vault_hydrate.firm")
    assert first.address.startswith("thing.vault_hydrate#")
    assert "concept" in first.ranks


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_scores_are_in_the_order_of_results(stocked: Vault, fusion: Fusion) -> None:
    scores = [found.score for found in stocked.search("how do I make a vault of field sensors", fusion=fusion)]
    assert scores == sorted(scores, reverse=True)


def test_commands_of_examples_are_not_found(stocked: Vault) -> None:
    found = stocked.search("how do Bob and Mira run Halcyon", mode="keyword")
    assert found
    assert bundled_in(found) == []


def test_results_of_the_vault_stand_as_they_do_without(copied: Path) -> None:
    question = "how do I keep readings of farms private"
    with Vault.open(copied, max_age=0) as vault:
        before = vault.search(question)
        assert bundled_in(before)
        (copied / "vault.yaml").write_text((copied / "vault.yaml").read_text("utf-8") + "bundled: off\n", "utf-8")
    with Vault.open(copied, max_age=0) as vault:
        own = [(found.stored.entry.key, found.score) for found in before if found.stored.scope != BUNDLED]
        assert own == [(found.stored.entry.key, found.score) for found in vault.search(question)][: len(own)]


def test_an_entry_of_the_vault_is_found_in_the_place_of_a_bundled_one(copied: Path) -> None:
    with Vault.open(copied, max_age=0) as vault:
        create.add(vault, "thing", "vault_hydrate", {"name": "Watering", "summary": "Hydrating fields"})
        assert "thing.vault_hydrate" not in bundled_in(vault.search("vault hydrate"))


def test_they_are_found_by_words_until_vectors_are_made(root: Path) -> None:
    with Vault.open(root, max_age=0) as vault:
        found = vault.search("how do I take a fact back")
        assert "note.howto_take_a_fact_back" in bundled_in(found)
        assert not vault.meanings.loaded
        assert bundled_in(vault.search("how do I keep a space private", reader=Reader("diary")))


def test_a_type_that_is_asked_for_is_what_comes(stocked: Vault) -> None:
    assert all(found.stored.entry.type == "note" for found in stocked.search("how do I take a fact back", kind="note"))
    assert bundled_in(stocked.search("how do I take a fact back", tag="hardware")) == []


def test_a_query_asks_the_vaults_own(stocked: Vault) -> None:
    from vault.service.read.query import query

    assert list(query(stocked, 'from * | search "how do I take a fact back"').entries) == []
    assert query(stocked, "from thing | count").figure == 2


def test_the_index_of_them_is_what_making_it_anew_gives(copied: Path) -> None:
    with Vault.open(copied, max_age=0) as vault:
        vault.search("vault hydrate")
        create.add(vault, "note", "n", {"text": "more"})
        assert differences(vault) == []
