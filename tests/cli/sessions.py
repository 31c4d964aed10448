"""Console sessions: commands and what they print, in one readable text, run and compared.

A line `$ command` is run in the session's folder, as a shell would; the lines below it are what it prints on
both outputs. `…` stands for anything within a line, and a line that is only `…` for any lines. `[exit N]` at
the end states an exit code other than 0 where a session wants to show it.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from cli.main import invoke

ROOT = Path(__file__).resolve().parents[2]

#: Seconds after which a command counts as hanging.
COMMAND_SECONDS = 120.0

#: What only a shell takes apart, outside quotes.
SHELL_ONLY = r"[|<>;&$`*?#~(){}]"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A command and what it is expected to print, without the final line end."""

    command: str
    expected: str


def read_session(text: str) -> list[Exchange]:
    """Split a session into its commands and their outputs."""
    exchanges: list[Exchange] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            exchanges.append(Exchange(line[2:], ""))
        elif exchanges:
            last = exchanges[-1]
            exchanges[-1] = Exchange(last.command, f"{last.expected}\n{line}" if last.expected else line)
    return [Exchange(item.command, item.expected.rstrip("\n")) for item in exchanges]


@dataclass(frozen=True, slots=True)
class Command:
    """A `vault` command that can run in this process: its words, what feeds it, which outputs it drops."""

    words: list[str]
    feeder: str = ""
    drops_output: bool = False
    drops_errors: bool = False


def read_command(text: str) -> Command | None:
    """Read `[FEEDER |] vault WORDS [>/dev/null] [2>/dev/null]`; None if only a shell can read it."""
    feeder, _, last = text.rpartition(" | vault ")
    if feeder:
        last = f"vault {last}"
    drops_output, drops_errors = False, False
    while dropped := re.search(r" (2?)> ?/dev/null$", last):
        drops_output, drops_errors = drops_output or not dropped[1], drops_errors or bool(dropped[1])
        last = last[: dropped.start()]
    words = shlex.split(last) if last.count("'") % 2 == 0 and last.count('"') % 2 == 0 else []
    if words[:1] != ["vault"] or re.search(SHELL_ONLY, re.sub(r"'[^']*'|\"[^\"$`]*\"", "", last)):
        return None
    return Command(words[1:], feeder, drops_output, drops_errors)


class Shell:
    """Runs commands in a folder, with `vault` being this project's; `cd` moves on.

    A `vault` command runs in this process, in a tenth of the time a new process takes. With
    `processes`, and where only a shell can read the command, it runs as in a person's shell.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str], *, processes: bool = False) -> None:
        self.folder = folder
        self.processes = processes
        bin_folder = folder.parent / "bin"
        bin_folder.mkdir(exist_ok=True)
        for name in ("vault", "fv"):
            program = bin_folder / name
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m cli "$@"\n')
            program.chmod(0o755)
        self.environ = {
            **environ,
            "PATH": f"{bin_folder}:{environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
        }

    def run(self, command: str) -> str:
        """Run one command and return what it printed, with its exit code where that is not 0."""
        if command.startswith("cd "):
            self.folder = self.folder / command[3:].strip()
            return ""
        parsed = None if self.processes else read_command(command)
        code, data = self._in_process(parsed) if parsed else self._in_shell(command)
        printed = data.decode("utf-8").rstrip("\n")
        stated = f"[exit {code}]" if code else ""
        return "\n".join(part for part in (printed, stated) if part)

    def _in_shell(self, command: str, *, errors: int = subprocess.STDOUT) -> tuple[int, bytes]:
        """Run a command in a shell; return its exit code and output."""
        ended = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        return ended.returncode, ended.stdout

    def _in_process(self, command: Command) -> tuple[int, bytes]:
        """Run a `vault` command here; return its exit code and output."""
        fed = self._in_shell(command.feeder, errors=subprocess.DEVNULL)[1] if command.feeder else b""
        with chdir(self.folder), pytest.MonkeyPatch.context() as patch, TemporaryFile(buffering=0) as printed:
            for name in os.environ.keys() - self.environ.keys():
                patch.delenv(name)
            for name, value in self.environ.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(fed), encoding="utf-8"))
            with Path(os.devnull).open("wb", buffering=0) as nowhere:
                for name, drops in (("stdout", command.drops_output), ("stderr", command.drops_errors)):
                    raw = nowhere if drops else printed
                    patch.setattr(sys, name, os.fdopen(raw.fileno(), "w", encoding="utf-8", closefd=False))
                code = invoke(command.words)
            printed.seek(0)
            return code, printed.read()


def pattern_of(expected: str) -> re.Pattern[str]:
    """Turn an expected output into a pattern; a stated exit code may be left out of it."""
    rows = []
    for row in expected.split("\n"):
        if row == "…":
            rows.append(r"(?:.*\n)*?")
        else:
            rows.append(".*".join(re.escape(part) for part in row.split("…")) + "\n")
    stated = "" if "[exit " in expected else r"(?:\[exit \d+\]\n)?"
    return re.compile("".join(rows) + stated if expected else stated)


def fits(printed: str, expected: str) -> bool:
    """Say whether an output is the expected one."""
    return pattern_of(expected).fullmatch(f"{printed}\n" if printed else "") is not None


_VARYING = re.compile(
    r"/\S*/session\b|/\S*/bin/(?=vault\b)|\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\d{4}-\d\d-\d\d(?: at|T)? \d\d:\d\d"
)


def masked(printed: str) -> str:
    """Put `…` for what differs from run to run: folders, commits, the present time."""
    today = datetime.now(tz=UTC).date().isoformat()
    return _VARYING.sub("…", printed).replace(today, "…")


def rewritten(text: str, outputs: list[str]) -> str:
    """Put new outputs into a session; an output that fits keeps its `…`."""
    blocks: list[str] = []
    lead = text.split("$ ", 1)[0] if not text.startswith("$ ") else ""
    for exchange, printed in zip(read_session(text), outputs, strict=True):
        shown = exchange.expected if exchange.expected and fits(printed, exchange.expected) else masked(printed)
        blocks.append(f"$ {exchange.command}\n" + (f"{shown}\n" if shown else ""))
    return lead + "".join(blocks)
