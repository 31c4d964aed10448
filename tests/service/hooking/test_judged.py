"""The hook under the real `git`: what it lets pass and refuses, wherever the vault and the hooks are."""

import os
import shutil
from pathlib import Path

import pytest

from tests.service.hooking.conftest import ADA, BAD, GOOD, Yard, yard_at
from vault.service.admin import git_hooks
from vault.service.admin.init import init
from vault.service.runtime.discovery import NotInGit
from vault.service.vault import Vault
from vault.store.git.installed import NAMES

# -- what is committed is what is judged


def test_good_entry_passes_and_bad_one_is_refused(guarded: Yard) -> None:
    guarded.write(BAD, stage=True)
    refused = guarded.git("commit", "--message=Bad")
    assert refused.returncode == 1
    assert f"{ADA}:2:5" in refused.stderr
    guarded.write(GOOD, stage=True)
    assert guarded.commit()


def test_index_is_judged_and_not_the_working_tree(guarded: Yard) -> None:
    guarded.write(GOOD, stage=True)
    guarded.write(BAD)
    assert guarded.commit()
    guarded.write(BAD, stage=True)
    guarded.write(GOOD)
    assert not guarded.commit()


def test_part_of_a_file_is_judged_as_staged(guarded: Yard) -> None:
    guarded.write(GOOD.replace("}", '    summary = "A"\n}'), stage=True)
    guarded.write(GOOD.replace("}", "    summary = 3\n}"))
    assert guarded.commit()
    assert guarded.git("diff", "--name-only").stdout == f"{ADA}\n"


def test_commit_all_and_commit_path_judge_what_they_take(guarded: Yard) -> None:
    guarded.write(GOOD, stage=True)
    assert guarded.commit()
    guarded.write(BAD)
    assert not guarded.commit("--all")
    assert not guarded.commit("--", ADA)
    other = "global/actor/bob.firm"
    guarded.write(GOOD.replace("ada", "bob"), other, stage=True)
    guarded.write(BAD, stage=True)
    assert guarded.commit("--", other)
    assert not guarded.commit()


def test_commit_path_refuses_bad_path_beside_a_good_index(guarded: Yard) -> None:
    guarded.write(GOOD, stage=True)
    guarded.write(BAD.replace("ada", "bob"), "global/actor/bob.firm", stage=True)
    assert not guarded.commit("--", "global/actor/bob.firm")
    assert guarded.commit("--", ADA)


def test_amend_is_judged(guarded: Yard) -> None:
    guarded.write(GOOD, stage=True)
    assert guarded.commit()
    guarded.write(BAD, stage=True)
    assert not guarded.commit("--amend")
    guarded.write(GOOD.replace("Ada", "Augusta"), stage=True)
    assert guarded.commit("--amend")


def test_commit_from_a_folder_below(guarded: Yard) -> None:
    guarded.write(BAD, stage=True)
    below = (guarded.root / ADA).parent
    assert not guarded.commit(at=below)
    guarded.write(GOOD, stage=True)
    assert guarded.commit(at=below)


def test_removal_of_an_entry_and_of_the_vault_passes(tmp_path: Path) -> None:
    yard = yard_at(tmp_path / "vault", "kb")
    yard.install()
    yard.write(GOOD, stage=True)
    assert yard.commit()
    assert yard.git("rm", "--quiet", f"kb/{ADA}").returncode == 0
    assert yard.commit()
    assert yard.git("rm", "--quiet", "-r", "kb").returncode == 0
    assert yard.commit()


def test_branch_without_the_vault_is_committed_to(guarded: Yard) -> None:
    guarded.git("switch", "--quiet", "--orphan", "pages")
    (guarded.top / "index.html").write_text("<p>")
    guarded.git("add", "index.html")
    assert guarded.commit()


def test_commit_beside_the_vault_runs_nothing(tmp_path: Path) -> None:
    yard = yard_at(tmp_path / "vault", "kb")
    yard.install()
    shutil.rmtree(yard.program.parent)
    (yard.top / "main.c").write_text("int main;\n")
    yard.git("add", "main.c")
    assert yard.commit()


# -- places


@pytest.mark.parametrize("name", ['it\'s "a b" $HOME `x`', "-größe\n知識 [x]*"])
def test_odd_names_of_folders(tmp_path: Path, name: str) -> None:
    yard = yard_at(tmp_path / name / "repository", name)
    assert yard.install()
    yard.write(BAD, stage=True)
    assert not yard.commit()
    yard.write(GOOD, stage=True)
    assert yard.commit()
    assert yard.look().checks == (git_hooks.Checked(name, str(yard.program), str(yard.program), ours=True),)
    assert yard.uninstall()


def test_two_vaults_of_one_repository(tmp_path: Path) -> None:
    yard = yard_at(tmp_path / "repository", "one")
    two = yard.top / "two"
    init(two, os.environ)
    assert yard.install()
    assert yard.install(two)
    yard.write(BAD, stage=True)
    assert not yard.commit()
    yard.write(GOOD, stage=True)
    yard.write(BAD, f"../two/{ADA}", stage=True)
    assert not yard.commit()
    assert [(one.folder, one.ours) for one in yard.look(two).checks] == [("one", False), ("two", True)]
    assert yard.uninstall()
    assert yard.look().state == "absent"
    assert not yard.commit()
    assert yard.uninstall(two)
    assert not yard.hook.exists()
    assert yard.commit()


def test_space_of_another_vault_does_not_matter(guarded: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRM_VAULT_SPACE", "elsewhere")
    guarded.write(GOOD, stage=True)
    assert guarded.commit()


def test_linked_working_tree_shares_the_hook(guarded: Yard, tmp_path: Path) -> None:
    side = tmp_path / "side tree"
    guarded.git("worktree", "add", "--quiet", "-b", "side", str(side))
    there = Yard(side, side, guarded.program)
    there.write(BAD, stage=True)
    assert not there.commit()
    assert not there.commit("--", ADA)
    there.write(GOOD, stage=True)
    assert there.commit()
    assert not there.install()
    assert there.look().hooks[0].path == guarded.hook
    assert there.uninstall()
    assert not guarded.hook.exists()


@pytest.mark.parametrize("inside", [True, False])
def test_relative_hooks_path_begins_at_the_top(tmp_path: Path, inside: bool) -> None:
    yard = yard_at(tmp_path / "repository", "kb" if inside else ".")
    yard.git("config", "core.hooksPath", "team/hooks")
    assert yard.install()
    assert (yard.top / "team/hooks" / NAMES[0]).stat().st_mode & 0o777 == 0o755
    assert yard.look().in_tree
    yard.write(BAD, stage=True)
    assert not yard.commit()


def test_hooks_path_of_one_working_tree(yard: Yard, tmp_path: Path) -> None:
    side = tmp_path / "side"
    yard.git("worktree", "add", "--quiet", "-b", "side", str(side))
    yard.git("config", "extensions.worktreeConfig", "true")
    assert yard.look().hooks[0].path == yard.hook
    there = Yard(side, side, yard.program)
    there.git("config", "--worktree", "core.hooksPath", "own")
    assert there.install()
    assert (side / "own" / NAMES[0]).exists()
    assert not yard.hook.exists()
    assert there.look().works
    assert yard.look().state == "absent"


@pytest.mark.parametrize("conditional", [True, False])
def test_hooks_path_of_the_person_is_shared(yard: Yard, conditional: bool) -> None:
    home = Path(os.environ["HOME"])
    file = home / "included" if conditional else home / ".gitconfig"
    file.write_text("[core]\n\thooksPath = ~/my hooks\n")
    if conditional:
        (home / ".gitconfig").write_text(f'[includeIf "gitdir:{yard.top}/"]\n\tpath = {file}\n')
    with pytest.raises(git_hooks.SharedHooks) as refused:
        yard.install()
    assert "--shared" in refused.value.hint
    assert not (home / "my hooks").exists()
    assert yard.install(shared=True)
    assert (home / "my hooks" / NAMES[0]).exists()
    assert not yard.hook.exists()
    yard.write(BAD, stage=True)
    assert not yard.commit()
    assert yard.look().shared


def test_shared_hook_looks_at_its_own_repositories_only(yard: Yard, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    (home / ".gitconfig").write_text("[core]\n\thooksPath = ~/hooks\n")
    other, third = yard_at(tmp_path / "x/other"), yard_at(tmp_path / "y/third")
    assert yard.install(shared=True)
    assert third.install(shared=True)
    assert [one.ours for one in yard.look().checks] == [True]
    for place, passes in ((yard, False), (other, True), (third, False)):
        place.write(BAD, stage=True)
        assert place.commit() == passes
    side = tmp_path / "side"
    yard.git("worktree", "add", "--quiet", "-b", "side", str(side))
    there = Yard(side, side, yard.program)
    there.write(BAD, stage=True)
    assert not there.commit()
    assert yard.uninstall()
    assert yard.commit()
    assert third.look().state == "installed"


def test_shared_even_inside_the_working_tree(yard: Yard) -> None:
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(f"[core]\n\thooksPath = {yard.top}/hooks\n")
    with pytest.raises(git_hooks.SharedHooks):
        yard.install()


def test_folder_that_leads_out_of_the_repository_is_shared(yard: Yard, tmp_path: Path) -> None:
    shutil.rmtree(yard.hook.parent, ignore_errors=True)
    (tmp_path / "elsewhere").mkdir()
    yard.hook.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(git_hooks.SharedHooks):
        yard.install()


@pytest.mark.parametrize("named", ["/dev/null", ""])
def test_repository_without_hooks(yard: Yard, named: str) -> None:
    yard.git("config", "core.hooksPath", named)
    for act in (yard.install, yard.uninstall, yard.look):
        with pytest.raises(git_hooks.NoHooks):
            act()


def test_vault_outside_git(tmp_path: Path) -> None:
    (tmp_path / "vault.yaml").write_text("version: 1\n")
    with Vault.open(tmp_path) as vault, pytest.raises(NotInGit):
        git_hooks.install(vault, "/bin/vault")


def test_folder_of_husky_is_left_alone(tmp_path: Path) -> None:
    yard = yard_at(tmp_path / "repository", "kb")
    yard.git("config", "core.hooksPath", ".husky/_")
    with pytest.raises(git_hooks.ManagedHooks) as refused:
        yard.install()
    assert "vault -C kb check --staged" in refused.value.hint
