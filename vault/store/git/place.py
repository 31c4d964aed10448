"""An opened repository as the rest of this package sees it: where things are, and what HEAD is."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from weakref import finalize

from dulwich.errors import NotGitRepository
from dulwich.refs import HEADREF, Ref
from dulwich.repo import InvalidWorktreeConfiguration, Repo, UnsupportedExtension, UnsupportedVersion

from vault.errors import VaultError
from vault.store.files import Unreadable
from vault.store.git.config import Settings, settings_of
from vault.store.git.gitindex import GitIndex, read_index
from vault.store.git.objects import Objects
from vault.store.git.parse import Commit, parse_commit
from vault.store.index_state import state_of
from vault.store.scan import is_text

_SHA = re.compile(rb"[0-9a-f]{40}\Z")


class BareRepository(VaultError):
    """A repository without a working tree."""

    code = "bare-repository"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a bare git repository: it has no files to keep a vault in",
            hint="clone it, and keep the vault in the clone",
            details={"path": str(path)},
        )


class UnsupportedRepository(VaultError):
    """A repository in a form this product cannot read or write safely."""

    code = "unsupported-repository"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"the git repository at {path} cannot be used: {reason}",
            hint="use a repository with SHA-1 objects, refs in files, and settings git itself accepts",
            details={"path": str(path)},
        )


class Place:
    """A vault's place in a repository.

    `root` is the vault, `worktree` the folder the repository checks out, `prefix` the way from one to
    the other ("" or "sub/"). `git_dir` is this working tree's own folder, `common_dir` the shared one.
    """

    def __init__(self, root: Path, repo: Repo) -> None:
        """Open the repository `repo` for the vault at `root`."""
        self.repo = repo
        self.root = root.resolve()
        self.worktree = Path(repo.path).resolve()
        self.git_dir = Path(repo.controldir()).resolve()
        self.common_dir = Path(repo.commondir()).resolve()
        inside = self.root.relative_to(self.worktree).as_posix()
        self.prefix = "" if inside == "." else f"{inside}/"
        repo.object_store.fsync_object_files = True
        self.objects = Objects(repo.object_store)
        self._base = encode(self.prefix)
        self._index: tuple[str, GitIndex] | None = None
        self._close = finalize(self, repo.close)

    def close(self) -> None:
        """Close the files of the object database; otherwise done when the object is dropped."""
        self._close()

    @property
    def index_file(self) -> Path:
        """The repository's index."""
        return self.git_dir / "index"

    def settings(self, environ: Mapping[str, str] | None = None) -> Settings:
        """Read git's settings as they are now."""
        return settings_of(self.repo, environ)

    def index(self) -> GitIndex:
        """Read the repository's index, once for each state of it; change none but a copy of it."""
        state = state_of(self.index_file)
        if self._index is None or not state or self._index[0] != state:
            self._index = state, read_index(self.index_file)
        return self._index[1]

    def full(self, path: str) -> bytes:
        """Return a vault-relative path as git names it."""
        return self._base + encode(path)

    def relative(self, path: bytes) -> str | None:
        """Return a path of git's as the vault names it; None outside the vault."""
        return decode(path[len(self._base) :]) if path.startswith(self._base) else None

    def readable(self, path: bytes) -> str | None:
        """Return a path inside the vault as the vault names it; None for one that is not UTF-8, too."""
        inside = self.relative(path)
        return inside if inside and is_text(inside) else None

    def on_disk(self, path: bytes) -> Path:
        """Return where the working tree holds a path of git's."""
        return self.worktree / decode(path)

    def head_ref(self) -> str:
        """Return the full name of the branch HEAD is on; `HEAD` itself where it is on none."""
        names, _ = self._follow(HEADREF)
        return names[-1].decode("utf-8", "surrogateescape")

    def ref_value(self, name: str) -> str | None:
        """Return the commit a ref names, None if there is no such ref."""
        _, value = self._follow(Ref(encode(name)))
        return value.decode() if value and _SHA.match(value) else None

    def _follow(self, name: Ref) -> tuple[list[Ref], bytes | None]:
        """Follow a ref; dulwich takes one that may not be read for one that is not there. Raises `Unreadable`."""
        names, value = self.repo.refs.follow(name)
        if value is not None:
            return list(names), value
        for each in {*names, name, Ref(b"packed-refs")}:
            for folder in (self.git_dir, self.common_dir):
                _check_readable(folder / decode(each))
        names, value = self.repo.refs.follow(name)
        return list(names), value

    def head(self) -> str | None:
        """Return the commit HEAD is at; None before the first one."""
        return self.ref_value("HEAD")

    def commit(self, ident: str) -> Commit:
        """Read a commit."""
        return parse_commit(ident, self.objects.read(ident))

    def whole_tree(self, commit: str | None) -> str | None:
        """Return the id of a commit's tree, the whole repository's."""
        return None if commit is None else self.commit(commit).tree

    def vault_tree(self, commit: str | None) -> str | None:
        """Return the id of the vault's folder in a commit."""
        return self.objects.subtree(self.whole_tree(commit), self._base.rstrip(b"/"))


def _check_readable(file: Path) -> None:
    """Raise `Unreadable` for a file that is there and cannot be read."""
    try:
        file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return
    except OSError as error:
        raise Unreadable(str(file), error.strerror or str(error)) from error


def encode(path: str) -> bytes:
    """Write a path as git holds it."""
    return path.encode("utf-8", "surrogateescape")


def decode(path: bytes) -> str:
    """Read a path git holds; bytes that are not UTF-8 survive the way back."""
    return path.decode("utf-8", "surrogateescape")


def open_at(folder: Path) -> Repo | None:
    """Open the repository whose `.git` stands in `folder`, None if there is none."""
    try:
        if not os.path.lexists(folder / ".git"):
            _refuse_bare(folder)
            return None
        repo = Repo(folder)
    except NotGitRepository:
        return None
    except (UnsupportedVersion, UnsupportedExtension, InvalidWorktreeConfiguration, ValueError) as error:
        raise UnsupportedRepository(folder, str(error) or type(error).__name__) from error
    if not Path(repo.controldir(), "HEAD").exists():
        raise UnsupportedRepository(folder, f"{repo.controldir()} is not a repository's folder")
    if repo.bare:
        raise BareRepository(folder)
    if repo.object_format.name != "sha1":
        raise UnsupportedRepository(folder, f"its objects are named by {repo.object_format.name}")
    return repo


def settings_around(root: Path, environ: Mapping[str, str] | None = None) -> Settings | None:
    """Read the settings of the repository that holds a folder; None if none does."""
    place = root.resolve()
    for folder in (place, *place.parents):
        repo = open_at(folder)
        if repo is not None:
            opened = Place(place, repo)
            try:
                return opened.settings(environ)
            finally:
                opened.close()
    return None


def _refuse_bare(folder: Path) -> None:
    if (folder / "HEAD").is_file() and all((folder / name).is_dir() for name in ("objects", "refs")):
        raise BareRepository(folder)
