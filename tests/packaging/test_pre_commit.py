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
ADA = "global/actor/ada.firm"
GOOD = 'actor ada {\n    name = "Ada Lovelace"\n}\n'
WRONG = "actor ada {\n    name = 3\n}\n"
UNTIDY = GOOD.replace("    name", "  name")
#: What .pre-commit-hooks.yaml tells who keeps a vault in the folder `kb` to give.
IN_KB: dict[str, dict[str, Any]] = {
    "vault-check": {"args": ["-C", "kb"], "files": "^kb/"},
    "vault-fmt": {"args": ["-C", "kb"], "files": "^kb/", "pass_filenames": False},
}


@dataclass(frozen=True, slots=True)
class Place:
    """A vault whose repository has the hooks installed; `inside` is its folder there."""

    root: Path
    environ: dict[str, str]
    inside: str = "."

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program at the repository's top."""
        return subprocess.run(words, cwd=self.root, env=self.environ, capture_output=True, text=True, check=False)

    def vault(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the product."""
        return self.run(sys.executable, "-m", "cli", *words)

    def write(self, path: str, text: str) -> Path:
        """Write a file of the vault."""
        file = self.root / self.inside / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def commit(self, path: str, text: str, *, then: str | None = None) -> subprocess.CompletedProcess[str]:
        """Write a file, stage it, write it once more if there is something for `then`, and commit it with git."""
        file = self.write(path, text)
        assert self.run("git", "add", str(file)).returncode == 0
        if then is not None:
            self.write(path, then)
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


def place_in(folder: Path, inside: str, offered: list[dict[str, Any]]) -> Place:
    """Make a repository with a vault in its folder `inside`, and install some hooks there."""
    environ = {**os.environ, "PRE_COMMIT_HOME": str(folder / "cache"), "PYTHONPATH": str(TOP)}
    made = Place(folder / "vault", environ, inside)
    made.root.mkdir()
    assert made.run("git", "init", "--quiet", "--initial-branch=main").returncode == 0
    assert made.vault("init", inside).returncode == 0
    (made.root / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": offered}]}))
    assert made.run("git", "add", ".pre-commit-config.yaml").returncode == 0
    committed = made.run("git", "commit", "--message=Configure")
    assert committed.returncode == 0, committed.stderr
    installed = made.run(sys.executable, "-m", "pre_commit", "install")
    assert installed.returncode == 0, installed.stdout
    return made


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A vault at the top of a repository with all hooks."""
    return place_in(tmp_path, ".", hooks())


@pytest.fixture(params=[("vault-check", "kb"), ("vault-fmt", ".")])
def one_hook(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Place, str]:
    """A vault at the top of a repository or below with one of the hooks, and a text this hook refuses."""
    name, inside = request.param
    [hook] = [hook for hook in hooks() if hook["id"] == name]
    given = IN_KB[name] if inside != "." else {}
    return place_in(tmp_path, inside, [hook | given]), WRONG if name == "vault-check" else UNTIDY


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


def test_every_hook_is_tried() -> None:
    assert {hook["id"] for hook in hooks()} == set(IN_KB)


def test_hook_lets_a_good_change_pass(one_hook: tuple[Place, str]) -> None:
    place, _ = one_hook
    before = place.commits()
    done = place.commit(ADA, GOOD)
    assert done.returncode == 0, done.stderr
    assert "Passed" in done.stdout + done.stderr
    assert place.commits() == before + 1


def test_hook_refuses_a_bad_change(one_hook: tuple[Place, str]) -> None:
    place, bad = one_hook
    before = place.commits()
    done = place.commit(ADA, bad)
    assert done.returncode == 1
    assert "Failed" in done.stdout + done.stderr
    assert place.commits() == before


def test_hook_judges_what_is_staged_of_a_file(one_hook: tuple[Place, str]) -> None:
    place, bad = one_hook
    before = place.commits()
    done = place.commit(ADA, GOOD, then=bad)
    assert done.returncode == 0, done.stderr
    assert (place.root / place.inside / ADA).read_text("utf-8") == bad
    done = place.commit(ADA, bad, then=GOOD)
    assert done.returncode == 1
    assert place.commits() == before + 1
    assert (place.root / place.inside / ADA).read_text("utf-8") == GOOD


def test_hook_passes_over_changes_outside_the_vault(one_hook: tuple[Place, str]) -> None:
    place, _ = one_hook
    (place.root / "README").write_text("x\n")
    place.run("git", "add", "README")
    done = place.run("git", "commit", "--message=Read")
    assert done.returncode == 0
    assert "Skipped" in done.stdout + done.stderr


def test_hook_judges_all_files_where_nothing_is_staged(one_hook: tuple[Place, str]) -> None:
    place, bad = one_hook
    place.write(ADA, bad)
    place.run("git", "add", ".")
    place.run("git", "commit", "--no-verify", "--message=Unseen")
    done = place.run(sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert done.returncode == 1
    assert "Failed" in done.stdout


def test_workspace_is_checked(tmp_path: Path) -> None:
    [hook] = [hook for hook in hooks() if hook["id"] == "vault-check"]
    place = place_in(tmp_path, "elsewhere", [hook | {"files": r"\.firm$"}])
    place.run("git", "rm", "--quiet", "-r", "elsewhere")
    workspace = Place(place.root, place.environ)
    schema = 'schema actor {\n    field {\n        name = "name"\n        type = "string"\n    }\n}\n'
    assert workspace.commit("all.firm", schema + GOOD).returncode == 0
    assert workspace.commit("all.firm", schema + WRONG).returncode == 1


def test_bad_settings_are_refused(place: Place) -> None:
    done = place.commit("vault.yaml", "version: 1\nspacse: {}\n")
    assert done.returncode == 1
    assert "did you mean `spaces`?" in done.stdout + done.stderr


def test_bad_change_is_refused(place: Place) -> None:
    before = place.commits()
    done = place.commit(ADA, "actor ada {\n    name = 3\n}\n")
    assert done.returncode == 1
    assert "global/actor/ada.firm:2:5" in done.stdout + done.stderr
    assert place.commits() == before


def test_schema_that_breaks_another_file_is_refused(place: Place) -> None:
    assert place.commit(ADA, GOOD).returncode == 0
    schema = (place.root / "schema/actor.firm").read_text("utf-8")
    lines = schema.rstrip().removesuffix("}")
    needed = '    field {\n        name = "shoe_size"\n        type = "integer"\n        required = true\n    }\n}\n'
    done = place.commit("schema/actor.firm", lines + needed)
    assert done.returncode == 1
    assert "missing-field" in done.stdout + done.stderr


def test_untidy_change_is_formatted_and_refused_once(place: Place) -> None:
    untidy = GOOD.replace("    name", "  name")
    assert place.commit(ADA, untidy).returncode == 1
    assert (place.root / ADA).read_text("utf-8") == GOOD
    place.run("git", "add", ".")
    assert place.run("git", "commit", "--message=Tidy").returncode == 0


def test_fmt_leaves_what_is_not_committed(place: Place) -> None:
    untidy = GOOD.replace("    name", "  name").replace("ada", "eve")
    place.write("global/actor/eve.firm", untidy)
    assert place.commit(ADA, GOOD).returncode == 0
    assert (place.root / "global/actor/eve.firm").read_text("utf-8") == untidy


def test_own_commit_runs_the_hooks_inside_its_own_lock(place: Place) -> None:
    file = place.root / ADA
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
