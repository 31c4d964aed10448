"""What commands around findings show, and to whom."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def write(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_fmt_names_no_private_file_from_outside(run: Run, root: Path) -> None:
    write(root, "global/note/plan.firm", "note plan {\n}\n")
    before = run("fmt", "--check", "--firm-compatible", "--json")
    write(root, "spaces/diary/note/plan.firm", "note plan {\n}\n")
    assert run("fmt", "--check", "--firm-compatible", "--json") == before
    inside = run("--space", "diary", "fmt", "--check", "--firm-compatible", "--json")
    assert [item["code"] for item in inside.json()["problems"]] == ["firm-incompatible"]


def test_a_severity_of_the_vault_decides_over_fmt_too(run: Run, root: Path) -> None:
    write(root, "global/note/n.firm", "note n {\n    a = -1\n}\n")
    assert run("fmt", "--check", "--firm-compatible").code == 1
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "check: {firm-incompatible: info}\n")
    assert run("fmt", "--check", "--firm-compatible").code == 0


def test_explain_shows_the_severity_of_the_vault(run: Run, root: Path) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "check: {bad-enum: off}\n")
    assert run("explain", "bad-enum").out.startswith("bad-enum: off in this vault\n")
    assert run("explain", "bad-enum", "--json").json()["default"] == "error"
    settings.write_text("check: what\n")
    ended = run("explain", "bad-enum")
    assert ended.out.startswith("bad-enum: error by default\n")
    assert "vault.yaml:1" in ended.err


def test_explain_works_outside_a_vault(run: Run, tmp_path: Path) -> None:
    assert run("-C", str(tmp_path), "explain", "bad-enum").code == 0


def test_get_shows_the_value_of_a_field(run: Run, root: Path) -> None:
    write(root, "global/note/n.firm", 'note n {\n    name = "N"\n    agent = note.n.name\n    uses = note.n\n}\n')
    assert run("get", "note.n.agent").out == "N\n"
    assert run("get", "note.n.uses", "--json").json()["value"] == "note.n"
    assert run("get", "note.n.none", "--json").json()["error"]["code"] == "no-such-field"
    assert run("get", "note.m.name", "--json").json()["error"]["code"] == "not-found"
    assert run("get", "note.n.name", "--raw").code == 2


def test_check_fix_says_what_it_did_and_what_it_left(run: Run, root: Path) -> None:
    write(root, "global/note/n.firm", 'note n {\n    tags = "t"\n}\n')
    write(root, "spaces/diary/note/d.firm", 'note d {\n    tags = "t"\n}\n')
    ended = run("check", "--fix", "--commit", "global", "--json")
    assert [one["message"] for one in ended.json()["fixed"]] == ["wrote `tags` of `note.n` as list"]
    assert ended.json()["commit"]
    ended = run("check", "--fix", "--format", "line")
    assert "1 file of private spaces left unchanged" in ended.err
    write(root, "global/note/o.firm", 'note p {\n    tags = "t"\n}\n')
    ended = run("check", "--fix", "-m", "Mend", "global/note/o.firm")
    assert "moved `note.p` to global/note/p.firm" in ended.out
    assert ": Mend" in ended.out


@pytest.mark.parametrize(
    "words",
    [
        ["--staged", "global"],
        ["--from", "HEAD", "--staged"],
        ["--to", "HEAD"],
        ["--fix", "--from", "HEAD"],
        ["--commit"],
    ],
)
def test_check_refuses_what_does_not_go_together(run: Run, words: list[str]) -> None:
    assert run("check", *words).code == 2


@pytest.mark.usefixtures("root")
def test_annotations_name_files_from_the_top_of_the_repository(run: Run, tmp_path: Path) -> None:
    inner = tmp_path / "larger" / "kb"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(inner.parent)], check=True)
    assert run("init", str(inner)).code == 0
    write(inner, "global/note/n.firm", "note n { tags = 1 }\n")
    assert "file=kb/global/note/n.firm," in run("-C", str(inner), "check", "--format", "github").out


def test_findings_name_files_from_where_the_person_stands(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "global/note/n.firm", "note n { tags = 1 }\n")
    monkeypatch.chdir(root / "global")
    assert run("check", "--format", "line").out.startswith("note/n.firm:1:10: error[wrong-type]")
    monkeypatch.chdir(root.parent)
    assert run("-C", "vault", "check").out.splitlines()[1] == "  --> vault/global/note/n.firm:1:10, in note.n"


def test_rm_says_what_it_leaves_dangling(run: Run, root: Path) -> None:
    write(root, "global/note/a.firm", "note a { uses = note.b }\n")
    write(root, "global/note/b.firm", "note b { uses = note.b }\n")
    assert "`uses` names `note.b`, which does not exist any more" in run("rm", "b", "--yes").err


def test_query_says_of_a_field_nobody_has(run: Run, root: Path) -> None:
    write(root, "global/note/a.firm", "note a { own = 1 }\n")
    assert run("query", "from note | where txet == 1 | order own").err.splitlines()[0] == (
        "no entry has a field `txet`; did you mean `text`?"
    )
    assert (
        run("query", "from note | order zzzz | select @id, name").err.splitlines()[0] == "no entry has a field `zzzz`"
    )
    assert "no entry has" not in run("query", "from note | count own").err


def test_an_empty_list_is_set_by_nothing(run: Run, root: Path) -> None:
    write(root, "global/note/a.firm", 'note a { tags = ["x"] }\n')
    assert run("set", "a", "tags=").code == 0
    assert (root / "global/note/a.firm").read_text() == "note a { tags = [] }\n"


def test_a_diff_is_one_that_git_applies(run: Run, root: Path) -> None:
    write(root, "global/note/a.firm", 'note a { tags = ["x"]\r\n}')
    patch = run("fmt", "--diff", "--json").json()["diff"][0]
    ended = subprocess.run(["git", "apply", "-"], cwd=root, input=patch.encode(), check=False)
    assert ended.returncode == 0
    assert run("fmt", "--check").code == 0


def test_a_commit_of_the_layout_alone_is_offered_to_git_blame(run: Run, root: Path) -> None:
    write(root, "global/note/plan.firm", 'note plan { text = "x" }\n')
    ended = run("fmt", "--commit")
    assert ended.code == 0
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert f"next: echo {head.strip()} >> .git-blame-ignore-revs" in ended.err
