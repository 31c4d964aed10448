"""Rare shapes of repositories, and faults of the system, at the level of single modules."""

import errno
import os
import struct
import sys
from pathlib import Path

import pytest

from tests.store.conftest import Run, Work
from vault.store.files import WriteFailed, vault_lock
from vault.store.git import HookRefused, IndexLocked, RefMoved, SignatureRequired, UnsupportedIndex
from vault.store.git.gitindex import GitIndex, IndexEntry, read_index
from vault.store.git.lock import index_lock, release_stale_lock
from vault.store.git.parse import parse_commit
from vault.store.journal import FileWrite, Journal
from vault.store.scan import UnreadableFolder

A, B = "global/a.firm", "global/b.firm"


def with_extension(index: Path, name: bytes, data: bytes = b"x") -> None:
    """Add an extension to an index; a checksum of zeros means there is none."""
    index.write_bytes(index.read_bytes()[:-20] + name + struct.pack(">I", len(data)) + data + bytes(20))


def test_an_extension_that_is_required_and_unknown_is_refused(begun: Work) -> None:
    with_extension(begun.top / ".git/index", b"need")
    with pytest.raises(UnsupportedIndex, match="need"):
        begun.commit({A: b"changed\n"})


def test_an_extension_that_is_optional_and_unknown_is_kept(begun: Work) -> None:
    index = begun.top / ".git/index"
    with_extension(index, b"WISH", b"kept")
    begun.commit({A: b"changed\n"})
    assert (b"WISH", b"kept") in read_index(index).extensions
    begun.git("status")


def test_an_unknown_index_version_is_refused(begun: Work) -> None:
    index = begun.top / ".git/index"
    data = index.read_bytes()
    index.write_bytes(data[:4] + struct.pack(">I", 9) + data[8:])
    with pytest.raises(UnsupportedIndex, match="version 9"):
        begun.open().status()


@pytest.mark.parametrize("version", [2, 4])
def test_an_index_of_odd_names_is_written_as_git_writes_it(begun: Work, version: int) -> None:
    names = ["z", "a" * 200 + "/" + "b" * 200, "a" * 200 + "/c", *(f"n{'x' * size}" for size in range(10))]
    for name in names:
        begun.write(name, name)
    begun.git("add", ".")
    begun.git("update-index", "--index-version", str(version))
    index = begun.top / ".git/index"
    held = read_index(index)
    kept = sum(8 + len(data) for _, data in held.extensions)
    assert held.to_bytes()[:-20] == index.read_bytes()[: -20 - kept]


def test_a_path_takes_the_place_of_what_stands_in_its_way() -> None:
    index = GitIndex()
    for path in (b"a/b/c", b"a/d", b"e"):
        index.put(IndexEntry(path, bytes(20), 0o100644))
    index.put(IndexEntry(b"e/f", bytes(20), 0o100644))
    index.put(IndexEntry(b"a", bytes(20), 0o100644))
    index.drop_below({b"a"})
    assert sorted(entry.path for entry in index) == [b"a", b"e/f"]


def test_a_lock_is_taken_without_hard_links(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "link", no_links)
    git_dir = begun.top / ".git"
    with index_lock(git_dir, begun.root, "one"):
        assert not release_stale_lock(git_dir, begun.root, "one")
        assert not release_stale_lock(git_dir, Path("/another"), "two")
        with pytest.raises(IndexLocked), index_lock(git_dir, begun.root, "one"):
            pass
        assert release_stale_lock(git_dir, begun.root, "two")


def test_a_git_folder_that_cannot_be_written_changes_nothing(begun: Work, run_child: Run) -> None:
    script = """
import os, resource, signal, sys
from pathlib import Path
from vault.store.files import WriteFailed
from vault.store.git import Repository
repo = Repository.discover(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with repo.transaction({"global/a.firm": b"x\\n"}, os.environ, lock_token="this") as made:
        made.write("Change")
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
        made.publish()
except WriteFailed as error:
    print(error.code)
"""
    index = (begun.top / ".git/index").read_bytes()
    for limit in ("10", "60"):
        assert run_child(script, str(begun.root), limit).stdout == "write-failed\n"
    assert (begun.top / ".git/index").read_bytes() == index
    assert begun.git("rev-list", "--count", "HEAD") == "1\n"
    begun.assert_sound()


def test_a_branch_whose_name_is_a_folder_is_refused(begun: Work) -> None:
    begun.git("symbolic-ref", "HEAD", "refs/heads/main/below")
    with pytest.raises(WriteFailed):
        begun.commit({A: b"changed\n"})


def test_no_reflog_where_none_is_wanted(begun: Work) -> None:
    begun.git("config", "core.logAllRefUpdates", "false")
    for log in (begun.top / ".git/logs").rglob("*"):
        if log.is_file():
            log.unlink()
    begun.commit({A: b"changed\n"})
    assert begun.git("reflog") == ""
    begun.git("config", "core.logAllRefUpdates", "always")
    begun.commit({A: b"again\n"})
    assert "commit: Change" in begun.git("reflog")


def test_publishing_comes_after_writing(begun: Work) -> None:
    ready = begun.open().transaction({A: b"x\n"}, os.environ, lock_token="this")  # noqa: S106
    with ready as made, pytest.raises(RuntimeError):
        made.publish()


def test_a_branch_that_moves_under_the_lock_is_left(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = begun.open()
    with repo.transaction({A: b"changed\n"}, os.environ, lock_token="this") as made:  # noqa: S106
        made.write("Change")
        real = repo.ref_value
        answers = iter([real("HEAD"), "0" * 40])
        monkeypatch.setattr(repo, "ref_value", lambda _: next(answers))
        with pytest.raises(RefMoved):
            made.publish()
    assert begun.porcelain() == ""
    begun.assert_sound()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"gpg.format": "rot13"}, "rot13"), ({"gpg.format": "ssh", "user.signingkey": "~/none"}, "none")],
)
def test_a_signature_of_no_known_form_is_refused(begun: Work, settings: dict[str, str], reason: str) -> None:
    for name, value in {"commit.gpgsign": "true", **settings}.items():
        begun.git("config", name, value)
    with pytest.raises(SignatureRequired, match=reason):
        begun.commit({A: b"changed\n"})


def test_a_commit_with_odd_headers_is_read() -> None:
    data = b"tree 1\nauthor nobody\ncommitter A <a@x> 99999999999999999 +0000\nencoding none\n\nm\xe9ssage"
    commit = parse_commit("c", data)
    assert (commit.author.name, commit.author.email) == ("nobody", "")
    assert commit.committer.time.timestamp() == 0
    assert commit.message == "m\ufffdssage"


def test_status_of_a_folder_that_cannot_be_read(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    begun.write("closed/x.firm", "x\n")
    real = os.scandir

    def scandir(path: str | Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(UnreadableFolder, match="closed"):
        begun.open().status()


def test_status_of_an_index_with_whole_seconds(begun: Work) -> None:
    index = begun.top / ".git/index"
    held = read_index(index)
    for entry in list(held):
        stat = entry.stat[:4] + bytes(4) + entry.stat[8:12] + bytes(4) + entry.stat[16:]
        held.put(IndexEntry(entry.path, entry.blob, entry.mode, stat))
    index.write_bytes(held.to_bytes())
    os.utime(index, (2**31, 2**31))
    assert begun.open().status() == []


def test_submodules_inside_the_vault_are_left_alone(begun: Work, tmp_path: Path) -> None:
    other = Work(tmp_path / "other", tmp_path / "other")
    other.top.mkdir()
    other.git("init", "--quiet")
    other.commit({"x.firm": b"x\n"})
    begun.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.top), "sub")
    begun.git("commit", "--quiet", "--message=Submodule")
    begun.commit({A: b"changed\n"})
    repo = begun.open()
    assert "sub" not in repo.tree_at(repo.head())
    assert "sub" not in repo.index_tree()
    assert repo.entry_at(repo.head(), "sub") is None
    assert begun.porcelain() == ""
    assert [change.path for record in repo.log(limit=2) for change in record.changes] == [A, ".gitmodules"]


def test_a_link_that_leaves_the_repository_is_not_committed_through(begun: Work, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x\n")
    (begun.root / "out.firm").symlink_to(tmp_path / "outside")
    with begun.open().transaction({"out.firm": b"y\n", A: b"x\n"}, os.environ, lock_token="this") as made:  # noqa: S106
        assert list(made.edits) == [A.encode()]


def test_staged_links_and_modes_are_committed(begun: Work) -> None:
    (begun.root / "global/link.firm").symlink_to("a.firm")
    (begun.root / B).chmod(0o755)
    begun.git("add", ".")
    begun.hook("pre-commit", "git diff --quiet")
    begun.commit(None)
    assert begun.git("show", "--format=", "--raw", "HEAD").count("120000") == 1
    assert begun.porcelain() == ""
    begun.assert_sound()


def test_a_journal_whose_folder_is_a_file_fails_and_is_undone(begun: Work) -> None:
    journal = Journal.begin(begun.root, [FileWrite(B, b"b\n", b"2\n"), FileWrite(f"{A}/x", None, b"x")])
    with pytest.raises(WriteFailed):
        journal.apply()
    journal.undo()
    assert begun.porcelain() == ""
    journal.finish()


def test_a_child_of_a_hook_meets_the_lock_of_its_parent(begun: Work, tmp_path: Path) -> None:
    script = tmp_path / "child.py"
    script.write_text(
        "import os\nfrom pathlib import Path\nfrom vault.store.files import vault_lock\n"
        "token = os.environ['FIRM_VAULT_LOCK_TOKEN']\n"
        f"with vault_lock(Path({str(begun.root)!r}), timeout=0, token=token) as held:\n"
        "    print(held == token)\n"
    )
    begun.hook("pre-commit", f"{sys.executable} {script}; exit 1")
    with vault_lock(begun.root, timeout=5, token=None) as token:
        ready = begun.open().transaction({A: b"x\n"}, os.environ, lock_token=token)
        with ready as made, pytest.raises(HookRefused, match="True"):
            made.pre_commit()


def test_a_changed_mode_is_committed(begun: Work) -> None:
    (begun.root / A).chmod(0o755)
    begun.commit({A: (begun.root / A).read_bytes()})
    assert begun.porcelain() == ""
    assert begun.git("ls-tree", "HEAD", A).startswith("100755")
    begun.git("config", "core.filemode", "false")
    (begun.root / A).chmod(0o644)
    begun.commit({A: b"other\n"})
    assert begun.git("ls-tree", "HEAD", A).startswith("100755")
