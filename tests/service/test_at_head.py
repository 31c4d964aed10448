"""Writes whose result the last commit already holds: the files are written, and no commit is needed."""

import pytest

from tests.service.conftest import Git, Open, Write
from vault.service import adding, changing, facts, fixing, layout
from vault.service.committing import commit
from vault.service.files import write as write_file
from vault.service.restoring import restore
from vault.service.vault import Vault
from vault.service.writing import Landing, Written

PATH = "global/note/n.firm"


@pytest.fixture
def note(vault: Vault) -> Vault:
    """A vault with a committed note."""
    adding.add(vault, "note", "n", {"text": "first"}, Landing())
    return vault


def was_at_head(vault: Vault, git: Git, result: Written) -> bool:
    """Say whether a write told that HEAD holds its result, and git agrees."""
    assert git("status", "--porcelain") == ""
    return result.commit is None and result.landed.already_in == git("rev-parse", "HEAD")


def test_set_back_writes_the_file(note: Vault, git: Git) -> None:
    changing.change(note, "n", {"text": "second"})
    result = changing.change(note, "n", {"text": "first"}, landing=Landing("back"))
    assert was_at_head(note, git, result)
    assert result.paths == (PATH,)
    assert note.get("n").entry.fields["text"] == "first"


def test_set_back_of_a_staged_change_brings_the_index_in_step(note: Vault, git: Git) -> None:
    changing.change(note, "n", {"text": "second"})
    git("add", PATH)
    assert was_at_head(note, git, changing.change(note, "n", {"text": "first"}, landing=Landing()))


def test_restore_writes_a_file_that_was_removed(note: Vault, git: Git) -> None:
    changing.remove(note, "n")
    assert was_at_head(note, git, restore(note, "note.n@HEAD"))
    assert note.get("n").entry.fields["text"] == "first"


def test_delete_of_an_entry_that_no_commit_holds(note: Vault, git: Git) -> None:
    adding.add(note, "note", "other", {"text": "never committed"})
    git("add", "global/note/other.firm")
    assert was_at_head(note, git, note.delete("note.other"))


def test_add_of_what_was_removed(note: Vault, git: Git) -> None:
    text = (note.root / PATH).read_text()
    changing.remove(note, "n")
    (result,) = adding.add_text(note, text, "standard input", Landing())
    assert was_at_head(note, git, result)


def test_a_whole_file_written_back(note: Vault, git: Git) -> None:
    before = (note.root / PATH).read_text()
    changing.change(note, "n", {"text": "second"})
    result = write_file(note, PATH, before, landing=Landing())
    assert result.landed.already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_format_back(note: Vault, git: Git, write: Write) -> None:
    write(PATH, (note.root / PATH).read_text().replace("text = ", "text   =   "))
    files, _ = layout.unformatted(note, [PATH])
    assert layout.rewrite(note, files, Landing()).already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_fix_back(note: Vault, git: Git, write: Write) -> None:
    text = (note.root / PATH).read_text()
    write(PATH, text.replace("{\n", '{\n  text = "first"\n', 1))
    assert fixing.fix(note, None, Landing()).landed.already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_a_write_that_changes_nothing_says_nothing_of_head(note: Vault) -> None:
    assert changing.change(note, "n", {"text": "first"}, landing=Landing()).landed.already_in is None


def test_retract_of_a_fact_that_was_never_committed_keeps_it_in_history(bob: Vault, git: Git) -> None:
    adding.add(bob, "fact", "f", {"statement": "Bob runs", "claim": "runs"})
    result = facts.retract(bob, "fact.f")
    assert result.commit
    assert git("status", "--porcelain") == ""


def test_private_and_public_files_at_once(open_vault: Open, note: Vault, git: Git) -> None:
    diary = open_vault("diary")
    changing.change(note, "n", {"text": "second"})
    adding.add(diary, "note", "secret", {"text": "x"}, Landing())
    commit(note)
    assert git("status", "--porcelain") == ""
