"""A folder of `.firm` files without `vault.yaml` opens as it is, is edited where things stand, and shows no trace."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.main import invoke
from tests.service.conftest import ENVIRON, Git
from tests.service.rights import without_rights
from vault.service.read.links import related
from vault.service.read.query import query
from vault.service.runtime.discovery import NotAVault
from vault.service.vault import Vault
from vault.service.write import files
from vault.service.write.atomic_write import IgnoredPath
from vault.service.write.commits import commit
from vault.service.write.create import GivenTwice, add, add_text
from vault.service.write.new_entry import AlreadyThere
from vault.service.write.sidecars import HasSyntaxErrors
from vault.service.write.update import change, remove
from vault.store.files import WriteFailed

#: Entries and schemas in one file, in no order and in no layout.
MIXED = """// everything of the yard
boat  elsa { name = "Elsa" built = 1931  owner=person.ann } // leaks
schema boat { field { name = "name" type = "string" required = true }
  field { name = "built" type = "integer" } field { name = "owner" type = "reference" } }
boat vera { name = "Vera" owner = person.bo
  /* since the flood */ built = 1954 }
"""
PEOPLE = 'person ann {\r\n  name = "Ann Dahl"\r\n}\r\nperson bo { name = "Bo Lund" boss = person.ann }\r\n'
FILES = {
    "yard.firm": MIXED,
    "people/north/all.firm": PEOPLE,
    "types/deep/down/person.firm": 'schema person { field { name = "name" type = "string" required = true } }\n',
    "people/readme.md": "Not a source.\n",
    "plans/vera.pdf": "%PDF",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace in a repository, all of it committed with the real git."""
    folder = tmp_path / "yard"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "The yard"]):
        subprocess.run(["git", *words], cwd=folder, env={**os.environ, **ENVIRON}, check=True)
    return folder.resolve()


@pytest.fixture
def vault(root: Path) -> Iterator[Vault]:
    """The workspace, opened."""
    with Vault.open(root, environ={**os.environ, **ENVIRON}, max_age=0) as opened:
        yield opened


def held(root: Path) -> dict[str, str]:
    """The text of every `.firm` file."""
    return {place.relative_to(root).as_posix(): place.read_bytes().decode() for place in root.rglob("*.firm")}


def test_all_that_stands_anywhere_is_read(vault: Vault) -> None:
    assert vault.layout.workspace
    assert vault.check() == []
    assert [stored.entry.key for stored in vault.entries()] == ["boat.elsa", "boat.vera", "person.ann", "person.bo"]
    assert [stored.entry.key for stored in vault.entries(kind="boat")] == ["boat.elsa", "boat.vera"]
    assert vault.get("Vera").entry.place.line == 5
    assert vault.get("person.bo").entry.path == "people/north/all.firm"
    assert {name: schema.path for name, schema in vault.schemas().items() if schema.path} == {
        "boat": "yard.firm",
        "person": "types/deep/down/person.firm",
    }
    found = query(vault, "from boat | where built > 1940 | related person | order name")
    assert [stored.entry.key for stored in found.entries] == ["person.bo"]
    _, near = related(vault, "person.ann")
    assert sorted(one.stored.entry.key for one in near) == ["boat.elsa", "person.bo"]
    assert vault.search("lund", mode="keyword")[0].stored.entry.key == "person.bo"


def test_reading_leaves_nothing_that_git_would_show(vault: Vault, git: Git, root: Path) -> None:
    vault.search("Elsa", mode="keyword")
    vault.check()
    files.grep(vault, "elsa")
    assert git("status", "--porcelain", "--untracked-files=all") == ""
    assert held(root) == {path: text for path, text in FILES.items() if path.endswith(".firm")}


def test_opening_from_a_folder_of_other_files_finds_the_workspace_above(root: Path) -> None:
    with Vault.open(root / "plans") as vault:
        assert vault.root == root


def test_set_changes_one_field_where_the_entry_stands(vault: Vault, root: Path) -> None:
    assert change(vault, "vera", {"built": 1955}).path == "yard.firm"
    assert change(vault, "Ann Dahl", {"name": "Ann Berg", "born": 1990}).path == "people/north/all.firm"
    texts = held(root)
    assert texts["yard.firm"] == MIXED.replace("1954", "1955")
    changed = texts["people/north/all.firm"]
    assert changed.replace("\r\n  born = 1990", "").replace("Berg", "Dahl") == PEOPLE
    assert change(vault, "vera", {"built": 1955}).paths == ()


def test_add_goes_to_the_file_of_its_type(vault: Vault, root: Path) -> None:
    assert add(vault, "person", None, {"name": "Cy Holm"}).path == "generated/person.firm"
    assert add(vault, "person", "di", {"name": "Di"}).path == "generated/person.firm"
    assert add(vault, "boat", "nora", {"name": "Nora"}).path == "generated/boat.firm"
    texts = held(root)
    assert texts["generated/person.firm"] == (
        'person cy_holm {\n    name = "Cy Holm"\n}\n\nperson di {\n    name = "Di"\n}\n'
    )
    assert {path: text for path, text in texts.items() if not path.startswith("generated/")} == {
        path: text for path, text in FILES.items() if path.endswith(".firm")
    }
    with pytest.raises(AlreadyThere, match=r"people/north/all\.firm"):
        add(vault, "person", "bo", {"name": "Another"})


def test_a_text_no_string_holds_stands_beside_the_file_of_its_type(vault: Vault, root: Path) -> None:
    add(vault, "person", "ed", {"name": "Ed", "text": 'he said """no"""'})
    add(vault, "person", "flo", {"name": "Flo", "text": 'she said """yes"""'})
    assert vault.text_of(vault.get("ed")) == 'he said """no"""\n'
    remove(vault, "ed")
    assert sorted(place.name for place in (root / "generated").iterdir()) == ["person.firm", "person_flo.md"]


def test_two_types_share_no_sidecar(vault: Vault) -> None:
    for kind in ("person", "boat"):
        add(vault, kind, "same", {"name": "S", "text": f'{kind} """x"""'})
    assert vault.text_of(vault.get("boat.same")) == 'boat """x"""\n'
    change(vault, "boat.vera", {"text": 'Vera """x"""'})
    assert vault.text_of(vault.get("boat.vera")) == 'Vera """x"""\n'


@pytest.mark.parametrize("held", [b"person x { name = ", b"person x { } /* open", b'person x { name = "\xff" }'])
def test_add_leaves_a_file_that_cannot_be_rewritten(vault: Vault, root: Path, held: bytes) -> None:
    (root / "generated").mkdir()
    (root / "generated/person.firm").write_bytes(held)
    with pytest.raises(HasSyntaxErrors):
        add(vault, "person", "new", {"name": "New"})
    assert (root / "generated/person.firm").read_bytes() == held


def test_add_takes_the_line_ends_of_the_file(vault: Vault, root: Path) -> None:
    (root / "generated").mkdir()
    place = root / "generated/person.firm"
    place.write_bytes(b'\xef\xbb\xbfperson x { name = "X" }\r\n')
    add(vault, "person", "y", {"name": "Y", "text": "two\nlines"})
    add_text(vault, 'person z { name = "Z" a = "two\nlines" }', "here")
    assert b'\r\n\r\nperson y {\r\n    name = "Y"\r\n    text = """\r\n    two\r\n' in place.read_bytes()
    assert vault.get("y").entry.fields["text"] == "two\nlines"
    assert vault.get("z").entry.fields["a"] == "two\nlines"


def test_add_text_takes_several_entries_of_a_type(vault: Vault, root: Path) -> None:
    add(vault, "person", "x", {"name": "X"})
    made = add_text(vault, '// of y\nperson y { name = "Y" }\nboat b { name = "B" }\nperson z { name = "Z" }', "here")
    assert [one.path for one in made] == ["generated/person.firm", "generated/boat.firm", "generated/person.firm"]
    assert held(root)["generated/person.firm"].endswith(
        '}\n\n// of y\nperson y { name = "Y" }\n\nperson z { name = "Z" }\n'
    )
    with pytest.raises(GivenTwice):
        add_text(vault, 'person q { name = "Q" }\nperson q { name = "Q" }', "here")


def test_add_writes_no_file_that_git_ignores(vault: Vault, root: Path) -> None:
    (root / "generated").mkdir()
    (root / "generated/person.firm").write_text('person x { name = "X" }\n')
    (root / ".gitignore").write_text("generated/\n")
    with pytest.raises(IgnoredPath):
        add(vault, "person", "y", {"name": "Y"})
    assert (root / "generated/person.firm").read_text() == 'person x { name = "X" }\n'


def test_a_workspace_may_lie_deep_and_holds_no_vault(tmp_path: Path) -> None:
    deep = tmp_path / "a/b/c/d"
    deep.mkdir(parents=True)
    with pytest.raises(NotAVault):
        Vault.open(tmp_path)
    (deep / "x.firm").write_text("schema t { }")
    with Vault.open(tmp_path) as vault:
        assert vault.layout.workspace
    (tmp_path / "a/vault.yaml").write_text("version: 1\n")
    with pytest.raises(NotAVault):
        Vault.open(tmp_path)


def test_remove_takes_the_block_and_the_file_with_the_last(vault: Vault, root: Path) -> None:
    remove(vault, "elsa")
    assert "elsa" not in held(root)["yard.firm"]
    assert "schema boat" in held(root)["yard.firm"]
    for words in ("ann", "bo"):
        remove(vault, words)
    assert "people/north/all.firm" not in held(root)
    remove(vault, "vera")
    assert [item.code for item in vault.check()] == []
    assert "schema boat" in held(root)["yard.firm"]


def test_commit_takes_the_files_of_the_workspace_alone(vault: Vault, git: Git, root: Path) -> None:
    change(vault, "elsa", {"built": 1932})
    (root / "people/readme.md").write_text("Changed.\n")
    (made,) = commit(vault)
    assert (made.subject, made.paths) == ("boat.elsa: built 1931 → 1932", ("yard.firm",))
    assert git("status", "--porcelain") == "M people/readme.md"


def test_an_entry_declared_twice_is_told_and_named_by_its_path(
    vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "more.firm").write_text('boat vera { name = "The other Vera" }\n')
    assert [(item.code, item.subject) for item in vault.check()] == [("duplicate-entry", "boat.vera")]
    monkeypatch.chdir(root)
    assert invoke(["get", "boat.vera"]) == 1
    assert invoke(["set", "more.firm", "built=1999"]) == 0
    assert "built = 1999" in held(root)["more.firm"]
    assert held(root)["yard.firm"] == MIXED
    assert invoke(["rm", "more.firm", "--yes"]) == 0
    assert not (root / "more.firm").exists()


def test_edit_opens_the_file_the_entry_stands_in(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/1931/1930/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    assert invoke(["-C", str(root), "edit", "elsa"]) == 0
    assert held(root)["yard.firm"] == MIXED.replace("1931", "1930")


def test_a_workspace_that_may_not_be_written_is_read_all_the_same(vault: Vault, root: Path) -> None:
    for place in [root, *root.rglob("*")]:
        if ".git" not in place.parts:
            place.chmod(place.stat().st_mode & 0o555)
    with without_rights(root):
        root.chmod(0o555)
        before = sorted(root.iterdir())
        with Vault.open(root, environ=os.environ) as opened:
            assert (
                " ".join(stored.entry.key for stored in opened.entries()) == "boat.elsa boat.vera person.ann person.bo"
            )
            assert opened.check() == []
            assert opened.search("lund", mode="keyword")[0].stored.entry.key == "person.bo"
            assert (opened.get("vera").entry.path, files.find(opened, "schema boat").line) == ("yard.firm", 3)
            assert len(files.tree(opened)) == 3
            for act in (
                lambda: change(opened, "vera", {"built": 1}),
                lambda: add(opened, "boat", "x", {"name": "X"}),
                lambda: files.write(opened, "yard.firm", ""),
            ):
                with pytest.raises(WriteFailed):
                    act()
        assert sorted(root.iterdir()) == before
    assert held(root)["yard.firm"] == MIXED
