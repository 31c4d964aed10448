"""Whole files: who sees and may write them, what is judged, and what a write leaves behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.conftest import ENVIRON, Git, Open, Write, as_nobody
from vault.errors import UsageError, VaultError
from vault.service import sources
from vault.service.adding import add
from vault.service.committing import HasErrors
from vault.service.opening import NotAVault
from vault.service.setup import init
from vault.service.sources import (
    Breaks,
    Declared,
    DoesNotParse,
    NoMatch,
    NoSchema,
    NoSource,
    NotASource,
    OutOfScope,
    SeveralMatches,
)
from vault.service.vault import Vault
from vault.service.writing import IgnoredPath, Landing
from vault.store.files import OutsideVault
from vault.workspace.snapshot import NotFound

ADA = 'actor ada { name = "Ada" kind = enum"person" }\n'
PLACE = "global/actor/ada.firm"


@pytest.fixture
def ada(write: Write) -> None:
    """An entry in each of the three scopes."""
    write(PLACE, ADA)
    write("spaces/work/note/plan.firm", 'note plan { text = "Plan with Ada" }\n')
    write("spaces/diary/note/dream.firm", 'note dream { text = "Dreamt of Ada" relates_to = [actor.ada] }\n')


def refused(error: type[VaultError], act: Callable[..., object], vault: Vault, *words: Any, **options: Any) -> Any:
    """See an operation refused, and every file left as it was; returns the error."""
    root = vault.root

    def held() -> dict[Path, bytes]:
        places = [place for place in root.rglob("*") if ".git" not in place.parts and ".vault" not in place.parts]
        return {place: place.read_bytes() for place in places if place.is_file()}

    before = held()
    with pytest.raises(error) as caught:
        act(vault, *words, **options)
    assert held() == before
    return caught.value


# -- who sees what


def test_tree_shows_where_the_reader_stands(ada: None, open_vault: Open) -> None:
    def places(vault: Vault) -> list[str]:
        return [path for path in sources.tree(vault) if not path.startswith("schema/")]

    assert places(open_vault()) == [PLACE]
    assert places(open_vault(all_spaces=True)) == [PLACE, "spaces/work/note/plan.firm"]
    assert places(open_vault("work")) == [PLACE, "spaces/work/note/plan.firm"]
    assert places(open_vault("diary")) == [PLACE, "spaces/diary/note/dream.firm"]
    assert "schema/actor.firm" in sources.tree(open_vault("diary"))


def test_private_files_are_as_if_they_were_not_there(ada: None, open_vault: Open, root: Path) -> None:
    vault, secret, none = open_vault(all_spaces=True), "spaces/diary/note/dream.firm", "spaces/none/note/dream.firm"
    for act, words in ((sources.read, ()), (sources.delete, ()), (sources.replace, ("Dreamt", "x"))):
        told = [refused(NoSource, act, vault, path, *words) for path in (secret, none)]
        assert told[0].message.replace("diary", "none") == told[1].message
    written = [refused(OutOfScope, sources.write, vault, path, "") for path in (secret, none)]
    assert written[0].message.replace("diary", "none") == written[1].message
    assert sources.grep(vault, "dreamt") == []
    with pytest.raises(NotFound):
        sources.find(vault, "note.dream")
    assert sources.read(open_vault("diary"), secret).startswith("note dream")


def test_private_entries_do_not_answer_for_a_schema(ada: None, open_vault: Open, write: Write, root: Path) -> None:
    write("schema/ship.firm", "schema ship { }\n")
    write("spaces/diary/ship/boat.firm", "ship boat { }\n")
    secret = refused(OutOfScope, sources.delete, open_vault("diary"), "schema/ship.firm")
    assert "--global" in secret.hint
    assert sources.delete(open_vault(), "schema/ship.firm").findings == ()
    assert [item.code for item in open_vault("diary").findings()] == ["unknown-type"]


def test_a_reference_into_a_private_space_is_told_as_one_to_nothing(ada: None, vault: Vault) -> None:
    told = {
        target: sources.write(vault, "global/note/n.firm", f"note n {{ relates_to = [note.{target}] }}\n").findings
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
    refused(OutOfScope, sources.write, inside, path, "// mine\n", force=True)
    if path == PLACE:
        refused(OutOfScope, sources.replace, inside, path, "Ada", "Eve")
        refused(OutOfScope, sources.delete, inside, path)
    own = "spaces/work/note/plan.firm"
    assert sources.replace(inside, own, "Plan", "Work").paths == (own,)


def test_from_outside_a_space_is_not_written(ada: None, vault: Vault, root: Path) -> None:
    refused(OutOfScope, sources.write, vault, "spaces/work/note/new.firm", "")


# -- which paths


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/etc/passwd", OutsideVault),
        ("../x.firm", OutsideVault),
        ("global/../../x.firm", OutsideVault),
        ("", OutsideVault),
        ("global/a\0.firm", OutsideVault),
        ("vault.yaml", NotASource),
        ("global/note/n.md", NotASource),
        ("x.firm", NotASource),
        ("spaces/x.firm", NotASource),
        (".vault/x.firm", NotASource),
        ("global/.git/x.firm", NotASource),
        ("global/\udcff.firm", NotASource),
    ],
)
def test_paths_that_are_no_source(vault: Vault, root: Path, path: str, error: type[VaultError]) -> None:
    for act, words in (
        (sources.read, ()),
        (sources.write, ("",)),
        (sources.replace, ("a", "b")),
        (sources.delete, ()),
    ):
        refused(error, act, vault, path, *words)


def test_links_and_repositories_inside_are_not_written(ada: None, open_vault: Open, root: Path, write: Write) -> None:
    vault = open_vault()
    (root / "global/peek").symlink_to(root / "spaces/diary/note")
    (root / "global/one.firm").symlink_to(root / PLACE)
    write("global/other/.git", "gitdir: elsewhere\n")
    for path in ("global/peek/dream.firm", "global/one.firm", "global/other/note/x.firm"):
        refused(NotASource, sources.write, vault, path, "")
    refused(NoSource, sources.read, vault, "global/peek/dream.firm")


def test_ignored_files_are_not_written(vault: Vault, root: Path, write: Write) -> None:
    write(".gitignore", "drafts/\n")
    held = write("global/drafts/old.firm", "// a draft\n")
    refused(IgnoredPath, sources.write, vault, "global/drafts/old.firm", "")
    refused(IgnoredPath, sources.write, vault, "global/drafts/new.firm", "")
    refused(NoSource, sources.read, vault, "global/drafts/old.firm")
    assert held.read_text() == "// a draft\n"


# -- finding


def test_find_takes_what_names_an_entry(ada: None, vault: Vault) -> None:
    declared = Declared("actor.ada", PLACE, 1)
    for words in ("actor.ada", "actor ada", "ada", "Ada", PLACE):
        assert sources.find(vault, words) == declared
    assert sources.find(vault, "schema note") == Declared("schema note", "schema/note.firm", 1)
    for name in ("nobody", "proposal"):  # the schema of a proposal is built in
        with pytest.raises(NoSchema):
            sources.find(vault, f"schema {name}")


def test_find_an_entry_whose_name_is_two_words(vault: Vault, write: Write) -> None:
    write("global/actor/x.firm", 'actor x { name = "actor ada" }\n')
    assert sources.find(vault, "actor ada").key == "actor.x"
    write(PLACE, ADA)
    assert sources.find(vault, "actor ada").key == "actor.ada"


def test_read_gives_the_text_as_it_is(vault: Vault, write: Write) -> None:
    for text in ("", "// a\r\nnote n { }", "\ufeffnote n { }\n"):
        write("global/note/n.firm", text)
        assert sources.read(vault, "global/note/n.firm") == text
    write("global/note/n.firm", "").write_bytes(b"// \xff\n")
    assert sources.read(vault, "global/note/n.firm") == "// \ufffd\n"


def test_grep_gives_lines(vault: Vault, write: Write) -> None:
    write("global/note/n.firm", 'note n {\r\n  text = "STRASSE"\r\n}')
    assert sources.grep(vault, "straße") == [sources.Match("global/note/n.firm", 2, '  text = "STRASSE"')]
    assert sources.grep(vault, "strasse", case=True) == []
    with pytest.raises(UsageError):
        sources.grep(vault, "")


# -- writing


def test_write_tells_what_it_did(vault: Vault, root: Path) -> None:
    made = sources.write(vault, PLACE, ADA)
    assert (made.existed, made.paths, made.findings) == (False, (PLACE,), ())
    again = sources.write(vault, f"./{PLACE}", ADA)
    assert (again.existed, again.path, again.paths) == (True, PLACE, ())
    gone = sources.delete(vault, PLACE)
    assert (gone.existed, gone.paths) == (True, (PLACE,))
    assert not (root / PLACE).exists()


def test_text_that_does_not_parse_is_never_written(ada: None, vault: Vault, root: Path) -> None:
    for text in ("actor ada {", "actor ada { name = }", 'actor ada { name = "\0" }', "// \ud800\n", "<<<<<<< ours\n"):
        error = refused(DoesNotParse, sources.write, vault, PLACE, text, force=True)
        assert error.details["diagnostics"]
    refused(DoesNotParse, sources.replace, vault, PLACE, "}", "", force=True)


def test_bytes_that_are_no_text_are_not_lost_by_replacing(vault: Vault, root: Path, write: Write) -> None:
    write(PLACE, ADA).write_bytes(b"// \xe9t\xe9\n" + ADA.encode())
    refused(DoesNotParse, sources.replace, vault, PLACE, "Ada", "Eve", force=True)
    assert sources.write(vault, PLACE, ADA).existed


def test_new_errors_anywhere_refuse_and_force_writes(ada: None, vault: Vault, root: Path, write: Write) -> None:
    schema = "schema/actor.firm"
    error = refused(Breaks, sources.delete, vault, schema)
    assert [PLACE in told for told in error.details["diagnostics"]] == [True]
    assert "force" in error.hint
    forced = sources.delete(vault, schema, force=True)
    assert [item.code for item in forced.findings] == ["unknown-type"]
    assert sources.write(vault, PLACE, ADA.replace("Ada", "Eve")).findings == ()  # it was wrong before
    more = f"{ADA}actor eve {{ }}\n"
    refused(Breaks, sources.write, vault, PLACE, more)


def test_a_message_lists_ten_errors(vault: Vault, write: Write) -> None:
    write("schema/ship.firm", "schema ship { }\n")
    write("global/ship/fleet.firm", "".join(f"ship s{number} {{ }}\n" for number in range(12)))
    error = refused(Breaks, sources.delete, vault, "schema/ship.firm")
    assert len(error.details["diagnostics"]) == 12
    assert error.message.endswith("\nand 2 more")


def test_the_same_error_once_more_is_new(vault: Vault, root: Path, write: Write) -> None:
    write(PLACE, f"{ADA}{ADA}")
    refused(Breaks, sources.write, vault, PLACE, ADA * 3)
    assert sources.write(vault, PLACE, f"// twice\n{ADA * 2}").paths == (PLACE,)


def test_new_warnings_are_told(ada: None, open_vault: Open, write: Write) -> None:
    write("global/note/n.firm", "note n { relates_to = [actor.ada] }\n")
    found = sources.delete(open_vault(), PLACE).findings
    assert [(item.code, item.span.path) for item in found] == [("dangling-reference", "global/note/n.firm")]


def test_a_severity_the_vault_has_chosen_decides(ada: None, open_vault: Open, write: Write, root: Path) -> None:
    held = (root / "vault.yaml").read_text()
    write("vault.yaml", f"{held}check:\n  dangling-reference: error\n")
    vault = open_vault()
    refused(Breaks, sources.write, vault, "global/note/n.firm", "note n { uses = [thing.x] }")


def test_a_file_that_cannot_be_read_does_not_keep_a_schema_out(ada: None, vault: Vault, root: Path) -> None:
    vault.refresh()
    (root / PLACE).chmod(0)
    code, told = as_nobody(
        root,
        """
from vault.service import sources
with Vault.open(root, environ=os.environ) as vault:
    print(sources.write(vault, "schema/ship.firm", "schema ship { }").findings)
""",
    )
    assert (code, told.strip()) == (0, "()")


def test_entries_among_schemas_are_refused(vault: Vault, root: Path) -> None:
    refused(Breaks, sources.write, vault, "schema/actor.firm", ADA)


# -- replacing


def test_replace_counts(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/n.firm", 'note n { text = "tick tick tick" }\n')
    error = refused(SeveralMatches, sources.replace, vault, "global/note/n.firm", "tick", "tock")
    assert error.details["count"] == 3
    refused(NoMatch, sources.replace, vault, "global/note/n.firm", "tack", "tock")
    refused(UsageError, sources.replace, vault, "global/note/n.firm", "", "tock")
    assert sources.replace(vault, "global/note/n.firm", "tick", "tock", every=True).count == 3
    assert (root / "global/note/n.firm").read_text() == 'note n { text = "tock tock tock" }\n'
    assert sources.replace(vault, "global/note/n.firm", "note n", "note n").paths == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_replace_keeps_the_line_ends_of_the_file(vault: Vault, write: Write, root: Path, newline: str) -> None:
    text = '\ufeffnote n {\n  text = "a"\n}\n'
    place = write("global/note/n.firm", text.replace("\n", newline))
    for old, new in (('{\n  text = "a"', '{\r\n  text = "b"'), ('{\r\n  text = "b"', '{\n\n  text = "c"')):
        sources.replace(vault, "global/note/n.firm", old, new)
    wanted = text.replace("{\n", "{\n\n").replace('"a"', '"c"').replace("\n", newline)
    assert place.read_bytes() == wanted.encode()


def test_replace_finds_line_ends_as_they_are_in_a_mixed_file(vault: Vault, write: Write) -> None:
    place = write("global/note/n.firm", 'note n {\n  text = "a"\r\n}\r\n')
    sources.replace(vault, "global/note/n.firm", '"a"\r\n}', '"b"\r\n  tags = []\r\n}')
    assert place.read_bytes() == b'note n {\n  text = "b"\n  tags = []\n}\r\n'


# -- sidecars


def test_delete_takes_the_texts_beside_with_it(vault: Vault, root: Path) -> None:
    path = add(vault, "note", "long", {"text": 'a """ b'}).path
    gone = sources.delete(vault, path)
    assert gone.paths == (path, "global/note/long.md")
    assert not (root / "global/note/long.md").exists()
    assert add(vault, "note", "long", {"text": "again"}).path == path


def test_a_text_that_others_name_or_that_is_a_link_stays(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/shared.md", "for both\n")
    (root / "global/note/link.md").symlink_to(root / "global/note/shared.md")
    write("global/note/a.firm", 'note a { text_file = path"./shared.md" }\nnote c { text_file = path"./link.md" }\n')
    write("global/note/b.firm", 'note b { text_file = path"./shared.md" }\n')
    assert sources.delete(vault, "global/note/a.firm", force=True).paths == ("global/note/a.firm",)
    assert sources.delete(vault, "global/note/b.firm").paths == ("global/note/b.firm", "global/note/shared.md")
    assert (root / "global/note/link.md").is_symlink()


def test_a_text_beside_that_is_missing_or_there_is_judged_as_it_is(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/there.md", "words\n")
    assert sources.write(vault, "global/note/n.firm", 'note n { text_file = path"./there.md" }\n').findings == ()
    for name in ("gone.md", "link.md"):
        (root / "global/note/link.md").unlink(missing_ok=True)
        (root / "global/note/link.md").symlink_to(root / "global/note/there.md")
        text = f'note m {{ text_file = path"./{name}" }}\n'
        refused(Breaks, sources.write, vault, "global/note/m.firm", text)


# -- commits


def test_a_landing_commits_what_was_written(ada: None, vault: Vault, git: Git) -> None:
    made = sources.write(vault, PLACE, ADA, landing=Landing())
    assert made.commit is not None
    assert git("log", "-1", "--format=%s") == "add actor.ada: Ada"
    changed = sources.replace(vault, PLACE, "Ada", "Countess", landing=Landing("Call her by her title"))
    assert changed.commit is not None
    assert git("log", "-1", "--format=%s") == "Call her by her title"
    sources.delete(vault, PLACE, landing=Landing())
    assert git("show", "--name-status", "--format=", "HEAD") == f"D\t{PLACE}"


def test_what_force_lets_through_is_not_committed(ada: None, vault: Vault, root: Path) -> None:
    wrong = "actor ada { }\n"
    refused(HasErrors, sources.write, vault, PLACE, wrong, force=True, landing=Landing())


# -- a folder without files


def test_an_empty_folder_is_a_vault_once_it_is_made_one(tmp_path: Path) -> None:
    with pytest.raises(NotAVault):
        Vault.open(tmp_path)
    init(tmp_path, ENVIRON)
    with Vault.open(tmp_path, environ=ENVIRON) as vault:
        assert {path.partition("/")[0] for path in sources.tree(vault)} == {"schema"}
        assert sources.grep(vault, "anything at all") == []
        assert not sources.write(vault, "global/blank.firm", "").existed
        assert not sources.write(vault, "schema/person.firm", "schema person { }").existed
        refused(DoesNotParse, sources.write, vault, "global/torn.firm", "person {")
        refused(NoSource, sources.delete, vault, "global/none.firm")


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
                sources.write(vault, "x.firm", text, force=True)
                held = text
            except DoesNotParse:
                pass
            assert ("x.firm" in sources.tree(vault)) == (held is not None)
            if held is not None:
                assert sources.read(vault, "x.firm") == held
