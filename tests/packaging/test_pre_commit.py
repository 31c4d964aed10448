"""The hooks other repositories take from this one, run by the real `pre-commit`.

Only how they are installed differs: `language: system` stands for the environment pre-commit would make.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

TOP = Path(__file__).parents[2]
MANIFEST = TOP / ".pre-commit-hooks.yaml"
GOOD = 'actor ada {\n    name = "Ada Lovelace"\n}\n'


@dataclass(frozen=True, slots=True)
class Place:
    """A vault whose repository has the hooks installed."""

    root: Path
    environ: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program at the vault's top."""
        return subprocess.run(words, cwd=self.root, env=self.environ, capture_output=True, text=True, check=False)

    def vault(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the product."""
        return self.run(sys.executable, "-m", "cli", *words)

    def commit(self, path: str, text: str) -> subprocess.CompletedProcess[str]:
        """Write a file and commit it with git."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        assert self.run("git", "add", path).returncode == 0
        return self.run("git", "commit", "--message=Change")

    def commits(self) -> int:
        """Count the commits."""
        return int(self.run("git", "rev-list", "--count", "HEAD").stdout)


def hooks() -> list[dict[str, Any]]:
    """The manifest's hooks, run by this very interpreter."""
    found: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text("utf-8"))
    for hook in found:
        assert hook["language"] == "python"
        assert hook["entry"].startswith("vault ")
        program, _, words = hook["entry"].partition(" ")
        assert program == "vault"
        hook |= {"language": "system", "entry": f"'{sys.executable}' -m cli {words}"}
    return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    environ = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(TOP)}
    made = Place(tmp_path / "vault", environ)
    made.root.mkdir()
    assert made.vault("init").returncode == 0
    config = {"repos": [{"repo": "local", "hooks": hooks()}]}
    committed = made.commit(".pre-commit-config.yaml", yaml.safe_dump(config))
    assert committed.returncode == 0, committed.stderr
    installed = made.run(sys.executable, "-m", "pre_commit", "install")
    assert installed.returncode == 0, installed.stdout
    return made


@pytest.mark.parametrize(
    ("command", "file"),
    [("validate-manifest", ".pre-commit-hooks.yaml"), ("validate-config", ".pre-commit-config.yaml")],
)
def test_files_are_what_pre_commit_wants(command: str, file: str) -> None:
    words = [sys.executable, "-m", "pre_commit", command, str(TOP / file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""


def test_manifest_offers_check_and_fmt() -> None:
    found = yaml.safe_load(MANIFEST.read_text("utf-8"))
    assert {hook["id"]: hook["entry"] for hook in found} == {
        "vault-check": "vault check",
        "vault-fmt": "vault fmt",
    }
    assert [hook["files"] for hook in found] == [r"^(vault\.yaml$|schema/|global/|spaces/)", r"\.firm$"]


def test_bad_settings_are_refused(place: Place) -> None:
    done = place.commit("vault.yaml", "version: 1\nspacse: {}\n")
    assert done.returncode == 1
    assert "did you mean `spaces`?" in done.stdout + done.stderr


def test_good_change_is_committed(place: Place) -> None:
    before = place.commits()
    done = place.commit("global/actor/ada.firm", GOOD)
    assert done.returncode == 0, done.stderr
    assert place.commits() == before + 1


def test_bad_change_is_refused(place: Place) -> None:
    before = place.commits()
    done = place.commit("global/actor/ada.firm", "actor ada {\n    name = 3\n}\n")
    assert done.returncode == 1
    assert "global/actor/ada.firm:2:5" in done.stdout + done.stderr
    assert place.commits() == before


def test_schema_that_breaks_another_file_is_refused(place: Place) -> None:
    assert place.commit("global/actor/ada.firm", GOOD).returncode == 0
    schema = (place.root / "schema/actor.firm").read_text("utf-8")
    lines = schema.rstrip().removesuffix("}")
    needed = '    field {\n        name = "shoe_size"\n        type = "integer"\n        required = true\n    }\n}\n'
    done = place.commit("schema/actor.firm", lines + needed)
    assert done.returncode == 1
    assert "missing-field" in done.stdout + done.stderr


def test_untidy_change_is_formatted_and_refused_once(place: Place) -> None:
    untidy = GOOD.replace("    name", "  name")
    assert place.commit("global/actor/ada.firm", untidy).returncode == 1
    assert (place.root / "global/actor/ada.firm").read_text("utf-8") == GOOD
    place.run("git", "add", ".")
    assert place.run("git", "commit", "--message=Tidy").returncode == 0


def test_fmt_leaves_what_is_not_committed(place: Place) -> None:
    untidy = GOOD.replace("    name", "  name").replace("ada", "eve")
    (place.root / "global/actor").mkdir(parents=True)
    (place.root / "global/actor/eve.firm").write_text(untidy, "utf-8")
    assert place.commit("global/actor/ada.firm", GOOD).returncode == 0
    assert (place.root / "global/actor/eve.firm").read_text("utf-8") == untidy


def test_own_commit_runs_the_hooks_inside_its_own_lock(place: Place) -> None:
    file = place.root / "global/actor/ada.firm"
    file.parent.mkdir(parents=True)
    file.write_text(GOOD.replace("    name", "  name"), "utf-8")
    before = place.commits()
    refused = place.vault("commit")
    assert refused.returncode == 1
    assert "vault-fmt" in refused.stdout + refused.stderr
    assert file.read_text("utf-8") == GOOD
    assert place.commits() == before
    assert place.vault("commit").returncode == 0
    assert place.run("git", "status", "--porcelain").stdout == ""
