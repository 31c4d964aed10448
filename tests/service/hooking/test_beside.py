"""The hook beside hooks of others, without its program, and where it cannot be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.hooking.conftest import ADA, BAD, GOOD, Yard, program_in, yard_at
from vault.service.admin import git_hooks
from vault.service.admin.init import init
from vault.store.git.installed import KEPT

# -- hooks of others


def test_hook_from_before_runs_first_and_its_failure_refuses(yard: Yard, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    yard.put(f'#!/bin/sh\necho "$# $GIT_INDEX_FILE $PWD" >> {seen}\nreadlink /proc/$$/fd/0 >> {seen}\n')
    yard.write(GOOD, stage=True)
    assert yard.commit()
    direct = seen.read_text()
    seen.unlink()
    assert yard.install()
    yard.write(BAD, stage=True)
    assert not yard.commit()
    assert seen.read_text() == direct
    yard.before.write_text("#!/bin/sh\necho not today; exit 7\n")
    yard.write(GOOD.replace("Ada", "Augusta"), stage=True)
    refused = yard.git("commit", "--message=Good")
    assert refused.returncode == 1
    assert refused.stderr == "not today\n"


@pytest.mark.parametrize("script", ["#!/usr/bin/env python3\nraise SystemExit(3)\n", "exit 4\n"])
def test_hook_from_before_may_be_in_any_language(yard: Yard, script: str) -> None:
    yard.put(script)
    yard.install()
    yard.write(GOOD, stage=True)
    assert not yard.commit()


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o644])
def test_uninstall_restores_bytes_and_mode(yard: Yard, mode: int) -> None:
    data = yard.put("#!/bin/sh\n# mine\r\nexit 0", mode)
    assert yard.install()
    assert yard.before.read_bytes() == data
    assert yard.uninstall()
    assert yard.hook.read_bytes() == data
    assert yard.hook.stat().st_mode & 0o777 == mode
    assert not yard.before.exists()
    assert not yard.uninstall()
    assert yard.hook.read_bytes() == data


@pytest.mark.parametrize("leads", [True, False])
def test_hook_from_before_may_be_a_link(yard: Yard, leads: bool) -> None:
    target = yard.top / "scripts/check"
    if leads:
        target.parent.mkdir()
        target.write_text("#!/bin/sh\nexit 5\n")
        target.chmod(0o755)
    yard.hook.parent.mkdir(exist_ok=True)
    yard.hook.symlink_to("../../scripts/check")
    assert yard.look().state == "foreign"
    assert yard.install()
    yard.write(GOOD, stage=True)
    assert yard.commit() == (not leads)
    assert yard.look().hooks[0].chain_runs == leads
    assert yard.uninstall()
    assert str(yard.hook.readlink()) == "../../scripts/check"


def test_hook_that_git_ignored_stays_ignored(yard: Yard) -> None:
    yard.put("#!/bin/sh\nexit 1\n", 0o644)
    yard.install()
    guard = yard.look()
    hook = guard.hooks[0]
    assert (hook.chains, hook.chain_runs, guard.works) == (yard.before, False, True)
    yard.write(GOOD, stage=True)
    assert yard.commit()


@pytest.mark.parametrize(("script", "named"), [("exit 0\n", False), ('n=$(basename "$0")\n', True)])
def test_hook_that_asks_for_its_name_is_pointed_out(yard: Yard, script: str, named: bool) -> None:
    yard.put(f"#!/bin/sh\n{script}")
    yard.install()
    assert yard.look().hooks[0].chain_named == named


def test_installing_twice_changes_nothing(guarded: Yard) -> None:
    before = guarded.hook.stat()
    assert not guarded.install()
    after = guarded.hook.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not guarded.before.exists()


def test_installing_again_repairs_mode_and_program(guarded: Yard) -> None:
    guarded.hook.chmod(0o644)
    hook = guarded.look()
    assert not hook.works
    assert "not executable" in hook.problems[0]
    assert guarded.install()
    assert guarded.look().works
    moved = guarded.program.parent.with_name("moved")
    guarded.program.parent.rename(moved)
    there = Yard(guarded.top, guarded.root, moved / "vault")
    assert there.install()
    assert there.look().checks[0].program == str(moved / "vault")


def test_changed_hook_is_never_destroyed(guarded: Yard) -> None:
    guarded.hook.write_bytes(guarded.hook.read_bytes() + b"echo mine\n")
    data = guarded.hook.read_bytes()
    for act in (guarded.install, guarded.uninstall):
        with pytest.raises(git_hooks.HookChanged):
            act()
    assert guarded.hook.read_bytes() == data
    hook = guarded.look()
    assert (hook.state, hook.works) == ("changed", False)
    assert hook.problems == (
        (
            f"{guarded.hook} was changed since it was installed; it is left as it is:"
            f" keep what was added to it elsewhere, remove {guarded.hook}, then install or uninstall again"
        ),
    )
    guarded.hook.unlink()
    assert guarded.look().state == "partial"
    assert guarded.install()
    assert guarded.look().works


def test_our_hook_behind_a_link_is_left_alone(guarded: Yard, tmp_path: Path) -> None:
    guarded.hook.rename(tmp_path / "hook")
    guarded.hook.symlink_to(tmp_path / "hook")
    with pytest.raises(git_hooks.HookChanged):
        guarded.install()


def test_hook_put_in_place_of_ours_is_left_alone(yard: Yard) -> None:
    first = yard.put("#!/bin/sh\n# first\n")
    yard.install()
    second = yard.put("#!/bin/sh\n# second\n")
    for act in (yard.install, yard.uninstall):
        with pytest.raises(git_hooks.HookReplaced):
            act()
    assert (yard.hook.read_bytes(), yard.before.read_bytes()) == (second, first)
    hook = yard.look()
    assert (hook.state, hook.works) == ("replaced", False)
    assert "is not ours any more" in hook.problems[0]


def test_hook_removed_by_hand_is_put_back_by_either(yard: Yard) -> None:
    first = yard.put("#!/bin/sh\nexit 0\n")
    yard.install()
    yard.hook.unlink()
    assert yard.look().state == "partial"
    assert yard.install()
    assert yard.before.read_bytes() == first
    yard.hook.unlink()
    assert yard.uninstall()
    assert yard.hook.read_bytes() == first


def test_uninstall_without_a_hook_does_nothing(yard: Yard) -> None:
    assert not yard.uninstall()
    assert yard.look().state == "absent"


def test_install_of_the_pre_commit_program_before_and_after(yard: Yard) -> None:
    (yard.top / ".pre-commit-config.yaml").write_text("repos: []\n")
    install = [sys.executable, "-m", "pre_commit", "install"]
    environ = {**yard.environ, "PRE_COMMIT_HOME": str(yard.top.parent / "cache")}
    subprocess.run(install, cwd=yard.top, env=environ, check=True, capture_output=True)
    yard.git("add", ".pre-commit-config.yaml")
    yard.install()
    assert not yard.look().hooks[0].chain_named
    yard.write(BAD, stage=True)
    assert not yard.commit()
    subprocess.run(install, cwd=yard.top, env=environ, check=True, capture_output=True)
    hook = yard.look()
    assert (hook.state, hook.works, len(hook.problems)) == ("moved", False, 1)
    assert "`pre-commit uninstall`" in hook.problems[0]
    for act in (yard.install, yard.uninstall):
        with pytest.raises(git_hooks.HookMoved):
            act()
    refused = yard.git("commit", "--message=Bad")
    assert f"{ADA}:2:5" in refused.stderr + refused.stdout
    yard.write(GOOD, stage=True)
    assert yard.commit()


# -- the program


def test_missing_program_refuses_and_says_what_to_do(guarded: Yard) -> None:
    shutil.rmtree(guarded.program.parent)
    guarded.write(GOOD, stage=True)
    refused = guarded.git("commit", "--message=Good")
    assert refused.returncode == 1
    assert f"firm-vault: nothing was committed: the program that checks the vault is gone: {guarded.program}" in (
        refused.stderr
    )
    assert "vault hooks install" in refused.stderr
    assert "help: or take this hook away: .git/hooks/pre-commit" in refused.stderr
    hook = guarded.look()
    assert (hook.state, hook.works, hook.checks[0].runs) == ("installed", False, None)


def test_program_whose_interpreter_is_gone_refuses(yard: Yard) -> None:
    yard.put("#!/bin/sh\nexit 0\n")
    yard.install()
    yard.program.write_text("#!/no/such/python\n")
    yard.write(GOOD, stage=True)
    refused = yard.git("commit", "--message=Good")
    assert refused.returncode == 1
    assert "nothing was committed" in refused.stderr
    assert KEPT in refused.stderr


@pytest.mark.parametrize("name", ["vault", "fv"])
def test_program_on_path_stands_in(guarded: Yard, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    program_in(bin_folder).rename(bin_folder / name)
    shutil.rmtree(guarded.program.parent)
    environ = {**guarded.environ, "PATH": f"{bin_folder}:/usr/bin:/bin"}
    monkeypatch.setattr(Yard, "environ", environ)
    assert guarded.look().works
    assert guarded.look().checks[0].runs == str(bin_folder / name)
    guarded.write(BAD, stage=True)
    assert not guarded.commit()
    guarded.write(GOOD, stage=True)
    assert guarded.commit()


def test_another_program_called_vault_is_not_run(
    guarded: Yard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "bin/vault"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho Vault v1.15.0\n")
    other.chmod(0o755)
    shutil.rmtree(guarded.program.parent)
    monkeypatch.setattr(Yard, "environ", {**guarded.environ, "PATH": f"{other.parent}:/usr/bin:/bin"})
    guarded.write(GOOD, stage=True)
    assert not guarded.commit()
    assert guarded.look().checks[0].runs is None


def test_own_commit_runs_the_hook_once_inside_its_own_lock(yard: Yard, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    yard.put(f"#!/bin/sh\necho once >> {seen}\n")
    yard.install()
    yard.write(GOOD)
    done = yard.vault("commit")
    assert done.returncode == 0, done.stderr
    assert seen.read_text() == "once\n"
    assert yard.git("status", "--porcelain").stdout == ""


def test_own_commit_is_refused_by_the_hook_from_before(tmp_path: Path) -> None:
    yard = yard_at(tmp_path / "repository", "one")
    yard.put("#!/bin/sh\nexit 9\n")
    yard.install()
    yard.write(GOOD)
    before = yard.commits()
    assert yard.vault("commit").returncode == 1
    assert yard.commits() == before


def test_first_usable_program_is_taken(yard: Yard, tmp_path: Path) -> None:
    assert git_hooks.usable(["/no/such", str(yard.program)], yard.environ) == str(yard.program)
    with pytest.raises(git_hooks.NoProgram):
        git_hooks.usable([str(tmp_path)], yard.environ)


def test_hook_calls_no_program_but_git(guarded: Yard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    guarded.put("exit 0\n", merges=True)
    guarded.install()
    for name in ("sh", "git"):
        tool = tmp_path / "tools" / name
        tool.parent.mkdir(exist_ok=True)
        tool.symlink_to(str(shutil.which(name)))
    monkeypatch.setattr(Yard, "environ", {**guarded.environ, "PATH": str(tool.parent)})
    guarded.write(BAD, stage=True)
    refused = guarded.git("commit", "--message=Bad")
    assert (refused.returncode, "not found" in refused.stderr) == (1, False)
    assert f"{ADA}:2:5" in refused.stderr
    guarded.write(GOOD, stage=True)
    assert guarded.commit()
    shutil.rmtree(guarded.program.parent)
    guarded.write(BAD, stage=True)
    refused = guarded.git("commit", "--message=Bad")
    assert refused.returncode == 1
    assert refused.stderr.startswith("firm-vault: nothing was committed: the program that checks the vault is gone")


@pytest.mark.parametrize("shared", [True, False])
def test_hook_that_does_not_find_git_refuses(yard: Yard, tmp_path: Path, shared: bool) -> None:
    if shared:
        yard.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    yard.install(shared=shared)
    yard.write(BAD, stage=True)
    hook = yard.look().hooks[0].path
    done = subprocess.run(
        [str(hook)], cwd=yard.top, env={**yard.environ, "PATH": "/nowhere"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert (
        "git does not say which repository this is\nhelp: let PATH" if shared else f"{ADA}:2:5"
    ) in done.stdout + done.stderr


def test_program_of_another_vault_that_is_gone_is_said(tmp_path: Path) -> None:
    yard, two = two_vaults(tmp_path)
    bob = Yard(yard.top, two, program_in(tmp_path / "bob"))
    yard.install()
    bob.install()
    shutil.rmtree(bob.program.parent)
    guard = yard.look()
    assert guard.works
    assert guard.problems == (
        f"{bob.program} is gone, so commits in two are refused: run `vault hooks install` in two",
    )


# -- vaults that moved


def two_vaults(tmp_path: Path) -> tuple[Yard, Path]:
    yard = yard_at(tmp_path / "repository", "one")
    init(yard.top / "two", os.environ)
    return yard, yard.top / "two"


def test_moved_vault_is_named_and_forgotten(tmp_path: Path) -> None:
    yard, two = two_vaults(tmp_path)
    yard.install()
    yard.install(two)
    moved = two.rename(two.with_name("three"))
    guard = yard.look()
    assert [(one.folder, one.here) for one in guard.checks] == [("one", True), ("two", False)]
    assert guard.works
    assert guard.problems == (
        (
            "two holds no vault now: if it was moved, run `vault hooks install` in its new folder;"
            " `vault hooks uninstall --all` forgets it, with the others"
        ),
    )
    guard = yard.look(moved)
    assert (guard.state, guard.works) == ("absent", False)
    assert "no hook is installed for this vault; commits and merges are not checked: run `vault hooks install`" in (
        guard.problems
    )
    assert yard.install(moved)
    assert yard.look(moved).works
    assert yard.uninstall(everything=True)
    assert not yard.hook.exists()
    assert not yard.merge_hook.exists()
    assert not yard.uninstall(everything=True)


def test_workspace_without_settings_is_a_vault(tmp_path: Path) -> None:
    yard, two = two_vaults(tmp_path)
    yard.write(GOOD, f"../two/{ADA}")
    yard.install()
    yard.install(two)
    (two / "vault.yaml").unlink()
    assert yard.look().problems == ()


# -- faults
