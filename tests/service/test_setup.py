"""Making vaults, spaces and schemas; the index; the doctor."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Git, Open, Write
from tests.service.rights import without_rights
from tests.tables import sql
from vault.errors import UsageError
from vault.model.access import BadSpaceName, UnknownSpace
from vault.model.settings import BadSettings
from vault.service.admin import reindex
from vault.service.admin.doctor import Finding, doctor
from vault.service.admin.init import (
    AlreadyAVault,
    InsideVault,
    Outside,
    SchemaExists,
    add_schema,
    add_space,
    has_identity,
    init,
    set_space,
    spaces,
)
from vault.service.read.entry_detail import detail, status
from vault.service.runtime.discovery import NotAFolder, NotAVault, find_layout, space_at
from vault.service.vault import Vault
from vault.service.write import commits, create
from vault.store.files import WriteFailed
from vault.store.git import MissingIdentity
from vault.store.scan import UnreadableFolder
from vault.workspace.snapshot import NotFound


def test_init_adopts_a_repository_and_commits_its_own_files(tmp_path: Path) -> None:
    run = {"cwd": tmp_path, "env": {**os.environ, **ENVIRON}}
    subprocess.run(["git", "init", "-q", "-b", "trunk"], check=True, **run)  # type: ignore[call-overload]
    (tmp_path / "code.py").write_text("1")
    folder = tmp_path / "knowledge"
    (folder / "spaces" / "lab" / "note").mkdir(parents=True)
    made = init(folder, ENVIRON)
    assert not made.made_repository
    listed = subprocess.run(["git", "ls-files"], check=True, **run, capture_output=True, text=True).stdout.split()  # type: ignore[call-overload]
    assert "knowledge/vault.yaml" in listed
    assert "code.py" not in listed
    assert "lab" in find_layout(folder).settings.spaces


def test_init_keeps_schemas_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    own = tmp_path / "schema" / "note.firm"
    own.write_text('schema note { field { name = "text" type = "string" } }\n')
    init(tmp_path, ENVIRON)
    assert "field" in own.read_text()
    assert (tmp_path / "schema" / "actor.firm").exists()


def test_init_refuses_a_second_time_and_a_file(root: Path, tmp_path: Path) -> None:
    with pytest.raises(AlreadyAVault):
        init(root, ENVIRON)
    (tmp_path / "file").touch()
    with pytest.raises(NotAFolder):
        init(tmp_path / "file", ENVIRON)
    with pytest.raises(BadSpaceName):
        init(tmp_path / "other", ENVIRON, space={"No Good": False})
    assert not (tmp_path / "other").exists()


def test_init_refuses_inside_a_vault(root: Path) -> None:
    with pytest.raises(InsideVault, match="lies in the vault"):
        init(root / "global" / "deep", ENVIRON)
    assert not (root / "global").exists()


def test_init_gives_a_vault_its_repository_back(root: Path, git: Git) -> None:
    shutil.rmtree(root / ".git")
    (root / "vault.yaml").write_text("# mine\nspaces: {lab: }\n")
    (root / "schema" / "output.firm").unlink()
    with pytest.raises(AlreadyAVault):
        init(root, ENVIRON, space={"more": False})
    with pytest.raises(MissingIdentity):
        init(root, {})
    assert not (root / ".git").exists()
    made = init(root, ENVIRON)
    assert (made.made_repository, made.adopted) == (True, True)
    assert (root / "vault.yaml").read_text() == "# mine\nspaces: {lab: }\n"
    assert git("ls-files").split() == [
        "schema/actor.firm",
        "schema/fact.firm",
        "schema/note.firm",
        "schema/thing.firm",
        "vault.yaml",
    ]
    assert git("status", "--porcelain") == ""


def test_init_counts_the_entries_that_stay_outside(tmp_path: Path) -> None:
    for path in ("people/a.firm", "global/note/n.firm", "schema/extra.firm", ".git_not/b.firm"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("actor a {\n}\nactor b {\n}\n")
    (tmp_path / "top.firm").write_text("schema s {\n}\n")
    made = init(tmp_path, ENVIRON)
    assert made.outside == Outside(4, (".git_not/b.firm", "people/a.firm"))


def test_init_without_an_identity_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(MissingIdentity):
        init(tmp_path / "new", {})
    assert not (tmp_path / "new").exists()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").touch()
    with pytest.raises(MissingIdentity):
        init(kept, {})
    assert [place.name for place in kept.iterdir()] == ["mine.txt"]
    assert not has_identity({})
    assert has_identity(ENVIRON)


def test_init_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteFailed):
        init(tmp_path / "file" / "vault", ENVIRON)


def test_opening_finds_the_vault_above_and_its_space(root: Path) -> None:
    inside = root / "spaces" / "work" / "note"
    inside.mkdir(parents=True)
    with Vault.open(inside) as vault:
        assert vault.root == root
        assert vault.reader.space == "work"
    with Vault.open(inside, outside=True) as vault:
        assert vault.reader.space is None
    assert space_at(find_layout(root), root.parent) is None
    with pytest.raises(UnknownSpace):
        Vault.open(root, space="nowhere")


def test_opening_elsewhere_says_what_to_do(tmp_path: Path, root: Path) -> None:
    with pytest.raises(NotAVault) as caught:
        Vault.open(tmp_path)
    assert "vault init" in caught.value.hint
    with pytest.raises(NotAFolder):
        Vault.open(tmp_path / "nowhere")
    (root / "vault.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadSettings):
        Vault.open(root)


def test_spaces_are_declared_changed_and_listed(vault: Vault, open_vault: Open, root: Path) -> None:
    (root / "vault.yaml").write_text("# Our rooms\n\nversion: 1\nspaces:\n  work: {}\n")
    with Vault.open(root) as fresh:
        add_space(fresh, "lab", private=False, description="Experiments")
        set_space(fresh, "work", private=True, description=None)
        assert (root / "vault.yaml").read_text() == (
            "# Our rooms\n\nversion: 1\nspaces:\n  work: {private: true}\n  lab:\n    description: Experiments\n"
        )
        assert [(info.space.name, info.space.private) for info in spaces(fresh)] == [("lab", False)]
        with pytest.raises(UsageError, match="declared already"):
            add_space(fresh, "lab", private=False)
        with pytest.raises(UnknownSpace):
            set_space(fresh, "nowhere", private=True, description=None)
        with pytest.raises(BadSpaceName):
            add_space(fresh, "global", private=False)
    with Vault.open(root, space="work") as inside:
        assert [info.space.name for info in spaces(inside)] == ["lab", "work"]


def test_a_workspace_has_no_spaces(tmp_path: Path) -> None:
    (tmp_path / "a.firm").write_text("")
    with Vault.open(tmp_path) as vault, pytest.raises(UsageError, match="no spaces"):
        add_space(vault, "lab", private=False)


def test_a_schema_is_written_once(vault: Vault) -> None:
    assert add_schema(vault, "recipe", [], closed=True, description="Food") == "schema/recipe.firm"
    with pytest.raises(SchemaExists):
        add_schema(vault, "recipe", [], closed=False, description="")
    for name in ("1x", "con", "schema"):
        with pytest.raises(UsageError) as caught:
            add_schema(vault, name, [], closed=False, description="")
        assert caught.value.hint
    vault.refresh()
    assert vault.schemas()["recipe"].closed


def test_a_changed_schema_judges_all_entries_anew(vault: Vault, write: Write) -> None:
    write("global/note/n.firm", 'note n { text = "x" }\n')
    assert vault.check() == []
    write("schema/note.firm", 'schema note { field { name = "text" type = "integer" } }\n')
    assert [item.code for item in vault.check()] == ["wrong-type"]
    (vault.root / "schema" / "note.firm").unlink()
    assert [item.code for item in vault.check()] == ["unknown-type"]


def test_the_index_equals_a_rebuild_and_says_when_it_does_not(vault: Vault, write: Write) -> None:
    for number in range(3):
        write(f"global/note/n{number}.firm", f'note n{number} {{ text = "{number}" }}\n')
    state = reindex.index(vault)
    assert (state.entries, state.passages) == (3, 3)
    assert reindex.differences(vault) == []
    sql(vault.catalog, "UPDATE entries SET name = 'other' WHERE ident = 'n1'")
    sql(vault.catalog, "INSERT INTO passages VALUES (1, 99, 'x', '', 'x', '[1]', x'', 0)")
    assert len(reindex.differences(vault)) >= 2
    reindex.index(vault, rebuild=True)
    assert reindex.differences(vault) == []


def test_an_unreadable_folder_stops_and_nothing_is_taken_for_deleted(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/n.firm", 'note n { text = "x" }\n')
    vault.snapshot()
    vault.close()
    with without_rights(root):
        (root / "global").chmod(0)
        with Vault.open(root) as opened, pytest.raises(UnreadableFolder, match="the folder global cannot be read"):
            opened.snapshot()
        (root / "global").chmod(0o755)
        with Vault.open(root) as opened:
            assert opened.snapshot().count() == 1


def test_an_unreadable_file_keeps_its_entries_and_is_reported(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/n.firm", 'note n { text = "x" }\n')
    vault.snapshot()
    vault.close()
    with without_rights(root):
        (root / "global/note/n.firm").chmod(0)
        with Vault.open(root) as opened:
            assert (opened.snapshot().count(), [item.code for item in opened.check()]) == (1, ["unreadable"])
            with pytest.raises(reindex.CannotRebuild) as raised:
                reindex.index(opened, rebuild=True)
            assert raised.value.code == "unreadable"
            assert opened.snapshot().count() == 1


def states(found: list[Finding]) -> dict[str, str]:
    return {item.name: item.state for item in found}


def test_the_doctor_finds_a_healthy_vault_well(root: Path) -> None:
    found = doctor(root, {**ENVIRON, "EDITOR": "nano"})
    assert set(states(found).values()) == {"ok"}


def test_the_doctor_names_what_is_wrong_and_the_next_step(root: Path, write: Write) -> None:
    write("global/note/n.firm", "note n { text = 5 }\n")
    (root / ".git" / "index.lock").touch()
    found = doctor(root, {})
    seen = states(found)
    assert seen["git identity"] == "error"
    assert seen["git index"] == "error"
    assert seen["check"] == "error"
    assert seen["editor"] == "warning"
    assert all(item.next for item in found if item.state != "ok")


def test_the_doctor_looks_outside_vaults_too(tmp_path: Path, root: Path) -> None:
    assert states(doctor(tmp_path, {}))["vault"] == "error"
    (root / ".git").rename(tmp_path / "away")
    assert states(doctor(root, {}))["git repository"] == "warning"


def test_status_and_detail(vault: Vault, open_vault: Open, write: Write) -> None:
    create.add(vault, "actor", "a", {"name": "A"})
    write("global/note/n.firm", "note n { relates_to = [actor.a, actor.gone] }\n")
    write("spaces/diary/note/d.firm", "note d { text = 5 }\n")
    seen = status(vault)
    assert (seen.entries, seen.errors, seen.warnings) == (2, 0, 1)
    assert [change.path for change in seen.changes] == ["global/actor/a.firm", "global/note/n.firm"]
    assert status(open_vault("diary")).errors == 1
    shown = detail(vault, "a")
    assert [(name, other.entry.key) for name, other in shown.referrers] == [("relates_to", "note.n")]
    assert shown.commit == "worktree"


def test_status_and_doctor_live_with_an_index_they_cannot_read(vault: Vault, root: Path, git: Git) -> None:
    git("update-index", "--split-index")
    seen = status(vault)
    assert "--no-split-index" in seen.unseen
    assert (seen.changes, seen.branch) == ([], "main")
    assert states(doctor(root, ENVIRON))["changes"] == "warning"


def test_the_log_follows_an_entry_and_leaves_its_neighbours_out(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/two.firm", 'note a { text = "1" }\nnote b { text = "1" }\n')
    commits.commit(vault, message="both")
    write("global/note/two.firm", 'note a { text = "1" }\nnote b { text = "2" }\n')
    commits.commit(vault, message="only b")
    write("global/note/two.firm", 'note b { text = "2" }\n')
    write("global/note/a.firm", 'note a { text = "1" }\n')
    commits.commit(vault, message="apart")
    assert [record.subject for record in vault.log("note.a", limit=None)] == ["apart", "both"]
    git("mv", "global/note/a.firm", "global/moved.firm")
    git("commit", "-q", "-m", "moved")
    assert [record.subject for record in vault.log("note.a", limit=None)] == ["moved", "apart", "both"]


def test_the_log_of_an_entry_and_of_one_that_is_gone(vault: Vault, git: Git) -> None:
    create.add(vault, "note", "a", {"text": "x"})
    commits.commit(vault)
    create.add(vault, "note", "b", {"text": "y"})
    commits.commit(vault)
    git("rm", "-q", "global/note/a.firm")
    git("commit", "-q", "-m", "by hand")
    assert [record.subject for record in vault.log("note.a", limit=None)] == ["by hand", "add note.a"]
    assert [record.subject for record in vault.log("a", limit=1)] == ["by hand"]
    assert len(vault.log(None, limit=None)) == 4
    with pytest.raises(NotFound):
        vault.log("never", limit=None)
    create.add(vault, "note", "c", {"text": "z"})
    assert vault.log("note.c", limit=None) == []


def test_a_link_is_left_out_and_reported(vault: Vault, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.firm").write_text('note o { text = "x" }\n')
    (root / "global").mkdir()
    (root / "global" / "o.firm").symlink_to(tmp_path / "outside.firm")
    (root / "global" / "folder").symlink_to(tmp_path)
    assert vault.snapshot().count() == 0
    assert [item.code for item in vault.check()] == ["outside-link", "outside-link"]


def test_ignored_files_are_no_entries(vault: Vault, write: Write) -> None:
    write("global/.gitignore", "draft*\n")
    write("global/note/draft_a.firm", 'note draft_a { text = "x" }\n')
    write("global/note/a.firm", 'note a { text = "x" }\n')
    assert [stored.entry.key for stored in vault.entries()] == ["note.a"]
