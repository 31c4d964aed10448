"""Running a program in a process of its own, and what it took."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

TOP = Path(__file__).parents[2]
#: `ru_maxrss` counts kilobytes, on macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class ChildFailed(Exception):
    """A program that is measured did not do its work."""

    def __init__(self, words: Sequence[str], said: str) -> None:
        super().__init__(f"{' '.join(words)}: {said}")


@dataclass(frozen=True, slots=True)
class Run:
    """What a run took: seconds on the wall, and megabytes at the most; what it printed."""

    seconds: float
    megabytes: float
    said: str = ""

    def __add__(self, other: "Run") -> "Run":
        """One run after the other."""
        return Run(self.seconds + other.seconds, max(self.megabytes, other.megabytes), self.said + other.said)


def environment(home: Path) -> dict[str, str]:
    """What the programs see: a home and an identity of their own, and this source tree."""
    # `PYTHON…` might forbid the bytecode that an installed package has
    own = ("GIT_", "FIRM_VAULT_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    author = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "Ada Example"), ("EMAIL", "ada@example.org"))
    }
    return {**kept, **author, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(TOP)}


def run(words: Sequence[str], folder: Path, environ: dict[str, str], *, says: str = "", gives: str = "") -> Run:
    """Run a program in a folder, with some text to read.

    Raises `ChildFailed` if it fails, or does not say what it should.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as given:
        given.write(gives.encode())
        given.seek(0)
        started = perf_counter()
        child = subprocess.Popen(words, cwd=folder, env=environ, stdin=given, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    if child.returncode or says not in said:
        raise ChildFailed(words, said)
    return Run(seconds, usage.ru_maxrss * RSS_UNIT / 1e6, said)
