"""Commits land as `git commit` would make them, or nothing changes at all."""

import subprocess
from pathlib import Path

import pytest

from tests.store.conftest import Work

A, B, NEW = "global/a.firm", "global/b.firm", "global/new.firm"


def test_commit_into_an_unborn_branch(work: Work) -> None:
    repo = work.open()
    assert (repo.head(), repo.branch()) == (None, "main")
    commit = work.commit({A: b"a\n"}, "First\n\nWhy.\n")
    assert work.git("log", "--format=%H %an <%ae> %cn %ct|%B") == (
        f"{commit} Ada Example <ada@example.org> Ada Example 1769860800|First\n\nWhy.\n\n"
    )
    assert work.git("reflog") == f"{commit[:7]} HEAD@{{0}}: commit (initial): First\n"
    assert work.porcelain() == ""
    work.assert_sound()


def test_commit_adds_changes_and_deletes(begun: Work) -> None:
    begun.commit({A: b"changed\n", B: None, NEW: b"new\n"})
    assert begun.git("show", "--format=", "--name-status", "HEAD") == f"M\t{A}\nD\t{B}\nA\t{NEW}\n"
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_commit_that_empties_the_tree(begun: Work) -> None:
    begun.commit({A: None, B: None})
    assert begun.git("ls-tree", "-r", "HEAD") == ""
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_commit_turns_a_file_into_a_folder(begun: Work) -> None:
    begun.commit({"global/x": b"file\n"})
    begun.commit({"global/x": None, "global/x/y.firm": b"y\n"})
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_commit_leaves_other_staged_paths_staged(begun: Work) -> None:
    begun.write(B, "staged\n")
    begun.write("global/other.firm", "other\n")
    begun.git("add", B, "global/other.firm")
    begun.write(B, "edited after staging\n")
    begun.commit({A: b"changed\n"})
    assert begun.git("show", "--format=", "--name-only", "HEAD") == f"{A}\n"
    assert begun.porcelain() == f"MM {B}\nA  global/other.firm\n"
    assert begun.git("show", f":{B}") == "staged\n"


def test_commit_replaces_what_was_staged_for_its_own_path(begun: Work) -> None:
    begun.write(A, "staged\n")
    begun.git("add", A)
    begun.commit({A: b"committed\n"})
    assert begun.git("show", f":{A}") == "committed\n"
    assert begun.porcelain() == ""


def test_commit_of_what_is_staged(begun: Work) -> None:
    begun.write(A, "staged\n")
    begun.git("add", A)
    begun.write(A, "not staged\n")
    begun.write(B, "not staged\n")
    assert begun.open().staged_contents() == {A: b"staged\n"}
    begun.commit(None)
    assert begun.git("show", f"HEAD:{A}") == "staged\n"
    assert begun.porcelain() == f" M {A}\n M {B}\n"


def test_staged_deletion_is_committed(begun: Work) -> None:
    begun.git("rm", "--quiet", A)
    assert begun.open().staged_contents() == {A: None}
    begun.commit(None)
    assert begun.git("ls-files") == f"{B}\n"
    assert begun.porcelain() == ""


def test_commit_from_a_subfolder_touches_nothing_above(inner: Work) -> None:
    (inner.top / "global" / "b.firm").write_text("staged above\n")
    inner.git("add", ".")
    inner.write("global/x.firm", "staged\n")
    inner.git("add", ".")
    repo = inner.open()
    assert repo.prefix == "kb/"
    assert repo.staged_contents() == {"global/x.firm": b"staged\n"}
    inner.commit(None)
    inner.commit({"global/x.firm": None, "y.firm": b"y\n"})
    assert repo.tree_at(repo.head()).keys() == {"y.firm"}
    assert inner.porcelain() == "M  global/b.firm\n"
    inner.assert_sound()


def test_commit_on_a_detached_head(begun: Work) -> None:
    begun.git("checkout", "--quiet", "--detach")
    assert begun.open().branch() is None
    commit = begun.commit({A: b"changed\n"})
    assert begun.git("rev-parse", "HEAD").strip() == commit
    assert begun.git("rev-list", "--count", "main") == "1\n"
    assert begun.porcelain() == ""
    assert "commit: Change" in begun.git("reflog", "HEAD")


def test_commit_in_a_linked_working_tree(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Work(tmp_path / "side", tmp_path / "side")
    commit = side.commit({A: b"changed\n"})
    assert begun.git("rev-parse", "side").strip() == commit
    assert side.porcelain() == ""
    assert begun.porcelain() == ""
    assert "commit: Change" in side.git("reflog", "HEAD")
    side.assert_sound()


def test_commit_in_a_submodule(begun: Work, tmp_path: Path) -> None:
    outer = Work(tmp_path / "outer", tmp_path / "outer" / "kb")
    outer.top.mkdir()
    outer.git("init", "--quiet")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(begun.top), "kb")
    inside = Work(outer.root, outer.root)
    inside.commit({A: b"changed\n"})
    assert inside.porcelain() == ""
    inside.assert_sound()


def test_commit_with_packed_refs(begun: Work) -> None:
    begun.git("pack-refs", "--all", "--prune")
    begun.git("gc", "--quiet")
    begun.commit({A: b"changed\n"})
    assert begun.porcelain() == ""
    begun.assert_sound()


@pytest.mark.parametrize("version", [2, 3, 4])
def test_index_version_and_flags_survive(begun: Work, version: int) -> None:
    begun.write("global/announced.firm", "later\n")
    begun.git("update-index", "--index-version", str(version))
    begun.git("update-index", "--skip-worktree", B)
    begun.git("add", "--intent-to-add", "global/announced.firm")
    (begun.root / B).unlink()
    begun.commit({A: b"changed\n", NEW: b"new\n"})
    wanted = 4 if version == 4 else 3
    assert (begun.top / ".git/index").read_bytes()[4:8] == wanted.to_bytes(4, "big")
    assert f"S {B}" in begun.git("ls-files", "-t")
    assert begun.porcelain() == " A global/announced.firm\n"
    begun.assert_sound()


def test_plain_index_stays_version_2(begun: Work) -> None:
    begun.commit({A: b"changed\n"})
    assert (begun.top / ".git/index").read_bytes()[4:8] == (2).to_bytes(4, "big")


def test_a_file_edited_in_the_second_of_the_commit_is_not_missed(begun: Work) -> None:
    begun.commit({NEW: b"new1\n"})
    begun.write(NEW, "new2\n")
    begun.write(B, "c\n")
    assert begun.porcelain() == f" M {B}\n M {NEW}\n"
    assert [change.path for change in begun.open().status()] == [B, NEW]


def test_a_racily_clean_file_is_looked_at_again(begun: Work) -> None:
    begun.write(B, "1\n")
    begun.git("add", B)
    begun.write(B, "2\n")
    begun.commit({A: b"changed\n"})
    assert begun.porcelain() == f"MM {B}\n"


def test_executable_stays_executable(begun: Work) -> None:
    (begun.root / A).chmod(0o755)
    begun.git("add", A)
    begun.commit({A: b"changed\n"})
    assert begun.git("ls-tree", "HEAD", A).startswith("100755")
    assert begun.porcelain() == ""


def test_a_link_stays_and_its_target_is_committed(begun: Work) -> None:
    (begun.root / "global/link.firm").symlink_to("a.firm")
    begun.git("add", ".")
    begun.git("commit", "--quiet", "--message=Link")
    begun.commit({"global/link.firm": b"through\n"})
    assert begun.git("ls-tree", "HEAD", "global/link.firm").startswith("120000")
    assert begun.git("show", f"HEAD:{A}") == "through\n"
    assert begun.porcelain() == ""


def test_a_message_is_tidied_like_git_s(begun: Work) -> None:
    message = "\n\nSubject  \n\n\n\n# kept\nbody\t\n\n\n"
    begun.commit({A: b"1\n"}, message)
    begun.write(A, "2\n")
    begun.git("commit", "--all", "--quiet", f"--message={message}")
    ours, theirs = begun.git("cat-file", "-p", "HEAD~1"), begun.git("cat-file", "-p", "HEAD")
    assert ours.partition("\n\n")[2] == theirs.partition("\n\n")[2]


@pytest.mark.parametrize(
    "date",
    [
        "@1700000000 -0330",
        "1700000000 +0000",
        "2026-01-31T12:00:00+05:30",
        "2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00",
        "2026-01-31 12:00:00 -0800",
        "Sat, 31 Jan 2026 12:00:00 +0100",
    ],
)
def test_dates_are_read_as_git_reads_them(begun: Work, date: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", date)
    monkeypatch.setenv("GIT_COMMITTER_DATE", date)
    begun.commit({A: b"changed\n"})
    begun.git("commit", "--quiet", "--allow-empty", "--message=By git")
    ours, theirs = begun.git("log", "--format=%ad %cd", "--date=raw").splitlines()[:2]
    assert ours == theirs


def test_identity_comes_from_the_settings(begun: Work) -> None:
    begun.git("config", "--global", "user.name", "Grace")
    begun.git("config", "user.email", "grace@example.org")
    begun.git("config", "author.name", "Author")
    found = begun.open().identity({})
    assert str(found.author) == "Author <grace@example.org>"
    assert str(found.committer) == "Grace <grace@example.org>"


def test_identity_from_a_setting_of_the_environment(begun: Work) -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Env"}
    assert begun.open().identity({**given, "EMAIL": "e@x"}).author.name == "Env"


@pytest.mark.parametrize("setting", ["core.untrackedCache", "core.fsmonitor", "feature.manyFiles"])
def test_caches_in_the_index_do_no_harm(begun: Work, setting: str) -> None:
    begun.git("config", setting, "false" if setting == "core.fsmonitor" else "true")
    begun.git("update-index", "--force-untracked-cache")
    begun.write(A, "x\n")
    begun.git("add", ".")
    begun.git("status")
    begun.commit({NEW: b"new\n"})
    assert begun.porcelain() == f"M  {A}\n"
    begun.assert_sound()


def test_a_signature_is_one_git_accepts(begun: Work, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    begun.git("config", "commit.gpgsign", "true")
    begun.git("config", "gpg.format", "ssh")
    begun.git("config", "user.signingkey", str(key))
    begun.git("config", "gpg.ssh.allowedSignersFile", str(allowed))
    begun.commit({A: b"changed\n"})
    begun.git("verify-commit", "HEAD")
    begun.assert_sound()


def test_many_files_become_one_pack(begun: Work) -> None:
    begun.commit({f"global/n/{number}.firm": b"%d\n" % number for number in range(300)})
    assert len(list((begun.top / ".git/objects/pack").glob("*.pack"))) == 1
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_names_git_quotes_are_plain_names(begun: Work) -> None:
    names = ["global/größe.firm", "global/a b.firm", "global/日本.firm", 'global/"q".firm']
    begun.commit(dict.fromkeys(names, b"x\n"))
    repo = begun.open()
    assert set(names) < set(repo.tree_at(repo.head()))
    assert begun.porcelain() == ""
