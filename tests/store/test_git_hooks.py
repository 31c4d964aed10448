"""Hooks run once, see the commit's content, and may refuse or add to it."""

import os
from pathlib import Path

import pytest

from tests.store.conftest import Work
from vault.store.git import HookRefused

A, B = "global/a.firm", "global/b.firm"


def test_all_hooks_run_once_and_in_order(begun: Work, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        begun.hook(name, f'echo "{name} $# $2 $FIRM_VAULT_LOCK_TOKEN $GIT_EDITOR $PWD" >> {seen}')
    begun.commit({A: b"changed\n"})
    top = begun.top
    assert seen.read_text().splitlines() == [
        f"pre-commit 0  this : {top}",
        f"prepare-commit-msg 2 message this : {top}",
        f"commit-msg 1  this : {top}",
        f"post-commit 0  this : {top}",
    ]


def test_pre_commit_sees_the_commit_and_nothing_else_staged(begun: Work, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    begun.write(B, "staged by a person\n")
    begun.git("add", B)
    begun.hook("pre-commit", f"git diff --cached --name-only > {seen}; git show :{A} >> {seen}; cat {A} >> {seen}")
    begun.commit({A: b"changed\n"})
    assert seen.read_text() == f"{A}\nchanged\nchanged\n"
    assert begun.porcelain() == f"M  {B}\n"


def test_a_hook_that_refuses_leaves_everything(begun: Work) -> None:
    begun.hook("pre-commit", "echo not today; echo really >&2; exit 3")
    with pytest.raises(HookRefused) as refused:
        begun.commit({A: b"changed\n"})
    assert (refused.value.name, refused.value.output) == ("pre-commit", "not today\nreally\n")
    assert begun.porcelain() == ""
    assert begun.git("rev-list", "--count", "HEAD") == "1\n"
    begun.assert_sound()


def test_a_message_hook_that_refuses_leaves_everything(begun: Work) -> None:
    begun.hook("commit-msg", "exit 1")
    with pytest.raises(HookRefused, match="commit-msg"):
        begun.commit({A: b"changed\n"})
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_what_a_hook_stages_is_committed(begun: Work) -> None:
    begun.hook("pre-commit", f"echo formatted > {A}; git add {A}; echo more > {B}; git add {B}")
    begun.commit({A: b"changed\n"})
    assert begun.git("show", f"HEAD:{A}") == "formatted\n"
    assert begun.git("show", f"HEAD:{B}") == "more\n"
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_a_hook_edits_the_message(begun: Work) -> None:
    begun.hook("prepare-commit-msg", 'echo "Ticket: 7" >> "$1"')
    begun.hook("commit-msg", 'sed -i s/Change/Changed/ "$1"')
    begun.commit({A: b"changed\n"})
    assert begun.git("log", "-1", "--format=%B") == "Changed\nTicket: 7\n\n"


def test_a_hook_that_may_not_be_run_is_passed_over(begun: Work) -> None:
    begun.hook("pre-commit", "exit 1").chmod(0o644)
    begun.commit({A: b"changed\n"})
    assert begun.git("log", "-1", "--format=%s").strip() == "Change"


def test_a_hook_without_its_program_line_is_run_by_the_shell(begun: Work) -> None:
    begun.hook("pre-commit", "").write_text("echo by the shell; exit 1\n")
    with pytest.raises(HookRefused, match="by the shell"):
        begun.commit({A: b"changed\n"})


def test_a_hook_whose_program_is_missing_refuses(begun: Work) -> None:
    begun.hook("pre-commit", "").write_text("#!/no/such/program\n")
    with pytest.raises(HookRefused, match="pre-commit"):
        begun.commit({A: b"changed\n"})


def test_hooks_path_is_respected(begun: Work) -> None:
    begun.hook("pre-commit", "exit 1")
    begun.git("config", "core.hooksPath", "team/hooks")
    begun.commit({A: b"changed\n"})
    (begun.top / "team/hooks").mkdir(parents=True)
    begun.hook("pre-commit", "exit 1")
    with pytest.raises(HookRefused):
        begun.commit({A: b"again\n"})
    begun.git("config", "core.hooksPath", "")
    begun.commit({A: b"no hooks\n"})


def test_post_commit_runs_after_the_lock_is_gone(begun: Work, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    begun.hook("post-commit", f"ls .git/index.lock; git log --format=%s -1 > {seen}; exit 1")
    with begun.open().transaction({A: b"a2\n"}, os.environ, lock_token="this") as made:  # noqa: S106
        begun.write(A, "a2\n")
        made.write("Change")
        made.publish()
    assert seen.read_text() == "Change\n"
    assert [name for name, _ in made.output] == ["post-commit"]


def test_hooks_of_a_linked_working_tree_know_their_repository(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Work(tmp_path / "side", tmp_path / "side")
    seen = tmp_path / "seen"
    begun.hook("pre-commit", f'echo "$GIT_DIR" > {seen}; git diff --cached --name-only >> {seen}')
    side.commit({A: b"changed\n"})
    assert seen.read_text() == f"{begun.top / '.git/worktrees/side'}\n{A}\n"
    assert side.porcelain() == ""


def test_hooks_are_not_misled_by_an_outer_repository(
    begun: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    begun.hook("pre-commit", f"git rev-parse --show-toplevel > {seen}")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    with begun.open().transaction({A: b"x\n"}, os.environ, lock_token="this") as made:  # noqa: S106
        made.pre_commit()
    assert seen.read_text() == f"{begun.top}\n"
