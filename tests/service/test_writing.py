"""Adding, changing and removing entries."""

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from vault.errors import UsageError, VaultError
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.values import PathValue, Value
from vault.service.arguments import cli_values
from vault.service.arguments.choices import UnknownType
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create, update
from vault.service.write.atomic_write import IgnoredPath, put
from vault.service.write.formatter import rewrite, unformatted
from vault.service.write.new_entry import AlreadyThere, BadId, PathTaken
from vault.service.write.result import Refused
from vault.service.write.sidecars import HasSyntaxErrors
from vault.store.files import StaleWrite, WriteFailed
from vault.store.journal import FileWrite
from vault.workspace.snapshot import NotFound


def test_add_writes_one_file_in_schema_order(vault: Vault, root: Path) -> None:
    vault.clock = lambda: datetime(2026, 3, 1, 9, 30, 59, tzinfo=UTC)
    written = create.add(vault, "actor", None, {"tags": ("x",), "name": "Åsa Öberg"})
    assert written.key == "actor.asa_oberg"
    assert (root / written.path).read_text("utf-8") == (
        'actor asa_oberg {\n    name = "Åsa Öberg"\n    tags = ["x"]\n    created_at = 2026-03-01 at 09:30 UTC\n}\n'
    )


def test_add_makes_another_id_where_one_is_taken(vault: Vault) -> None:
    keys = [create.add(vault, "note", None, {"text": "Same words"}).key for _ in range(3)]
    assert keys == ["note.same_words", "note.same_words_2", "note.same_words_3"]


def test_add_refuses_a_taken_id_whatever_its_case(vault: Vault) -> None:
    create.add(vault, "note", "idea", {"text": "x"})
    with pytest.raises(AlreadyThere):
        create.add(vault, "note", "Idea", {"text": "y"})


@pytest.mark.parametrize("ident", ["../up", "/abs", "a b", "é", "1st", "con", "x" * 300, "a.b"])
def test_add_refuses_what_is_no_id(vault: Vault, ident: str) -> None:
    with pytest.raises(BadId):
        create.add(vault, "note", ident, {"text": "x"})


def test_add_refuses_a_file_in_the_way(vault: Vault, write: Write) -> None:
    kept = write("global/note/a.firm", "this is no entry\n")
    with pytest.raises(PathTaken, match=r"global/note/a\.firm already exists: it holds no entry"):
        create.add(vault, "note", "a", {"text": "x"})
    assert kept.read_text() == "this is no entry\n"


def test_add_names_the_types_for_an_unknown_one(vault: Vault) -> None:
    with pytest.raises(UnknownType) as caught:
        create.add(vault, "actr", None, {})
    assert "did you mean `actor`?" in caught.value.hint


def test_add_shows_the_structure_when_a_field_is_missing(vault: Vault) -> None:
    with pytest.raises(Refused) as caught:
        create.add(vault, "actor", "x", {})
    assert 'name = "…"  // required' in caught.value.hint


@pytest.mark.parametrize(
    "text", ['with """ inside', " \n indented\n both", "trailing \n\n", "carriage\r\nreturns", "\n"]
)
def test_a_text_no_string_holds_goes_to_a_sidecar_and_comes_back(vault: Vault, root: Path, text: str) -> None:
    written = create.add(vault, "note", "long", {"text": text})
    assert set(written.paths) == {"global/note/long.firm", "global/note/long.md"}
    assert (root / "global/note/long.md").read_bytes() == f"{text}\n".encode()
    assert vault.text_of(vault.get("long")) == f"{text}\n"
    assert vault.check() == []


def test_a_changed_text_stays_in_its_sidecar(vault: Vault, root: Path) -> None:
    create.add(vault, "note", "long", {"text": 'a """ b'})
    update.change(vault, "long", {"text": "plain now"})
    assert (root / "global/note/long.md").read_text() == "plain now\n"
    assert "text_file" in (root / "global/note/long.firm").read_text()


def test_a_string_that_outgrows_strings_moves_to_a_sidecar(vault: Vault, root: Path) -> None:
    create.add(vault, "note", "n", {"text": "plain"})
    update.change(vault, "n", {"text": 'now """ quoted'})
    assert (root / "global/note/n.md").read_text() == 'now """ quoted\n'
    assert vault.check() == []


def test_removing_an_entry_takes_its_sidecar_along(vault: Vault, root: Path) -> None:
    create.add(vault, "note", "long", {"text": 'a """ b'})
    update.remove(vault, "long")
    assert not list((root / "global").rglob("long*"))


def test_add_text_keeps_comments_and_spacing(vault: Vault, root: Path) -> None:
    text = '// why\nnote   a { text="x" }   // end\n'
    create.add_text(vault, text, "here")
    assert (root / "global/note/a.firm").read_text() == text


def test_add_text_splits_entries_into_files(vault: Vault, root: Path) -> None:
    written = create.add_text(vault, '// one\nnote a { text="x" }\n\n// two\nnote b { text="y" }\n', "here")
    assert [item.path for item in written] == ["global/note/a.firm", "global/note/b.firm"]
    assert (root / "global/note/b.firm").read_text() == '// two\nnote b { text="y" }\n'


def test_add_text_writes_all_or_none(vault: Vault, root: Path) -> None:
    with pytest.raises(Refused):
        create.add_text(vault, 'note a { text="x" }\nnote b { text=5 }\n', "here")
    assert not (root / "global").exists()
    with pytest.raises(UsageError):
        create.add_text(vault, "// nothing\n", "here")


def test_set_changes_only_its_bytes(vault: Vault, write: Write) -> None:
    path = write("global/note/n.firm", '\ufeffnote n {\r\n  text = "a" // why\r\n  tags=[ "x", /* y */ "z" ]\r\n}')
    update.change(vault, "n", {"text": "b"})
    assert path.read_bytes().decode() == '\ufeffnote n {\r\n  text = "b" // why\r\n  tags=[ "x", /* y */ "z" ]\r\n}'


def test_set_refuses_a_file_with_syntax_errors(vault: Vault, write: Write) -> None:
    path = write("global/note/n.firm", 'note n {\n text = "a"\n oops\n}\n')
    with pytest.raises(HasSyntaxErrors):
        update.change(vault, "n", {"text": "b"})
    assert "oops" in path.read_text()


def test_set_refuses_what_the_schema_forbids_and_passes_over_old_faults(vault: Vault, write: Write) -> None:
    write("global/actor/a.firm", 'actor a { kind = enum"robot" }\n')
    with pytest.raises(Refused):
        update.change(vault, "a", {"tags": "no list"})
    written = update.change(vault, "a", {"summary": "fine"})
    assert {item.code for item in written.findings} == {"bad-enum", "missing-field"}


def test_a_file_changed_meanwhile_is_not_overwritten(vault: Vault, write: Write) -> None:
    path = write("global/note/n.firm", 'note n { text = "mine" }\n')
    with pytest.raises(StaleWrite):
        put(vault, [FileWrite("global/note/n.firm", b"something else", b"new")])
    assert "mine" in path.read_text()


def test_override_copies_into_the_space_and_removal_reveals(open_vault: Open, vault: Vault) -> None:
    create.add(vault, "actor", "bob", {"name": "Bob", "summary": "Engineer"})
    work = open_vault("work")
    with pytest.raises(update.OnlyGlobal) as caught:
        update.change(work, "bob", {"summary": "CTO"})
    assert "--override" in caught.value.hint
    assert "--global" in caught.value.hint
    written = update.change(work, "bob", {"summary": "CTO"}, override=True)
    assert written.path == "spaces/work/actor/bob.firm"
    assert work.get("bob").entry.fields["summary"] == "CTO"
    assert vault.get("bob").entry.fields["summary"] == "Engineer"
    with pytest.raises(update.OnlyGlobal):
        update.remove(open_vault("diary"), "bob")
    assert update.remove(work, "bob").reveals == "global/actor/bob.firm"
    assert work.get("bob").entry.fields["summary"] == "Engineer"


def test_override_takes_the_sidecar_along(open_vault: Open, vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": 'a """ b'})
    work = open_vault("work")
    update.change(work, "n", {"name": "Ours"}, override=True)
    assert work.text_of(work.get("n")) == 'a """ b\n'
    assert work.get("n").text_file == "spaces/work/note/n.md"


def test_remove_from_a_shared_file_leaves_the_other(vault: Vault, write: Write) -> None:
    path = write("global/note/two.firm", '// first\nnote a { text = "1" }\n\n// second\nnote b { text = "2" }\n')
    update.remove(vault, "note.a")
    assert path.read_text() == '// first\n\n// second\nnote b { text = "2" }\n'
    with pytest.raises(NotFound):
        vault.get("note.a")


def test_remove_leaves_a_file_that_holds_more_than_it_understands(vault: Vault, write: Write) -> None:
    path = write("global/actor/good.firm", 'actor good { name = "G" }\n// precious\nactor { name = "lost" }\n')
    with pytest.raises(HasSyntaxErrors):
        update.remove(vault, "actor.good")
    assert "precious" in path.read_text()


def test_unset_of_a_text_takes_its_sidecar_along(vault: Vault, root: Path) -> None:
    create.add(vault, "note", "n", {"name": "N", "text": 'a """ b'})
    update.change(vault, "n", {"text": None})
    assert not (root / "global/note/n.md").exists()
    assert "text_file" not in vault.get("n").entry.fields
    assert vault.check() == []


def test_a_leftover_sidecar_is_in_the_way_and_stays(vault: Vault, write: Write) -> None:
    kept = write("global/note/n.md", "somebody's\n")
    with pytest.raises(PathTaken):
        create.add(vault, "note", "n", {"text": 'a """ b'})
    assert kept.read_text() == "somebody's\n"


def test_a_path_that_git_ignores_is_refused(vault: Vault, write: Write, root: Path) -> None:
    write(".gitignore", "global/note/\n")
    with pytest.raises(IgnoredPath):
        create.add(vault, "note", "n", {"text": "x"})
    assert not (root / "global").exists()


def test_a_file_where_a_folder_should_be(vault: Vault, write: Write) -> None:
    write("global/note", "a file")
    with pytest.raises(WriteFailed):
        create.add(vault, "note", "n", {"text": "x"})


def test_changes_are_made_of_what_the_entry_is_inside_the_lock(vault: Vault, open_vault: Open) -> None:
    create.add(vault, "actor", "a", {"name": "A", "tags": ()})
    vaults = [open_vault() for _ in range(6)]
    for one in vaults:
        one.snapshot()
        one.close()

    def append(one: Vault, number: int) -> None:
        def grown(entry: Entry, _schema: Schema | None) -> dict[str, Value | None]:
            tags = entry.fields["tags"]
            assert isinstance(tags, tuple)
            return {"tags": (*tags, f"t{number}")}

        with Vault.open(one.root, environ=one.environ) as own:
            update.change(own, "a", grown)

    threads = [threading.Thread(target=append, args=(one, number)) for number, one in enumerate(vaults)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(vault.get("a").entry.texts("tags")) == [f"t{number}" for number in range(6)]


@pytest.mark.parametrize("fault", ["lock", "hook", "identity"])
def test_a_write_whose_commit_is_refused_is_undone(vault: Vault, root: Path, git: Git, fault: str) -> None:
    create.add(vault, "note", "a", {"text": "old"}, CommitOptions())
    if fault == "lock":
        (root / ".git" / "index.lock").touch()
    elif fault == "hook":
        hook = root / ".git" / "hooks" / "pre-commit"
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
    else:
        vault.environ = {}
    with pytest.raises(VaultError):
        update.change(vault, "a", {"text": "new"}, options=CommitOptions())
    with pytest.raises(VaultError):
        create.add(vault, "note", "b", {"text": 'with """'}, CommitOptions())
    with pytest.raises(VaultError):
        update.remove(vault, "a", CommitOptions())
    (root / ".git" / "index.lock").unlink(missing_ok=True)
    assert git("status", "--porcelain") == ""
    assert vault.get("a").entry.fields["text"] == "old"


def test_a_write_lands_what_was_changed_before(vault: Vault, git: Git) -> None:
    create.add(vault, "note", "a", {"text": "old"}, CommitOptions())
    update.change(vault, "a", {"text": "new"})
    written = update.change(vault, "a", {"text": "new"}, options=CommitOptions())
    assert written.commit
    assert git("status", "--porcelain") == ""
    assert update.change(vault, "a", {"text": "new"}, options=CommitOptions()).commit is None


def test_changes_of_lists(vault: Vault) -> None:
    create.add(vault, "actor", "a", {"name": "A", "tags": ("x", "y")})
    stored, schema = vault.get("a"), vault.schemas()["actor"]
    read = cli_values.read_changes(stored.entry, schema, [("tags", "+", "z"), ("tags", "-", "x")])
    assert read == {"tags": ("y", "z")}
    with pytest.raises(UsageError, match="does not hold"):
        cli_values.read_changes(stored.entry, schema, [("tags", "-", "q")])
    with pytest.raises(UsageError, match="is not a list"):
        cli_values.read_changes(stored.entry, schema, [("name", "+", "q")])
    with pytest.raises(UsageError, match="both set and unset"):
        cli_values.read_changes(stored.entry, schema, [("name", "", "q")], ["name"])
    with pytest.raises(UsageError, match="given twice"):
        cli_values.read_fields(schema, [("name", "a"), ("name", "b")])


def test_layout_of_a_private_space_is_committed_apart(open_vault: Open, write: Write, git: Git) -> None:
    write("global/note/a.firm", 'note a { text="x" }')
    write("spaces/diary/note/b.firm", 'note b { text="y" }')
    diary = open_vault("diary")
    said: list[str] = []
    diary.say = said.append
    found, _ = unformatted(diary, diary.firm_paths())
    made = rewrite(diary, found, CommitOptions("Format files")).commit
    assert made
    assert made.paths == ("global/note/a.firm",)
    assert any("of a private space" in text for text in said)
    assert git("status", "--porcelain") == ""


def test_layout_rewrites_and_leaves_broken_files(vault: Vault, write: Write) -> None:
    good = write("global/note/a.firm", 'note a { text="x" }')
    bad = write("global/note/b.firm", 'note b { text="x"')
    found, problems = unformatted(vault, vault.firm_paths())
    assert [file.path for file in found] == ["global/note/a.firm"]
    assert {item.code for item in problems} == {"unclosed-block"}
    rewrite(vault, found)
    assert good.read_text() == 'note a {\n    text = "x"\n}\n'
    assert bad.read_text() == 'note b { text="x"'


FULL = """
import os, resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from vault.service.write import create
from vault.service.arguments.choices import UnknownType
from vault.service.vault import Vault
from vault.store.files import WriteFailed
with Vault.open(sys.argv[1], environ=os.environ) as vault:
    vault.snapshot()
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    try:
        create.add(vault, "note", "big", {"text": 'quote \\"\\"\\" ' + "x" * 50_000})
    except WriteFailed as error:
        print(error.code)
"""


def test_a_full_disk_leaves_nothing_half_written(root: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(root)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == "write-failed"
    assert not [path for path in (root / "global").rglob("*") if path.is_file()]
    assert not (root / ".vault" / "journal").exists()


def test_add_says_why_an_id_has_a_number(vault: Vault) -> None:
    assert create.add(vault, "actor", None, {"name": "Ada"}).notes == ()
    (note,) = create.add(vault, "actor", None, {"name": "Ada"}).notes
    assert note == "`actor.ada` already exists in global/actor/ada.firm; the new entry is `actor.ada_2`"


def test_add_names_what_a_file_in_the_way_holds(vault: Vault, write: Write) -> None:
    write("global/note/a.firm", 'note other { text = "x" }\n')
    with pytest.raises(PathTaken, match=r"it holds `note\.other`"):
        create.add(vault, "note", "a", {"text": "x"})


def test_add_refuses_an_entry_without_fields(vault: Vault) -> None:
    with pytest.raises(create.NothingGiven, match="a new note needs at least one field"):
        create.add(vault, "note", None, {})
    assert list(vault.entries()) == []


def test_add_refuses_a_text_that_declares_an_entry_twice(vault: Vault) -> None:
    with pytest.raises(create.GivenTwice, match=r"declares `note\.n` twice"):
        create.add_text(vault, 'note n { text = "a" }\nnote n { text = "b" }\n', "standard input")


@pytest.mark.parametrize("data", [b'a """ b\n', b'\xef\xbb\xbfa """ b\r\nc\r\n', b'a """ b\n\nc\n'])
def test_the_text_of_a_file_set_to_itself_stays_as_it_is(vault: Vault, root: Path, write: Write, data: bytes) -> None:
    write("global/note/n.firm", 'note n { text_file = path"./n.md" }\n')
    place = root / "global/note/n.md"
    place.write_bytes(data)
    text = vault.text_of(vault.get("n"))
    assert text is not None
    assert update.change(vault, "n", {"text": text}).paths == ()
    assert place.read_bytes() == data


def test_override_lets_paths_count_from_the_new_file(open_vault: Open, vault: Vault, write: Write) -> None:
    write("global/files/a.txt", "x")
    write("global/note/p.firm", 'note p { text = "x" docs = [path"../files/a.txt", path"https://x/y"] }\n')
    work = open_vault("work")
    update.change(work, "p", {"name": "Ours"}, override=True)
    docs = work.get("p").entry.fields["docs"]
    assert docs == (PathValue("../../../global/files/a.txt"), PathValue("https://x/y"))
    assert work.check() == []
