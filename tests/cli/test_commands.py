"""The commands: options, JSON, help, and the whole way from the first entry to the last commit."""

import importlib
import keyword
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.main import COMMANDS, invoke
from tests.cli.conftest import Run


def module_of(name: str) -> object:
    return importlib.import_module(f"cli.commands.{name}_" if keyword.iskeyword(name) else f"cli.commands.{name}")


def leaves(command: click.Command, words: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        return [(words, command)]
    return [leaf for name, inner in command.commands.items() for leaf in leaves(inner, (*words, name))]


ALL = [
    leaf
    for name in COMMANDS
    for leaf in leaves(module_of(name).command, (name,))  # type: ignore[attr-defined]
]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_the_command_says_of_itself(name: str) -> None:
    command: click.Command = module_of(name).command  # type: ignore[attr-defined]
    assert command.get_short_help_str(200) == COMMANDS[name].removesuffix(".") or command.short_help == COMMANDS[name]
    assert command.epilog is not None
    assert "Examples:" in command.epilog


@pytest.mark.parametrize(
    ("words", "command"), ALL, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_every_command_takes_directory_and_json(words: tuple[str, ...], command: click.Command) -> None:
    options = {option for parameter in command.params for option in parameter.opts}
    if words != ("completion",):
        assert {"-C", "--json"} <= options


@pytest.mark.parametrize("words", [["--help"], *[[name, "--help"] for name in COMMANDS]])
def test_help_ends_well(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(words) == 0
    assert "Usage:" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out.startswith("vault, version ")


def test_the_whole_way_in_json(run: Run) -> None:
    added = run("add", "actor", "-f", "name=Ada", "-f", "kind=person", "--json").json()
    assert (added["key"], added["commit"]) == ("actor.ada", None)
    changed = run("set", "ada", "summary=Maths", "--commit", "--json").json()
    assert changed["fields"] == ["summary"]
    assert len(changed["commit"]) == 40
    entry = run("get", "ada", "--json").json()
    assert entry["fields"]["summary"] == "Maths"
    assert entry["cite"].startswith("global/actor/ada.firm:1@")
    assert run("list", "--json").json()["total"] == 1
    assert run("list", "actor", "--limit", "1", "--json").json()["items"][0]["name"] == "Ada"
    assert run("search", "maths", "--json").json()["items"][0]["key"] == "actor.ada"
    assert run("search", "--json").json()["types"] == {"actor": 1}
    assert run("check", "--json").json() == {"items": [], "total": 0, "errors": 0, "warnings": 0}
    assert run("fmt", "--check", "--json").json()["wouldChange"] == []
    assert run("status", "--json").json()["changes"] == []
    assert run("log", "--json").json()["items"][0]["trailers"][0] == {"name": "Vault-Op", "value": "add"}
    assert run("spaces", "list", "--json").json()["total"] == 1
    assert run("schema", "list", "--json").json()["total"] == 8
    assert run("index", "--json").json()["entries"] == 1
    assert run("index", "--check", "--json").json()["equal"] is True
    removed = run("rm", "ada", "--yes", "--json").json()
    assert removed["paths"] == ["global/actor/ada.firm"]
    assert run("commit", "--json").json()["items"][0]["subject"] == "delete actor.ada"
    doctor = run("doctor", "--json").json()
    assert {item["name"] for item in doctor["items"]} >= {"vault", "catalog", "check"}
    assert run("spaces", "add", "lab", "--json").json() == {"name": "lab", "private": False, "description": ""}
    assert run("schema", "add", "recipe", "--json").json()["path"] == "schema/recipe.firm"


def test_the_whole_way_in_words(run: Run) -> None:
    run("add", "actor", "-f", "name=Ada", "-f", "aliases=Countess")
    run("add", "note", "-f", "name=Letter", "-f", 'text=a """ quoted\ntext', "-f", "describes=actor.ada", "--commit")
    assert "named by\n  note.letter  describes  Letter" in run("get", "countess").out
    assert 'a """ quoted\ntext' in run("get", "letter").out
    assert run("get", "ada", "--raw").out.startswith("actor ada {\n")
    assert run("list", "--ids").out == "actor.ada\nnote.letter\n"
    assert "1 entry, 1 not shown" not in run("list").err
    assert "2 entries, 1 not shown" in run("list", "--limit", "1").err
    assert "newest" in run("search").out
    assert run("index").out.startswith("7 files, 2 entries")
    assert "equal to a rebuild" in run("index", "--check").err
    assert run("index", "--rebuild").code == 0
    assert "ok       vault" in run("doctor").out


def test_space_comes_from_the_option_the_variable_or_the_folder(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "spaces/work/note" in run("--space", "work", "add", "note", "-f", "text=one").out
    monkeypatch.setenv("FIRM_VAULT_SPACE", "work")
    assert "spaces/work/note" in run("add", "note", "-f", "text=two").out
    assert "global/note" in run("--global", "add", "note", "-f", "text=three").out
    monkeypatch.delenv("FIRM_VAULT_SPACE")
    monkeypatch.chdir(root / "spaces" / "work")
    assert "in the space work" in run("status").out
    assert "* work  2 entries" in run("spaces", "list").out
    monkeypatch.chdir(root.parent)
    assert "spaces/work/note" in run("-C", "vault/spaces/work", "add", "note", "-f", "text=four").out
    assert "global/note" in run("add", "-C", "vault", "note", "-f", "text=five").out


def test_entries_come_from_a_file_or_standard_input(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = root.parent / "new.firm"
    source.write_text('note a { text = "1" }\nnote b { text = "2" }\n')
    ended = run("add", "--from", str(source))
    assert "added note.a" in ended.out
    assert "next: vault commit\n" in ended.err
    read, write = os.pipe()
    os.write(write, b'note c { text = "3" }\n')
    os.close(write)
    with os.fdopen(read, "r") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert "added note.c" in run("add", "--from", "-").out
    assert run("add", "note", "--from", "x").code == 2
    assert run("add", "--from", str(root / "none")).code == 1
    source.write_bytes(b'note d { text = "caf\xe9" }')
    assert "is not UTF-8" in run("add", "--from", str(source)).err


def test_fmt_and_check_name_files(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = root / "global" / "note"
    folder.mkdir(parents=True)
    (folder / "a.firm").write_text('note a { text="x" }\n')
    (folder / "b.firm").write_text("note b { text = 5 }\n")
    assert run("check", "global/note/a.firm").code == 0
    assert run("check", "global/note/b.firm", "--format", "json").code == 1
    assert run("check").code == 1
    assert run("check", "--staged").code == 0
    monkeypatch.chdir(folder)
    ended = run("fmt", "--diff", "a.firm", "--json")
    assert (ended.code, ended.json()["wouldChange"]) == (1, ["global/note/a.firm"])
    assert "-note a" in run("fmt", "--diff", ".").out
    ended = run("fmt", "a.firm", "--commit")
    assert (ended.code, "Format files" in ended.out) == (0, True)
    assert run("check", str(root.parent)).code == 2
    (folder / "w.firm").write_text("note w { relates_to = [actor.nobody] }\n")
    assert run("check", "w.firm").code == 0
    assert run("check", "w.firm", "--strict").code == 1


def test_import_speaks_of_what_it_did(run: Run, root: Path) -> None:
    notes = root.parent / "notes"
    notes.mkdir()
    for number in range(12):
        (notes / f"n{number}.md").write_text(f"Note {number} with [[gone {number}]]")
    (notes / "bad.md").write_bytes(b"\xff")
    dry = run("import", "markdown", str(notes), "--dry-run")
    assert "would add 12" in dry.out
    assert "… and 2 more" in dry.err
    assert "skipped: 1" in dry.err
    done = run("import", "markdown", str(notes), "--json", "-m", "Notes")
    assert len(done.json()["added"]) == 12
    assert len(done.json()["commit"]) == 40
    again = run("import", "markdown", str(notes), "--commit")
    assert "added 0, changed 0, unchanged 12" in again.out
    (notes / "n0.md").write_text('now """quoted"""')
    run("set", "note.n1", "text=mine")
    (notes / "n1.md").write_text("theirs")
    changed = run("import", "markdown", str(notes))
    assert "edited here, so left as they are (--again brings in the source): 1\n  note.n1" in changed.err
    assert "texts kept in a file of their own: 1" in changed.out
    assert "next: vault check && vault commit" in changed.err


def test_edit_opens_checks_and_commits(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", "note", "n", "-f", "text=one", "--commit")
    editor = root.parent / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i s/one/two/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    assert "edited note.n" in run("edit", "n", "--commit").out
    assert "nothing changed in note.n" in run("edit", "n").out
    editor.write_text('#!/bin/sh\necho oops >> "$1"\n')
    ended = run("edit", "n")
    assert ended.code == 1
    assert "syntax-error" in ended.err
    assert "oops" in (root / "global/note/n.firm").read_text()
    monkeypatch.setenv("VISUAL", "false")
    assert "editor-failed" in run("edit", "n").err
    monkeypatch.setenv("VISUAL", "/nowhere/editor")
    assert "could not be run" in run("edit", "n").err


def test_init_says_what_stays_outside_and_gives_a_repository_back(run: Run, root: Path) -> None:
    folder = root.parent / "firm"
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "a.firm").write_text("actor a {\n}\nactor b {\n}\n")
    ended = run("init", str(folder), "--json")
    assert ended.json()["outside"] == {"entries": 2, "files": ["people/a.firm"]}
    assert "2 entries in people/a.firm stay outside the vault; move such files below global/" in ended.err
    (folder / ".git").rename(root.parent / "away")
    ended = run("init", str(folder))
    assert "made a git repository for the vault in" in ended.out
    assert "next: vault commit" in ended.err
    assert run("init", str(folder / "people")).code == 1


def test_check_staged_shows_what_is_staged(run: Run, root: Path) -> None:
    file = root / "global" / "note" / "n.firm"
    file.parent.mkdir(parents=True)
    file.write_text("note n { text = 5 }\n")
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    file.write_text('note n { text = "right by now" }\n')
    ended = run("check", "--staged")
    assert ended.code == 1
    assert "note n { text = 5 }" in ended.out


def test_check_staged_takes_no_files(run: Run) -> None:
    ended = run("check", "--staged", "a.firm")
    assert (ended.code, "leave the files out" in ended.err) == (2, True)


def test_options_of_every_command_have_help() -> None:
    bare = [
        (words, parameter.name)
        for words, command in ALL
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert bare == []


def test_doctor_stands_where_it_is_told(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("--space", "diary", "add", "note", "n", "-f", "text=x")
    monkeypatch.chdir(root / "spaces" / "diary")
    assert "1 entries" in run("doctor").out
    outside = run("doctor", "--global").out
    assert "0 entries" in outside
    assert "filelock " in outside
    assert "anyascii " in outside
    monkeypatch.chdir(root)
    assert "1 entries" in run("doctor", "--space", "diary").out


def test_edit_keeps_to_its_own_scope(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", "note", "n", "-f", "text=one", "--commit")
    editor = root.parent / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i s/one/two/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    assert "only-global" in run("--space", "work", "edit", "n").err
    assert "in spaces/work/note/n.firm" in run("--space", "work", "edit", "n", "--override").out
    assert "one" in (root / "global/note/n.firm").read_text()
    monkeypatch.setenv("EDITOR", " ")
    assert "no-editor" in run("edit", "n").err


def test_add_takes_no_operators(run: Run) -> None:
    assert run("add", "note", "-f", "tags-=x").code == 2


def test_files_are_named_from_the_directory_asked_for(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "notes").mkdir()
    (root / "notes" / "a.md").write_text("A note")
    (root / "new.firm").write_text('note b { text = "1" }\n')
    monkeypatch.chdir(root.parent)
    assert "added 1" in run("-C", "vault", "import", "markdown", "notes").out
    assert "added note.b" in run("-C", "vault", "add", "--from", "new.firm").out


@pytest.mark.parametrize(
    "words",
    [
        ["--space", "", "list"],
        ["list", "--at", ""],
        ["list", "--valid-at", ""],
        ["log", "--since", ""],
        ["log", "--until", ""],
        ["diff", ""],
    ],
)
def test_an_empty_word_is_not_taken_for_none(run: Run, words: list[str]) -> None:
    run("init", ".")
    run("add", "note", "n", "--field", "text=x", "--commit")
    assert run(*words).code == 2


def test_a_write_that_goes_back_to_the_last_commit_says_so(run: Run) -> None:
    run("add", "actor", "ada", "--field", "name=Ada", "--commit")
    run("set", "ada", "name=Bad")
    back = run("set", "ada", "name=Ada", "-m", "back")
    assert (back.code, "changed" in back.out, "no commit was needed" in back.out) == (0, True, True)
    assert run("status").out.rstrip().endswith("all is committed")
    run("rm", "ada", "--yes")
    restored = run("restore", "actor.ada@HEAD", "--json").json()
    assert restored["commit"] is None
    assert restored["alreadyIn"] == run("log", "--json").json()["items"][0]["commit"]
    assert run("get", "ada", "--json").json()["fields"]["name"] == "Ada"


def test_paths_and_references_are_read_where_they_are_typed(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("schema", "add", "event")
    (root / "docs").mkdir()
    (root / "docs/plan.md").write_text("plan")
    run("add", "actor", "acme", "--field", "name=Acme")
    monkeypatch.chdir(root / "docs")
    added = run("add", "output", "o", "-f", "name=O", "-f", "location=plan.md", "-f", "by=actor.acme", "-f", "x:=3")
    assert (added.code, "`by` refers to `actor.acme`" in added.err) == (0, True)
    assert "by = actor.acme" in (root / "global/output/o.firm").read_text()
    assert run("set", "o", "by=actor.none").err.startswith("`by` is the text `actor.none`")
