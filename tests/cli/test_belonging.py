"""What belongs to a vault is git's answer, for every command alike."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ADA = 'actor ada {\n    name = "Ada"\n}\n'


@pytest.fixture
def personal(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of patterns of the person who works here."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    place = tmp_path / "config/git/ignore"
    place.parent.mkdir(parents=True)
    return place


def test_an_entry_that_the_persons_own_rules_ignore_is_refused(run: Run, personal: Path) -> None:
    personal.write_text("*.firm\n")
    ended = run("add", "note", "n", "--field", "text=x")
    assert ended.code == 1
    assert f"global/note/n.firm is ignored by git (line 1 of {personal})" in ended.err
    assert not Path("global/note/n.firm").exists()


def test_a_committed_entry_that_a_later_rule_names_stays(run: Run) -> None:
    assert run("add", "actor", "ada", "--field", "name=Ada", "--commit").code == 0
    Path(".gitignore").write_text("global/\n")
    assert "actor.ada" in run("list").out
    assert run("get", "ada").code == 0
    assert "Ada" in run("search", "ada").out
    assert run("set", "ada", "name=Ada Lovelace").code == 0
    assert "global/actor/ada.firm" in run("status").out
    assert run("commit").code == 0
    assert "all is committed" in run("status").out
    Path("global/actor/bob.firm").write_text(ADA.replace("ada", "bob"))
    assert "bob" not in run("list").out


def test_doctor_names_entries_that_a_rule_outside_the_repository_hides(run: Run, personal: Path) -> None:
    Path("global/actor").mkdir(parents=True)
    Path("global/actor/ada.firm").write_text(ADA)
    personal.write_text("*.firm\n")
    found = run("doctor")
    assert "global/actor/ada.firm" in found.out + found.err
    assert str(personal) in found.out + found.err


def test_status_in_a_hook_and_check_agree_about_a_forced_path(run: Run) -> None:
    Path(".gitignore").write_text("drafts/\n")
    Path("global/drafts").mkdir(parents=True)
    Path("global/drafts/ada.firm").write_text(ADA)
    assert "actor.ada" not in run("list").out
    subprocess.run(["git", "add", "--force", "global/drafts/ada.firm"], check=True)
    assert "actor.ada" in run("list").out
    assert "global/drafts/ada.firm" in run("status").out
    assert run("check", "--staged").code == 0
