"""What is staged, and the cached trees that git and the product leave each other in the index."""

import os
import random
from pathlib import Path

import pytest

from tests.endurance import amount, is_long
from tests.store.conftest import Work
from vault.store.git.cachetree import CachedTree, parse, to_bytes
from vault.store.git.gitindex import IndexEntry, read_index
from vault.store.git.staged import staged_leaves

FOLDERS = ("", "a/", "a/c/", "a.b/", "a0/", "b/a/")
PATHS = [f"global/{folder}{name}" for folder in FOLDERS for name in ("a", "c", "f", "x.firm")]


def staged_by_git(work: Work) -> list[str]:
    """Return the paths whose staged content differs from HEAD."""
    output = work.git("diff", "--cached", "--no-renames", "--name-only", "-z", "HEAD")
    return sorted(path for path in output.split("\0") if path)


def trees(work: Work) -> CachedTree:
    return read_index(work.top / ".git/index").trees


def put(work: Work, path: str, text: str) -> None:
    """Write a file, and make room for it as git does."""
    for parent in Path(path).parents:
        if (work.root / parent).is_file():
            (work.root / parent).unlink()
    if (work.root / path).is_dir():
        work.git("rm", "-rqf", "--cached", "--ignore-unmatch", path)
        for folder, _, names in os.walk(work.root / path, topdown=False):
            for name in names:
                Path(folder, name).unlink()
            Path(folder).rmdir()
    work.write(path, text)


@pytest.mark.endurance
def test_staged_paths_are_those_git_names(begun: Work) -> None:
    chance = random.Random(None if is_long() else 7)
    for number in range(amount(12, 300)):
        for path in chance.sample(PATHS, 3):
            put(begun, path, f"{number}{path}")
        begun.git("add", "-A")
        if chance.random() < 0.3:
            begun.git("write-tree")
        staged = [change.path for change in begun.open().status() if change.staged]
        assert staged == staged_by_git(begun), number
        step = chance.choice(("ours", "git", "reset", "leave"))
        if step == "ours":
            begun.commit({f"global/{chance.choice('xyz')}.firm": f"{number}\n".encode()})
            begun.git("fsck", "--no-dangling")
        elif step == "git":
            begun.git("commit", "-qm", "by git")
        elif step == "reset":
            begun.git("reset", "-q", "--hard")


def test_a_commit_leaves_trees_that_git_can_use(begun: Work) -> None:
    begun.commit({"global/deep/er/a.firm": b"a\n", "global/b.firm": b"b\n"})
    root = trees(begun)
    assert root.is_known
    assert root.ident.hex() == begun.git("rev-parse", "HEAD^{tree}").strip() == begun.git("write-tree").strip()
    assert root.count == len(begun.git("ls-files").splitlines())
    begun.git("fsck", "--no-dangling")


def test_a_folder_with_staged_changes_has_no_known_tree(begun: Work) -> None:
    begun.commit({"global/deep/a.firm": b"a\n", "spaces/s/note/b.firm": b"b\n"})
    begun.write("global/deep/new.firm", "n\n")
    begun.git("add", "global/deep/new.firm")
    begun.commit({"spaces/s/note/b.firm": b"c\n"})
    root = trees(begun)
    assert not root.is_known
    assert not root.folders[b"global"].folders[b"deep"].is_known
    assert root.folders[b"spaces"].is_known
    assert staged_by_git(begun) == ["global/deep/new.firm"]


def test_a_known_tree_is_not_read(begun: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    begun.commit({"global/deep/a.firm": b"a\n"})
    repository = begun.open()

    def refuse(ident: str) -> None:
        raise AssertionError(ident)

    head = repository.head()
    repository.vault_tree(head)
    monkeypatch.setattr(repository.objects, "leaves", refuse)
    assert staged_leaves(repository, repository.index(), head) == {}


def test_the_extension_reads_back_as_it_was_written() -> None:
    root = CachedTree(3, b"r" * 20, {b"long": CachedTree(-1), b"b": CachedTree(1, b"b" * 20), b"a": CachedTree(0)})
    root.folders[b"a"].ident = b"a" * 20
    data = to_bytes(root)
    assert parse(data) == root
    with pytest.raises(ValueError, match=r".+"):
        parse(data + b"rest")


def test_a_changed_entry_makes_the_folders_above_it_unknown() -> None:
    inner = CachedTree(1, b"i" * 20)
    root = CachedTree(2, b"r" * 20, {b"a": CachedTree(2, b"a" * 20, {b"b": inner}), b"c": CachedTree(0, b"c" * 20)})
    root.forget(b"a/b/file")
    assert (root.is_known, root.folders[b"a"].is_known, inner.is_known, root.folders[b"c"].is_known) == (
        False,
        False,
        False,
        True,
    )


def test_an_entry_that_did_not_change_is_written_as_it_was_read(begun: Work) -> None:
    index = read_index(begun.top / ".git/index")
    entry = next(iter(index))
    assert entry.raw in index.to_bytes()
    index.put(IndexEntry(entry.path, bytes(20), entry.mode))
    assert entry.raw not in index.to_bytes()


def test_only_what_is_staged_in_the_vault_counts(inner: Work) -> None:
    inner.write("global/y/new.firm", "y\n")
    inner.git("add", "-A")
    inner.git("commit", "-qm", "A folder")
    inner.git("rm", "-q", "kb/global/x.firm", "global/a.firm")
    inner.write("global/y/new.firm", "changed\n")
    inner.git("add", "-A")
    changes = {change.path: change.staged for change in inner.open().status()}
    assert changes == {"global/x.firm": "deleted", "global/y/new.firm": "modified"}


def test_single_files_of_a_commit_are_looked_up(inner: Work) -> None:
    inner.write("global/y.firm", "y\n")
    (inner.root / "global/link.firm").symlink_to("y.firm")
    inner.git("add", "-A")
    inner.git("commit", "-qm", "More")
    repository = inner.open()
    files, tree = repository.files_at(repository.head()), repository.tree_at(repository.head())
    assert dict(files) == tree
    assert {path: files.get(path) for path in (*tree, "global/link.firm", "global", "none")} == {
        **tree,
        "global/link.firm": None,
        "global": None,
        "none": None,
    }
    assert len(files) == len(tree) == 2
    assert dict(repository.files_at(None)) == {}
