"""Console sessions: commands and what they print, in one readable text, run and compared.

A line `$ command` is run by a shell in the session's folder; the lines below it are what it prints on
both outputs. `…` stands for anything within a line, and a line that is only `…` for any lines. `[exit N]` at
the end states an exit code other than 0 where a session wants to show it.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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


class Shell:
    """Runs commands in a folder, with `vault` being this project's; `cd` moves on."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
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
        ended = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        printed = ended.stdout.decode("utf-8").rstrip("\n")
        code = f"[exit {ended.returncode}]" if ended.returncode else ""
        return "\n".join(part for part in (printed, code) if part)


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


_VARYING = re.compile(r"/\S*/session\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\d{4}-\d\d-\d\d(?: at|T)? \d\d:\d\d")


def masked(printed: str) -> str:
    """Put `…` for what differs from run to run: folders, commits, the present time."""
    return _VARYING.sub("…", printed)


def rewritten(text: str, outputs: list[str]) -> str:
    """Put new outputs into a session; an output that fits keeps its `…`."""
    blocks: list[str] = []
    lead = text.split("$ ", 1)[0] if not text.startswith("$ ") else ""
    for exchange, printed in zip(read_session(text), outputs, strict=True):
        shown = exchange.expected if exchange.expected and fits(printed, exchange.expected) else masked(printed)
        blocks.append(f"$ {exchange.command}\n" + (f"{shown}\n" if shown else ""))
    return lead + "".join(blocks)
