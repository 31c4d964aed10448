"""What may stand in a vault's folders and is not of it: each is reported or replaced, and the rest still works."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from tests.service.rights import without_rights
from vault.search.text import PassageDocument
from vault.service.admin.doctor import doctor
from vault.service.admin.reindex import differences
from vault.service.runtime.validation import check_staged
from vault.service.vault import Vault
from vault.service.write import commits, create
from vault.store.journal import JournalDamaged
from vault.store.sealed import read_json, seal_folder, write_json


@pytest.fixture
def note(write: Write) -> Path:
    return write("global/note/a.firm", 'note a { text = "garden" }\n')


def bad_name(root: Path) -> Path:
    return Path(os.fsdecode(os.fsencode(root) + b"/global/note/\xff.firm"))


def test_names_that_are_not_text_are_reported_and_never_committed(vault: Vault, note: Path, root: Path) -> None:
    bad_name(root).write_text("note x { }")
    bad_name(root).with_suffix(".png").write_text("x")
    assert [stored.entry.key for stored in vault.entries()] == ["note.a"]
    found = [item for item in vault.check() if item.code == "bad-name"]
    assert [item.span.path for item in found] == ["global/note/\\xff.firm", "global/note/\\xff.png"]
    (made,) = commits.commit(vault)
    assert made.paths == ("global/note/a.firm",)
    assert {item.name for item in doctor(root, vault.environ)} >= {"check", "text index"}


def test_links_are_reported_and_never_committed(vault: Vault, note: Path, root: Path) -> None:
    (root / "global/loop").symlink_to("loop")
    (root / "global/note/b.firm").symlink_to("a.firm")
    assert [stored.entry.path for stored in vault.entries()] == ["global/note/a.firm"]
    assert [(item.code, item.span.path) for item in vault.check()] == [
        ("outside-link", "global/loop"),
        ("inside-link", "global/note/b.firm"),
    ]
    (made,) = commits.commit(vault)
    assert made.paths == ("global/note/a.firm",)


def make_file(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x")


def make_folder(place: Path) -> None:
    place.mkdir(parents=True)
    make_file(place / "inside")


@pytest.mark.parametrize(
    ("place", "make"),
    [
        ("catalog.db", make_folder),
        ("text", make_file),
        ("text/public", make_file),
        ("text/public.json", make_folder),
        ("text/private", make_file),
        ("text.lock", make_folder),
        ("lock", make_folder),
        ("lock.json", make_folder),
    ],
)
def test_what_is_in_the_way_of_derived_data_is_removed(
    root: Path, note: Path, open_vault: Open, place: str, make: Callable[[Path], None]
) -> None:
    (root / ".vault" / place).unlink(missing_ok=True)
    make(root / ".vault" / place)
    vault = open_vault("diary")
    assert [result.stored.entry.key for result in vault.search("garden")] == ["note.a"]
    create.add(vault, "note", "b", {"text": "more"})
    assert (root / ".vault/catalog.db").is_file()
    assert (root / ".vault/text/public").is_dir()
    assert differences(vault) == []


def test_a_damaged_journal_stops_writers_and_no_reader(root: Path, note: Path, open_vault: Open) -> None:
    make_file(root / ".vault/journal")
    vault = open_vault("diary")
    assert [result.stored.entry.key for result in vault.search("garden")] == ["note.a"]
    with pytest.raises(JournalDamaged):
        create.add(vault, "note", "b", {"text": "more"})
    assert (root / ".vault/journal").read_text() == "x"
    (found,) = [item for item in doctor(root, vault.environ) if item.name == "journal"]
    assert (found.state, found.next != "") == ("error", True)


def test_doctor_reports_a_folder_that_cannot_be_read(root: Path, note: Path) -> None:
    locked = root / ".vault/locked"
    with without_rights(root):
        (root / "global/note").chmod(0)
        locked.mkdir(parents=True)
        (locked / "x").write_text("x")
        locked.chmod(0)
        assert ("catalog", "error") in [(item.name, item.state) for item in doctor(root, os.environ)]
        (root / "global/note").chmod(0o755)
        assert ("catalog", "ok") in [(item.name, item.state) for item in doctor(root, os.environ)]
        locked.chmod(0o755)


def test_staged_content_is_judged_by_the_staged_settings(vault: Vault, write: Write, git: Git, root: Path) -> None:
    write("global/note/a.firm", "note a {\n    nmae = 1\n}\n")
    settings = (root / "vault.yaml").read_text()
    write("vault.yaml", settings + "check:\n  unknown-field: error\n")
    git("add", ".")
    write("global/note/a.firm", "\n\n\n")
    write("vault.yaml", settings)
    judged = check_staged(vault)
    (found,) = [item for item in judged.found if item.code == "unknown-field"]
    assert (found.severity, judged.files) == ("error", 2)
    assert judged.excerpt(found.span.path, found.span.line) == "    nmae = 1"
    assert judged.excerpt("global/none.firm", 2) is None
    assert judged.excerpt(found.span.path, 99) is None


def test_differences_are_found_in_what_the_text_index_holds(vault: Vault, note: Path, write: Write, root: Path) -> None:
    for number in range(3):
        write(f"global/note/n{number}.firm", f'note n{number} {{ text = "plant {number}" }}\n')
        vault.search("plant")
    write("global/note/n0.firm", 'note n0 { text = "changed" }\n')
    assert differences(vault) == []
    (index, *_) = vault.indexes.text(vault.snapshot())
    row = vault.get("n1").row
    path = "global/note/n1.firm"
    index.write([PassageDocument(path, "global", "note", row, 0, "n1", "", "other words", [])], [path])
    state = root / ".vault/text/public.json"
    write_json(state, {**(read_json(state) or {}), "files": seal_folder(state.with_suffix(""))})
    assert any(text.startswith("text index public: body:") for text in differences(vault))
