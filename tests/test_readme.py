"""Every `console` block of the README is run: one shell, one folder, in order.

A line that begins with `$ ` is a command, `> ` continues it, the rest is what it prints; a line `...`
stands for any lines. Commit ids and times may differ. `python -m tests.test_readme` writes what the
commands print now into the README.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
README = TOP / "README.md"
HOME = "/home/ada"
BETWEEN = "-- the next command --"


@dataclass(frozen=True, slots=True)
class Example:
    """A command of the README, the output it shows, and which lines (from 0) that output takes."""

    command: str
    shown: tuple[str, ...]
    start: int
    end: int


def examples(rows: Sequence[str]) -> Iterator[Example]:
    inside, at = False, 0
    while at < len(rows):
        if rows[at].startswith("```"):
            inside = rows[at] == "```console"
        elif inside and rows[at].startswith("$ "):
            command = rows[at][2:]
            while rows[at + 1].startswith("> "):
                at += 1
                command += "\n" + rows[at][2:]
            start = at + 1
            while not rows[at + 1].startswith(("$ ", "```")):
                at += 1
            yield Example(command, tuple(rows[start : at + 1]), start, at + 1)
        at += 1


def run(found: Sequence[Example], place: Path) -> list[list[str]]:
    """Run the commands in one shell; returns the lines each printed."""
    home, programs = place / "home", place / "bin"
    (home / "notes").mkdir(parents=True)
    programs.mkdir()
    for name in ("vault", "fv"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
        (programs / name).chmod(0o755)
    environ = {
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(TOP),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for role in ("AUTHOR", "COMMITTER"):
        environ |= {f"GIT_{role}_NAME": "Ada Example", f"GIT_{role}_EMAIL": "ada@example.org"}
    script = "".join(f"{example.command}\necho '{BETWEEN}'\n" for example in found)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=home / "notes",
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    printed = done.stdout.replace(str(home.resolve()), HOME).split(f"{BETWEEN}\n")
    assert len(printed) == len(found) + 1, done.stdout
    return [[row.rstrip() for row in text.splitlines()] for text in printed[:-1]]


def pattern(shown: Sequence[str]) -> re.Pattern[str]:
    """What output fits the lines shown: any lines for `...`, any commit ids and times."""
    parts = []
    for row in shown:
        exact = re.escape(steady(row))
        parts.append(r"(?:.*\n)*?" if row == "..." else f"{exact}\n")
    return re.compile("".join(parts))


def steady(text: str) -> str:
    """Put words in place of what differs from run to run."""
    text = re.sub(r"\b(?=[a-f]*\d)[0-9a-f]{10}(?:[0-9a-f]{30})?\b", "<commit>", text)
    return re.sub(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?\b", "<time>", text)


def fits(example: Example, printed: Sequence[str]) -> bool:
    text = steady("".join(f"{row}\n" for row in printed))
    return pattern(example.shown).fullmatch(text) is not None


def test_readme_examples_print_what_they_show(tmp_path: Path) -> None:
    found = list(examples(README.read_text("utf-8").splitlines()))
    assert found
    for example, printed in zip(found, run(found, tmp_path), strict=True):
        place = f"README.md:{example.start}: $ {example.command}"
        assert fits(example, printed), "\n".join([place, *printed])


def test_readme_has_one_test_command() -> None:
    text = README.read_text("utf-8")
    block = re.findall(r"<!-- test-command -->\s*```\w*\n(.*?)```", text, re.DOTALL)
    assert len(block) == 1
    assert block[0].count("\n") == 1
    assert 'pip install -e ".[dev]"' in block[0]


def test_examples_splits_commands_continuations_and_output() -> None:
    rows = ["```console", "$ a <<X", "> b", "> X", "out", "$ c", "```", "```sh", "$ no", "```"]
    assert list(examples(rows)) == [Example("a <<X\nb\nX", ("out",), 4, 5), Example("c", (), 6, 6)]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["made 1f99882c3e"], ["made abe3486d21"], True),
        (["made decade"], ["made facade"], False),
        (["a", "...", "z"], ["a", "b", "c", "z"], True),
        (["a", "...", "z"], ["a", "z"], True),
        (["a"], ["a", "b"], False),
        (["at 2026-01-31 12:00"], ["at 2027-02-01 09:30"], True),
        (["a.b"], ["axb"], False),
    ],
)
def test_fits_compares(shown: list[str], printed: list[str], same: bool) -> None:  # noqa: FBT001
    assert fits(Example("x", tuple(shown), 0, 0), printed) is same


def rewrite() -> None:
    """Put what the commands print now in place of what no longer fits."""
    rows = README.read_text("utf-8").splitlines()
    found = list(examples(rows))
    with tempfile.TemporaryDirectory() as place:
        outputs = run(found, Path(place))
    for example, printed in reversed(list(zip(found, outputs, strict=True))):
        if not fits(example, printed):
            rows[example.start : example.end] = printed
    README.write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    rewrite()
