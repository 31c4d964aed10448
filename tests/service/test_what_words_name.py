"""What words name: entries out of place, aliases with dots, texts like references, statements known already."""

import pytest

from tests.service.conftest import Write
from vault.service.read.entry_detail import detail
from vault.service.read.entry_history import Step
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound


def test_an_entry_in_no_scope_is_named_where_it_is_asked_for(vault: Vault, write: Write) -> None:
    write("other/o.firm", 'note o { text = "x" }\n')
    write("global/note/i.firm", 'note i { text = "x" }\n')
    write(".gitignore", "i.firm\n")
    for words, told in (("other/o.firm", "in no scope"), ("o", "in no scope"), ("note.i", "ignored by git")):
        with pytest.raises(NotFound, match=told):
            detail(vault, words)


def test_an_alias_with_a_dot_names_an_entry_in_history_too(vault: Vault) -> None:
    vault.add("note", {"text": "x", "aliases": ["v1.2"]}, id="n")
    assert [step.op for step in vault.history("v1.2") if isinstance(step, Step)] == ["add"]
    vault.delete("n")
    assert [step.op for step in vault.history("note.n") if isinstance(step, Step)] == ["delete", "add"]


def test_a_text_that_looks_like_a_reference_is_told(bob: Vault) -> None:
    written = bob.add(
        "note", {"text": "x", "about": "actor.bob", "host": "example.org", "subject": "actor.bob"}, id="n"
    )
    assert [note.partition(" was written as text")[0] for note in written.notes] == ["`about`", "`subject`"]
    assert written.notes[0].endswith('{"ref": "actor.bob"} makes it a reference')
    assert bob.update("n", {"also": ["a", "actor.bob"]}).notes[0].startswith("`also` was written as text")


def test_a_statement_without_a_claim_gains_the_sources_it_lacks(bob: Vault) -> None:
    for source, op in (("a.md", "add"), ("b.md", "update"), ("b.md", "none")):
        told = [{"content": "Bob likes tea"}]
        aspects = [{"entityName": "Bob", "aspect": "taste", "attributes": told}]
        assert [
            placed.op for _, placed in bob.remember({"structured": {"aspects": aspects}, "sourceId": source}).facts
        ] == [op]
    assert bob.get("fact.bob_likes_tea").entry.texts("sources") == ["a.md", "b.md"]
