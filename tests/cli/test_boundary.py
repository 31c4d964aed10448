"""Where errors become exit codes, and what is printed is made safe to print."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli import main as cli_main
from cli.main import main
from tests.cli.conftest import Run
from tests.cli.processes import REPOSITORY, vault_process


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
        (OSError(5, "odd"), "system-refused", 1),
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


def test_fv_is_the_same_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/fv", "--help"])
    with pytest.raises(SystemExit) as ended:
        cli_main.run()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("Usage: fv ")


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


@pytest.mark.parametrize("words", [["check", "a" * 300], ["-C", "a" * 300, "list"], ["import", "markdown", "a" * 300]])
def test_a_name_the_system_refuses_is_no_fault_of_the_program(run: Run, words: list[str]) -> None:
    ended = run(*words)
    assert ended.code == 1
    assert ended.err.startswith("error[system-refused]: ")
    assert "File name too long" in ended.err
