"""Vaults to work on."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from tests.service.whole_files import ADA, PLACE
from vault.service.admin.init import init
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create

ENVIRON = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}

DAY = datetime(2021, 1, 1, 12, tzinfo=UTC)

Git = Callable[..., str]
Write = Callable[[str, str], Path]
Open = Callable[..., Vault]


@pytest.fixture
def root(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new vault with the spaces `work` (open) and `diary` (private)."""
    return new_vault(tmp_path / "vault", tmp_path_factory)


def new_vault(folder: Path, factory: pytest.TempPathFactory) -> Path:
    """Make a vault with the spaces `work` and `diary` by a copy, which takes a quarter of the time."""
    shutil.copytree(_first_vault(factory.getbasetemp()), folder, symlinks=True)
    return folder.resolve()


@cache
def _first_vault(temporary: Path) -> Path:
    folder = temporary / "first-vault"
    init(folder, ENVIRON, space={"work": False, "diary": True})
    with Vault.open(folder, environ=ENVIRON) as vault:
        vault.entries()  # a copy has an index too, and reads no file a second time
    return folder


@pytest.fixture
def open_vault(root: Path) -> Iterator[Open]:
    """Open the vault as a reader; all are closed at the end."""
    opened: list[Vault] = []

    def opening(space: str | None = None, *, all_spaces: bool = False) -> Vault:
        vault = Vault.open(root, space=space, all_spaces=all_spaces, environ={**os.environ, **ENVIRON}, max_age=0)
        opened.append(vault)
        return vault

    yield opening
    for vault in opened:
        vault.close()


@pytest.fixture
def vault(open_vault: Open) -> Vault:
    """The vault as seen from outside every space."""
    return open_vault()


@pytest.fixture
def write(root: Path) -> Write:
    """Write a file of the vault as an editor would."""

    def writing(path: str, text: str) -> Path:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        return target

    return writing


@pytest.fixture
def git(root: Path) -> Git:
    """Run the real git in the vault."""

    def running(*words: str) -> str:
        ended = subprocess.run(
            ["git", *words], cwd=root, env={**os.environ, **ENVIRON}, capture_output=True, text=True, check=True
        )
        return ended.stdout.strip()

    return running


class Days:
    """Commits of a vault, one a day from the first of January 2021 on."""

    def __init__(self, root: Path, write: Write) -> None:
        self.root, self.write, self.number = root, write, 0

    def git(self, *words: str) -> None:
        """Run git on the day that it is."""
        at = (DAY + timedelta(days=self.number)).isoformat()
        environ = {**os.environ, **ENVIRON, "GIT_COMMITTER_DATE": at}
        subprocess.run(["git", *words], cwd=self.root, env=environ, check=True, capture_output=True)

    def commit(self, files: dict[str, str | None], message: str = "") -> None:
        """Write files, or remove them, and commit them."""
        for path, text in files.items():
            if text is None:
                (self.root / path).unlink()
            else:
                self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-qm", message or f"day {self.number}")
        self.number += 1


@pytest.fixture
def calendar(root: Path, write: Write) -> Days:
    """A vault whose history begins with what is committed to it."""
    made = Days(root, write)
    made.git("update-ref", "-d", "HEAD")
    return made


@pytest.fixture
def bob(vault: Vault) -> Vault:
    """A vault that knows of Bob."""
    create.add(vault, "actor", "bob", {"name": "Bob", "aliases": ("Robert",)}, CommitOptions())
    return vault


@pytest.fixture
def ada(write: Write) -> None:
    """An entry in each of the three scopes."""
    write(PLACE, ADA)
    write("spaces/work/note/plan.firm", 'note plan { text = "Plan with Ada" }\n')
    write("spaces/diary/note/dream.firm", 'note dream { text = "Dreamt of Ada" relates_to = [actor.ada] }\n')
