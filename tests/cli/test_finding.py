"""`vault search`, `index` and `get` about passages and vectors."""

import os
import re
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TEXT = "Parents may stay at home for twelve weeks after a birth"


@pytest.fixture
def note(run: Run) -> str:
    """The key of a note that is there."""
    assert run("add", "note", "leave", "--field", f"text={TEXT}").code == 0
    return "note.leave"


def test_an_explanation_tells_places_and_an_address_that_get_shows(run: Run, note: str) -> None:
    ended = run("search", "maternity", "--explain")
    match = re.search(r"score \S+: .*cosine \S+ \(place 1\); (note\.leave#[0-9a-f]{8})", ended.out)
    assert match, ended.out
    shown = run("get", match[1])
    assert f"{match[1]}\nglobal/note/leave.firm:2-2@worktree\n\n{TEXT}\n" in shown.out
    data = run("get", match[1], "--json").json()
    assert (data["passage"], data["text"], data["line"], data["endLine"]) == (match[1], TEXT, 2, 2)


def test_an_address_of_what_was_changed_is_said(run: Run, note: str) -> None:
    ended = run("get", "note.leave#00000000")
    assert (ended.code, "no passage of note.leave" in ended.err) == (1, True)


def test_modes_without_a_model(run: Run, note: str, root: Path) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "embedding: {model: none}\n")
    assert run("search", "parents").out.startswith("note.leave")
    assert run("search", "maternity").err == "nothing fits this query\n"
    ended = run("search", "maternity", "--mode", "semantic")
    assert (ended.code, "model-unavailable" in ended.err) == (1, True)
    assert run("index").out == "6 files, 1 entries, 1 passages\n"
    assert "do without" in run("doctor").out


def test_a_model_that_cannot_be_used_is_said_once(run: Run, note: str, root: Path) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "embedding: {model: BAAI/bge-smal-en-v1.5}\n")
    ended = run("search", "parents")
    assert ended.out.startswith("note.leave")
    assert ended.err.count("BAAI/bge-smal-en-v1.5") == 1
    assert "did you mean `BAAI/bge-small-en-v1.5`?" in ended.err
    assert run("search", "parents", "--json").json()["problem"].startswith("the embedding model")
    ended = run("index")
    assert (ended.code, ended.err.count("cannot be used")) == (1, 1)
    assert "cannot be used" in run("doctor").out


def test_index_tells_what_it_embeds(run: Run, note: str) -> None:
    ended = run("index", "--json").json()
    assert ended["embedded"] == {"passages": 1, "of": 1}
    assert ended["vectors"] == {"made": 1, "copied": 0, "refused": 0}
    again = run("index")
    assert again.out == "6 files, 1 entries, 1 passages, 1 embedded\n"
    assert "embedded" not in again.err


def test_a_detached_index_goes_on_by_itself(run: Run, note: str, root: Path) -> None:
    started = run("index", "--detach", "--json").json()
    while _runs(started["process"]):
        time.sleep(0.05)
    assert "1 embedded" in Path(started["log"]).read_text()
    assert run("index", "--json").json()["vectors"]["made"] == 0
    ended = run("index", "--detach")
    assert ended.out.startswith("indexing in the background, as process ")
    while _runs(int(ended.out.split()[-1])):
        time.sleep(0.05)


def _runs(process: int) -> bool:
    """Whether a child of this process is still at work."""
    ended, _ = os.waitpid(process, os.WNOHANG)
    return ended == 0


@pytest.mark.parametrize("words", [("--detach", "--check"), ("--rebuild", "--check")])
def test_what_excludes_each_other_is_refused(run: Run, words: tuple[str, ...]) -> None:
    assert run("index", *words).code == 2


def test_missing_vectors_are_counted(run: Run) -> None:
    for number in range(20):
        run("add", "note", f"n{number}", "--field", f"text=Note number {number}")
    assert "0 of 20 passages are embedded" in run("search", "number").err
    assert run("search", "number", "--json").json()["embedded"] == {"passages": 0, "of": 20}


def test_what_no_longer_holds_is_marked_and_comes_last(run: Run) -> None:
    for name, extra in (("old", ["--field", "valid_until=2020-01-01"]), ("new", [])):
        assert run("add", "fact", name, "--field", "statement=Ada leads the team", *extra).code == 0
    shown = run("search", "who leads the team").out
    assert shown.index("fact.new") < shown.index("fact.old")
    assert "(no longer holds)" in shown
