"""The commands on a terminal: prompts, colours, completion, the tour."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.sample import ENTRIES, SAMPLES
from tests.cli.conftest import Run
from tests.cli.processes import REPOSITORY
from tests.cli.sessions import Shell


def test_styling_survives_on_a_terminal(root: Path) -> None:
    folder = root / "global" / "note"
    folder.mkdir(parents=True)
    (folder / "n.firm").write_text('note n { name = "a\x1b[31mb" }\n')
    printed = on_terminal(root, ["list"], [], plain=False)[1]
    assert "\x1b[1mnote.n\x1b[0m" in printed
    assert r"a\x1b[31mb" in printed
    assert "\x1b" not in on_terminal(root, ["list"], [])[1]


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


#: Seconds after which a command on a terminal counts as hanging.
TERMINAL_SECONDS = 200


def on_terminal(root: Path, words: list[str], answers: list[str], *, plain: bool = True) -> tuple[int, str]:
    """Run a command on a pseudo terminal and type the answers as they are asked for."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(root)
        os.environ["PYTHONPATH"] = str(REPOSITORY)
        os.environ["NO_COLOR"] = "1" if plain else ""
        os.execv(sys.executable, [sys.executable, "-m", "cli", *words])  # noqa: S606  the child of a terminal
    printed = b""
    deadline = time.monotonic() + TERMINAL_SECONDS
    while True:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            pytest.fail(f"after {TERMINAL_SECONDS} s {words} had not ended; it printed {printed!r}")
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
    assert status.stdout == ""
    assert run("tour", str(folder)).code == 1


def test_the_tour_can_be_typed(run: Run, root: Path) -> None:
    first, second = root.parent / "sample", root.parent / "typed"
    told = run("tour", str(first), "--json").json()["steps"]
    assert [step["exitCode"] for step in told].count(0) == len(told) - 1
    shell = Shell(root.parent, os.environ)
    for step in told:
        printed = shell.run(step["command"].replace(str(first), str(second)))
        assert ("[exit " in printed) == (step["exitCode"] != 0), printed
        if step["command"].startswith("vault init"):
            (second / SAMPLES).write_text(ENTRIES)
    assert run("-C", str(second), "list", "--json").json()["total"] == 10
