"""Bringing entries back as they were."""

from pathlib import Path

from tests.service.conftest import Git, Write
from tests.service.statements import ROLE, fails, op, say, statements
from vault.errors import VaultError
from vault.service import changing, facts, restoring
from vault.service.committing import commit
from vault.service.facts import Words
from vault.service.recalling import NotThere
from vault.service.restoring import NoRevision
from vault.service.vault import Vault
from vault.service.writing import Landing


def test_a_fact_is_retracted_with_its_reason_and_restored(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO", value="CTO")
    say(bob, "Bob is CEO", value="CEO")
    written = facts.retract(bob, "fact.bob_role", words=Words(reason="It was Rob"))
    assert (op(written), (root / ROLE).exists()) == ("retract", False)
    message = git("log", "-1", "--format=%B")
    assert message.startswith("retract fact.bob_role\n")
    assert "Vault-Reason: It was Rob" in message
    back = restoring.restore(bob, "fact.bob_role@HEAD~2")
    assert (op(back), statements(bob)) == ("restore", ["Bob is CTO"])
    assert git("log", "-1", "--format=%s") == "restore fact.bob_role: Bob is CTO"
    assert op(restoring.restore(bob, "fact.bob_role@HEAD~2")) == "restore"
    assert statements(bob) == ["Bob is CEO"]
    assert op(restoring.restore(bob, "fact.bob_role@HEAD")) == "none"


def test_a_restored_fact_goes_back_into_its_slot_whatever_fills_it_now(bob: Vault) -> None:
    say(bob, "Bob is CTO")
    facts.retract(bob, "fact.bob_role")
    facts.record(bob, "bob", "work/role", "Bob is CEO", {}, ident="job")
    written = restoring.restore(bob, "fact.bob_role@HEAD~2")
    assert (written.key, op(written), statements(bob)) == ("fact.job", "supersede", ["Bob is CTO"])


def test_an_entry_that_went_comes_back_with_its_comments_and_text(bob: Vault, root: Path, write: Write) -> None:
    write("global/note/n.firm", '// mine\nnote n {\n    text_file = path"./n.md"  // beside\n}\n')
    write("global/note/n.md", 'a """ b\n')
    write("global/thing/two.firm", 'thing a { name = "A" }\nthing b { name = "B" } // x\n')
    commit(bob)
    for key in ("note.n", "thing.b"):
        changing.remove(bob, key, Landing())
    restoring.restore(bob, "note.n@HEAD~2")
    restoring.restore(bob, "thing.b@HEAD~3")
    assert (root / "global/note/n.md").read_text() == 'a """ b\n'
    assert (root / "global/thing/b.firm").read_text() == 'thing b { name = "B" }\n'
    changing.change(bob, "note.n", {"text": "new", "tags": ("t",)}, landing=Landing())
    restoring.restore(bob, "note.n@HEAD~1")
    assert (root / "global/note/n.md").read_text() == 'a """ b\n'
    assert "tags" not in bob.get("note.n").entry.fields


def test_what_cannot_be_restored_says_why(bob: Vault) -> None:
    for words in ("fact.bob_role", "fact.bob_role@"):
        assert "`fact.bob_role@HEAD~1`" in fails(NoRevision, restoring.restore, bob, words).hint
    say(bob, "Bob is CTO")
    assert "it was there from" in fails(NotThere, restoring.restore, bob, "fact.bob_role@HEAD~1").hint
    fails(VaultError, restoring.restore, bob, "fact.bob_role@never")
