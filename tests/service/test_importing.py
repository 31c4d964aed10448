"""Importing a folder: what is written, what a second import changes, what is refused."""

import shutil
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open
from vault.errors import UsageError
from vault.model.values import PathValue, Reference
from vault.service.admin import reindex
from vault.service.admin.import_folder import import_folder
from vault.service.admin.import_sources import InsideVault, LabelTaken
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.discovery import NotAFolder
from vault.service.vault import Vault
from vault.service.write import commits, create, update
from vault.service.write.new_entry import PathTaken
from vault.service.write.result import Refused
from vault.store.files import Unreadable
from vault.store.git import HookRefused

NOTES = {
    "Kyoto.md": "---\naliases: [京都]\ntags: travel\nrating: 7\n---\n\n"
    "# Kyoto\n\nSee [[Gion|the quarter]] and [[Nowhere]]. #japan\n\n",
    "sub/Gion.md": 'In [Kyoto](../Kyoto.md).\r\nIt has """quotes""".\n',
    "東京.md": "The other capital",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for path, text in NOTES.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return folder


def test_import_writes_entries_links_and_sidecars(vault: Vault, notes: Path, root: Path, git: Git) -> None:
    result = import_folder(vault, notes)
    assert len(result.added) == 3
    assert (result.links.total, result.links.resolved) == (3, 2)
    assert [link.target for link in result.links.unresolved] == ["Nowhere"]
    kyoto = vault.get("京都").entry
    assert kyoto.key == "note.kyoto"
    assert kyoto.fields["rating"] == 7
    assert kyoto.texts("tags") == ["travel", "japan"]
    assert [reference.key for _, reference in kyoto.references()] == ["note.gion"]
    assert vault.get("東京").entry.key == "note.dongjing"
    assert (root / "global/note/gion.md").read_bytes() == b'In [Kyoto](../Kyoto.md).\r\nIt has """quotes""".\n'
    assert vault.check() == []
    commits.commit(vault)
    assert git("status", "--porcelain") == ""


def test_no_text_is_altered_but_outer_blank_lines(vault: Vault, notes: Path) -> None:
    import_folder(vault, notes)
    stored = vault.get("kyoto")
    assert stored.entry.fields["text"] == "# Kyoto\n\nSee [[Gion|the quarter]] and [[Nowhere]]. #japan"
    assert vault.text_of(vault.get("gion")) == 'In [Kyoto](../Kyoto.md).\r\nIt has """quotes""".\n'


def test_a_second_import_changes_nothing(vault: Vault, notes: Path, git: Git) -> None:
    import_folder(vault, notes)
    commits.commit(vault)
    again = import_folder(vault, notes)
    assert (again.added, again.changed, len(again.unchanged)) == ((), (), 3)
    assert git("status", "--porcelain") == ""


def test_a_second_import_brings_in_what_changed(vault: Vault, notes: Path) -> None:
    import_folder(vault, notes)
    (notes / "東京.md").write_text("The capital", "utf-8")
    (notes / "sub/Gion.md").write_text('Now """other""" words', "utf-8")
    result = import_folder(vault, notes)
    assert set(result.changed) == {"note.dongjing", "note.gion"}
    assert vault.text_of(vault.get("gion")) == 'Now """other""" words\n'
    assert reindex.differences(vault) == []


def test_what_the_source_drops_goes_from_an_entry_nobody_touched(vault: Vault, notes: Path, root: Path) -> None:
    import_folder(vault, notes)
    (notes / "Kyoto.md").write_text("---\nname: Kyoto\n---\n")
    (notes / "sub/Gion.md").write_text("---\nname: Gion\n---\n")
    import_folder(vault, notes)
    assert set(vault.get("kyoto").entry.fields) == {"name", "origin"}
    assert set(vault.get("gion").entry.fields) == {"name", "origin"}
    assert not (root / "global/note/gion.md").exists()


def test_an_entry_edited_here_is_never_overwritten_unasked(vault: Vault, notes: Path) -> None:
    import_folder(vault, notes)
    update.change(vault, "kyoto", {"text": "my own precious words", "summary": "Ours"})
    assert import_folder(vault, notes).edited == ()
    (notes / "Kyoto.md").write_text("# Kyoto\n\nAnother text")
    result = import_folder(vault, notes)
    assert (result.edited, result.changed) == (("note.kyoto",), ())
    assert vault.get("kyoto").entry.fields["text"] == "my own precious words"
    forced = import_folder(vault, notes, again=True)
    assert forced.changed == ("note.kyoto",)
    kyoto = vault.get("kyoto").entry.fields
    assert (kyoto["text"], kyoto["summary"]) == ("# Kyoto\n\nAnother text", "Ours")


def test_a_moved_source_stays_its_entry_and_a_gone_one_is_named(vault: Vault, notes: Path) -> None:
    import_folder(vault, notes)
    (notes / "Kyoto.md").rename(notes / "sub" / "Kyoto.md")
    (notes / "東京.md").unlink()
    result = import_folder(vault, notes)
    assert (result.added, result.changed, result.gone) == ((), ("note.kyoto",), ("note.dongjing",))
    assert str(vault.get("kyoto").entry.fields["origin"]).startswith("notes/sub/Kyoto.md@")
    assert import_folder(vault, notes).changed == ()


def test_another_folder_of_the_same_name_needs_a_label(vault: Vault, notes: Path, tmp_path: Path) -> None:
    import_folder(vault, notes)
    other = tmp_path / "elsewhere" / "notes"
    other.mkdir(parents=True)
    (other / "Kyoto.md").write_text("Another Kyoto")
    with pytest.raises(LabelTaken):
        import_folder(vault, other)
    assert import_folder(vault, other, label="others").added == ("note.kyoto_2",)
    assert "Gion" in str(vault.get("note.kyoto").entry.fields["text"])


def test_the_vault_itself_is_no_source(vault: Vault, root: Path) -> None:
    create.add(vault, "note", "n", {"text": "x"})
    for folder in (root, root.parent, root / "global", root / "global" / "note"):
        with pytest.raises(InsideVault):
            import_folder(vault, folder)


def test_folders_of_programs_hold_no_notes(vault: Vault, notes: Path) -> None:
    for folder in (".obsidian", "node_modules/x", ".trash"):
        (notes / folder).mkdir(parents=True)
        (notes / folder / "readme.md").write_text("no note")
    assert len(import_folder(vault, notes).added) == 3


def test_an_import_and_its_commit_are_one_step(vault: Vault, notes: Path, root: Path, git: Git) -> None:
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(HookRefused):
        import_folder(vault, notes, options=CommitOptions("Notes"))
    assert git("status", "--porcelain") == ""
    hook.unlink()
    import_folder(vault, notes)
    result = import_folder(vault, notes, options=CommitOptions("Notes"))
    assert result.commit
    assert result.commit.files == 4
    assert git("status", "--porcelain") == ""


def test_a_dry_run_writes_nothing(vault: Vault, notes: Path, root: Path) -> None:
    result = import_folder(vault, notes, dry=True)
    assert len(result.added) == 3
    assert not (root / "global").exists()


def test_import_goes_into_the_space_one_stands_in(open_vault: Open, notes: Path) -> None:
    work = open_vault("work")
    import_folder(work, notes)
    assert work.get("kyoto").entry.path == "spaces/work/note/kyoto.firm"


def test_import_never_overwrites(vault: Vault, notes: Path, root: Path) -> None:
    target = root / "global/note/kyoto.firm"
    target.parent.mkdir(parents=True)
    target.write_text("not an entry")
    with pytest.raises(PathTaken, match="it holds no entry"):
        import_folder(vault, notes)
    assert target.read_text() == "not an entry"
    assert list(target.parent.iterdir()) == [target]


def test_import_takes_another_id_beside_an_entry_of_the_same_name(vault: Vault, notes: Path) -> None:
    create.add(vault, "note", "kyoto", {"text": "mine"})
    result = import_folder(vault, notes)
    assert "note.kyoto" not in result.added
    assert vault.get("note.kyoto").entry.fields["text"] == "mine"


def test_records_with_a_map(vault: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "ada.yml").write_text("id: x-1\nname: Ada\nrole: {title: Countess}\n")
    (folder / "team.yml").write_text("id: x-2\nname: Engines\nmembers:\n- person: x-1\n- person: x-9\n")
    mapping = tmp_path / "map.yaml"
    mapping.write_text(
        "types:\n  - match: 'team*'\n    type: actor\n    set: {kind: enum(team)}\n"
        "  - match: '*'\n    type: actor\n    set: {kind: enum(person)}\n"
        "fields:\n  members[].person: relates_to\n"
    )
    result = import_folder(vault, folder, mapping=mapping)
    assert set(result.added) == {"actor.ada", "actor.engines"}
    team = vault.get("engines").entry
    assert [reference.key for _, reference in team.references()] == ["actor.ada"]
    assert result.links.unresolved[0].target == "x-9"
    assert vault.check() == []


def test_a_map_that_makes_errors_writes_nothing(vault: Vault, notes: Path, tmp_path: Path, root: Path) -> None:
    mapping = tmp_path / "map.yaml"
    mapping.write_text("types:\n  - match: '**'\n    type: thing\n    set: {kind: enum(planet)}\n")
    with pytest.raises(Refused, match="planet"):
        import_folder(vault, notes, mapping=mapping)
    assert not (root / "global").exists()


def test_what_cannot_be_imported_is_said(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(NotAFolder):
        import_folder(vault, tmp_path / "nowhere")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="holds no notes"):
        import_folder(vault, empty)
    (empty / "bad.md").write_bytes(b"caf\xe9")
    assert len(import_folder(vault, empty).skipped) == 1
    with pytest.raises(Unreadable):
        import_folder(vault, empty, mapping=tmp_path / "nomap.yaml")


def test_a_workspace_takes_no_import(tmp_path: Path, notes: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.firm").write_text("")
    with Vault.open(folder) as vault, pytest.raises(UsageError, match="workspace"):
        import_folder(vault, notes)


def test_a_clone_knows_the_folder_by_its_files(
    vault: Vault, notes: Path, open_vault: Open, root: Path, tmp_path: Path
) -> None:
    import_folder(vault, notes)
    (root / ".vault/imports.json").unlink()  # as in a clone
    moved = tmp_path / "elsewhere/notes"
    shutil.copytree(notes, moved)
    (moved / "Kyoto.md").unlink()
    result = import_folder(open_vault(), moved)
    assert (result.added, result.gone) == ((), ("note.kyoto",))
    assert (result.changed, result.unchanged) == (("note.gion",), ("note.dongjing",))


@pytest.mark.parametrize(
    "files",
    [
        {"Kyoto.md": "other", "sub/Gion.md": "words", "東京.md": "there"},  # the same names, other versions
        {"東京.md": "The other capital", "a.md": "a"},  # a known version, fewer than half of the names
    ],
)
def test_in_a_clone_another_folder_of_the_same_name_needs_a_label(
    vault: Vault, notes: Path, open_vault: Open, root: Path, tmp_path: Path, files: dict[str, str]
) -> None:
    import_folder(vault, notes)
    (root / ".vault/imports.json").unlink()
    other = tmp_path / "other/notes"
    for path, text in files.items():
        (other / path).parent.mkdir(parents=True, exist_ok=True)
        (other / path).write_text(text, "utf-8")
    with pytest.raises(LabelTaken, match="a folder with other files") as caught:
        import_folder(open_vault(), other)
    assert "--label" in caught.value.hint
    assert "--again" in caught.value.hint
    assert len(import_folder(open_vault(), other, label="others").added) == len(files)
    again = import_folder(open_vault(), other, again=True)
    assert len({*again.added, *again.changed, *again.unchanged}) == len(files)


def test_an_entry_nobody_edited_follows_what_else_the_folder_has(vault: Vault, notes: Path) -> None:
    import_folder(vault, notes)
    (notes / "Nowhere.md").write_text("It is here now", "utf-8")
    result = import_folder(vault, notes)
    assert (result.added, result.changed) == (("note.nowhere",), ("note.kyoto",))
    assert "note.nowhere" in [reference.key for _, reference in vault.get("kyoto").entry.references()]
    assert import_folder(vault, notes).changed == ()


def test_a_changed_map_is_followed_or_said(vault: Vault, notes: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "map.yaml"
    import_folder(vault, notes)
    update.change(vault, "gion", {"summary": "Edited here"})
    mapping.write_text("types: [{match: '*.md', type: thing, set: {kind: enum(place)}}]\nfields: {rating: stars}\n")
    first = import_folder(vault, notes, mapping=mapping)
    assert first.changed == ("note.kyoto", "note.dongjing")
    assert vault.get("kyoto").entry.fields["stars"] == 7
    assert [str(problem) for problem in first.problems] == [
        "Kyoto.md:1: the map makes it a thing, and it stays `note.kyoto`: --again changes its type",
        "東京.md:1: the map makes it a thing, and it stays `note.dongjing`: --again changes its type",
    ]
    create.add(vault, "thing", "trip", {"relates_to": (Reference("note", "dongjing"),), "name": "Trip"})
    second = import_folder(vault, notes, mapping=mapping, again=True)
    assert vault.get("kyoto").entry.key == "thing.kyoto"
    assert [reference.key for _, reference in vault.get("gion").entry.references()] == ["thing.kyoto"]
    assert [problem.message for problem in second.problems] == [
        "the map makes it a thing, and it stays `note.dongjing`: thing.trip refers to it"
    ]
    assert vault.check() == []


def test_what_did_not_change_is_reported_as_before_without_planning(
    vault: Vault, notes: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "bad.md").write_text("---\na: 1\na: 2\n---\n", "utf-8")
    (notes / "list.yml").write_text("- a\n", "utf-8")
    first = import_folder(vault, notes)
    monkeypatch.delattr("vault.service.admin.import_folder.plan_import")
    again = import_folder(vault, notes)
    assert sorted(again.unchanged) == sorted(first.added)
    assert (again.links, again.problems, again.skipped) == (first.links, first.problems, first.skipped)
    monkeypatch.undo()
    update.remove(vault, "kyoto")
    assert import_folder(vault, notes).added == ("note.kyoto",)
    (root / ".vault/imports.json").write_text('{"notes": {"folder": 1}}')
    assert len(import_folder(vault, notes).unchanged) == 4


def test_an_import_is_committed_although_nothing_changed_since(vault: Vault, notes: Path, git: Git) -> None:
    import_folder(vault, notes)
    assert import_folder(vault, notes, options=CommitOptions("Import")).commit
    assert git("status", "--porcelain") == ""
    assert import_folder(vault, notes, options=CommitOptions("Import")).commit is None


@pytest.fixture
def album(notes: Path) -> Path:
    """A folder with attachments: one in use, one that no note links to, one that is missing."""
    (notes / "album.md").write_text("![](img/a.png) ![[map.pdf]] [gone](img/gone.png)", "utf-8")
    for name in ("a.png", "map.pdf", "unused.png"):
        (notes / "img").mkdir(exist_ok=True)
        (notes / "img" / name).write_bytes(b"\x89" + name.encode())
    return notes


def test_attachments_are_left_behind_with_a_word_and_copied_on_request(
    vault: Vault, album: Path, root: Path, git: Git
) -> None:
    first = import_folder(vault, album)
    assert (first.left, first.attachments, first.links.attachments) == (("img/a.png", "img/map.pdf"), (), 2)
    assert "img/gone.png" in [link.target for link in first.links.unresolved]
    second = import_folder(vault, album, attachments=True, options=CommitOptions("Import"))
    places = ("global/attachments/notes/img/a.png", "global/attachments/notes/img/map.pdf")
    assert (second.attachments, second.left, second.changed) == (places, (), ("note.album",))
    assert (root / places[0]).read_bytes() == b"\x89a.png"
    assert vault.get("album").entry.fields["attachments"] == (
        PathValue("../attachments/notes/img/a.png"),
        PathValue("../attachments/notes/img/map.pdf"),
    )
    assert (git("status", "--porcelain"), vault.check()) == ("", [])
    (album / "img/a.png").write_bytes(b"\x89 other")
    third = import_folder(vault, album)  # what was copied once stays a copy
    assert (third.changed, third.paths) == ((), places[:1])
    assert (root / places[0]).read_bytes() == b"\x89 other"


def test_an_attachment_that_went_is_a_warning_with_its_place(vault: Vault, album: Path, root: Path) -> None:
    import_folder(vault, album, attachments=True)
    (root / "global/attachments/notes/img/map.pdf").unlink()
    update.change(vault, "gion", {"attachments": (PathValue("../../../outside.png"),)})
    assert [(item.code, item.subject, item.message) for item in vault.check()] == [
        (
            "missing-attachment",
            "note.album",
            "the attachment `global/attachments/notes/img/map.pdf` is not in the vault",
        ),
        ("missing-attachment", "note.gion", "the attachment `../outside.png` is not in the vault"),
    ]


def test_attachments_inside_the_vault_are_linked_where_they_are(vault: Vault, album: Path, root: Path) -> None:
    inside = root / "old"
    shutil.move(album, inside)
    result = import_folder(vault, inside)
    assert (result.left, result.attachments) == ((), ())
    assert vault.get("album").entry.fields["attachments"] == (
        PathValue("../../old/img/a.png"),
        PathValue("../../old/img/map.pdf"),
    )
    assert vault.check() == []


def test_an_attachment_that_is_too_large_is_named(vault: Vault, album: Path, root: Path, open_vault: Open) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "file_limit: 100000\n")
    (album / "img/a.png").write_bytes(b"x" * 100_001)
    result = import_folder(open_vault(), album, attachments=True)
    assert [(skip.path, skip.reason) for skip in result.skipped] == [
        ("img/a.png", "it has 100,001 bytes, and `file_limit` in vault.yaml allows 100,000")
    ]
    assert result.attachments == ("global/attachments/notes/img/map.pdf",)


def test_attachments_of_a_private_space_stay_in_it(open_vault: Open, album: Path) -> None:
    result = import_folder(open_vault("diary"), album, attachments=True)
    assert all(path.startswith("spaces/diary/attachments/notes/") for path in result.attachments)


def test_losses_are_told_apart_from_notes(vault: Vault, notes: Path) -> None:
    (notes / "commented.md").write_text("---\n# later\na: 1\n---\n", "utf-8")
    (notes / "doubled.md").write_text("---\na: 1\na: 2\n---\n", "utf-8")
    result = import_folder(vault, notes)
    assert [problem.path for problem in result.losses] == ["doubled.md"]
    assert [problem.path for problem in result.notes] == ["commented.md"]
