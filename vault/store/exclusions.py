"""Which files of a folder git leaves out: those that a rule excludes and that are not tracked.

Every part of the product that asks what belongs to a vault asks here, so that scan, status, commit, check
and the hooks give git's own answer.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from vault.store.ignore import Ignored, Pattern
from vault.store.index_state import state_of
from vault.store.scan import is_text

#: The name under which the tracked paths are remembered.
_TRACKED = "tracked"

#: Words of git's settings that decide about exclusion, in lower case. `include` may bring in the others.
_DECIDING = (b"excludesfile", b"ignorecase", b"include")


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """Where a folder lies in a repository; without one, `top` is the folder itself.

    `git_dir` is the working tree's own folder of git, `common_dir` the one that all its worktrees share.
    """

    top: Path
    git_dir: Path | None = None
    common_dir: Path | None = None

    @classmethod
    def around(cls, root: Path) -> "WorkingTree":
        """Find the working tree that holds a folder, without opening the repository."""
        for folder in (root, *root.parents):
            git = folder / ".git"
            if git.is_dir():
                return cls(folder, git, git)
            if git.is_file():
                return cls._linked(folder, git)
        return cls(root)

    @classmethod
    def _linked(cls, folder: Path, gitfile: Path) -> "WorkingTree":
        """The working tree of a `.git` file: a linked worktree, or a submodule."""
        try:
            named = gitfile.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            own = gitfile.parent / named
            common = own / "commondir"
            shared = own / common.read_text("utf-8").strip() if common.exists() else own
        except OSError:
            return cls(folder)
        return cls(folder, own, shared)


@dataclass(frozen=True, slots=True)
class PersonalRules:
    """What a person's own settings say: the file of `core.excludesFile`, and whether case is ignored."""

    file: Path
    ignore_case: bool = False


class Memory(Protocol):
    """Remembers a text between commands: the answer that reading git's index gave."""

    def meta(self, name: str) -> str:
        """Return what was remembered, `""` if nothing was."""
        ...


class Exclusions:
    """Says which paths of a vault git leaves out.

    `personal` gives the person's own rules if a repository has any; `memory` spares reading the index
    again while it is unchanged. Make a new object when files may have changed.
    """

    def __init__(self, root: Path, *, environ: Mapping[str, str] | None = None, memory: Memory | None = None) -> None:
        self._root, self._environ, self._memory = root, environ or {}, memory
        self.tree = WorkingTree.around(root)
        personal = personal_rules(root, self.tree, self._environ) if self.tree.git_dir else None
        self._outside = personal.file if personal and os.access(personal.file, os.R_OK) else None
        self._ignore_case = bool(personal and personal.ignore_case)
        shared = self.tree.common_dir / "info" / "exclude" if self.tree.common_dir else None
        self.rules = Ignored(
            root,
            top=self.tree.top,
            excludes=[path for path in (self._outside, shared) if path],
            ignore_case=self._ignore_case,
        )
        self.learned: dict[str, str] = {}

    def applies(self, folder: str) -> bool:
        """Say whether anything directly in a vault-relative folder could be left out."""
        return self.rules.applies(folder)

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a vault-relative path is left out; a folder, if nothing below it is tracked."""
        if not self.rules.matches(path, is_dir=is_dir):
            return False
        return self._fold(path) not in (self._folders if is_dir else self._tracked)

    def pattern(self, path: str) -> Pattern | None:
        """Return the line that leaves a file out; None if it belongs to the vault."""
        found = self.rules.pattern(path, is_dir=False)
        return None if found is None or self._fold(path) in self._tracked else found

    def is_outside(self, pattern: Pattern) -> bool:
        """Say whether a rule stands outside the repository, where others who share it do not see it."""
        return pattern.file == self._outside

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Every folder above a tracked file that a rule excludes."""
        return frozenset(folder for path in self._tracked for folder in _above(path))

    @cached_property
    def _tracked(self) -> frozenset[str]:
        """Every tracked path of the vault. Read only where a rule excludes a file that exists."""
        index = self.tree.git_dir / "index" if self.tree.git_dir else None
        key = state_of(index) if index else ""
        if not index or not key:
            return frozenset()
        known, _, paths = (self._memory.meta(_TRACKED) if self._memory else "").partition("\n")
        if known != key:
            paths = "\n".join(self._read(index))
            self.learned[_TRACKED] = f"{key}\n{paths}"
        return frozenset(self._fold(paths).split("\n"))

    def _fold(self, path: str) -> str:
        """What two spellings of a path share where git ignores case."""
        return path.casefold() if self._ignore_case else path

    def _read(self, index: Path) -> Iterable[str]:
        """The paths of the vault in git's index. Raises `DamagedIndex` and `UnsupportedIndex`."""
        from vault.store.git.gitindex import read_index  # imports dulwich, 40 ms; few vaults need it

        inside = self._root.relative_to(self.tree.top).as_posix()
        base = b"" if inside == "." else os.fsencode(f"{inside}/")
        for entry in read_index(index):
            path = os.fsdecode(entry.path)
            if entry.path.startswith(base) and "\n" not in path and is_text(path):
                yield path[len(os.fsdecode(base)) :]


def _above(path: str) -> Iterable[str]:
    place = path.rfind("/")
    while place > 0:
        yield path[:place]
        place = path.rfind("/", 0, place)


def personal_rules(root: Path, tree: WorkingTree, environ: Mapping[str, str]) -> PersonalRules:
    """Read which file of patterns a person's settings name, by default `git/ignore` in their configuration.

    The settings are read by dulwich (40 ms), but only where one of git's files has a deciding word.
    """
    home = Path(environ.get("HOME") or Path.home())
    chosen = Path(environ.get("XDG_CONFIG_HOME", ""))
    config = (chosen if chosen.is_absolute() else home / ".config") / "git"
    default = PersonalRules(config / "ignore")
    files = [home / ".gitconfig", config / "config", Path("/etc/gitconfig")]
    if tree.git_dir and tree.common_dir:
        files += [tree.common_dir / "config", tree.git_dir / "config.worktree"]
    overridden = any(name.startswith("GIT_CONFIG") and name != "GIT_CONFIG_NOSYSTEM" for name in environ)
    if not overridden and not any(_decides(file) for file in files):
        return default
    from vault.store.git.place import settings_around

    settings = settings_around(root, environ)
    if settings is None:
        return default
    named = settings.text("core", "excludesfile")
    file = Path(named.replace("~", str(home), 1) if named.startswith("~/") else named) if named else default.file
    return PersonalRules(file, settings.flag("core", "ignorecase", default=False))


def _decides(file: Path) -> bool:
    try:
        text = file.read_bytes().lower()
    except OSError:
        return False
    return any(word in text for word in _DECIDING)
