"""Judging what git holds, and what plain Firm would not read."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from vault.diagnostics import Diagnostic
from vault.service.runtime.validation import check_files, check_range, check_staged
from vault.service.vault import Vault
from vault.service.write.commits import HasErrors, commit
from vault.store.git.repo import UnknownRevision

BAD = "note {0} {{ text = 5 }}\n"


def test_a_range_judges_what_changed_as_its_end_holds_it(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/old.firm", BAD.format("old"))
    git("add", ".")
    git("commit", "-qm", "one")
    write("global/note/new.firm", BAD.format("new"))
    write("README", "not the vault's")
    git("add", ".")
    git("commit", "-qm", "two")
    write("global/note/new.firm", "note new { }\n")
    judged = check_range(vault, "HEAD~1", "HEAD")
    assert [item.span.path for item in judged.found] == ["global/note/new.firm"]
    assert judged.excerpt("global/note/new.firm", 1) == "note new { text = 5 }"
    assert (judged.files, check_range(vault, "HEAD", "HEAD~1").files) == (1, 0)
    assert check_range(vault, "HEAD", "HEAD").found == []
    with pytest.raises(UnknownRevision):
        check_range(vault, "nowhere", "HEAD")


def test_a_range_leaves_out_what_the_other_side_did(vault: Vault, write: Write, git: Git) -> None:
    git("commit", "--allow-empty", "-qm", "fork")
    git("switch", "-qc", "topic")
    write("global/note/mine.firm", BAD.format("mine"))
    git("add", ".")
    git("commit", "-qm", "mine")
    git("switch", "-q", "main")
    write("global/note/theirs.firm", BAD.format("theirs"))
    git("add", ".")
    git("commit", "-qm", "theirs")
    assert [item.subject for item in check_range(vault, "main", "topic").found] == ["note.mine"]
    git("switch", "-q", "--orphan", "alone")
    git("commit", "--allow-empty", "-qm", "alone")
    assert check_range(vault, "alone", "main").files > 1


def test_a_schema_that_changed_judges_the_files_that_did_not(vault: Vault, write: Write, git: Git, root: Path) -> None:
    write("global/note/n.firm", "note n { rating = 5 }\n")
    git("add", ".")
    git("commit", "-qm", "one")
    schema = root / "schema/note.firm"
    schema.write_text(schema.read_text().replace("{\n", '{\n    field { name = "rating" type = "string" }\n', 1))
    git("add", ".")
    git("commit", "-qm", "two")
    assert [item.span.path for item in check_range(vault, "HEAD~1", "HEAD").found] == ["global/note/n.firm"]
    assert check_range(vault, "HEAD", "HEAD").found == []


def test_firm_compatible_is_asked_for(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/n1.firm", "note n1 { a = -1 }\n")
    assert vault.check() == []
    assert [item.code for item in check_files(vault, firm_compatible=True).found] == ["firm-incompatible"]
    assert check_files(vault, ["vault.yaml"], firm_compatible=True).found == []
    git("add", ".")
    assert [item.code for item in check_staged(vault, firm_compatible=True).found] == ["firm-incompatible"]
    assert check_staged(vault).found == []


def test_severities_of_a_vault_count_for_firm_too(vault: Vault, write: Write, root: Path, open_vault: Open) -> None:
    write("global/note/n1.firm", "note n1 { a = -1 }\n")
    write("global/note/n_1.firm", "note n_1 { }\n")
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "check: {firm-incompatible: info}\n")
    found = check_files(open_vault(), firm_compatible=True).found
    assert {item.severity for item in found} == {"info"}
    assert len(found) == 2


REQUIRED = '    field { name = "needed" type = "string" required = true }\n'


@pytest.fixture
def settled(write: Write, git: Git) -> None:
    """Two notes and a sidecar are committed, one of the notes with an error."""
    write("global/note/good.firm", 'note good { text_file = path"./good.md" }\n')
    write("global/note/good.md", "Text\n")
    write("global/note/near.firm", 'note near { txet = "x" }\n')
    write("global/note/wrong.firm", BAD.format("wrong"))
    git("add", ".")
    git("commit", "-qm", "settled")


def told(found: Sequence[Diagnostic]) -> list[tuple[str, str]]:
    return sorted((item.code, item.span.path) for item in found if item.severity == "error")


@pytest.mark.usefixtures("settled")
def test_what_a_schema_makes_wrong_elsewhere_is_judged(vault: Vault, root: Path, git: Git) -> None:
    schema = root / "schema/note.firm"
    schema.write_text(schema.read_text().replace("{\n", f"{{\n{REQUIRED}", 1))
    git("add", ".")
    wrong = [("missing-field", f"global/note/{name}.firm") for name in ("good", "near", "wrong")]
    assert told(check_staged(vault).found) == wrong
    with pytest.raises(HasErrors, match="3 errors"):
        commit(vault)
    schema.unlink()
    git("add", ".")
    assert {code for code, _ in told(check_staged(vault).found)} == {"unknown-type"}


@pytest.mark.usefixtures("settled")
def test_what_the_settings_make_wrong_elsewhere_is_judged(vault: Vault, root: Path, git: Git, open_vault: Open) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "check: {unknown-field: error}\n")
    git("add", ".")
    assert told(check_staged(vault).found) == [("unknown-field", "global/note/near.firm")]
    with pytest.raises(HasErrors, match="1 error"):
        commit(open_vault())


@pytest.mark.usefixtures("settled")
def test_a_sidecar_that_goes_is_missed_by_its_entry(vault: Vault, root: Path, git: Git) -> None:
    (root / "global/note/good.md").unlink()
    git("add", ".")
    assert told(check_staged(vault).found) == [("sidecar", "global/note/good.firm")]
    with pytest.raises(HasErrors, match="1 error"):
        commit(vault)


@pytest.mark.usefixtures("settled")
def test_bad_settings_can_be_corrected(root: Path, git: Git, open_vault: Open) -> None:
    settings = root / "vault.yaml"
    good = settings.read_text()
    settings.write_text("version: many\n")
    git("commit", "-qam", "break")
    settings.write_text(good)
    git("add", ".")
    assert told(check_staged(open_vault()).found) == [("wrong-type", "global/note/wrong.firm")]


def test_a_schema_among_entries_decides_in_a_workspace(root: Path, git: Git) -> None:
    for path in root.glob("[!.]*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (root / "all.firm").write_text("schema t { }\nt a { n = 1 }\n")
    (root / "b.firm").write_text("t b { n = 1 }\n")
    git("add", ".")
    git("commit", "-qm", "one")
    (root / "all.firm").write_text('schema t { field { name = "n" type = "string" } }\n')
    git("add", ".")
    with Vault.open(root) as vault:
        assert told(check_staged(vault).found) == [("wrong-type", "b.firm")]


@pytest.fixture
def strict(root: Path, write: Write, git: Git) -> None:
    """A vault in which nothing may dangle: `note a` names `note b`."""
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "check: {dangling-reference: error}\n")
    write("global/note/a.firm", "note a { uses = [note.b] }\n")
    write("global/note/b.firm", "note b { }\n")
    git("add", ".")
    git("commit", "-qm", "strict")


@pytest.mark.usefixtures("strict")
def test_what_a_removal_leaves_dangling_is_judged(open_vault: Open, git: Git) -> None:
    git("rm", "-q", "global/note/b.firm")
    vault = open_vault()
    assert told(check_staged(vault).found) == [("dangling-reference", "global/note/a.firm")]
    with pytest.raises(HasErrors, match="1 error"):
        commit(vault)
    git("commit", "-qm", "gone")
    assert told(check_range(vault, "HEAD~1", "HEAD").found) == [("dangling-reference", "global/note/a.firm")]
    assert told(check_range(vault, "0" * 40, "HEAD").found) == [("dangling-reference", "global/note/a.firm")]


@pytest.mark.usefixtures("strict")
def test_an_entry_that_moves_leaves_nothing_dangling(open_vault: Open, git: Git) -> None:
    git("mv", "global/note/b.firm", "global/b.firm")
    assert told(check_staged(open_vault()).found) == []


def test_a_merge_that_is_not_settled_is_told(vault: Vault, write: Write, git: Git) -> None:
    for branch, text in (("main", "one"), ("topic", "two"), ("main", "three")):
        git("switch", "-q", "-C" if branch == "topic" else "main", *(["topic"] if branch == "topic" else []))
        write("global/note/n.firm", f'note n {{ text = "{text}" }}\n')
        git("add", ".")
        git("commit", "-qm", text)
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "topic")
    assert ("conflict-marker", "global/note/n.firm") in told(check_staged(vault).found)


def test_a_conflict_in_a_sidecar_is_found(vault: Vault, write: Write) -> None:
    write("global/note/n.firm", 'note n { text_file = path"n.md" }\n')
    write("global/note/n.md", "a\n<<<<<<< one\nb\n=======\nc\n>>>>>>> two\n")
    (found,) = vault.check()
    assert (found.code, found.span.path, found.span.line) == ("conflict-marker", "global/note/n.md", 2)
