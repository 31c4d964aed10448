"""Hydration in a vault that has bundled entries: they come where a message names them, and for no other talk."""

import json
from pathlib import Path

import pytest

from tests.bundled.conftest import OTHERS
from tests.endurance import amount
from tests.service.talk import small_talk
from vault.service.read.hydrate import hydrate
from vault.service.vault import Vault
from vault.service.write import create

CHATS = Path(__file__).parents[3] / "shared/data/ir/locomo_dev/corpus.jsonl"


def keys(vault: Vault, text: str, **options: object) -> list[str]:
    return [one.line.key for one in hydrate(vault, text, **options).brought]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ("how do I use vault remember?", "thing.vault_remember"),
        ("Run vault list first.", "thing.vault_list"),
        ("is Firm Vault any good", "thing.firm_vault"),
        ("what does firm-vault do", "thing.firm_vault"),
        ("see thing.vault_get", "thing.vault_get"),
        ("what are the bundled entries", "note.bundled_entries"),
    ],
)
def test_a_message_that_names_one_brings_it(vault: Vault, message: str, key: str) -> None:
    found = hydrate(vault, message)
    assert [one.line.key for one in found.brought] == [key]
    assert "[bundled:" in found.block
    assert "@0.1.0]" in found.block


@pytest.mark.parametrize("word", ["add", "get", "log", "list", "vault", "firm", "check", "commit", "space", "fact"])
def test_a_common_word_names_none(vault: Vault, word: str) -> None:
    for message in (word, word.capitalize(), f"please {word} it", f"the {word} is here", f'say "{word}"'):
        assert keys(vault, message) == []


@pytest.mark.endurance
def test_small_talk_brings_none(vault: Vault) -> None:
    said = [*small_talk(200), *OTHERS, *chats()]
    assert [(message, found) for message in said if (found := keys(vault, message))] == []


def chats() -> list[str]:
    """Turns of real chats, where they lie beside the repository."""
    lines = CHATS.read_text("utf-8").splitlines()[:: amount(16, 1)] if CHATS.exists() else []
    return [json.loads(line)["text"] for line in lines]


def test_what_the_vault_names_comes_as_it_does_without(vault: Vault) -> None:
    create.add(vault, "thing", "vault", {"name": "Vault", "summary": "Keeps passwords."})
    assert keys(vault, "is vault search slow") == ["thing.vault", "thing.vault_search"]
    create.add(vault, "thing", "vault_search", {"name": "Vault Search", "summary": "Ours."})
    assert keys(vault, "is vault search slow") == ["thing.vault_search"]


def test_a_session_keeps_what_it_matched(vault: Vault) -> None:
    assert keys(vault, "how do I use vault remember?", session="s") == ["thing.vault_remember"]
    assert keys(vault, "and how exactly?", session="s") == ["thing.vault_remember"]
    assert keys(vault, "use vault remember", session="t", mode="transcript") == ["thing.vault_remember"]
    assert keys(vault, "so vault remember it is", session="t", mode="transcript") == []


def test_meaning_brings_the_vaults_own_alone(copied: Path) -> None:
    with Vault.open(copied, max_age=0) as vault:
        found = keys(vault, "how do I take a fact back that was wrong", meaning=True)
        assert not any(key.startswith(("thing.vault", "note.howto")) for key in found)
