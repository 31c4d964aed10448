"""What a repository says: revisions, trees, status and history, as the `git` program says it."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.conftest import Work
from vault.store.git import (
    BareRepository,
    DamagedIndex,
    MissingObject,
    PathChange,
    Repository,
    UnknownRevision,
    UnsupportedRepository,
    blob_id,
)

A, B = "global/a.firm", "global/b.firm"


def test_discover_finds_no_repository(tmp_path: Path) -> None:
    assert Repository.discover(tmp_path) is None


def test_discover_passes_over_an_empty_git_folder(begun: Work) -> None:
    (begun.root / "global/.git").mkdir()
    repo = Work(begun.top, begun.root / "global").open()
    assert repo.prefix == "global/"


def test_discover_refuses_a_bare_repository(work: Work, tmp_path: Path) -> None:
    work.git("init", "--quiet", "--bare", str(tmp_path / "bare"))
    with pytest.raises(BareRepository):
        Repository.discover(tmp_path / "bare")


@pytest.mark.parametrize("how", ["sha256", "version", "extension", "gitfile", "settings"])
def test_discover_refuses_what_it_cannot_read(tmp_path: Path, how: str) -> None:
    work = Work(tmp_path, tmp_path)
    work.git("init", "--quiet", *(["--object-format=sha256"] if how == "sha256" else []))
    if how == "version":
        work.git("config", "core.repositoryformatversion", "7")
    if how == "extension":
        work.git("config", "core.repositoryformatversion", "1")
        work.git("config", "extensions.compatobjectformat", "x")
    if how == "settings":
        (tmp_path / ".git/config").write_text("nonsense\n")
    if how == "gitfile":
        (tmp_path / ".git").rename(tmp_path / "moved")
        (tmp_path / ".git").write_text("gitdir: /no/such/place\n")
    with pytest.raises(UnsupportedRepository):
        Repository.discover(tmp_path)


def test_init_makes_a_repository_git_accepts(tmp_path: Path) -> None:
    work = Work(tmp_path, tmp_path)
    work.write(A, "a\n")
    assert Repository.init(tmp_path).branch() == "main"
    work.git("add", ".")
    work.git("commit", "--quiet", "--message=First")
    work.assert_sound()


def test_init_uses_the_branch_the_settings_name(tmp_path: Path) -> None:
    Work(tmp_path, tmp_path).git("config", "--global", "init.defaultBranch", "trunk")
    assert Repository.init(tmp_path).branch() == "trunk"


def test_paths_of_a_linked_working_tree(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    repo = Work(tmp_path / "side", tmp_path / "side" / "global").open()
    assert (repo.worktree, repo.prefix) == (tmp_path / "side", "global/")
    assert repo.git_dir == begun.top / ".git/worktrees/side"
    assert repo.common_dir == begun.top / ".git"
    assert repo.branch() == "side"


@pytest.fixture
def forked(begun: Work) -> Work:
    """Main with three commits and a merge of a side branch; a tag on the second."""
    begun.write(A, "a2\n")
    begun.git("commit", "--all", "--quiet", "--message=Second")
    begun.git("tag", "-a", "v1", "-m", "One")
    begun.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    begun.write(B, "b2\n")
    begun.git("commit", "--all", "--quiet", "--message=Side")
    begun.git("checkout", "--quiet", "main")
    begun.git("merge", "--quiet", "--no-ff", "--message=Merge", "side")
    return begun


REVISIONS = "HEAD @ @~1 main side v1 v1~1 HEAD^2 HEAD^2~1 HEAD~1^ refs/heads/side HEAD^0"


@pytest.mark.parametrize("rev", REVISIONS.split())
def test_resolve_agrees_with_git(forked: Work, rev: str) -> None:
    commit = forked.git("rev-parse", f"{rev}^{{commit}}").strip()
    repo = forked.open()
    assert repo.resolve(rev) == commit
    assert repo.resolve(commit[:8]) == commit


@pytest.mark.parametrize("rev", ["", "none", "HEAD~9", "HEAD^3", "deadbeef", "zz~1", "..", "-", "HEAD:global"])
def test_resolve_of_nothing_is_refused(forked: Work, rev: str) -> None:
    with pytest.raises(UnknownRevision):
        forked.open().resolve(rev)


def test_resolve_before_the_first_commit_is_refused(work: Work) -> None:
    with pytest.raises(UnknownRevision):
        work.open().resolve("HEAD")


def test_trees_and_blobs(inner: Work) -> None:
    repo = inner.open()
    x = blob_id(b"x\n")
    assert x == inner.git("rev-parse", "HEAD:kb/global/x.firm").strip()
    assert repo.tree_at(repo.head()) == {"global/x.firm": x} == repo.index_tree()
    assert repo.tree_at(repo.resolve("HEAD~1")) == {} == repo.tree_at(None)
    assert repo.entry_at(repo.head(), "global/x.firm") == x
    assert repo.entry_at(repo.head(), "global") is None
    assert repo.entry_at(repo.head(), "global/x.firm/y") is None
    assert repo.read_blob(x) == b"x\n"
    with pytest.raises(MissingObject):
        repo.read_blob("0" * 40)


def test_index_tree_of_another_index(begun: Work) -> None:
    other = begun.top / ".git/other"
    other.write_bytes((begun.top / ".git/index").read_bytes())
    begun.git("rm", "--quiet", "--cached", A)
    assert begun.open().index_tree(other).keys() == {A, B}


def test_a_damaged_index_is_said(begun: Work) -> None:
    index = begun.top / ".git/index"
    data = index.read_bytes()
    for damaged in (b"JUNK" + data[4:], data[:40] + b"x" + data[41:], data[:30]):
        index.write_bytes(damaged)
        with pytest.raises(DamagedIndex):
            begun.open().status()


def test_log_tells_what_each_commit_changed(begun: Work) -> None:
    begun.write(A, "a2\n")
    begun.git("rm", "--quiet", B)
    begun.git(
        "commit",
        "--all",
        "--quiet",
        "--message=Second",
        "--message=Body.",
        "--message=Vault-Op: set\nVault-Entry: note.a",
    )
    (first, second) = begun.open().log()
    assert first.changes == [
        PathChange(A, "modified", blob_id(b"a\n"), blob_id(b"a2\n")),
        PathChange(B, "deleted", blob_id(b"b\n"), None),
    ]
    assert (first.subject, first.body) == ("Second", "Body.\n\nVault-Op: set\nVault-Entry: note.a")
    assert first.trailers == [("Vault-Op", "set"), ("Vault-Entry", "note.a")]
    assert (first.author_name, first.author_email) == ("Ada Example", "ada@example.org")
    assert first.commit_time.isoformat() == "2026-01-31T12:00:00+00:00"
    assert second.changes[0] == PathChange(A, "added", None, blob_id(b"a\n"))
    assert first.parents == (second.commit,)


def test_log_keeps_zones_and_encodings(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "@1700000000 -0330")
    begun.write(A, "a2\n")
    (begun.top / "message").write_bytes("Grüße".encode("latin-1"))
    begun.git("-c", "i18n.commitEncoding=latin-1", "commit", "--all", "--quiet", "--file=message")
    record = next(begun.open().log())
    assert record.subject == "Grüße"
    assert record.author_time.utcoffset() == timedelta(hours=-3, minutes=-30)


def test_log_of_a_subfolder_and_of_paths(inner: Work) -> None:
    inner.write("global/y.firm", "y\n")
    inner.git("add", ".")
    inner.git("commit", "--quiet", "--message=Y")
    repo = inner.open()
    assert [record.subject for record in repo.log()] == ["Y", "Add a vault"]
    assert [record.subject for record in repo.log(["global/y.firm"])] == ["Y"]
    assert [record.subject for record in repo.log(["global"], limit=1)] == ["Y"]
    assert [record.subject for record in repo.log(since_commit=repo.resolve("HEAD~1"))] == ["Y"]
    assert list(repo.log(since_commit=repo.head())) == []
    assert list(repo.log(["glob"])) == []


def test_log_before_the_first_commit_is_empty(work: Work) -> None:
    assert list(work.open().log()) == []


def test_log_across_a_merge(forked: Work) -> None:
    repo = forked.open()
    assert [record.subject for record in repo.log()] == ["Second", "Side", "Begin"]
    firsts = list(repo.log(first_parent=True))
    assert [record.subject for record in firsts] == ["Merge", "Second", "Begin"]
    assert [change.path for change in firsts[0].changes] == [B]


def test_log_shows_a_merge_that_changed_something_itself(forked: Work) -> None:
    forked.write(A, "neither\n")
    forked.git("commit", "--all", "--quiet", "--amend", "--no-edit")
    first = next(forked.open().log())
    assert (first.subject, [change.path for change in first.changes]) == ("Merge", [A])


def test_log_puts_children_first_whatever_the_clocks_say(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, date in enumerate(("@1800000000 +0000", "@1000000000 +0000", "@1900000000 +0000")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        begun.write(A, f"{number}\n")
        begun.git("commit", "--all", "--quiet", f"--message={number}")
    assert [record.subject for record in begun.open().log()] == ["2", "1", "0", "Begin"]


def test_log_of_a_shallow_clone_ends_where_it_ends(forked: Work, tmp_path: Path) -> None:
    forked.git("clone", "--quiet", "--depth=1", f"file://{forked.top}", str(tmp_path / "shallow"))
    clone = Work(tmp_path / "shallow", tmp_path / "shallow")
    repo = clone.open()
    assert repo.shallow()
    assert not forked.open().shallow()
    (record,) = repo.log()
    assert [change.kind for change in record.changes] == ["added", "added"]
    with pytest.raises(UnknownRevision):
        repo.resolve("HEAD~1")
    clone.commit({A: b"changed\n"})
    assert [one.subject for one in clone.open().log()] == ["Change", "Merge"]
    clone.assert_sound()


def test_close_may_be_called_twice(begun: Work) -> None:
    repo = begun.open()
    repo.close()
    repo.close()
    assert repo.head() == begun.open().head()
