"""Repositories with a vault and an installed program, in which the real `git` commits."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from vault.service.admin import git_hooks
from vault.service.admin.init import init
from vault.service.vault import Vault
from vault.store.git.installed import NAMES, kept_from

SOURCE = Path(__file__).resolve().parents[3]
GOOD = 'actor ada {\n    name = "Ada Lovelace"\n}\n'
BAD = "actor ada {\n    name = 3\n}\n"
ADA = "global/actor/ada.firm"


@dataclass(frozen=True, slots=True)
class Yard:
    """A repository, the vault in it, and an installed program, as a window manager would start git."""

    top: Path
    root: Path
    program: Path

    @property
    def environ(self) -> dict[str, str]:
        """The environment, with a PATH that has no `vault`."""
        return {**os.environ, "PATH": "/usr/bin:/bin"}

    @property
    def hook(self) -> Path:
        """Where the hook for commits is by default."""
        return self.top / ".git/hooks" / NAMES[0]

    @property
    def merge_hook(self) -> Path:
        """Where the hook for merges is by default."""
        return self.hook.with_name(NAMES[1])

    @property
    def before(self) -> Path:
        """Where the hook from before is kept."""
        return kept_from(self.hook)

    def git(self, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run git."""
        place = at or self.top
        return subprocess.run(
            ["git", *words], cwd=place, env=self.environ, capture_output=True, text=True, errors="replace", check=False
        )

    def vault(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the installed program in the vault."""
        program = [str(self.program), *words]
        return subprocess.run(program, cwd=self.root, env=self.environ, capture_output=True, text=True, check=False)

    def write(self, text: str, path: str = ADA, *, stage: bool = False) -> None:
        """Write a file of the vault."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if stage:
            assert self.git("add", "--", str(file)).returncode == 0

    def commits(self) -> int:
        """Count the commits."""
        return int(self.git("rev-list", "--count", "HEAD").stdout)

    def commit(self, *words: str, at: Path | None = None) -> bool:
        """Commit with git; says whether there is a commit more, or another."""
        return self.moves_head("commit", "--message=Change", *words, at=at)

    def merge(self, *words: str) -> bool:
        """Merge with git; says whether there is a commit more, and leaves no merge unfinished."""
        merged = self.moves_head("merge", "--no-edit", *words)
        self.git("reset", "--quiet", "--hard")
        return merged

    def moves_head(self, *words: str, at: Path | None = None) -> bool:
        """Run git; says whether HEAD is at another commit."""
        before = self.git("rev-parse", "HEAD", at=at).stdout
        done = self.git(*words, at=at)
        passed = self.git("rev-parse", "HEAD", at=at).stdout != before
        assert passed == (done.returncode == 0), done.stderr
        return passed

    @contextmanager
    def open(self, root: Path | None = None) -> Iterator[Vault]:
        """Open the vault."""
        with Vault.open(root or self.root, environ=self.environ, max_age=0) as vault:
            yield vault

    def install(self, root: Path | None = None, *, shared: bool = False) -> bool:
        """Install the hook."""
        with self.open(root) as vault:
            return git_hooks.install(vault, str(self.program), shared=shared)

    def uninstall(self, root: Path | None = None, *, everything: bool = False) -> bool:
        """Take the hook away."""
        with self.open(root) as vault:
            return git_hooks.uninstall(vault, everything=everything)

    def look(self, root: Path | None = None) -> git_hooks.Guard:
        """Look at the hooks."""
        with self.open(root) as vault:
            return git_hooks.look(vault)

    def put(self, script: str, mode: int = 0o755, *, merges: bool = False) -> bytes:
        """Put a hook of somebody's in place."""
        hook = self.merge_hook if merges else self.hook
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script)
        hook.chmod(mode)
        return hook.read_bytes()


def program_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / "vault"
    run = shlex.join([sys.executable, "-m", "cli"])
    program.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(SOURCE))} exec {run} "$@"\n')
    program.chmod(0o755)
    return program


def yard_at(top: Path, inside: str = ".") -> Yard:
    top.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=top, check=True)
    init(top / inside, os.environ)
    return Yard(top.resolve(), (top / inside).resolve(), program_in(top.parent / "the program"))


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """A vault at the top of its repository."""
    return yard_at(tmp_path / "vault")


@pytest.fixture
def guarded(yard: Yard) -> Yard:
    """The same, with the hook installed."""
    assert yard.install()
    return yard
