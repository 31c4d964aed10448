"""A home, an identity and a clock of their own for every test, and builders of repositories."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from vault.store.git import Repository
from vault.store.journal import FileWrite, Journal

DAY = "2026-01-31T12:00:00+00:00"


@pytest.fixture(autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(("GIT_", "FIRM_VAULT_")) or name == "EMAIL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada Example")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
        monkeypatch.setenv(f"GIT_{role}_DATE", DAY)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    time.tzset()


@dataclass(frozen=True, slots=True)
class Work:
    """A repository on disk, driven by the `git` program on one side and by the product on the other."""

    top: Path
    root: Path

    def git(self, *words: str, check: bool = True) -> str:
        """Run git in the working tree; returns what it prints."""
        done = subprocess.run(["git", *words], cwd=self.top, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file of the vault."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def open(self) -> Repository:
        """Open the repository from the vault's root."""
        found = Repository.discover(self.root)
        assert found is not None
        return found

    def commit(
        self,
        contents: Mapping[str, bytes | None] | None,
        message: str = "Change",
        environ: Mapping[str, str] = os.environ,
    ) -> str:
        """Write files and commit them the way a command does."""
        writes = [
            FileWrite(path, file.read_bytes() if (file := self.root / path).exists() else None, after)
            for path, after in (contents or {}).items()
        ]
        with self.open().transaction(contents, environ, lock_token="this") as made:  # noqa: S106
            journal = Journal.begin(self.root, writes)
            try:
                journal.apply()
                made.pre_commit()
                commit = made.write(message)
            except BaseException:
                journal.undo()
                raise
            journal.committing(made.record())
            made.publish()
            journal.finish()
        return commit

    def porcelain(self) -> str:
        """Return what `git status` says, `.vault/` included if it shows."""
        return self.git("status", "--porcelain", "--untracked-files=all")

    def assert_sound(self) -> None:
        """Check that git finds nothing to object to, and that no scratch file of ours is left."""
        self.git("fsck", "--strict")
        git_dir = self.top / self.git("rev-parse", "--absolute-git-dir").strip()
        assert not [*git_dir.rglob("*.lock"), *git_dir.glob("vault-*")]

    def hook(self, name: str, script: str) -> Path:
        """Install a hook."""
        folder = self.top / self.git("rev-parse", "--git-path", "hooks").strip()
        folder.mkdir(exist_ok=True)
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """A repository without a commit, the vault at its root."""
    made = Work(tmp_path / "work", tmp_path / "work")
    made.top.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def begun(work: Work) -> Work:
    """A repository with one commit by git: a.firm and b.firm."""
    work.write("global/a.firm", "a\n")
    work.write("global/b.firm", "b\n")
    work.git("add", ".")
    work.git("commit", "--quiet", "--message=Begin")
    return work


@pytest.fixture
def inner(begun: Work) -> Work:
    """The same repository, with a vault in its folder `kb`."""
    inside = Work(begun.top, begun.top / "kb")
    inside.write("global/x.firm", "x\n")
    begun.git("add", ".")
    begun.git("commit", "--quiet", "--message=Add a vault")
    return inside


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_child() -> Run:
    """Run a Python script in a process of its own."""

    def run(script: str, *words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-W", "error", "-c", script, *words]
        return subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)

    return run
