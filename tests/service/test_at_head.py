"""Writes whose result the last commit already holds: the files are written, and no commit is needed."""

import pytest

from tests.service.conftest import Git, Open, Write
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import autofix, create, facts, formatter, update
from vault.service.write.commits import commit
from vault.service.write.files import write as write_file
from vault.service.write.restore import restore
from vault.service.write.result import Written

PATH = "global/note/n.firm"


@pytest.fixture
def note(vault: Vault) -> Vault:
    """A vault with a committed note."""
    create.add(vault, "note", "n", {"text": "first"}, CommitOptions())
    return vault


def was_at_head(vault: Vault, git: Git, result: Written) -> bool:
    """Say whether a write told that HEAD holds its result, and git agrees."""
    assert git("status", "--porcelain") == ""
    return result.commit is None and result.landed.already_in == git("rev-parse", "HEAD")


def test_set_back_writes_the_file(note: Vault, git: Git) -> None:
    update.change(note, "n", {"text": "second"})
    result = update.change(note, "n", {"text": "first"}, options=CommitOptions("back"))
    assert was_at_head(note, git, result)
    assert result.paths == (PATH,)
    assert note.get("n").entry.fields["text"] == "first"


def test_set_back_of_a_staged_change_brings_the_index_in_step(note: Vault, git: Git) -> None:
    update.change(note, "n", {"text": "second"})
    git("add", PATH)
    assert was_at_head(note, git, update.change(note, "n", {"text": "first"}, options=CommitOptions()))


def test_restore_writes_a_file_that_was_removed(note: Vault, git: Git) -> None:
    update.remove(note, "n")
    assert was_at_head(note, git, restore(note, "note.n@HEAD"))
    assert note.get("n").entry.fields["text"] == "first"


def test_delete_of_an_entry_that_no_commit_holds(note: Vault, git: Git) -> None:
    create.add(note, "note", "other", {"text": "never committed"})
    git("add", "global/note/other.firm")
    assert was_at_head(note, git, note.delete("note.other"))


def test_add_of_what_was_removed(note: Vault, git: Git) -> None:
    text = (note.root / PATH).read_text()
    update.remove(note, "n")
    (result,) = create.add_text(note, text, "standard input", CommitOptions())
    assert was_at_head(note, git, result)


def test_a_whole_file_written_back(note: Vault, git: Git) -> None:
    before = (note.root / PATH).read_text()
    update.change(note, "n", {"text": "second"})
    result = write_file(note, PATH, before, options=CommitOptions())
    assert result.landed.already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_format_back(note: Vault, git: Git, write: Write) -> None:
    write(PATH, (note.root / PATH).read_text().replace("text = ", "text   =   "))
    files, _ = formatter.unformatted(note, [PATH])
    assert formatter.rewrite(note, files, CommitOptions()).already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_fix_back(note: Vault, git: Git, write: Write) -> None:
    text = (note.root / PATH).read_text()
    write(PATH, text.replace("{\n", '{\n  text = "first"\n', 1))
    assert autofix.fix(note, None, CommitOptions()).landed.already_in == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_a_write_that_changes_nothing_says_nothing_of_head(note: Vault) -> None:
    assert update.change(note, "n", {"text": "first"}, options=CommitOptions()).landed.already_in is None


def test_retract_of_a_fact_that_was_never_committed_keeps_it_in_history(bob: Vault, git: Git) -> None:
    create.add(bob, "fact", "f", {"statement": "Bob runs", "claim": "runs"})
    result = facts.retract(bob, "fact.f")
    assert result.commit
    assert git("status", "--porcelain") == ""


def test_private_and_public_files_at_once(open_vault: Open, note: Vault, git: Git) -> None:
    diary = open_vault("diary")
    update.change(note, "n", {"text": "second"})
    create.add(diary, "note", "secret", {"text": "x"}, CommitOptions())
    commit(note)
    assert git("status", "--porcelain") == ""
