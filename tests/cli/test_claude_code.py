"""`vault hooks claude-code`, and the hook it installs: run as Claude Code runs it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from vault.service.admin.claude_code import Files


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed `vault`, as the one that was called."""
    made = tmp_path / "bin/vault"
    made.parent.mkdir()
    here = Path(__file__).resolve().parents[2]
    made.write_text(f'#!/bin/sh\nPYTHONPATH="{here}" exec "{sys.executable}" -m cli "$@"\n')
    made.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(made)])
    return made


def prompt(command: str, **event: Any) -> "subprocess.CompletedProcess[str]":
    """Run the hook's command with an event, through a shell as Claude Code does."""
    words = ["sh", "-c", command]
    return subprocess.run(words, input=json.dumps(event), capture_output=True, text=True, check=False, cwd="/")


def test_the_hook_brings_what_is_known_once(run: Run, root: Path, program: Path) -> None:
    run("add", "actor", "ada", "-f", "name=Ada Lovelace", "-f", "kind=person", "--commit")
    run("fact", "ada", "work/role", "Ada has a secret", "--agent", "other")
    shape = run("hooks", "claude-code", "install", "--json").json()
    files = Files.of_project(root)
    assert shape["changed"] == [str(files.settings), str(files.servers)]
    hooks = json.loads(files.settings.read_text())["hooks"]
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "What of Ada Lovelace?"}
    first = prompt(command, **event)
    assert (first.returncode, first.stderr) == (0, "")
    assert "actor.ada: Ada Lovelace" in first.stdout
    assert "secret" not in first.stdout  # that is another agent's
    assert prompt(command, **event).stdout == ""
    again = hooks["SessionStart"][0]["hooks"][0]["command"]
    assert prompt(again, session_id="s", hook_event_name="SessionStart", source="compact").stdout == ""
    assert prompt(command, **event).stdout == first.stdout
    assert prompt(command, **{**event, "prompt": "thanks!"}).stdout == ""


def test_trouble_never_refuses_a_prompt(run: Run, root: Path, program: Path) -> None:
    run("hooks", "claude-code", "install")
    (root / "vault.yaml").write_text("spaces: [")
    command = json.loads(Files.of_project(root).settings.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][0]
    ended = prompt(command["command"], prompt="Hello", session_id="s")
    assert ended.returncode == 1  # 2 would be a refusal
    assert ended.stdout == ""
    assert "error[" in ended.stderr


@pytest.mark.parametrize("told", ["", "{", "[]", "{}", '{"prompt": 1}', '{"prompt": "", "session_id": ""}', "[" * 9999])
def test_what_is_no_event_is_said(run: Run, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "event").write_text(told)
    with (tmp_path / "event").open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        ended = run("hydrate", "--event")
    assert (ended.code, ended.out) == (1, "")
    assert "error[bad-event]" in ended.err


def test_text_beside_an_event_is_refused(run: Run) -> None:
    assert run("hydrate", "--event", "text").code == 2


def test_it_installs_for_a_project_and_for_the_user(
    run: Run, root: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "home", tmp_path / "app"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    run("--space", "work", "hooks", "claude-code", "install", "--project", str(project), "--agent", "planner")
    assert "--space work mcp --agent planner" in run("hooks", "claude-code", "status", "--project", str(project)).out
    assert "server: not installed" in run("hooks", "claude-code", "status", "--user").out
    assert f"wrote {home / '.claude.json'}" in run("hooks", "claude-code", "install", "--user").out
    assert run("hooks", "claude-code", "install", "--user").out.startswith("nothing to do")
    assert "--global mcp" in run("hooks", "claude-code", "status", "--user").out
    assert "hook: not installed" in run("hooks", "claude-code", "uninstall", "--user").out
    assert run("hooks", "claude-code", "install", "--user", "--project", str(project)).code == 2
