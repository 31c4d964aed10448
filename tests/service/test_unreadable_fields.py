"""Fields whose value cannot be read are never taken for empty ones."""

import pytest

from tests.service.conftest import Git, Write
from vault.errors import VaultError
from vault.model.entry import UnreadableField
from vault.model.values import Reference, Value
from vault.service.arguments.cli_values import read_changes
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create, facts, update

MIXED = '["x", 2024]'
NOTE = f'note b {{ text = "b" tags = {MIXED} relates_to = ["x", note.c] }}\n'
FACT = 'fact {id} {{ statement = "{text}" subject = actor.bob claim = "role" {more} }}\n'


def commit_by_hand(git: Git) -> None:
    git("add", "-A")
    git("commit", "-qm", "by hand", "--no-verify")


@pytest.mark.parametrize("operator", ["+", "-"])
def test_a_list_that_cannot_be_read_is_not_added_to(vault: Vault, write: Write, operator: str) -> None:
    place = write("global/note/b.firm", NOTE)
    with pytest.raises(UnreadableField, match=r"`tags` of `note.b` cannot be read \(global/note/b.firm:1\)") as caught:
        update.change(vault, "b", lambda entry, schema: read_changes(entry, schema, [("tags", operator, "new")]))
    assert caught.value.code == "unreadable-field"
    assert place.read_text() == NOTE


def test_a_whole_field_replaces_what_cannot_be_read(vault: Vault, write: Write) -> None:
    write("global/note/b.firm", NOTE)
    update.change(
        vault, "b", lambda entry, schema: read_changes(entry, schema, [("tags", "", "new"), ("tags", "+", "y")])
    )
    assert vault.get("b").entry.fields["tags"] == ("new", "y")


def test_a_relation_is_not_added_to_a_list_that_cannot_be_read(vault: Vault, write: Write) -> None:
    text = f'actor eve {{ name = "Eve" relates_to = {MIXED} }}\n'
    place = write("global/actor/eve.firm", text)
    link = {"source": "Eve", "target": "Ann", "relationship": "related_to", "targetType": "person"}
    with pytest.raises(VaultError, match=r"`relates_to` of `actor\.eve` cannot be read"):
        vault.remember({"structured": {"entities": [link]}})
    assert place.read_text() == text


@pytest.mark.parametrize("more", [f"sources = {MIXED}", f"value = {MIXED}", f"tags = {MIXED}"])
def test_a_fact_is_not_merged_into_what_cannot_be_read(bob: Vault, git: Git, write: Write, more: str) -> None:
    place = write("global/fact/r.firm", FACT.format(id="r", text="Bob runs", more=more))
    commit_by_hand(git)
    same: dict[str, Value] = {
        "statement": "Bob runs",
        "subject": Reference("actor", "bob"),
        "claim": "role",
        "sources": ("https://example.org",),
        "tags": ("t",),
    }
    other: dict[str, Value] = {**same, "statement": "Bob walks"}
    before = place.read_bytes()
    for fields in (same, other):
        if more.startswith("tags") and fields is same:
            continue  # the same statement adds sources, and no tags
        if more.startswith("sources") and fields is other:
            continue  # another statement replaces the sources whole
        with pytest.raises(UnreadableField):
            create.add(bob, "fact", None, fields, CommitOptions())
    assert place.read_bytes() == before


def test_another_statement_does_not_keep_sources_that_cannot_be_read(bob: Vault, git: Git, write: Write) -> None:
    place = write("global/fact/r.firm", FACT.format(id="r", text="Bob runs", more=f"sources = {MIXED}"))
    commit_by_hand(git)
    facts.supersede(bob, "fact.r", "Bob walks", {})
    assert "sources" not in place.read_text()


def test_a_fact_that_is_taken_over_loses_nothing(bob: Vault, git: Git, write: Write) -> None:
    write("global/fact/r.firm", FACT.format(id="r", text="Bob runs", more=""))
    other = write("global/fact/s.firm", FACT.format(id="s", text="Bob walks", more=f"tags = {MIXED}"))
    commit_by_hand(git)
    with pytest.raises(UnreadableField):
        facts.supersede(bob, "fact.r", "fact.s", {})
    assert other.exists()
