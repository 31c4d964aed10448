"""`vault hooks`: what it prints, as text and as JSON, and how it ends."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vault.store.git.installed import KEPT, NAMES


@pytest.fixture
def hook(root: Path) -> Path:
    """Where the hook is."""
    folder = root / ".git/hooks"
    folder.mkdir(exist_ok=True)
    return folder / NAMES[0]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed `vault`, as the one that was called."""
    made = tmp_path / "bin/vault"
    made.parent.mkdir()
    made.write_text('#!/bin/sh\necho "vault, version 0"\n')
    made.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(made)])
    return made


def test_install_status_and_uninstall_as_json(run: Run, hook: Path, program: Path) -> None:
    assert run("hooks", "status", "--json").json()["state"] == "absent"
    shape = run("hooks", "install", "--json").json()
    assert shape == {
        "changed": True,
        "state": "installed",
        "works": True,
        "shared": False,
        "inWorkingTree": False,
        "hooks": [
            {
                "name": name,
                "path": str(hook.with_name(name)),
                "state": "installed",
                "runs": True,
                "chains": None,
                "chainRuns": False,
                "chainNamed": False,
                "problem": None,
            }
            for name in NAMES
        ],
        "checks": [
            {
                "folder": ".",
                "here": True,
                "program": str(program),
                "runs": str(program),
                "thisVault": True,
                "problem": None,
            }
        ],
        "problems": [],
    }
    again = run("hooks", "install", "--json").json()
    assert again == {**shape, "changed": False}
    del shape["changed"]
    assert run("hooks", "status", "--json").json() == shape
    assert run("hooks", "uninstall", "--json").json()["changed"] is True
    assert run("hooks", "uninstall", "--json").json()["changed"] is False
    assert not hook.exists()


def test_program_is_found_beside_its_python(run: Run, monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["/elsewhere/__main__.py"])
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    assert run("hooks", "install", "--json").json()["checks"][0]["program"] == str(program)


def test_program_is_found_on_path(run: Run, monkeypatch: pytest.MonkeyPatch, program: Path, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "gone/fv")])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(program.parent))
    assert run("hooks", "install", "--json").json()["checks"][0]["program"] == str(program)
    program.unlink()
    ended = run("hooks", "install")
    assert ended.code == 1
    assert "error[no-program]" in ended.err


def test_status_says_what_stands_in_for_a_program_that_is_gone(
    run: Run, hook: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("hooks", "install").code == 0
    moved = program.parent.with_name("other") / "vault"
    moved.parent.mkdir()
    program.rename(moved)
    monkeypatch.setenv("PATH", os.defpath)
    ended = run("hooks", "status")
    assert ended.code == 1
    assert f"warning: {program} is gone, so commits are refused" in ended.err
    monkeypatch.setenv("PATH", f"{moved.parent}:{os.defpath}")
    ended = run("hooks", "status")
    assert ended.code == 0
    assert f"checks . with {moved}" in ended.out
    assert f"{program} is gone; the program found on PATH is used instead" in ended.err


def test_status_shows_the_hook_from_before(run: Run, hook: Path, program: Path) -> None:
    hook.write_text('#!/bin/sh\nbasename "$0"\n')
    assert "another hook, without this vault" in run("hooks", "status").out
    ended = run("hooks", "install")
    assert f"first runs pre-commit{KEPT}, which is not executable" in ended.out
    assert "it seems to ask what it is called" in ended.err
    hook.unlink()
    assert f"pre-commit{KEPT} is kept from before" in run("hooks", "status").out
    assert "uninstalled the hook" in run("hooks", "uninstall").out
    assert hook.read_text().endswith('basename "$0"\n')


def test_status_of_a_changed_and_of_a_replaced_hook(run: Run, hook: Path, program: Path) -> None:
    run("hooks", "install")
    hook.write_bytes(hook.read_bytes() + b"true\n")
    ended = run("hooks", "status")
    assert (ended.code, "changed since" in ended.out) == (1, True)
    assert "error[hook-changed]" in run("hooks", "uninstall").err
    hook.unlink()
    run("hooks", "install")
    hook.rename(hook.with_name("pre-commit.legacy"))
    ended = run("hooks", "status")
    assert (ended.code, "another program's hook in its place" in ended.out) == (1, True)


def test_folder_in_the_working_tree_and_shared_folder_are_said(run: Run, root: Path, program: Path) -> None:
    config = root / ".git/config"
    own = config.read_text()
    config.write_text(own + "[core]\n\thooksPath = hooks\n")
    assert "the hooks folder is in the working tree" in run("hooks", "install").err
    config.write_text(own + f"[core]\n\thooksPath = {root.parent}/hooks\n")
    ended = run("hooks", "install")
    assert (ended.code, "error[shared-hooks]" in ended.err) == (1, True)
    assert "the folder serves other repositories, too" in run("hooks", "install", "--shared").out


def test_moved_vault_is_warned_of_and_forgotten(run: Run, root: Path, hook: Path, program: Path) -> None:
    other = root / "other"
    other.mkdir()
    (other / "vault.yaml").write_text("version: 1\n")
    assert run("-C", str(other), "hooks", "install").code == 0
    shutil.rmtree(other)
    ended = run("hooks", "status")
    assert (ended.code, "not installed for this vault" in ended.out) == (0, True)
    assert "other holds no vault now: if it was moved" in ended.err
    ended = run("hooks", "install")
    assert (ended.code, "warning: other holds no vault now" in ended.err) == (0, True)
    assert run("hooks", "status").code == 0
    ended = run("hooks", "uninstall")
    assert "this vault is no longer validated by the hook" in ended.out
    assert run("hooks", "uninstall", "--all", "--json").json()["checks"] == []
    assert not hook.exists()


def test_status_shows_a_hook_for_merges_that_is_missing(run: Run, hook: Path, program: Path) -> None:
    run("hooks", "install")
    merges = hook.with_name(NAMES[1])
    merges.unlink()
    ended = run("hooks", "status")
    assert (ended.code, f"{merges}: not installed" in ended.out) == (1, True)
    assert "warning: pre-merge-commit is not installed" in ended.err
    assert run("hooks", "install").code == 0
    assert run("hooks", "status").code == 0
