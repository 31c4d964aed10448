"""Whole files: who sees and may write them, what is judged, and what a write leaves behind."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.conftest import ENVIRON, Open, Write
from tests.service.whole_files import ADA, PLACE, refused
from vault.errors import UsageError, VaultError
from vault.service.admin.init import init
from vault.service.runtime.discovery import NotAVault
from vault.service.vault import Vault
from vault.service.write import files
from vault.service.write.atomic_write import IgnoredPath
from vault.service.write.files import (
    Declared,
    DoesNotParse,
    NoFile,
    NoSchema,
    NotAFirmFile,
    OutOfScope,
)
from vault.store.files import OutsideVault
from vault.workspace.snapshot import NotFound

# -- who sees what


def test_tree_shows_where_the_reader_stands(ada: None, open_vault: Open) -> None:
    def places(vault: Vault) -> list[str]:
        return [path for path in files.tree(vault) if not path.startswith("schema/")]

    assert places(open_vault()) == [PLACE]
    assert places(open_vault(all_spaces=True)) == [PLACE, "spaces/work/note/plan.firm"]
    assert places(open_vault("work")) == [PLACE, "spaces/work/note/plan.firm"]
    assert places(open_vault("diary")) == [PLACE, "spaces/diary/note/dream.firm"]
    assert "schema/actor.firm" in files.tree(open_vault("diary"))


def test_private_files_are_as_if_they_were_not_there(ada: None, open_vault: Open, root: Path) -> None:
    vault, secret, none = open_vault(all_spaces=True), "spaces/diary/note/dream.firm", "spaces/none/note/dream.firm"
    for act, words in ((files.read, ()), (files.delete, ()), (files.replace, ("Dreamt", "x"))):
        told = [refused(NoFile, act, vault, path, *words) for path in (secret, none)]
        assert told[0].message.replace("diary", "none") == told[1].message
    written = [refused(OutOfScope, files.write, vault, path, "") for path in (secret, none)]
    assert written[0].message.replace("diary", "none") == written[1].message
    assert files.grep(vault, "dreamt") == []
    with pytest.raises(NotFound):
        files.find(vault, "note.dream")
    assert files.read(open_vault("diary"), secret)[1].startswith(b"note dream")


def test_private_entries_do_not_answer_for_a_schema(ada: None, open_vault: Open, write: Write, root: Path) -> None:
    write("schema/ship.firm", "schema ship { }\n")
    write("spaces/diary/ship/boat.firm", "ship boat { }\n")
    secret = refused(OutOfScope, files.delete, open_vault("diary"), "schema/ship.firm")
    assert "--global" in secret.hint
    assert files.delete(open_vault(), "schema/ship.firm").findings == ()
    assert [item.code for item in open_vault("diary").findings()] == ["unknown-type"]


def test_a_reference_into_a_private_space_is_told_as_one_to_nothing(ada: None, vault: Vault) -> None:
    told = {
        target: files.write(vault, "global/note/n.firm", f"note n {{ relates_to = [note.{target}] }}\n").findings
        for target in ("dream", "nobody")
    }
    codes = [[item.code for item in found] for found in told.values()]
    assert codes[0] == codes[1]
    assert [item.message.replace("dream", "nobody") for item in told["dream"]] == [
        item.message for item in told["nobody"]
    ]


@pytest.mark.parametrize("path", [PLACE, "spaces/diary/note/new.firm", "schema/ship.firm"])
def test_from_inside_a_space_only_its_own_files_are_written(ada: None, open_vault: Open, root: Path, path: str) -> None:
    inside = open_vault("work")
    refused(OutOfScope, files.write, inside, path, "// mine\n", force=True)
    if path == PLACE:
        refused(OutOfScope, files.replace, inside, path, "Ada", "Eve")
        refused(OutOfScope, files.delete, inside, path)
    own = "spaces/work/note/plan.firm"
    assert files.replace(inside, own, "Plan", "Work").paths == (own,)


def test_from_outside_a_space_is_not_written(ada: None, vault: Vault, root: Path) -> None:
    refused(OutOfScope, files.write, vault, "spaces/work/note/new.firm", "")


# -- which paths


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/etc/passwd", OutsideVault),
        ("../x.firm", OutsideVault),
        ("global/../../x.firm", OutsideVault),
        ("", OutsideVault),
        ("global/a\0.firm", OutsideVault),
        ("vault.yaml", NotAFirmFile),
        ("global/note/n.md", NotAFirmFile),
        ("x.firm", NotAFirmFile),
        ("spaces/x.firm", NotAFirmFile),
        (".vault/x.firm", NotAFirmFile),
        ("global/.git/x.firm", NotAFirmFile),
        ("global/\udcff.firm", NotAFirmFile),
    ],
)
def test_paths_that_are_no_source(vault: Vault, root: Path, path: str, error: type[VaultError]) -> None:
    for act, words in (
        (files.read, ()),
        (files.write, ("",)),
        (files.replace, ("a", "b")),
        (files.delete, ()),
    ):
        refused(error, act, vault, path, *words)


def test_links_and_repositories_inside_are_not_written(ada: None, open_vault: Open, root: Path, write: Write) -> None:
    vault = open_vault()
    (root / "global/peek").symlink_to(root / "spaces/diary/note")
    (root / "global/one.firm").symlink_to(root / PLACE)
    write("global/other/.git", "gitdir: elsewhere\n")
    for path in ("global/peek/dream.firm", "global/one.firm", "global/other/note/x.firm"):
        refused(NotAFirmFile, files.write, vault, path, "")
    refused(NoFile, files.read, vault, "global/peek/dream.firm")


def test_ignored_files_are_not_written(vault: Vault, root: Path, write: Write) -> None:
    write(".gitignore", "drafts/\n")
    held = write("global/drafts/old.firm", "// a draft\n")
    refused(IgnoredPath, files.write, vault, "global/drafts/old.firm", "")
    refused(IgnoredPath, files.write, vault, "global/drafts/new.firm", "")
    refused(NoFile, files.read, vault, "global/drafts/old.firm")
    assert held.read_text() == "// a draft\n"


# -- finding


def test_find_takes_what_names_an_entry(ada: None, vault: Vault) -> None:
    declared = Declared("actor.ada", PLACE, 1)
    for words in ("actor.ada", "actor ada", "ada", "Ada", PLACE):
        assert files.find(vault, words) == declared
    assert files.find(vault, "schema note") == Declared("schema note", "schema/note.firm", 1)
    for name in ("nobody", "proposal"):  # the schema of a proposal is built in
        with pytest.raises(NoSchema):
            files.find(vault, f"schema {name}")


def test_find_an_entry_whose_name_is_two_words(vault: Vault, write: Write) -> None:
    write("global/actor/x.firm", 'actor x { name = "actor ada" }\n')
    assert files.find(vault, "actor ada").key == "actor.x"
    write(PLACE, ADA)
    assert files.find(vault, "actor ada").key == "actor.ada"


def test_read_gives_the_text_as_it_is(vault: Vault, write: Write) -> None:
    for text in ("", "// a\r\nnote n { }", "\ufeffnote n { }\n"):
        write("global/note/n.firm", text)
        assert files.read(vault, "./global/note/n.firm") == ("global/note/n.firm", text.encode())
    write("global/note/n.firm", "").write_bytes(b"// \xff\n")
    assert files.read(vault, "global/note/n.firm")[1] == b"// \xff\n"


def test_grep_gives_lines(vault: Vault, write: Write) -> None:
    write("global/note/n.firm", 'note n {\r\n  text = "STRASSE"\r\n}')
    assert files.grep(vault, "straße") == [files.Match("global/note/n.firm", 2, '  text = "STRASSE"')]
    assert files.grep(vault, "strasse", case=True) == []
    with pytest.raises(UsageError):
        files.grep(vault, "")


# -- a folder without files


def test_an_empty_folder_is_a_vault_once_it_is_made_one(tmp_path: Path) -> None:
    with pytest.raises(NotAVault):
        Vault.open(tmp_path)
    init(tmp_path, ENVIRON)
    with Vault.open(tmp_path, environ=ENVIRON) as vault:
        assert {path.partition("/")[0] for path in files.tree(vault)} == {"schema"}
        assert files.grep(vault, "anything at all") == []
        assert not files.write(vault, "global/blank.firm", "").existed
        assert not files.write(vault, "schema/person.firm", "schema person { }").existed
        refused(DoesNotParse, files.write, vault, "global/torn.firm", "person {")
        refused(NoFile, files.delete, vault, "global/none.firm")


# -- whatever is written


TEXTS = st.text(st.sampled_from('ab {}="\n\r\t/#é𝄞'), max_size=30)


@settings(max_examples=40)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    root = tmp_path_factory.mktemp("workspace")
    (root / "base.firm").write_text("schema a { }")
    with Vault.open(root, max_age=0) as vault:
        held = None
        for text in texts:
            try:
                files.write(vault, "x.firm", text, force=True)
                held = text
            except DoesNotParse:
                pass
            assert ("x.firm" in files.tree(vault)) == (held is not None)
            if held is not None:
                assert files.read(vault, "x.firm")[1].decode() == held
