"""Trailers and ignore files mean what the `git` program takes them to mean."""

import subprocess
from pathlib import Path

import pytest

from tests.store.conftest import Work
from vault.store.exclusions import Exclusions
from vault.store.git import read_trailers, with_trailers

MESSAGES = [
    "Subject",
    "Subject\n\nBody.",
    "Subject\n\nKey: value",
    "Subject\n\nKey: value\n  folded\nOther:   spaced  ",
    "Subject\n\nBody.\n\nKey: value\nnot a trailer\n",
    "Subject\n\nBody.\n\nSigned-off-by: A <a@x>\nnot a trailer\n",
    "Subject\n\nSigned-off-by: A <a@x>\nx\ny\nz\n",
    "Subject\n\nSigned-off-by: A <a@x>\nw\nx\ny\nz\n",
    "Subject\n\n(cherry picked from commit abc)\nKey: value\n",
    "Key: value",
    "Subject\n\nKey : spaced\nhttp://example.org\n",
    "Subject\n\n  Key: indented\n",
    "Subject\n\nKey:\n",
]


def by_git(message: str, *options: str) -> str:
    words = ["git", "interpret-trailers", *options]
    return subprocess.run(words, input=message, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("message", MESSAGES)
def test_trailers_are_read_as_git_reads_them(message: str) -> None:
    lines = by_git(message, "--parse", "--unfold").splitlines()
    wanted = [(key, value.strip()) for key, _, value in (line.partition(":") for line in lines) if _]
    assert read_trailers(message) == wanted


@pytest.mark.parametrize("message", MESSAGES)
def test_trailers_are_added_where_git_adds_them(message: str) -> None:
    added = with_trailers(message, [("Vault-Op", "set"), ("Vault-Reason", "two\n lines")])
    theirs = by_git(
        f"{message.rstrip()}\n",
        "--trailer=Vault-Op: set",
        "--trailer=Vault-Reason: two lines",
        "--if-exists=add",
    )
    assert added.count("\n\n") == theirs.count("\n\n")
    assert by_git(added, "--parse") == by_git(theirs, "--parse")
    assert read_trailers(added)[-2:] == [("Vault-Op", "set"), ("Vault-Reason", "two lines")]


def test_no_trailers_change_nothing_but_the_end() -> None:
    assert with_trailers("Subject\n\n\n", []) == "Subject\n"


PATTERNS = """\
# a comment
*.log
!keep.log
/anchored
folder/
deep/**/leaf
**/anywhere.txt
tail/**
a?c
[x-z]ed
[!n]ot
[[:digit:]]um
\\#hash
\\!bang
trailing\\ @
mid/dle
star*/inner
tar**/get
[unclosed
foo\\
]bracket
[]]end
**
!*/
!*.firm
!*.log
"""

NAMES = """
x.log keep.log sub/keep.log sub/x.log anchored sub/anchored folder/in.firm sub/folder/in.firm deep/leaf
deep/a/leaf
deep/a/b/leaf anywhere.txt a/anywhere.txt tail/x tail/y/z abc aac a/c xed wed yed not tot 1um aum #hash !bang
trailing mid/dle sub/mid/dle starry/inner star/x/inner [unclosed foo ]bracket ]end plain.firm a/b/plain.firm
größe.firm sub/own.tmp sub/deeper/own.tmp own.tmp sub/back.log tarx/y/get tar/get
"""
PATHS = [*NAMES.split(), "trailing "]


def ignored_by_git(work: Work, paths: list[str]) -> set[str]:
    words = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(words, cwd=work.root, input="\0".join(paths), capture_output=True, text=True, check=False)
    return set(done.stdout.split("\0")) - {""}


@pytest.mark.parametrize("cut", [3, 9, 20, 21, 22, 26])
def test_ignored_agrees_with_git(work: Work, cut: int) -> None:
    lines = PATTERNS.splitlines(keepends=True)
    for path in PATHS:
        file = work.root / path
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
    work.write(".gitignore", "".join(lines[:cut]).replace("@", ""))
    work.write("sub/.gitignore", "*.tmp\n!back.log\n")
    (work.top / ".git/info/exclude").write_text("*.firm\n")
    ignored = Exclusions(work.root)
    assert ignored.applies("")
    assert {path for path in PATHS if ignored.matches(path, is_dir=False)} == ignored_by_git(work, PATHS)


def test_ignored_in_a_subfolder_uses_the_files_above(inner: Work) -> None:
    (inner.top / ".gitignore").write_text("/kb/global/no.firm\n*.tmp\n/global/x.firm\n")
    ignored = Exclusions(inner.root)
    assert ignored.matches("global/no.firm", is_dir=False)
    assert ignored.matches("a.tmp", is_dir=False)
    assert not ignored.matches("global/x.firm", is_dir=False)


def test_ignored_in_a_linked_working_tree_uses_the_shared_exclude(begun: Work, tmp_path: Path) -> None:
    (begun.top / ".git/info/exclude").write_text("*.tmp\n")
    begun.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    assert Exclusions(tmp_path / "side").matches("x.tmp", is_dir=False)


def test_ignored_without_a_repository(tmp_path: Path) -> None:
    assert not Exclusions(tmp_path).applies("")
    (tmp_path / ".gitignore").write_text("\ufeff*.tmp\r\nfolder/\r\n")
    ignored = Exclusions(tmp_path)
    assert ignored.matches("a/x.tmp", is_dir=False)
    assert ignored.matches("folder", is_dir=True)
    assert ignored.matches("folder/x.firm", is_dir=False)
    assert not ignored.matches("folder", is_dir=False)


def test_ignored_beside_a_broken_gitfile(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /no/such/place\n")
    assert not Exclusions(tmp_path).applies("")


def test_a_vault_in_an_ignored_folder_is_read(inner: Work) -> None:
    (inner.top / ".gitignore").write_text("kb/\n")
    assert not Exclusions(inner.root).matches("global/x.firm", is_dir=False)
