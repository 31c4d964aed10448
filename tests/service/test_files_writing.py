"""Whole `.firm` files written, replaced and removed: judged first, then all of it or nothing."""

from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from tests.service.rights import without_rights
from tests.service.whole_files import ADA, PLACE, refused
from vault.errors import UsageError
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import files
from vault.service.write.commits import HasErrors
from vault.service.write.create import add
from vault.service.write.files import (
    Breaks,
    DoesNotParse,
    NoMatch,
    SeveralMatches,
)

# -- writing


def test_write_tells_what_it_did(vault: Vault, root: Path) -> None:
    made = files.write(vault, PLACE, ADA)
    assert (made.existed, made.paths, made.findings) == (False, (PLACE,), ())
    again = files.write(vault, f"./{PLACE}", ADA)
    assert (again.existed, again.path, again.paths) == (True, PLACE, ())
    gone = files.delete(vault, PLACE)
    assert (gone.existed, gone.paths) == (True, (PLACE,))
    assert not (root / PLACE).exists()


def test_text_that_does_not_parse_is_never_written(ada: None, vault: Vault, root: Path) -> None:
    for text in ("actor ada {", "actor ada { name = }", 'actor ada { name = "\0" }', "// \ud800\n", "<<<<<<< ours\n"):
        error = refused(DoesNotParse, files.write, vault, PLACE, text, force=True)
        assert error.details["diagnostics"]
    refused(DoesNotParse, files.replace, vault, PLACE, "}", "", force=True)


def test_bytes_that_are_no_text_are_not_lost_by_replacing(vault: Vault, root: Path, write: Write) -> None:
    write(PLACE, ADA).write_bytes(b"// \xe9t\xe9\n" + ADA.encode())
    refused(DoesNotParse, files.replace, vault, PLACE, "Ada", "Eve", force=True)
    assert files.write(vault, PLACE, ADA).existed


def test_new_errors_anywhere_refuse_and_force_writes(ada: None, vault: Vault, root: Path, write: Write) -> None:
    schema = "schema/actor.firm"
    error = refused(Breaks, files.delete, vault, schema)
    assert [PLACE in told for told in error.details["diagnostics"]] == [True]
    assert "force" in error.hint
    forced = files.delete(vault, schema, force=True)
    assert [item.code for item in forced.findings] == ["unknown-type"]
    assert files.write(vault, PLACE, ADA.replace("Ada", "Eve")).findings == ()  # it was wrong before
    more = f"{ADA}actor eve {{ }}\n"
    refused(Breaks, files.write, vault, PLACE, more)


def test_a_message_lists_ten_errors(vault: Vault, write: Write) -> None:
    write("schema/ship.firm", "schema ship { }\n")
    write("global/ship/fleet.firm", "".join(f"ship s{number} {{ }}\n" for number in range(12)))
    error = refused(Breaks, files.delete, vault, "schema/ship.firm")
    assert len(error.details["diagnostics"]) == 12
    assert error.message.endswith("\nand 2 more")


def test_the_same_error_once_more_is_new(vault: Vault, root: Path, write: Write) -> None:
    write(PLACE, f"{ADA}{ADA}")
    refused(Breaks, files.write, vault, PLACE, ADA * 3)
    assert files.write(vault, PLACE, f"// twice\n{ADA * 2}").paths == (PLACE,)


def test_new_warnings_are_told(ada: None, open_vault: Open, write: Write) -> None:
    write("global/note/n.firm", "note n { relates_to = [actor.ada] }\n")
    found = files.delete(open_vault(), PLACE).findings
    assert [(item.code, item.span.path) for item in found] == [("dangling-reference", "global/note/n.firm")]


def test_a_severity_the_vault_has_chosen_decides(ada: None, open_vault: Open, write: Write, root: Path) -> None:
    held = (root / "vault.yaml").read_text()
    write("vault.yaml", f"{held}check:\n  dangling-reference: error\n")
    vault = open_vault()
    refused(Breaks, files.write, vault, "global/note/n.firm", "note n { uses = [thing.x] }")


def test_a_file_that_cannot_be_read_does_not_keep_a_schema_out(ada: None, vault: Vault, root: Path) -> None:
    vault.refresh()
    (root / PLACE).chmod(0)
    with without_rights(root), Vault.open(root, environ=vault.environ) as opened:
        assert files.write(opened, "schema/ship.firm", "schema ship { }").findings == ()


def test_entries_among_schemas_are_refused(vault: Vault, root: Path) -> None:
    refused(Breaks, files.write, vault, "schema/actor.firm", ADA)


# -- replacing


def test_replace_counts(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/n.firm", 'note n { text = "tick tick tick" }\n')
    error = refused(SeveralMatches, files.replace, vault, "global/note/n.firm", "tick", "tock")
    assert error.details["count"] == 3
    refused(NoMatch, files.replace, vault, "global/note/n.firm", "tack", "tock")
    refused(UsageError, files.replace, vault, "global/note/n.firm", "", "tock")
    assert files.replace(vault, "global/note/n.firm", "tick", "tock", every=True).count == 3
    assert (root / "global/note/n.firm").read_text() == 'note n { text = "tock tock tock" }\n'
    assert files.replace(vault, "global/note/n.firm", "note n", "note n").paths == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_replace_keeps_the_line_ends_of_the_file(vault: Vault, write: Write, root: Path, newline: str) -> None:
    text = '\ufeffnote n {\n  text = "a"\n}\n'
    place = write("global/note/n.firm", text.replace("\n", newline))
    for old, new in (('{\n  text = "a"', '{\r\n  text = "b"'), ('{\r\n  text = "b"', '{\n\n  text = "c"')):
        files.replace(vault, "global/note/n.firm", old, new)
    wanted = text.replace("{\n", "{\n\n").replace('"a"', '"c"').replace("\n", newline)
    assert place.read_bytes() == wanted.encode()


def test_replace_finds_line_ends_as_they_are_in_a_mixed_file(vault: Vault, write: Write) -> None:
    place = write("global/note/n.firm", 'note n {\n  text = "a"\r\n}\r\n')
    files.replace(vault, "global/note/n.firm", '"a"\r\n}', '"b"\r\n  tags = []\r\n}')
    assert place.read_bytes() == b'note n {\n  text = "b"\n  tags = []\n}\r\n'


# -- sidecars


def test_delete_takes_the_texts_beside_with_it(vault: Vault, root: Path) -> None:
    path = add(vault, "note", "long", {"text": 'a """ b'}).path
    gone = files.delete(vault, path)
    assert gone.paths == (path, "global/note/long.md")
    assert not (root / "global/note/long.md").exists()
    assert add(vault, "note", "long", {"text": "again"}).path == path


def test_a_text_that_others_name_or_that_is_a_link_stays(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/shared.md", "for both\n")
    (root / "global/note/link.md").symlink_to(root / "global/note/shared.md")
    write("global/note/a.firm", 'note a { text_file = path"./shared.md" }\nnote c { text_file = path"./link.md" }\n')
    write("global/note/b.firm", 'note b { text_file = path"./shared.md" }\n')
    assert files.delete(vault, "global/note/a.firm", force=True).paths == ("global/note/a.firm",)
    assert files.delete(vault, "global/note/b.firm").paths == ("global/note/b.firm", "global/note/shared.md")
    assert (root / "global/note/link.md").is_symlink()


def test_a_text_beside_that_is_missing_or_there_is_judged_as_it_is(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/there.md", "words\n")
    assert files.write(vault, "global/note/n.firm", 'note n { text_file = path"./there.md" }\n').findings == ()
    for name in ("gone.md", "link.md"):
        (root / "global/note/link.md").unlink(missing_ok=True)
        (root / "global/note/link.md").symlink_to(root / "global/note/there.md")
        text = f'note m {{ text_file = path"./{name}" }}\n'
        refused(Breaks, files.write, vault, "global/note/m.firm", text)


# -- commits


def test_a_landing_commits_what_was_written(ada: None, vault: Vault, git: Git) -> None:
    made = files.write(vault, PLACE, ADA, options=CommitOptions())
    assert made.commit is not None
    assert git("log", "-1", "--format=%s") == "add actor.ada: Ada"
    changed = files.replace(vault, PLACE, "Ada", "Countess", options=CommitOptions("Call her by her title"))
    assert changed.commit is not None
    assert git("log", "-1", "--format=%s") == "Call her by her title"
    files.delete(vault, PLACE, options=CommitOptions())
    assert git("show", "--name-status", "--format=", "HEAD") == f"D\t{PLACE}"


def test_what_force_lets_through_is_not_committed(ada: None, vault: Vault, root: Path) -> None:
    wrong = "actor ada { }\n"
    refused(HasErrors, files.write, vault, PLACE, wrong, force=True, options=CommitOptions())
