"""The hook for merges: git asks another hook before the commit of a merge that met no conflict."""

import shutil
from hashlib import sha256

import pytest

from tests.service.hooking.conftest import ADA, GOOD, Yard, yard_at
from vault.service.admin import git_hooks
from vault.store.git.installed import NAMES, kept_from

TWIN = "global/actor/ada-again.firm"


def parted(yard: Yard) -> None:
    """Two branches, each of them good, that together declare an entry twice."""
    yard.git("add", ".")
    yard.git("commit", "--message=Begin", "--no-verify")
    yard.git("switch", "--quiet", "--create", "side")
    yard.write(GOOD, TWIN, stage=True)
    assert yard.commit()
    yard.git("switch", "--quiet", "main")
    yard.write(GOOD, stage=True)
    assert yard.commit()


def as_older(yard: Yard) -> None:
    """Leave what the version left that knew one hook, with other words in it."""
    yard.merge_hook.unlink()
    data = yard.hook.read_bytes()
    mark = next(line for line in data.splitlines(keepends=True) if line.startswith(b"# firm-vault-hook "))
    body = data.replace(mark, b"").replace(b"#!/bin/sh\n", b"#!/bin/sh\n# older\n")
    yard.hook.write_bytes(
        body.replace(b"# older\n", b"# older\n# firm-vault-hook %s\n" % sha256(body).hexdigest().encode())
    )


def test_merge_of_two_good_sides_that_clash_is_refused(guarded: Yard) -> None:
    parted(guarded)
    refused = guarded.git("merge", "--no-edit", "side")
    assert refused.returncode == 1
    assert TWIN in refused.stderr
    guarded.git("rm", "--quiet", "--force", TWIN)
    guarded.write(GOOD.replace("Ada", "Augusta"), stage=True)
    assert guarded.commit()


def test_slot_that_two_sides_fill_refuses_the_merge(guarded: Yard) -> None:
    guarded.write(GOOD, stage=True)
    guarded.git("add", ".")
    assert guarded.commit()
    guarded.git("branch", "side")
    for branch, value in (("side", "Paris"), ("main", "Turin")):
        guarded.git("switch", "--quiet", branch)
        fact = f'fact {value.lower()} {{\n    statement = "Ada lives in {value}."\n    subject = actor.ada\n'
        guarded.write(f'{fact}    claim = "home"\n}}\n', f"global/fact/{value.lower()}.firm", stage=True)
        assert guarded.commit()
    refused = guarded.git("merge", "--no-edit", "side")
    assert (refused.returncode, "error[slot-conflict]" in refused.stderr) == (1, True)


def test_cherry_pick_asks_no_hook_as_the_help_says(guarded: Yard) -> None:
    parted(guarded)
    assert guarded.moves_head("cherry-pick", "side")


def test_good_merge_passes(guarded: Yard) -> None:
    parted(guarded)
    guarded.git("switch", "--quiet", "side")
    guarded.git("mv", TWIN, ADA)
    assert guarded.commit()
    guarded.git("switch", "--quiet", "main")
    assert guarded.merge("side")


def test_merge_without_its_program_is_refused(guarded: Yard) -> None:
    parted(guarded)
    shutil.rmtree(guarded.program.parent)
    refused = guarded.git("merge", "--no-edit", "side")
    assert "help: or take this hook away: .git/hooks/pre-merge-commit" in refused.stderr


def test_hook_for_merges_from_before_runs_first(yard: Yard) -> None:
    data = yard.put("#!/bin/sh\necho not merged; exit 3\n", merges=True)
    yard.install()
    parted(yard)
    refused = yard.git("merge", "--no-edit", "side")
    assert refused.stderr.startswith("not merged\n")
    assert TWIN not in refused.stderr
    assert yard.look().hooks[1].chains == kept_from(yard.merge_hook)
    assert yard.uninstall()
    assert yard.merge_hook.read_bytes() == data
    assert not yard.hook.exists()
    assert not kept_from(yard.merge_hook).exists()


def test_one_hook_for_both_runs_once(yard: Yard) -> None:
    seen = yard.top.parent / "seen"
    data = yard.put(f"#!/bin/sh\necho once >> '{seen}'\n")
    yard.merge_hook.symlink_to(NAMES[0])
    assert yard.install()
    assert not yard.install()
    assert yard.look().works
    parted(yard)
    seen.unlink()
    assert not yard.merge("side")
    assert seen.read_text() == "once\n"
    assert yard.uninstall()
    assert str(yard.merge_hook.readlink()) == NAMES[0]
    assert yard.hook.read_bytes() == data


def test_hook_for_merges_that_calls_the_one_for_commits(guarded: Yard) -> None:
    guarded.uninstall()
    guarded.put('#!/bin/sh\nexec "$GIT_DIR/hooks/pre-commit"\n', merges=True)
    guarded.install()
    parted(guarded)
    assert not guarded.merge("side")


def test_older_installation_is_completed(guarded: Yard) -> None:
    as_older(guarded)
    guard = guarded.look()
    assert (guard.state, guard.works) == ("partial", False)
    assert guard.problems == (
        "pre-merge-commit is not installed for this vault; merges are not checked: run `vault hooks install`",
    )
    assert guarded.install()
    assert guarded.look().works
    assert b"# older" not in guarded.hook.read_bytes()
    parted(guarded)
    assert not guarded.merge("side")


def test_older_installation_is_completed_for_all_its_vaults(tmp_path_factory: pytest.TempPathFactory) -> None:
    yard = yard_at(tmp_path_factory.mktemp("two") / "repository", "one")
    two = yard_at(yard.top.parent / "x" / "other", "two").root
    shutil.copytree(two, yard.top / "two")
    yard.install()
    yard.install(yard.top / "two")
    as_older(yard)
    assert yard.install()
    assert [one.folder for one in yard.look().checks] == ["one", "two"]
    assert b"check '' two " in yard.merge_hook.read_bytes()


def test_older_installation_is_taken_away(guarded: Yard) -> None:
    as_older(guarded)
    data = guarded.put("#!/bin/sh\n", merges=True)
    guard = guarded.look()
    assert guard.state == "partial"
    assert guard.problems == (
        ("pre-merge-commit is another hook, which would run first; merges are not checked: run `vault hooks install`"),
    )
    assert guarded.uninstall()
    assert not guarded.hook.exists()
    assert guarded.merge_hook.read_bytes() == data


def test_changed_hook_for_merges_is_left_alone(guarded: Yard) -> None:
    guarded.merge_hook.write_bytes(guarded.merge_hook.read_bytes() + b"true\n")
    for act in (guarded.install, guarded.uninstall):
        with pytest.raises(git_hooks.HookChanged, match=NAMES[1]):
            act()
    assert guarded.hook.exists()
    assert guarded.look().state == "changed"


def test_renamed_hook_behind_a_copy_of_the_one_before_does_not_go_round(yard: Yard) -> None:
    wrapper = '#!/bin/sh\n[ ! -x "$0.legacy" ] || exec "$0.legacy"\n'
    yard.put(wrapper, merges=True)
    yard.install()
    yard.merge_hook.rename(yard.merge_hook.with_name("pre-merge-commit.legacy"))
    yard.put(wrapper, merges=True)
    parted(yard)
    refused = yard.git("merge", "--no-edit", "side")
    assert (refused.returncode, TWIN in refused.stderr) == (1, True)
    assert yard.look().hooks[1].state == "moved"


def test_hook_before_a_renamed_one_still_runs(yard: Yard) -> None:
    yard.put("#!/bin/sh\nexit 8\n")
    yard.install()
    yard.hook.rename(yard.hook.with_name("pre-commit.legacy"))
    yard.put('#!/bin/sh\nexec "$0.legacy"\n')
    yard.write(GOOD, stage=True)
    assert not yard.commit()
