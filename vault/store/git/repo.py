"""A repository seen from a vault: all paths are relative to the vault's root."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from dulwich.graph import find_merge_base
from dulwich.objects import ObjectID
from dulwich.objectspec import AmbiguousShortId, parse_commit
from dulwich.repo import Repo

from vault.errors import VaultError
from vault.store.exclusions import Exclusions
from vault.store.git import commit as committing
from vault.store.git import log as history
from vault.store.git.chain import Chain
from vault.store.git.config import Identity, identity_of, settings_of
from vault.store.git.gitindex import GitIndex, is_file_mode, read_index
from vault.store.git.guards import unfinished
from vault.store.git.lock import release_stale_lock
from vault.store.git.log import LogRecord
from vault.store.git.place import Place, UnsupportedRepository, decode, encode, open_at
from vault.store.git.staged import staged_leaves
from vault.store.git.status import Change, status
from vault.store.scan import Found, is_text, scan

_STEP = re.compile(r"([~^])(\d*)")
_STEPS = re.compile(r"(?:[~^]\d*)+\Z")


class UnknownRevision(VaultError):
    """A name that is no commit here."""

    code = "unknown-revision"

    def __init__(self, rev: str, why: str = "names no commit of this repository") -> None:
        super().__init__(
            f"{rev!r} {why}",
            hint="give a branch, a tag, `HEAD~1`, or the first digits of a commit: `git log` lists them",
            details={"rev": rev},
        )


class Repository(Place):
    """The repository a vault is in."""

    def __init__(self, root: Path, repo: Repo) -> None:
        """Open it for a vault at `root`."""
        super().__init__(root, repo)
        self._status: tuple[Found, GitIndex, str | None, list[Change]] | None = None

    @classmethod
    def discover(cls, root: Path) -> Self | None:
        """Find the repository `root` is in, None if it is in none.

        Raises `BareRepository` and `UnsupportedRepository`.
        """
        place = root.resolve()
        for folder in (place, *place.parents):
            repo = open_at(folder)
            if repo is not None:
                _check_path(place)
                return cls(place, repo)
        return None

    @classmethod
    def init(cls, root: Path) -> Self:
        """Make a repository at `root`, on the branch `init.defaultBranch` names, else main."""
        from dulwich.config import StackedConfig

        from vault.store.git.config import Settings

        _check_path(root)
        branch = Settings(StackedConfig.default()).text("init", "defaultbranch") or "main"
        return cls(root, Repo.init(root, default_branch=encode(branch)))

    def branch(self) -> str | None:
        """Return the branch HEAD is on, None if it is on none."""
        ref = self.head_ref()
        return ref.removeprefix("refs/heads/") if ref != "HEAD" else None

    def unfinished(self) -> str | None:
        """Return the operation that waits for the person, as `merge`; None without one."""
        return unfinished(self.git_dir)

    def shallow(self) -> set[str]:
        """Return the commits at which a shallow clone ends."""
        return history.shallow_commits(self)

    def is_partial(self) -> bool:
        """Say whether this is a partial clone, which fetches objects when git needs them."""
        config = self.repo.get_config()
        remotes = {section[1] for section in config.sections() if section[0] == b"remote" and len(section) > 1}
        return any(config.get_boolean((b"remote", name), b"promisor", default=False) for name in remotes)

    def resolve(self, rev: str) -> str:
        """Return the commit a revision names: HEAD, `@`, a branch, a tag, an id, `HEAD~2`, `main^`."""
        steps = found[0] if (found := _STEPS.search(rev)) else ""
        base = rev.removesuffix(steps)
        if {"", ".", ".."} & set(base.split("/")):
            raise UnknownRevision(rev)
        try:
            commit = parse_commit(self.repo, encode("HEAD" if base == "@" else base)).id.decode()
        except AmbiguousShortId as error:
            raise UnknownRevision(rev, "is the beginning of several commits' ids") from error
        except (KeyError, ValueError) as error:
            raise UnknownRevision(rev) from error
        for kind, number in _STEP.findall(steps):
            commit = self._step(rev, commit, kind, int(number or 1))
        return commit

    def names(self, rev: str) -> bool:
        """Say whether a revision names a commit."""
        try:
            self.resolve(rev)
        except UnknownRevision:
            return False
        return True

    def _step(self, rev: str, commit: str, kind: str, number: int) -> str:
        """Go `~number` generations back along first parents, or to the parent `^number`."""
        if kind == "^" and number == 0:
            return commit
        for nth in [number] if kind == "^" else [1] * number:
            parents = self.commit(commit).parents
            if len(parents) < nth or commit in history.shallow_commits(self):
                raise UnknownRevision(rev, "goes back further than the history")
            commit = parents[nth - 1]
        return commit

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the commit at which two histories part, None if they share none."""
        try:
            found = find_merge_base(self.repo, [ObjectID(ident.encode()) for ident in (one, other)])
        except KeyError:  # a shallow clone ends before
            return None
        return found[0].decode() if found else None

    def read_blob(self, blob: str) -> bytes:
        """Return a blob's content; raises `MissingObject`."""
        return self.objects.read(blob)

    def tree_at(self, commit: str | None) -> dict[str, str]:
        """Return every file of the vault in a commit: path → blob id; no links, no names that are not UTF-8."""
        tree = self.vault_tree(commit)
        if tree is None:
            return {}
        return {
            name: leaf[1]
            for path, leaf in self.objects.leaves(tree).items()
            if is_file_mode(leaf[0]) and is_text(name := decode(path))
        }

    def files_at(self, commit: str | None) -> Mapping[str, str]:
        """Return `tree_at` as a mapping that looks single paths up without reading the rest."""
        return _CommittedFiles(self, commit)

    def entry_at(self, commit: str | None, path: str) -> str | None:
        """Return the blob of one file in a commit, None if it is not there."""
        leaf = self.objects.find(self.whole_tree(commit), self.full(path))
        return leaf[1] if leaf and leaf[0] & 0o170000 in {0o100000, 0o120000} else None

    def status(self, found: Found | None = None) -> list[Change]:
        """Return the paths of the vault that differ from HEAD or the index, sorted.

        `found` is a scan of the files to compare; without it the whole folder is scanned.
        """
        if found is None:
            return status(self, scan(self.root, [""], Exclusions(self.root)))
        index, head = self.index(), self.head()
        last = self._status
        if last is None or last[0] is not found or last[1] is not index or last[2] != head:
            last = self._status = found, index, head, status(self, found)
        return list(last[3])

    def unwatched(self) -> list[str]:
        """Return the vault's paths whose files git does not compare: sparse checkouts, `--assume-unchanged`."""
        entries = (entry for entry in self.index() if entry.skip_worktree or entry.assume_valid)
        return [path for entry in entries if (path := self.readable(entry.path)) is not None]

    def staged_contents(self) -> dict[str, bytes | None]:
        """Return what is staged in the vault: path → content git would commit, None for a deletion.

        Links, submodules and names that are not UTF-8 are left out.
        """
        staged = staged_leaves(self, self.index(), self.head())
        return {
            name: self.objects.read(leaf[1]) if leaf else None
            for path, (leaf, committed) in staged.items()
            if all(side is None or is_file_mode(side[0]) for side in (leaf, committed))
            if (name := self.readable(path)) is not None
        }

    def index_tree(self, index_file: Path | None = None) -> dict[str, str]:
        """Return the vault's files in an index (the repository's, or the file a hook is given)."""
        index = read_index(index_file or self.index_file)
        return {
            path: entry.blob.hex()
            for entry in index
            if not entry.stage and not entry.intent_to_add and is_file_mode(entry.mode)
            if (path := self.readable(entry.path)) is not None
        }

    def unmerged(self, index_file: Path | None = None) -> list[str]:
        """Return the vault's paths that a merge left in conflict in an index."""
        index = read_index(index_file or self.index_file)
        return sorted({path for entry in index if entry.stage and (path := self.readable(entry.path)) is not None})

    def identity(self, environ: Mapping[str, str]) -> Identity:
        """Return who would commit; raises `MissingIdentity`."""
        return identity_of(settings_of(self.repo, environ), environ)

    def transaction(
        self, contents: Mapping[str, bytes | None] | None, environ: Mapping[str, str], *, lock_token: str
    ) -> AbstractContextManager[committing.Transaction]:
        """Make a commit of these contents, or of what is staged in the vault; see `Transaction`."""
        return committing.transaction(self, contents, environ, lock_token)

    def release_stale_lock(self, lock_token: str) -> bool:
        """Remove an `index.lock` this vault left in a crash; the caller holds the vault's lock."""
        return release_stale_lock(self.git_dir, self.root, lock_token)

    def record(self, commit: str) -> LogRecord:
        """Return what `log` tells of one commit."""
        told = history.History(self)
        return history.record_of(told.commit(commit), told.changes(told.commit(commit)))

    def chain(self) -> Chain:
        """Return the history along first parents."""
        return Chain(self)

    def log(
        self,
        paths: Sequence[str] | None = None,
        *,
        limit: int | None = None,
        since_commit: str | None = None,
        start: str | None = None,
        first_parent: bool = False,
    ) -> Iterator[LogRecord]:
        """Yield the commits that changed the vault, newest first; see `log.log`."""
        return history.log(self, paths, limit=limit, since_commit=since_commit, start=start, first_parent=first_parent)


def _check_path(root: Path) -> None:
    """Raise `UnsupportedRepository` for a path that dulwich cannot write."""
    if not is_text(str(root)):
        shown = Path(os.fsencode(root).decode("utf-8", "backslashreplace"))
        raise UnsupportedRepository(shown, "its path is not UTF-8")


class _CommittedFiles(Mapping[str, str]):
    """The files of a commit: path → blob id."""

    def __init__(self, repository: Repository, commit: str | None) -> None:
        self._repository, self._commit = repository, commit

    def __getitem__(self, path: str) -> str:
        tree = self._repository.whole_tree(self._commit)
        leaf = self._repository.objects.find(tree, self._repository.full(path))
        if leaf is None or not is_file_mode(leaf[0]) or not is_text(path):
            raise KeyError(path)
        return leaf[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._repository.tree_at(self._commit))

    def __len__(self) -> int:
        return len(self._repository.tree_at(self._commit))
