"""Bringing entries back as they were."""

from pathlib import Path

from tests.service.conftest import Git, Write
from tests.service.statements import ROLE, fails, op, say, statements
from vault.errors import VaultError
from vault.service.arguments.commit_options import CommitDetails, CommitOptions
from vault.service.read.history_resolve import NotThere
from vault.service.vault import Vault
from vault.service.write import create, facts, restore, update
from vault.service.write.commits import commit
from vault.service.write.new_entry import PathTaken
from vault.service.write.restore import NoRevision, UnreadableThen


def test_a_fact_is_retracted_with_its_reason_and_restored(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO", value="CTO")
    say(bob, "Bob is CEO", value="CEO")
    written = facts.retract(bob, "fact.bob_role", words=CommitDetails(reason="It was Rob"))
    assert (op(written), (root / ROLE).exists()) == ("retract", False)
    message = git("log", "-1", "--format=%B")
    assert message.startswith("retract fact.bob_role\n")
    assert "Vault-Reason: It was Rob" in message
    back = restore.restore(bob, "fact.bob_role@HEAD~2")
    assert (op(back), statements(bob)) == ("restore", ["Bob is CTO"])
    assert git("log", "-1", "--format=%s") == "restore fact.bob_role: Bob is CTO"
    assert op(restore.restore(bob, "fact.bob_role@HEAD~2")) == "restore"
    assert statements(bob) == ["Bob is CEO"]
    assert op(restore.restore(bob, "fact.bob_role@HEAD")) == "none"


def test_a_restored_fact_goes_back_into_its_slot_whatever_fills_it_now(bob: Vault) -> None:
    say(bob, "Bob is CTO")
    facts.retract(bob, "fact.bob_role")
    facts.record(bob, "bob", "work/role", "Bob is CEO", {}, ident="job")
    written = restore.restore(bob, "fact.bob_role@HEAD~2")
    assert (written.key, op(written), statements(bob)) == ("fact.job", "supersede", ["Bob is CTO"])


def test_an_entry_that_went_comes_back_with_its_comments_and_text(bob: Vault, root: Path, write: Write) -> None:
    write("global/note/n.firm", '// mine\nnote n {\n    text_file = path"./n.md"  // beside\n}\n')
    write("global/note/n.md", 'a """ b\n')
    write("global/thing/two.firm", 'thing a { name = "A" }\nthing b { name = "B" } // x\n')
    commit(bob)
    for key in ("note.n", "thing.b"):
        update.remove(bob, key, CommitOptions())
    restore.restore(bob, "note.n@HEAD~2")
    restore.restore(bob, "thing.b@HEAD~3")
    assert (root / "global/note/n.md").read_text() == 'a """ b\n'
    assert (root / "global/thing/two.firm").read_text() == 'thing a { name = "A" }\nthing b { name = "B" } // x\n'
    update.change(bob, "note.n", {"text": "new", "tags": ("t",)}, options=CommitOptions())
    restore.restore(bob, "note.n@HEAD~1")
    assert (root / "global/note/n.md").read_text() == 'a """ b\n'
    assert "tags" not in bob.get("note.n").entry.fields


def test_what_cannot_be_restored_says_why(bob: Vault) -> None:
    for words in ("fact.bob_role", "fact.bob_role@"):
        assert "`fact.bob_role@HEAD~1`" in fails(NoRevision, restore.restore, bob, words).hint
    say(bob, "Bob is CTO")
    assert "it was there from" in fails(NotThere, restore.restore, bob, "fact.bob_role@HEAD~1").hint
    fails(VaultError, restore.restore, bob, "fact.bob_role@never")


def test_an_entry_comes_back_to_the_path_it_had(vault: Vault, git: Git, write: Write) -> None:
    place = write("global/n.firm", '// mine\nnote n { text = "x" }\n')
    commit(vault)
    update.remove(vault, "n")
    back = restore.restore(vault, "note.n@HEAD")
    assert (back.path, back.landed.already_in) == ("global/n.firm", git("rev-parse", "HEAD"))
    assert place.read_text() == '// mine\nnote n { text = "x" }\n'
    assert git("status", "--porcelain") == ""


def test_an_entry_that_moved_and_was_removed_comes_back_to_its_first_path(vault: Vault, git: Git, write: Write) -> None:
    old, new = write("global/old.firm", 'note n { text = "x" }\n'), vault.root / "global/new.firm"
    commit(vault)
    old.rename(new)
    commit(vault)
    update.remove(vault, "n")
    back = restore.restore(vault, "note.n@HEAD~1")
    assert (back.path, back.commit is None) == ("global/old.firm", False)
    assert (old.exists(), new.exists(), git("status", "--porcelain")) == (True, False, "")


def test_an_entry_comes_back_among_those_it_shared_a_file_with(vault: Vault, git: Git, write: Write) -> None:
    text = 'thing a { name = "A" }\n\nthing b { name = "B" }\n\nthing c { name = "C" }\n'
    place = write("global/things.firm", text)
    commit(vault)
    update.remove(vault, "thing.b")
    assert restore.restore(vault, "thing.b@HEAD").landed.already_in
    assert (place.read_text(), git("status", "--porcelain")) == (text, "")


def test_an_entry_is_added_where_its_old_file_was_removed(vault: Vault, git: Git, write: Write) -> None:
    write("global/n.firm", 'note n { text = "x" }\n')
    commit(vault)
    update.remove(vault, "n")
    create.add(vault, "note", "n", {"text": "new"}, CommitOptions())
    assert git("status", "--porcelain") == ""


def test_a_text_file_in_the_way_stays(vault: Vault, write: Write) -> None:
    write("global/note/n.firm", 'note n { text_file = path"./n.md" }\n')
    write("global/note/n.md", 'a """ b\n')
    commit(vault)
    update.remove(vault, "n")
    kept = write("global/note/n.md", "mine\n")
    fails(PathTaken, restore.restore, vault, "note.n@HEAD")
    assert (kept.read_text(), (vault.root / "global/note/n.firm").exists()) == ("mine\n", False)


def test_a_field_that_could_not_be_read_then_is_not_dropped(vault: Vault, git: Git, write: Write) -> None:
    write("global/note/n.firm", 'note n { text = "x" tags = ["x", 1] }\n')
    git("add", "-A")
    git("commit", "-qm", "by hand", "--no-verify")
    update.change(vault, "n", {"tags": ("t",), "text": "y"}, options=CommitOptions())
    assert "tags" in fails(UnreadableThen, restore.restore, vault, "note.n@HEAD~1").message
