"""What differs, and what git stores of a file, as the `git` program says it."""

import os
from pathlib import Path

import pytest

from tests.store.conftest import Work
from vault.store.exclusions import Exclusions
from vault.store.git import Change, ConversionUnavailable, blob_id
from vault.store.scan import scan

A, B = "global/a.firm", "global/b.firm"


def seen_by_git(work: Work) -> list[tuple[str, str]]:
    lines = work.git(
        "-c", "core.quotePath=false", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"
    )
    return sorted((line[3:], line[:2]) for line in lines.split("\0") if line)


def seen_by_us(work: Work) -> list[tuple[str, str]]:
    letters = {None: " ", "added": "A", "modified": "M", "deleted": "D", "untracked": "?"}
    return [
        (
            change.path,
            "??" if change.unstaged == "untracked" else letters[change.staged] + letters[change.unstaged],
        )
        for change in work.open().status()
    ]


def test_status_of_everything_at_once(begun: Work) -> None:
    for name in ("staged", "both", "gone", "removed", "mode", "kind", "hidden", "assumed"):
        begun.write(f"global/{name}.firm", f"{name}\n")
    begun.git("add", ".")
    begun.git("commit", "--quiet", "--message=More")
    begun.write("global/staged.firm", "2\n")
    begun.write("global/both.firm", "2\n")
    begun.write("global/fresh.firm", "2\n")
    begun.git("add", ".")
    begun.write("global/both.firm", "3\n")
    begun.write(A, "A\n")
    (begun.root / "global/gone.firm").unlink()
    begun.git("rm", "--quiet", "global/removed.firm")
    (begun.root / "global/mode.firm").chmod(0o755)
    begun.git("update-index", "--skip-worktree", "global/hidden.firm")
    begun.git("update-index", "--assume-unchanged", "global/assumed.firm")
    (begun.root / "global/hidden.firm").unlink()
    begun.write("global/assumed.firm", "other\n")
    begun.write("loose/ü.firm", "x\n")
    begun.write("skipped.tmp", "x\n")
    begun.write(".gitignore", "*.tmp\n")
    begun.write(".vault/.gitignore", "*\n")
    ours = seen_by_us(begun)
    assert ours == [(path, "M " + "" if kind == "T " else kind.replace("T", "M")) for path, kind in seen_by_git(begun)]
    assert ("global/both.firm", "MM") in ours


def test_status_of_an_unborn_branch(work: Work) -> None:
    work.write(A, "a\n")
    work.write(B, "b\n")
    work.git("add", A)
    assert work.open().status() == [Change(A, "added", None), Change(B, None, "untracked")]


def test_status_of_a_name_announced_only(begun: Work) -> None:
    begun.write("global/later.firm", "x\n")
    begun.git("add", "--intent-to-add", "global/later.firm")
    assert begun.open().status() == [Change("global/later.firm", None, "untracked")]


def test_status_of_a_folder_that_became_a_link(begun: Work) -> None:
    (begun.root / "global").rename(begun.root / "real")
    (begun.root / "global").symlink_to("real")
    assert seen_by_us(begun) == [change for change in seen_by_git(begun) if change[0] != "global"]


def test_status_leaves_out_what_the_vault_never_commits(begun: Work, tmp_path: Path) -> None:
    begun.git("init", "--quiet", "global/sub")
    sub = Work(begun.root / "global/sub", begun.root / "global/sub")
    sub.commit({"x.firm": b"x\n"})
    (begun.root / "global/link.firm").symlink_to("a.firm")
    (begun.root / os.fsdecode(b"global/\xff.firm")).write_text("x")
    assert begun.open().status() == []
    begun.git("-c", "advice.addEmbeddedRepo=false", "add", ".")
    repo = begun.open()
    assert (repo.status(), repo.staged_contents()) == ([], {})
    assert repo.index_tree() == repo.tree_at(repo.head())
    begun.git("commit", "--quiet", "--message=All")
    assert begun.open().tree_at(begun.open().head()) == repo.index_tree()


def test_status_in_a_linked_working_tree(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    assert Work(tmp_path / "other", tmp_path / "other").open().status() == []


def test_the_persons_own_ignore_file_is_where_git_looks(begun: Work) -> None:
    begun.write(".vault/git/ignore", "*.own\n")
    begun.write("global/x.own", "x\n")
    exclusions = Exclusions(begun.root, environ={"XDG_CONFIG_HOME": str(begun.root / ".vault")})
    assert begun.open().status(scan(begun.root, [""], exclusions)) == []


def test_status_leaves_other_repositories_out(begun: Work) -> None:
    begun.git("init", "--quiet", "nested")
    (begun.root / "nested" / "x.firm").write_text("x\n")
    assert begun.open().status() == []


def test_status_reads_what_a_copy_made_doubtful(begun: Work) -> None:
    for file in (begun.root / "global").iterdir():
        os.utime(file, (1, 1))
    assert begun.open().status() == []


def test_status_ignores_modes_where_git_is_told_to(begun: Work) -> None:
    begun.git("config", "core.fileMode", "false")
    (begun.root / A).chmod(0o755)
    assert begun.open().status() == []


def test_status_uses_the_person_s_own_ignore_file(begun: Work, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("*.mine\n")
    begun.git("config", "--global", "core.excludesFile", str(tmp_path / "mine"))
    begun.write("global/x.mine", "x\n")
    assert begun.open().status() == []


@pytest.mark.parametrize(
    ("settings", "attributes"),
    [
        ({"core.autocrlf": "true"}, ""),
        ({"core.autocrlf": "input"}, ""),
        ({}, "* text\n"),
        ({}, "* text=auto\n"),
        ({}, "*.firm text eol=crlf\n"),
        ({"core.eol": "crlf"}, "* text=auto\n"),
        ({"core.autocrlf": "true"}, "*.firm -text\n"),
        ({"core.autocrlf": "true"}, "*.firm binary\n"),
        ({}, "*.firm crlf\n"),
        ({}, "*.firm ident\n"),
        ({}, ""),
    ],
)
def test_line_endings_are_stored_as_git_stores_them(begun: Work, settings: dict[str, str], attributes: str) -> None:
    stored_crlf = "global/stored_crlf.firm"
    begun.write(stored_crlf, b"one\r\n")
    begun.git("add", ".")
    begun.git("commit", "--quiet", "--message=CRLF")
    for name, value in settings.items():
        begun.git("config", name, value)
    begun.write(".gitattributes", attributes)
    samples = {
        A: b"one\r\ntwo\r\n",
        B: b"one\r\nlone \r here\r\n",
        stored_crlf: b"one\r\ntwo\r\n",
        "global/nul.firm": b"a\0b\r\n",
        "global/odd.firm": b"\x01\x02\x03\r\n",
        "global/id.firm": b"$Id: abc $\r\n",
    }
    begun.commit(samples)
    ours = begun.git("ls-tree", "-r", "HEAD", "global")
    assert begun.porcelain() == ("?? .gitattributes\n")
    begun.git("rm", "-r", "--quiet", "--cached", "global")
    begun.git("reset", "--quiet", "HEAD~1")
    begun.git("add", "global")
    assert begun.git("ls-files", "--stage", "global") == ours.replace(" blob ", " ").replace("\t", " 0\t")
    assert seen_by_us(begun) == seen_by_git(begun)


def test_a_file_checked_out_with_crlf_is_clean(begun: Work) -> None:
    begun.git("config", "core.autocrlf", "true")
    for path in (A, B):
        (begun.root / path).unlink()
    begun.git("checkout", "--quiet", ".")
    assert (begun.root / A).read_bytes() == b"a\r\n"
    os.utime(begun.root / A, (1, 1))
    assert begun.open().status() == []


def test_a_clean_filter_is_run(begun: Work) -> None:
    begun.write(".gitattributes", "*.firm filter=up\n")
    begun.git("config", "filter.up.clean", "tr a-z A-Z # %f")
    begun.commit({A: b"shout\n"})
    assert begun.git("show", f"HEAD:{A}") == "SHOUT\n"
    assert (begun.root / A).read_bytes() == b"shout\n"


def test_a_filter_that_fails_and_is_not_required_is_passed_over(begun: Work) -> None:
    begun.write(".gitattributes", "*.firm filter=up\n")
    begun.git("config", "filter.up.clean", "false")
    begun.commit({A: b"plain\n"})
    assert begun.git("show", f"HEAD:{A}") == "plain\n"


@pytest.mark.parametrize("how", ["missing", "failing", "process", "encoding"])
def test_a_conversion_that_cannot_be_made_is_refused(begun: Work, how: str) -> None:
    attribute = "working-tree-encoding=UTF-16" if how == "encoding" else "filter=up"
    begun.write(".gitattributes", f"*.firm {attribute}\n")
    if how == "process":
        begun.git("config", "filter.up.process", "server")
    else:
        begun.git("config", "filter.up.required", "true")
    if how == "failing":
        begun.git("config", "filter.up.clean", "false")
    with pytest.raises(ConversionUnavailable, match=A):
        begun.commit({A: b"plain\n"})
    assert begun.git("rev-list", "--count", "HEAD") == "1\n"
    assert (begun.root / A).read_bytes() == b"a\n"


def test_attributes_of_a_person_apply(begun: Work, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("*.firm text\n")
    begun.git("config", "--global", "core.attributesFile", str(tmp_path / "mine"))
    begun.commit({A: b"x\r\n"})
    assert begun.git("show", f"HEAD:{A}") == "x\n"
    assert begun.open().read_blob(blob_id(b"x\n")) == b"x\n"


def test_shared_attributes_apply_in_a_linked_working_tree(begun: Work, tmp_path: Path) -> None:
    begun.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    (begun.top / ".git/info/attributes").write_text("*.firm text\n")
    side = Work(tmp_path / "side", tmp_path / "side")
    side.commit({A: b"x\r\n"})
    assert side.open().read_blob(blob_id(b"x\n")) == b"x\n"
    assert side.porcelain() == ""
