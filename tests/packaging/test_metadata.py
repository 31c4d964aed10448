"""What the package says of itself is one story."""

import re
import subprocess
import tomllib
from pathlib import Path

import vault

TOP = Path(__file__).parents[2]


def test_changelog_begins_with_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (TOP / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == vault.__version__


def test_both_commands_are_the_same_program() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"vault": "cli.main:run", "fv": "cli.main:run"}


def test_ci_scripts_are_shell() -> None:
    for name in ("run", "steps"):
        subprocess.run(["bash", "-n", str(TOP / ".ci" / name)], check=True)
    assert (TOP / ".ci" / "run").stat().st_mode & 0o111
