"""A file in which a merge left two sides: every command that shows one says so."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

BOTH = 'note n {\n<<<<<<< HEAD\n    text = "brass"\n=======\n    text = "steel"\n>>>>>>> other\n}\n'


@pytest.fixture
def conflicted(run: Run, root: Path) -> Path:
    assert run("add", "note", "n", "--field", "text=iron", "--commit").code == 0
    file = root / "global/note/n.firm"
    file.write_text(BOTH)
    return file


def test_what_shows_one_side_says_that_there_are_two(run: Run, conflicted: Path) -> None:
    for words in (("get", "n"), ("search", "brass", "--mode", "keyword")):
        told = run(*words)
        assert "brass" in told.out
        assert "global/note/n.firm is in conflict" in told.err
    assert json.loads(run("get", "n", "--json").out)["conflicted"] is True
    found = json.loads(run("search", "brass", "--mode", "keyword", "--json").out)
    assert found["conflicted"] == ["global/note/n.firm"]


@pytest.mark.parametrize("words", [("list",), ("query", "from note"), ("related", "n")])
def test_what_lists_an_entry_says_that_its_file_is_in_conflict(
    run: Run, conflicted: Path, words: tuple[str, ...]
) -> None:
    told = run(*words)
    assert "global/note/n.firm is in conflict" in told.err


def test_status_never_sends_a_conflict_to_commit(run: Run, root: Path, conflicted: Path) -> None:
    told = run("status")
    assert "next: settle the conflict in global/note/n.firm" in told.err
    (root / ".git/MERGE_HEAD").write_text("0" * 40 + "\n")
    assert "`git merge --continue`" in run("status").err
    assert json.loads(run("status", "--json").out)["operation"] == "merge"
    conflicted.write_text('note n { text = "brass" }\n')
    assert "next: git merge --continue" in run("status").err
    (root / ".git/MERGE_HEAD").unlink()
    assert "next: vault commit" in run("status").err
    conflicted.write_text("note n { text = 1 }\n")
    assert "next: vault check" in run("status").err
