"""The hooks of a commit, run as git runs them."""

import errno
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vault.errors import VaultError
from vault.store.git.config import Settings
from vault.store.git.place import Place

LOCK_TOKEN = "FIRM_VAULT_LOCK_TOKEN"  # noqa: S105  the name of a variable
#: Variables that would point a hook at another repository than the one committed to.
_REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
)


def hooks_folder(place: Place, settings: Settings) -> Path | None:
    """Return the folder git runs hooks from; None where it is told to run none."""
    named = settings.text("core", "hookspath")
    if named is None:
        return place.common_dir / "hooks"
    folder = place.worktree / os.path.expanduser(named)  # noqa: PTH111  an unknown `~user` stays as it is
    return folder if named and (folder.is_dir() or not os.path.lexists(folder)) else None


class HookRefused(VaultError):
    """A hook said no."""

    code = "hook-refused"

    def __init__(self, name: str, output: str) -> None:
        said = f":\n{output.rstrip()}" if output.strip() else ""
        super().__init__(
            f"the hook {name} refused the commit{said}",
            hint="correct what it names, then repeat the command",
            details={"hook": name, "output": output},
        )
        self.name, self.output = name, output


@dataclass(slots=True)
class Hooks:
    """A repository's hooks and the environment they run in; `output` keeps what each of them printed.

    `folder` is None where git is told to run none.
    """

    folder: Path | None
    worktree: Path
    environ: Mapping[str, str]
    output: list[tuple[str, str]] = field(default_factory=list)

    def exists(self, name: str) -> bool:
        """Say whether a hook is there and may be run."""
        program = self._program(name)
        return program is not None and program.is_file() and os.access(program, os.X_OK)

    def _program(self, name: str) -> Path | None:
        return self.folder and self.folder / name

    def run(self, name: str, *words: str, index: Path) -> None:
        """Run a hook if it exists; raises `HookRefused` if it fails."""
        program = self._program(name)
        if program is None or not self.exists(name):
            return
        done = self._call([str(program), *words], index)
        text = done.stdout.decode("utf-8", "replace")
        if text:
            self.output.append((name, text))
        if done.returncode:
            raise HookRefused(name, text)

    def _call(self, words: list[str], index: Path) -> subprocess.CompletedProcess[bytes]:
        environ = {**self.environ, "GIT_INDEX_FILE": str(index)}
        for attempt in (words, ["/bin/sh", *words]):
            try:
                return subprocess.run(
                    attempt,
                    cwd=self.worktree,
                    env=environ,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
            except OSError as error:
                if error.errno != errno.ENOEXEC or attempt is not words:
                    raise HookRefused(Path(words[0]).name, error.strerror or str(error)) from error
        raise AssertionError("one of the attempts returns or raises")


def hook_environ(environ: Mapping[str, str], lock_token: str) -> dict[str, str]:
    """Return the environment hooks get: the caller's, without pointers to another repository."""
    kept = {name: value for name, value in environ.items() if name not in _REPOSITORY}
    return {**kept, "GIT_EDITOR": ":", LOCK_TOKEN: lock_token}
