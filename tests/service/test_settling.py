"""What a fact replaces is in history, whatever was done to its file by hand."""

import shutil
from pathlib import Path

from tests.service.conftest import Git
from tests.service.statements import BOB, ROLE, fails, op, say, statements
from vault.model.values import Value
from vault.service.vault import Vault
from vault.service.write import create, facts
from vault.service.write.commit_pending import NeedsHistory, StagedApart
from vault.service.write.commits import HasErrors


def test_an_edited_occupant_is_committed_first(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO")
    path = root / ROLE
    path.write_text(path.read_text().replace("Bob is CTO", "Bob is CIO"))
    said: list[str] = []
    bob.say = said.append
    say(bob, "Bob is CEO")
    assert git("log", "-3", "--format=%s").splitlines() == [
        'fact.bob_role: statement "Bob is CIO" → "Bob is CEO"',
        'fact.bob_role: statement "Bob is CTO" → "Bob is CIO"',
        "add fact.bob_role: Bob is CTO",
    ]
    assert said[0].startswith("committed first ")


def test_an_occupant_that_was_never_committed_is_too(bob: Vault, git: Git) -> None:
    create.add(
        bob,
        "fact",
        None,
        {
            "statement": "Bob is CTO",
            **facts.slot_words("work/role"),
            "subject": BOB,
        },
    )
    say(bob, "Bob is CEO")
    assert git("log", "-2", "--format=%s").splitlines()[1] == "add fact.bob_role: Bob is CTO"


def test_an_occupant_with_errors_is_not_replaced(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO")
    path = root / ROLE
    path.write_text(
        path.read_text()
        .replace("Bob is CTO", "Bob is CIO")
        .replace('claim = "role"', 'claim = "role"\n    confidence = 7')
    )
    before, head = path.read_text(), git("rev-parse", "HEAD")
    error = fails(HasErrors, say, bob, "Bob is CEO")
    assert "is committed before it is replaced" in str(error)
    assert (path.read_text(), git("rev-parse", "HEAD")) == (before, head)


def test_without_a_repository_nothing_is_replaced(root: Path) -> None:
    shutil.rmtree(root / ".git")
    with Vault.open(root) as vault:
        given: dict[str, Value] = {"statement": "Bob is CTO", "subject": BOB, "claim": "role"}
        create.add(vault, "fact", None, given)
        error = fails(NeedsHistory, create.add, vault, "fact", None, {**given, "statement": "Bob is CEO"})
        assert "git init" in error.hint
        assert statements(vault) == ["Bob is CTO"]


def test_an_occupant_that_was_deleted_by_hand_is_committed_first(bob: Vault, root: Path, git: Git) -> None:
    facts.record(bob, "bob", "work/role", "Bob is CTO", {}, ident="other")
    (root / "global/fact/other.firm").unlink()
    assert op(say(bob, "Bob is CEO")) == "add"
    assert git("log", "-2", "--format=%s").splitlines() == ["add fact.bob_role: Bob is CEO", "delete fact.other"]
    assert git("status", "--porcelain") == ""


def test_an_occupant_that_was_moved_by_hand_is_committed_first(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO")
    git("mv", ROLE, "global/fact/moved.firm")
    assert op(say(bob, "Bob is CEO")) == "supersede"
    assert git("log", "-2", "--format=%s").splitlines()[1] == "move fact.bob_role"
    assert git("status", "--porcelain") == ""
    assert (root / "global/fact/moved.firm").exists()


def test_a_text_that_is_only_staged_is_not_lost(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO")
    path = root / ROLE
    before = path.read_text()
    path.write_text(before.replace("CTO", "CIO"))
    git("add", "-A")
    path.write_text(before)
    fails(StagedApart, say, bob, "Bob is CEO")
    assert "CIO" in git("show", f":{ROLE}")
    path.write_text(before.replace("CTO", "CIO"))
    say(bob, "Bob is CEO")


def test_a_schema_that_no_commit_has_is_named(bob: Vault, git: Git) -> None:
    git("update-ref", "-d", "HEAD")
    error = fails(HasErrors, say, bob, "Bob is CTO")
    assert error.hint == "commit schema/fact.firm first: `vault commit schema/fact.firm`"
