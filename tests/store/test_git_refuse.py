"""Commits that are refused change nothing at all."""

import os
import subprocess

import pytest

from tests.store.conftest import Work
from vault.store.git import (
    BadDate,
    EmptyMessage,
    IndexLocked,
    MissingIdentity,
    NothingToCommit,
    RefLocked,
    RefMoved,
    SignatureRequired,
    UnfinishedOperation,
    UnmergedPaths,
    UnsupportedIndex,
)

A, B, NEW = "global/a.firm", "global/b.firm", "global/new.firm"


def assert_refused(work: Work, kind: type[Exception], contents: dict[str, bytes | None] | None = None) -> str:
    """Check that a commit is refused and that files, index and history are as before."""
    index, head = (work.top / ".git/index").read_bytes(), work.git("rev-parse", "HEAD")
    files = {path: path.read_bytes() for path in work.root.rglob("*.firm")}
    with pytest.raises(kind) as refused:
        work.commit({A: b"changed\n", NEW: b"new\n"} if contents is None else contents)
    assert (work.top / ".git/index").read_bytes() == index
    assert work.git("rev-parse", "HEAD") == head
    assert {path: path.read_bytes() for path in work.root.rglob("*.firm")} == files
    return str(refused.value)


def test_unchanged_contents_are_nothing_to_commit(begun: Work) -> None:
    assert_refused(begun, NothingToCommit, {A: b"a\n"})
    assert_refused(begun, NothingToCommit, {"global/none.firm": None})
    with pytest.raises(NothingToCommit):
        begun.commit(None)


def test_an_empty_message_is_refused(begun: Work) -> None:
    with pytest.raises(EmptyMessage):
        begun.commit({A: b"changed\n"}, " \n\n")
    assert begun.porcelain() == ""


def test_a_bad_date_is_refused(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "half past")
    assert "half past" in assert_refused(begun, BadDate)


@pytest.mark.parametrize("role", ["author", "committer"])
def test_a_missing_identity_is_refused(begun: Work, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"GIT_{role.upper()}_EMAIL")
    with pytest.raises(MissingIdentity) as refused:
        begun.commit({A: b"changed\n"})
    assert "git config --global user.email" in refused.value.hint
    assert begun.porcelain() == ""


def test_a_lock_of_another_program_is_respected(begun: Work) -> None:
    lock = begun.top / ".git/index.lock"
    lock.write_bytes(b"")
    assert str(lock) in assert_refused(begun, IndexLocked)
    assert lock.read_bytes() == b""


def test_a_lock_of_a_live_parent_is_respected(begun: Work) -> None:
    repo = begun.open()
    with repo.transaction({A: b"x\n"}, os.environ, lock_token="this"):  # noqa: S106
        assert not repo.release_stale_lock("this")
        with pytest.raises(IndexLocked), repo.transaction({A: b"y\n"}, os.environ, lock_token="this"):  # noqa: S106
            pass


def test_a_branch_locked_by_another_program_is_respected(begun: Work) -> None:
    (begun.top / ".git/refs/heads/main.lock").write_bytes(b"")
    with pytest.raises(RefLocked):
        begun.commit({A: b"changed\n"})
    assert begun.git("ls-files", "--stage", A) == begun.git("ls-tree", "HEAD", A).replace(" blob ", " ").replace(
        f"\t{A}", f" 0\t{A}"
    )


def test_a_branch_that_moves_meanwhile_is_left(begun: Work) -> None:
    repo = begun.open()
    index = (begun.top / ".git/index").read_bytes()
    with repo.transaction({A: b"changed\n"}, os.environ, lock_token="this") as made:  # noqa: S106
        made.write("Change")
        other = begun.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Other").strip()
        begun.git("update-ref", "refs/heads/main", other)
        with pytest.raises(RefMoved):
            made.publish()
    assert begun.git("rev-parse", "main").strip() == other
    assert (begun.top / ".git/index").read_bytes() == index


@pytest.mark.parametrize("command", ["merge", "cherry-pick", "revert", "rebase"])
def test_an_unfinished_operation_is_refused(begun: Work, command: str) -> None:
    begun.git("checkout", "--quiet", "-b", "side")
    begun.write(A, "side\n")
    begun.git("commit", "--quiet", "--all", "--message=Side")
    begun.git("checkout", "--quiet", "main")
    begun.write(A, "main\n")
    begun.git("commit", "--quiet", "--all", "--message=Main")
    begun.write(A, "main 2\n")
    begun.git("commit", "--quiet", "--all", "--message=Main 2")
    begun.git(command, "HEAD~1" if command == "revert" else "side", check=False)
    assert command in assert_refused(begun, UnfinishedOperation, {B: b"changed\n"})


def test_unmerged_paths_are_refused(begun: Work) -> None:
    blob = begun.git("rev-parse", f"HEAD:{A}").strip()
    lines = "".join(f"100644 {blob} {stage}\t{A}\n" for stage in (1, 2, 3))
    begun.git("rm", "--cached", "--quiet", A)
    subprocess.run(["git", "update-index", "--index-info"], cwd=begun.top, input=lines.encode(), check=True)
    assert A in assert_refused(begun, UnmergedPaths, {B: b"changed\n"})
    assert [(change.path, change.conflicted) for change in begun.open().status()] == [(A, True)]


def test_a_split_index_is_refused(begun: Work) -> None:
    begun.git("update-index", "--split-index")
    assert "split" in assert_refused(begun, UnsupportedIndex)
    begun.git("update-index", "--no-split-index")
    begun.commit({A: b"changed\n"})


def test_a_sparse_index_is_refused(inner: Work) -> None:
    inner.write("deep/er/x.firm", "x\n")
    inner.git("add", ".")
    inner.git("commit", "--quiet", "--message=Deep")
    inner.git("sparse-checkout", "set", "--cone", "--sparse-index", "kb/global")
    with pytest.raises(UnsupportedIndex, match="sparse"):
        inner.commit({"global/x.firm": b"changed\n"})
    inner.git("sparse-checkout", "reapply", "--no-sparse-index")
    inner.commit({"global/x.firm": b"changed\n"})
    assert inner.porcelain() == ""
    assert inner.git("ls-files", "kb/deep") == "kb/deep/er/x.firm\n"


def test_resolve_undo_information_survives(begun: Work) -> None:
    test_unmerged_paths_are_refused(begun)
    begun.git("add", A)
    before = begun.git("ls-files", "--resolve-undo")
    begun.commit({B: b"changed\n"})
    assert before
    assert begun.git("ls-files", "--resolve-undo") == before


def test_a_signature_that_cannot_be_made_is_refused(begun: Work) -> None:
    begun.git("config", "commit.gpgsign", "true")
    begun.git("config", "gpg.format", "ssh")
    begun.git("config", "user.signingkey", str(begun.top / "none"))
    assert "signature" in assert_refused(begun, SignatureRequired)
