"""A shallow clone says what it cannot know."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.service.days import Days


@pytest.fixture
def shallow(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of two commits: facts with and without a day since when they hold, and a later change."""
    days = Days(root)
    for number in range(4):
        facts: dict[str, str | None] = {
            "global/thing/bob.firm": 'thing bob { name = "Bob" }\n',
            "global/fact/dated.firm": 'fact dated { statement = "d" subject = thing.bob claim = "a"'
            " valid_from = 2020-01-01 at 00:00 UTC }\n",
            "global/fact/undated.firm": 'fact undated { statement = "u" subject = thing.bob claim = "b" }\n',
            "global/note/n.firm": f'note n {{ text = "{number}" }}\n',
        }
        days.commit(facts)
    clone = root.parent / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{root}", str(clone)], check=True)
    monkeypatch.chdir(clone)
    return clone


BEFORE = "2021-01-01"  # before the clone's first commit, which is of the third


def test_facts_that_may_have_held_are_counted_and_left_out(run: Run, shallow: Path) -> None:
    counted = run("query", "from fact | select @id", "--valid-at", BEFORE)
    assert counted.code == 1
    assert "dated" in counted.out
    assert "undated" not in counted.out
    assert "facts left out because they may or may not have held then: 1" in counted.err
    listed = run("list", "fact", "--json", "--valid-at", BEFORE)
    assert listed.code == 1
    assert listed.json()["shallow"] is True
    assert listed.json()["leftOut"] == 1
    refused = run("get", "fact.undated", "--valid-at", BEFORE)
    assert refused.code == 1
    assert "error[shallow-history]" in refused.err
    assert run("get", "fact.dated", "--valid-at", BEFORE).out
    later = run("list", "fact", "--json", "--valid-at", "2021-01-04")
    assert (later.code, later.json()["leftOut"], later.json()["total"]) == (0, 0, 2)


def test_history_blame_and_log_mark_the_first_commit(run: Run, shallow: Path) -> None:
    for words in (["history", "fact.dated"], ["blame", "fact.dated"], ["log"], ["log", "fact.dated"]):
        told = run(*words)
        assert told.code == 0
        assert "^" in told.out
        assert told.err.count("git fetch --unshallow") == 1
    assert run("history", "fact.dated", "--json").json()["items"][0]["boundary"] is True
    assert run("blame", "fact.dated", "--json").json()["fields"][0]["boundary"] is True
    assert [item.get("boundary") for item in run("log", "--json").json()["items"]] == [None, True]
    assert run("history", "bob/general/a", "--json").json()["items"][0]["boundary"] is True
    recent = run("log", "note.n", "--json").json()["items"]
    assert recent[0].get("boundary") is None


def test_updated_is_told_to_be_uncertain(run: Run, shallow: Path) -> None:
    told = run("query", "from * | select @id, @updated", "--json")
    assert told.json()["shallow"] is True
    assert "git fetch --unshallow" in told.err


def test_a_whole_history_says_nothing(run: Run, root: Path) -> None:
    run("add", "note", "n", "--field", "text=x", "--commit")
    for words in (["history", "n"], ["blame", "n"], ["log"]):
        assert "unshallow" not in run(*words).err
    assert "shallow" not in run("log", "--json").json()


def test_doctor_and_a_repeated_write_warn(run: Run, shallow: Path) -> None:
    assert "this clone is shallow" in run("doctor").out
    Path("payload.json").write_text('{"content": "x", "idempotencyKey": "k1"}')
    told = run("remember", "payload.json")
    assert "no write with this key" in told.err
