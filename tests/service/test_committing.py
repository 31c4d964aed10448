"""Commits: what lands, what stays, what is refused."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Git, Open, Write
from vault.service.admin.doctor import doctor
from vault.service.admin.init import init
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.discovery import NotInGit
from vault.service.vault import Vault
from vault.service.write import commits, create, update
from vault.store.git import HookRefused, IndexLocked, MissingIdentity
from vault.store.git.place import UnsupportedRepository
from vault.workspace.refresh import blob_of
from vault.workspace.snapshot import NotFound


def test_commit_all_takes_every_changed_file_and_leaves_git_clean(vault: Vault, write: Write, git: Git) -> None:
    write("global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    write("global/note/n.firm", 'note n { text_file = path"./n.md" }\n')
    write("global/note/n.md", 'with """ quotes\n')
    (made,) = commits.commit(vault)
    assert set(made.entries) == {"actor.ada", "note.n"}
    assert set(made.paths) == {"global/actor/ada.firm", "global/note/n.firm", "global/note/n.md"}
    assert git("status", "--porcelain") == ""
    git("fsck", "--strict")


def test_commit_named_leaves_the_others(vault: Vault, write: Write, git: Git) -> None:
    write("global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    write("global/actor/bob.firm", 'actor bob { name = "Bob" }\n')
    commits.commit(vault, ["bob"])
    assert git("status", "--porcelain", "-uall") == "?? global/actor/ada.firm"
    assert git("log", "-1", "--format=%s") == "add actor.bob: Bob"


def test_commit_leaves_what_others_staged(vault: Vault, write: Write, git: Git, root: Path) -> None:
    write("global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    (root / "other.txt").write_text("x")
    git("add", "other.txt")
    commits.commit(vault)
    assert git("status", "--porcelain") == "A  other.txt"


def test_commit_knows_files_that_are_not_checked_out(vault: Vault, write: Write, git: Git, root: Path) -> None:
    write("global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    commits.commit(vault)
    git("update-index", "--skip-worktree", "global/actor/ada.firm")
    (root / "global/actor/ada.firm").unlink()
    write("global/note/n.firm", 'note n {\n    text = "x"\n    about = [actor.ada]\n}\n')
    (made,) = commits.commit(vault)
    assert made.paths == ("global/note/n.firm",)


def test_commit_refuses_errors_and_names_them(vault: Vault, write: Write, git: Git) -> None:
    write("global/actor/ada.firm", "actor ada { name = 5 }\n")
    head = git("rev-parse", "HEAD")
    with pytest.raises(commits.HasErrors) as caught:
        commits.commit(vault)
    assert "global/actor/ada.firm:1:13" in caught.value.message
    assert git("rev-parse", "HEAD") == head


def test_commit_refuses_a_duplicate_in_another_file(vault: Vault, write: Write) -> None:
    write("global/note/a.firm", 'note a { text = "1" }\n')
    commits.commit(vault)
    write("global/note/sub/a.firm", 'note a { text = "2" }\n')
    with pytest.raises(commits.HasErrors):
        commits.commit(vault)


def test_commit_passes_over_errors_elsewhere(vault: Vault, write: Write) -> None:
    write("global/actor/bad.firm", "actor bad { name = 5 }\n")
    write("global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    (made,) = commits.commit(vault, ["ada"])
    assert made.entries == ("actor.ada",)


def test_a_named_commit_is_judged_by_what_lands(vault: Vault, write: Write, git: Git) -> None:
    write("schema/recipe.firm", 'schema recipe { field { name = "name" type = "string" } }\n')
    write("global/recipe/soup.firm", 'recipe soup { name = "Soup" }\n')
    with pytest.raises(commits.HasErrors, match="no schema for the type `recipe`"):
        commits.commit(vault, ["recipe.soup"])
    create.add(vault, "actor", "ada", {"name": "Ada"}, CommitOptions())
    write("global/actor/x/ada.firm", 'actor ada { name = "Ada" }\n')
    git("rm", "-q", "--cached", "global/actor/ada.firm")
    (vault.root / "global/actor/ada.firm").unlink()
    with pytest.raises(commits.HasErrors, match="declared twice"):
        commits.commit(vault, ["global/actor/x/ada.firm"])


def test_a_commit_by_path_reaches_into_no_private_space(vault: Vault, open_vault: Open, write: Write) -> None:
    write("spaces/diary/note/n.firm", 'note n { text = "x" }\n')
    with pytest.raises(NotFound):
        commits.commit(vault, ["spaces/diary/note/n.firm"])
    (seen,) = commits.commit(open_vault("diary"), ["spaces/diary/note/n.firm"])
    assert seen.paths == ("spaces/diary/note/n.firm",)


def test_a_commit_of_a_private_space_is_not_spelt_out_outside(vault: Vault, write: Write) -> None:
    write("spaces/diary/note/n.firm", 'note n { text = "x" }\n')
    (made,) = commits.commit(vault)
    assert (made.files, made.entries, made.paths) == (1, (), ())


def test_a_commit_of_one_space_names_it(vault: Vault, open_vault: Open, git: Git) -> None:
    create.add(open_vault("work"), "note", "n", {"text": "x"}, CommitOptions())
    assert "Vault-Space: work" in git("log", "-1", "--format=%(trailers)")


def test_a_refusal_after_a_first_commit_says_so(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/a.firm", 'note a { text = "x" }\n')
    write("spaces/diary/note/n.firm", 'note n { text = "x" }\n')
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ngit diff --cached --name-only | grep -q diary && exit 1 || exit 0\n")
    hook.chmod(0o755)
    with pytest.raises(HookRefused, match="committed before that: "):
        commits.commit(vault)


def test_commit_of_nothing_says_so(vault: Vault) -> None:
    with pytest.raises(commits.NothingChanged):
        commits.commit(vault)


def test_commit_keeps_a_private_space_apart_and_says_nothing_of_it(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/a.firm", 'note a { text = "open" }\n')
    write("spaces/diary/note/secret.firm", 'note secret { text = "hush" }\n')
    write("spaces/work/note/b.firm", 'note b { text = "work" }\n')
    made = commits.commit(vault, message="What I did")
    assert [commit.space for commit in made] == [None, "diary"]
    message = git("log", "-1", "--format=%B")
    assert "secret" not in message
    assert "hush" not in message
    assert "What I did" not in message
    assert git("show", "--name-only", "--format=", "HEAD") == "spaces/diary/note/secret.firm"
    assert "spaces/diary" not in git("show", "--name-only", "--format=", "HEAD~1")


def test_commit_staged_commits_the_staged_content(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/a.firm", 'note a { text = "staged" }\n')
    git("add", "-A")
    write("global/note/a.firm", "note a { text = 5 }\n")
    commits.commit(vault, staged=True)
    assert "staged" in git("show", "HEAD:global/note/a.firm")
    assert git("status", "--porcelain") == "M global/note/a.firm"


def test_commit_staged_judges_the_staged_content(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/a.firm", "note a { text = 5 }\n")
    git("add", "-A")
    write("global/note/a.firm", 'note a { text = "good now" }\n')
    with pytest.raises(commits.HasErrors):
        commits.commit(vault, staged=True)


def test_commit_of_a_deletion_by_key(vault: Vault, git: Git) -> None:
    create.add(vault, "note", "a", {"text": "x"})
    commits.commit(vault)
    update.remove(vault, "note.a")
    (made,) = commits.commit(vault, ["note.a"])
    assert made.subject == "delete note.a"
    assert git("status", "--porcelain") == ""


def test_commit_names_what_a_value_became(vault: Vault) -> None:
    create.add(vault, "fact", "role", {"statement": "Bob is CTO", "value": "CTO"})
    commits.commit(vault)
    update.change(vault, "role", {"value": "CEO", "statement": "Bob is CEO"})
    (made,) = commits.commit(vault)
    assert made.subject == 'fact.role: "CTO" → "CEO"'


def test_commit_trailers_name_operation_and_entry(vault: Vault, git: Git) -> None:
    create.add(vault, "note", "a", {"text": "x"})
    commits.commit(vault)
    assert git("log", "-1", "--format=%(trailers)").splitlines() == ["Vault-Op: add", "Vault-Entry: note.a"]


def test_commit_refuses_a_foreign_index_lock(vault: Vault, root: Path, git: Git) -> None:
    create.add(vault, "note", "a", {"text": "x"})
    (root / ".git" / "index.lock").touch()
    with pytest.raises(IndexLocked):
        commits.commit(vault)
    (root / ".git" / "index.lock").unlink()
    assert git("status", "--porcelain", "-uall") == "?? global/note/a.firm"


def test_commit_without_an_identity_is_refused(root: Path) -> None:
    with Vault.open(root, environ={}) as vault:
        create.add(vault, "note", "a", {"text": "x"})
        with pytest.raises(MissingIdentity):
            commits.commit(vault)


def test_commit_in_conflict_is_refused(vault: Vault, git: Git, root: Path) -> None:
    create.add(vault, "note", "a", {"text": "base"})
    commits.commit(vault)
    git("checkout", "-q", "-b", "side")
    update.change(vault, "a", {"text": "side"})
    commits.commit(vault)
    git("checkout", "-q", "main")
    update.change(vault, "a", {"text": "main"})
    commits.commit(vault)
    merged = subprocess.run(["git", "merge", "side"], cwd=root, capture_output=True, check=False)
    assert merged.returncode
    with pytest.raises(commits.Conflicted) as caught:
        commits.commit(vault)
    assert "global/note/a.firm" in caught.value.message


def test_commit_outside_git_is_refused(root: Path, vault: Vault) -> None:
    (root / ".git").rename(root.parent / "away")
    with pytest.raises(NotInGit):
        commits.commit(vault)


def test_hooks_run_once_and_may_check_what_is_committed(vault: Vault, root: Path, git: Git) -> None:
    repository = Path(__file__).resolve().parents[2]
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text(
        f"#!/bin/sh\necho run >> {root}/.git/runs\n"
        f"PYTHONPATH={repository} exec {sys.executable} -m cli check --staged\n"
    )
    hook.chmod(0o755)
    create.add(vault, "note", "a", {"text": "x"})
    commits.commit(vault)
    assert (root / ".git" / "runs").read_text() == "run\n"
    assert git("status", "--porcelain") == ""


KILLED = """
import os, signal, sys
from pathlib import Path
from vault.service.write import commits
from vault.service.vault import Vault
from vault.store import journal
from vault.store.git import Repository
from vault.store.journal import FileWrite, Journal

root, point = Path(sys.argv[1]), sys.argv[2]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def dying(owner, name):
    real = getattr(owner, name)
    def wrapped(*args, **kwargs):
        result = real(*args, **kwargs)
        die()
        return result
    setattr(owner, name, wrapped)

if point == "journal":
    setattr(Journal, "apply", die)
elif point == "files":
    dying(Journal, "apply")
elif point == "record":
    dying(Journal, "committing")
elif point == "published":
    setattr(Journal, "finish", die)
with Vault.open(root, environ=os.environ) as vault:
    after = b'note a { text = "new" }\\n'
    before = (root / "global/note/a.firm").read_bytes()
    other = FileWrite("global/note/b.firm", None, b'note b { text = "b" }\\n')
    writes = [FileWrite("global/note/a.firm", before, after), other]
    contents = {write.path: write.after for write in writes}
    commits.make(vault, vault.git(), contents, "both", writes)
"""


@pytest.mark.parametrize(
    ("point", "landed"), [("journal", False), ("files", False), ("record", True), ("published", True)]
)
def test_a_killed_commit_leaves_all_of_it_or_nothing(
    vault: Vault, open_vault: Open, root: Path, git: Git, point: str, landed: bool
) -> None:
    create.add(vault, "note", "a", {"text": "old"})
    commits.commit(vault)
    head = git("rev-parse", "HEAD")
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(root), point],
        env={**os.environ, **ENVIRON, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    open_vault().snapshot()
    assert (git("rev-parse", "HEAD") != head) == landed
    assert (root / "global/note/b.firm").exists() == landed
    assert ("new" in (root / "global/note/a.firm").read_text()) == landed
    create.add(vault, "note", "c", {"text": "goes on"})
    commits.commit(vault)
    assert git("status", "--porcelain") == ""
    git("fsck", "--strict")


def test_two_writers_at_once_both_land(root: Path, git: Git) -> None:
    repository = Path(__file__).resolve().parents[2]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "cli", "add", "note", f"n{number}", "-f", f"text={number}", "--commit"],
            cwd=root,
            env={**os.environ, **ENVIRON, "PYTHONPATH": str(repository)},
            stdout=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert len(git("log", "--format=%s").splitlines()) == 5
    assert git("status", "--porcelain") == ""


def test_a_commit_on_no_branch_says_how_to_keep_it(vault: Vault, write: Write, git: Git) -> None:
    git("switch", "--quiet", "--detach")
    said: list[str] = []
    vault.say = said.append
    write("global/note/a.firm", 'note a { text = "x" }\n')
    commits.commit(vault)
    assert said == ["HEAD is on no branch; `git switch -c NAME` keeps this commit"]
    (found,) = [item for item in doctor(vault.root, vault.environ) if item.name == "branch"]
    assert found.next == "git switch -c NAME"


def test_a_vault_whose_path_is_not_utf8_is_refused_at_once(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"\xff")
    with pytest.raises(UnsupportedRepository, match="not UTF-8"):
        init(root, ENVIRON)
    assert not (root / ".git").exists()


def test_doctor_reports_a_last_commit_that_is_missing(vault: Vault, root: Path, git: Git) -> None:
    head = git("rev-parse", "HEAD")
    (root / ".git/objects" / head[:2] / head[2:]).unlink()
    (found,) = [item for item in doctor(root, vault.environ) if item.name == "last commit"]
    assert (found.state, head in found.message) == ("error", True)


def test_a_lock_of_a_killed_writer_blocks_no_object(vault: Vault, write: Write, root: Path) -> None:
    text = b'note a { text = "x" }\n'
    write("global/note/a.firm", text.decode())
    ident = blob_of(text)
    lock = root / ".git/objects" / ident[:2] / f"{ident[2:]}.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    assert len(commits.commit(vault)) == 1


def test_a_new_file_that_was_staged_and_deleted_leaves_nothing_to_commit(
    vault: Vault, write: Write, git: Git, root: Path
) -> None:
    write("global/note/a.firm", 'note a { text = "x" }\n')
    git("add", "-A")
    (root / "global/note/a.firm").unlink()
    with pytest.raises(commits.NothingChanged):
        commits.commit(vault)
    assert git("status", "--porcelain") == ""
