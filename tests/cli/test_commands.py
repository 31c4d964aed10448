"""The commands: options, exit codes, JSON, help, completion, and the boundary of errors."""

import importlib
import keyword
import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import click
import pytest

from cli import main as cli_main
from cli.main import COMMANDS, invoke, main
from tests.cli.conftest import Run
from tests.cli.sessions import Shell

REPOSITORY = Path(__file__).resolve().parents[2]


def module_of(name: str) -> object:
    return importlib.import_module(f"cli.commands.{name}_" if keyword.iskeyword(name) else f"cli.commands.{name}")


def leaves(command: click.Command, words: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        return [(words, command)]
    return [leaf for name, inner in command.commands.items() for leaf in leaves(inner, (*words, name))]


def vault_process(
    root: Path, *words: str | bytes, stdout: int | BinaryIO = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Run the program on its own."""
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    program = [sys.executable, "-m", "cli", *words]
    return subprocess.run(program, cwd=root, env=environ, stdout=stdout, stderr=subprocess.PIPE, check=False)


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
    assert "edited here and changed at the source, so left as they are: 1\n  note.n1" in changed.err
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


def test_an_unexpected_error_is_logged_and_ends_with_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(main, "main", broken)
    ended = run("list")
    assert ended.code == 3
    log = Path(ended.err.rsplit(" ", 1)[1].strip())
    assert "RuntimeError: a bug" in log.read_text()
    log.unlink()


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_an_interrupted_command_ends_with_130(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(main, "main", interrupted)
    assert run("list").code == 130


def test_misuse_is_json_where_json_is_asked_for(run: Run) -> None:
    ended = run("--json", "search", "--limit", "none")
    assert ended.code == 2
    assert ended.json()["error"]["code"] == "usage"
    ended = run("--json", "get", "nobody")
    assert ended.json()["error"]["code"] == "not-found"
    ended = run("commit", "--json")
    assert (ended.code, ended.json()["items"]) == (0, [])


@pytest.mark.parametrize("words", [["get", "\udcff\udcfe.x"], ["--json", "\udcff\udcfe"], ["\udcff\udcfe", "--json"]])
def test_an_argument_that_is_not_utf8_is_named(words: list[str], run: Run) -> None:
    ended = run(*words)
    assert ended.code == 2
    said = ended.json()["error"]["message"] if "--json" in words else ended.err
    assert r"the argument `\xff\xfe" in said
    assert "Traceback" not in ended.err


def test_bytes_that_are_not_utf8_are_refused_from_a_real_shell(root: Path) -> None:
    ended = vault_process(root, b"get", b"caf\xe9")
    assert ended.returncode == 2
    assert rb"the argument `caf\xe9` is not UTF-8" in ended.stderr


def test_a_folder_that_is_gone_is_said(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = root.parent / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ended = run("list")
    assert (ended.code, "is gone" in ended.err) == (2, True)


@pytest.mark.parametrize("words", [["nosuch", "--json"], ["list", "--nosuch", "--json"]])
def test_json_is_heard_behind_what_is_misspelt(words: list[str], run: Run) -> None:
    assert run(*words).json()["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("failure", "code", "status"),
    [
        (RuntimeError("odd"), "internal", 3),
        (OSError(5, "odd"), "internal", 3),
        (KeyboardInterrupt(), "interrupted", 130),
    ],
)
def test_what_stops_a_command_is_json_too(
    failure: BaseException, code: str, status: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("vault.service.vault.Vault.open", failing)
    ended = run("list", "--json")
    assert (ended.code, ended.json()["error"]["code"]) == (status, code)
    assert run("list").code == status


@pytest.mark.parametrize(
    "words", [["list"], ["list", "--json"], ["--help"], ["get", "n", "--raw"], ["get", "gone", "--json"]]
)
def test_a_full_disk_behind_standard_output_is_said_in_one_line(words: list[str], run: Run, root: Path) -> None:
    run("add", "note", "n", "-f", "text=x")
    with Path("/dev/full").open("wb") as full:
        ended = vault_process(root, *words, stdout=full)
    assert ended.returncode == 1
    assert ended.stderr == b"error[write-failed]: standard output cannot be written: No space left on device\n"


def test_what_would_steer_a_terminal_is_shown_escaped(run: Run, root: Path) -> None:
    evil = "\x1b]0;owned\x07 \x1b[31mred\x9b"
    folder = root / "global" / "actor"
    folder.mkdir(parents=True)
    source = f'actor eve {{\n    name = "Eve {evil}"\n    summary = "{evil}"\n    kind = enum"{evil}"\n}}\n'
    (folder / "eve.firm").write_text(source)
    checks = (["check"], ["check", "--format", "line"])
    for words in (["list"], ["get", "eve"], ["search", "owned"], ["search"], *checks):
        ended = run(*words)
        assert "\x1b" not in ended.out + ended.err, words
        assert "\x9b" not in ended.out + ended.err, words
        assert words in (["search"], *checks) or r"Eve \x1b]0;owned" in ended.out
    assert run("get", "eve", "--raw").out == source
    assert run("get", "eve", "--json").json()["fields"]["summary"] == evil


def test_styling_survives_on_a_terminal(root: Path) -> None:
    folder = root / "global" / "note"
    folder.mkdir(parents=True)
    (folder / "n.firm").write_text('note n { name = "a\x1b[31mb" }\n')
    printed = on_terminal(root, ["list"], [], plain=False)[1]
    assert "\x1b[1mnote.n\x1b[0m" in printed
    assert r"a\x1b[31mb" in printed
    assert "\x1b" not in on_terminal(root, ["list"], [])[1]


def test_raw_is_the_file_byte_for_byte(run: Run, root: Path) -> None:
    folder = root / "global" / "note"
    folder.mkdir(parents=True)
    source = b'\xef\xbb\xbfnote n {\r\n    text = "caf\xe9"\r\n}'
    (folder / "n.firm").write_bytes(source)
    assert vault_process(root, "get", "n", "--raw").stdout == source


def test_long_names_are_cut_in_lists(run: Run) -> None:
    run("add", "note", "n", "-f", f"name={'long ' * 60}", "-f", "text=findme")
    assert all(len(row) < 120 for row in run("list").out.splitlines() + run("search", "findme").out.splitlines())
    assert "…" in run("list").out


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


def test_fv_is_the_same_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/fv", "--help"])
    with pytest.raises(SystemExit) as ended:
        cli_main.run()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("Usage: fv ")


def completed(root: Path, words: str) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "cli"],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "_VAULT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return [line.partition(",")[2] for line in ended.stdout.splitlines() if line]


def test_completion_of_entries_types_and_open_spaces(run: Run, root: Path) -> None:
    run("add", "actor", "-f", "name=Ada")
    run("--space", "diary", "add", "note", "secret", "-f", "text=x")
    assert completed(root, "vault get act") == ["actor.ada"]
    assert completed(root, "vault get note.") == []
    assert completed(root, "vault --space diary get note.") == ["note.secret"]
    assert completed(root, "vault add no") == ["note"]
    assert completed(root, "vault --space ") == ["work"]
    assert completed(root.parent, "vault get a") == []
    assert completed(root, "vault com") == ["commit", "completion"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    assert "_VAULT_COMPLETE" in run("completion", shell).out


def test_a_closed_pipe_ends_quietly(run: Run, root: Path) -> None:
    for number in range(3):
        run("add", "note", f"n{number}", "-f", "text=x")
    ended = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m cli list --json | true"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""


def on_terminal(root: Path, words: list[str], answers: list[str], *, plain: bool = True) -> tuple[int, str]:
    """Run a command on a pseudo terminal and type the answers as they are asked for."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(root)
        os.environ["PYTHONPATH"] = str(REPOSITORY)
        os.environ["NO_COLOR"] = "1" if plain else ""
        os.execv(sys.executable, [sys.executable, "-m", "cli", *words])  # noqa: S606  the child of a terminal
    printed = b""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:
            break
        if not chunk:
            break
        printed += chunk
        if answers and printed.rstrip(b" ").endswith((b":", b"]:")):
            os.write(terminal, f"{answers.pop(0)}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), printed.decode("utf-8", "replace")


def test_add_asks_for_what_is_missing_on_a_terminal(root: Path) -> None:
    code, printed = on_terminal(root, ["add", "actor"], ["Ada Lovelace", "person", "Maths"])
    assert code == 0, printed
    text = (root / "global/actor/ada_lovelace.firm").read_text()
    assert 'kind = enum"person"' in text
    assert 'summary = "Maths"' in text


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


def test_rm_asks_on_a_terminal(run: Run, root: Path) -> None:
    run("add", "note", "n", "-f", "text=x")
    code, printed = on_terminal(root, ["rm", "n"], ["n"])
    assert (code, "declined" in printed) == (1, True), printed
    assert (root / "global/note/n.firm").exists()
    code, printed = on_terminal(root, ["rm", "n"], ["y"])
    assert code == 0, printed
    assert not (root / "global/note/n.firm").exists()


def test_the_tour_runs_and_leaves_a_clean_vault(run: Run, root: Path) -> None:
    folder = root.parent / "sample"
    ended = run("tour", str(folder))
    assert ended.code == 0, ended.err
    assert "$ vault set fact.bob_role value=CEO" in ended.out
    assert '"CTO" → "CEO"' in ended.out
    status = subprocess.run(["git", "status", "--porcelain"], cwd=folder, capture_output=True, text=True, check=True)
    assert status.stdout == "?? samples.firm\n"
    assert run("tour", str(folder)).code == 1
    told = run("tour", "--json").json()
    assert "steps" in told, told
    assert [step["exitCode"] for step in told["steps"]].count(0) == len(told["steps"]) - 1


def test_the_tour_can_be_typed(run: Run, root: Path) -> None:
    first, second = root.parent / "sample", root.parent / "typed"
    told = run("tour", str(first), "--json").json()["steps"]
    shell = Shell(root.parent, os.environ)
    for step in told:
        printed = shell.run(step["command"].replace(str(first), str(second)))
        assert ("[exit " in printed) == (step["exitCode"] != 0), printed
        if step["command"].startswith("vault init"):
            shutil.copy(first / "samples.firm", second)
    assert run("-C", str(second), "list", "--json").json()["total"] == 10
