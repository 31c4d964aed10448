"""What belongs to a vault is git's answer, for every command alike."""

import os
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


def test_files_that_are_not_read_are_told_and_named_where_they_are_asked_for(run: Run) -> None:
    Path("global/note").mkdir(parents=True)
    Path("vault.yaml").write_text(Path("vault.yaml").read_text() + "file_limit: 30000\n")
    Path("global/note/big.firm").write_text(f'note big {{ text = "{"x" * 40000}" }}\n')
    Path(os.fsdecode(b"global/note/\xff.firm")).write_text("note odd { }\n")
    Path("global/note/away.firm").symlink_to("/etc/hostname")
    Path("global/note/again.firm").symlink_to("big.firm")
    for words in (["list"], ["search", "x", "--mode", "keyword"], ["index"]):
        told = run(*words).err
        assert told.count("not read: ") == 1
        assert "again.firm" in told
        assert "and 1 more" in told
    missing = run("get", "note.big")
    assert missing.code == 1
    assert "global/note/big.firm: the file has 40,023 bytes; at most 30,000 are read" in missing.err
    assert "is a link to a place outside the vault" in run("get", "away").err
    codes = {item["code"]: item["path"] for item in run("check", "--json").json()["items"]}
    assert codes["outside-link"] == "global/note/away.firm"
    assert codes["inside-link"] == "global/note/again.firm"


@pytest.mark.parametrize(("name", "shown"), [("no", "False"), ("123", "123"), ("2024-01-01", "datetime.date")])
def test_a_space_whose_name_yaml_takes_for_another_value_needs_quotes(run: Run, name: str, shown: str) -> None:
    settings = Path("vault.yaml")
    text = settings.read_text().replace("spaces:\n", f"spaces:\n  {name}: {{private: true}}\n")
    settings.write_text(text)
    line = text.split("\n").index(f"  {name}: {{private: true}}") + 1
    ended = run("list")
    assert f"vault.yaml:{line}: YAML reads the space `{name}` as {shown}" in ended.err
    assert f'put it in quotes: `"{name}":`' in ended.err


def test_undeclared_spaces_are_hinted_at_and_not_named(run: Run) -> None:
    Path("spaces/secret/note").mkdir(parents=True)
    Path("spaces/secret/note/n.firm").write_text('note n { text = "x" }\n')
    for words in (["list"], ["spaces", "list"]):
        told = run(*words)
        assert "not declared in vault.yaml" in told.err
        assert "secret" not in told.out + told.err
    assert "not declared in vault.yaml" in run("doctor").out


def test_files_in_no_scope_and_other_repositories_are_mentioned(run: Run) -> None:
    Path("drafts").mkdir()
    Path("spaces").mkdir(exist_ok=True)
    for path in ("loose.firm", "drafts/x.firm", "spaces/y.firm"):
        Path(path).write_text(ADA)
    Path("global/inner/.git").mkdir(parents=True)
    for words in (["status"], ["check"]):
        told = run(*words).err
        assert "in no scope, so no command reads it: drafts/x.firm, loose.firm, spaces/y.firm" in told
        assert "global/inner is a git repository of its own" in told
    assert "loose.firm is in no scope" in run("doctor").out
    assert "in no scope" not in run("list").err


def test_a_commit_of_public_and_private_files_shows_its_public_part(run: Run) -> None:
    for path, text in (
        ("global/note/n.firm", 'note n { text = "x" }\n'),
        ("spaces/diary/note/s.firm", 'note s { text = "secret" }\n'),
    ):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "commit", "-qm", "About the secret"], check=True)
    for words in (["log"], ["log", "note.n"]):
        item = run(*words, "--json").json()["items"][0]
        assert [changed["path"] for changed in item["paths"]] == ["global/note/n.firm"]
        assert item["subject"] == ""
    assert "secret" not in run("log").out
    assert "About the secret" in run("--space", "diary", "log").out
