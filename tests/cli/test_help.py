"""Help is shown as it was written, and its first examples work."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.main import COMMANDS, EXAMPLES, main
from tests.cli.conftest import Run


def every_command() -> Iterator[list[str]]:
    """The words of every command, those of groups too."""
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        yield [name]
        if isinstance(command, click.Group):
            yield from ([name, inner] for inner in command.list_commands(context))


@pytest.mark.parametrize("words", [*every_command()], ids=" ".join)
def test_no_help_shows_marks_of_its_source(run: Run, words: list[str]) -> None:
    shown = run(*words, "--help")
    assert shown.code == 0
    assert r"\b" not in shown.out
    assert "``" not in shown.out


def test_the_parts_of_a_query_stand_on_lines_of_their_own(run: Run) -> None:
    lines = run("query", "--help").out.splitlines()
    assert "    limit N" in lines
    assert any(line.strip().startswith("where FIELD OP VALUE") for line in lines)


def test_the_first_examples_work_one_after_the_other(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "first"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for line in re.findall(r"^  vault (.*?)(?:  .*)?$", EXAMPLES, re.MULTILINE):
        ended = run(*shlex.split(line))
        assert ended.code == 0, (line, ended.err)
