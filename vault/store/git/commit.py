"""Committing named contents, or what is staged, as `git commit` would.

Everything that can refuse does so before anything is changed. `prepare` is called with the vault's lock
held; the caller then writes its files, runs the hooks, and publishes.
"""

import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from vault.errors import VaultError
from vault.store.git.config import Identity, Person, Settings, Stamp, identity_of, stamp_of
from vault.store.git.convert import Conversion
from vault.store.git.gitindex import EXECUTABLE, REGULAR, GitIndex, IndexEntry, read_index
from vault.store.git.guards import check_idle, check_merged
from vault.store.git.hooks import HookRefused, Hooks, hook_environ, hooks_folder
from vault.store.git.lock import index_lock, scratch
from vault.store.git.objects import BLOB, COMMIT, TREE, Edits, Leaf
from vault.store.git.place import Place
from vault.store.git.publish import (
    Publication,
    apply_edits,
    file_mode,
    publish,
    stored_in,
    unracy,
    update_index,
    write_index,
)
from vault.store.git.sign import signer_for
from vault.store.git.staged import leaves_of, staged_leaves

_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg")


class NothingToCommit(VaultError):
    """The commit would change nothing."""

    code = "nothing-to-commit"

    def __init__(self) -> None:
        super().__init__("nothing to commit: the history holds this already", hint="change a file first")


class EmptyMessage(VaultError):
    """A commit message with no text in it, perhaps after a hook."""

    code = "empty-message"

    def __init__(self) -> None:
        super().__init__("the commit message is empty; nothing was committed", hint="give a message")


@dataclass(slots=True)
class Transaction:
    """A commit being made, `index.lock` held; its paths and modes are in `edits`."""

    place: Place
    settings: Settings
    identity: Identity
    stamps: tuple[Stamp, Stamp]
    sign: Callable[[bytes], bytes] | None
    hooks: Hooks
    token: str
    old: str | None
    edits: Edits
    _index: Path | None = field(default=None, init=False)
    _publication: Publication | None = field(default=None, init=False)
    published: bool = field(default=False, init=False)

    @property
    def output(self) -> list[tuple[str, str]]:
        """What the hooks printed: pairs of hook and text."""
        return self.hooks.output

    def pre_commit(self) -> None:
        """Run the hook pre-commit; what it stages becomes part of the commit."""
        if not self.hooks.exists("pre-commit"):
            return
        index = self._hook_index()
        before = leaves_of(read_index(index))
        self.hooks.run("pre-commit", index=index)
        after = leaves_of(read_index(index))
        for path in {*before, *after}:
            if before.get(path) != after.get(path):
                self.edits[path] = after.get(path)

    def write(self, message: str) -> str:
        """Write the commit and return its id; the branch does not know it yet.

        Raises `NothingToCommit`, `EmptyMessage`, `HookRefused`, `SignatureRequired`.
        """
        objects = self.place.objects
        head = self.place.whole_tree(self.old)
        tree = objects.edited(head, self.edits) or objects.add(TREE, b"")
        if tree == head or (head is None and not any(self.edits.values())):
            raise NothingToCommit
        text = self._final_message(message)
        data = self._commit_bytes(tree, text)
        commit = objects.add(COMMIT, data)
        objects.flush()
        self._publication = Publication(
            commit, self.place.head_ref(), self.old, self.edits, self._reflog(text), self.token
        )
        return commit

    def record(self) -> dict[str, object]:
        """Return what publishing needs, as plain data for the journal."""
        return self._written.to_record()

    def update_index(self) -> None:
        """Bring the index in step with files that hold what HEAD holds; no commit is made."""
        update_index(self.place, self.edits, self.settings)

    def publish(self) -> None:
        """Bring the index in step, then move the branch."""
        publish(self.place, self._written, self.settings)
        self.published = True

    @property
    def _written(self) -> Publication:
        if self._publication is None:
            raise RuntimeError("write() comes first")
        return self._publication

    def _hook_index(self) -> Path:
        """Return an index of HEAD and the commit's paths, for hooks to look at and to stage in."""
        if self._index is None:
            index = self.place.index().copy()
            unracy(self.place, index)
            kept = _only(index, self.place.objects.leaves(tree) if (tree := self._head_tree) else {})
            apply_edits(self.place, kept, self.edits, self.settings)
            self._index = scratch(self.place.git_dir)
            write_index(self._index, kept)
        return self._index

    @property
    def _head_tree(self) -> str | None:
        return self.place.whole_tree(self.old)

    def _final_message(self, message: str) -> str:
        text = tidy(message)
        if any(self.hooks.exists(name) for name in _HOOKS[1:]):
            file, index = self.place.git_dir / "COMMIT_EDITMSG", self._hook_index()
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
            self.hooks.run("prepare-commit-msg", str(file), "message", index=index)
            self.hooks.run("commit-msg", str(file), index=index)
            text = tidy(file.read_bytes().decode("utf-8", "surrogateescape"))
        if not text:
            raise EmptyMessage
        return text

    def _commit_bytes(self, tree: str, message: str) -> bytes:
        lines = [f"tree {tree}", *([f"parent {self.old}"] if self.old else [])]
        lines += [f"author {self.identity.author} {self.stamps[0]}"]
        lines += [f"committer {self.identity.committer} {self.stamps[1]}"]
        head = "\n".join(lines).encode("utf-8", "surrogateescape")
        body = b"\n\n" + message.encode("utf-8", "surrogateescape")
        if self.sign is None:
            return head + body
        signature = self.sign(head + body).rstrip(b"\n").replace(b"\n", b"\n ")
        return head + b"\ngpgsig " + signature + body

    def _reflog(self, message: str) -> str:
        kind = "commit" if self.old else "commit (initial)"
        return f"{self.identity.committer} {self.stamps[1]}\t{kind}: {message.splitlines()[0]}"

    def close(self) -> None:
        """Remove what was made for the hooks."""
        if self._index is not None:
            for name in (self._index, self._index.with_name(f"{self._index.name}.lock")):
                name.unlink(missing_ok=True)

    def post_commit(self) -> None:
        """Run the hook post-commit; it can refuse nothing any more."""
        with suppress(HookRefused):
            self.hooks.run("post-commit", index=self.place.index_file)


@contextmanager
def transaction(
    place: Place, contents: Mapping[str, bytes | None] | None, environ: Mapping[str, str], lock_token: str
) -> Iterator[Transaction]:
    """Prepare a commit of `contents` (None: of what is staged), holding `index.lock`; see `Transaction`."""
    settings = place.settings(environ)
    identity = identity_of(settings, environ)
    now = datetime.now(UTC).astimezone()
    stamps = stamp_of(environ, "author", now), stamp_of(environ, "committer", now)
    check_idle(place.git_dir)
    check_merged(place.index())
    sign = signer_for(settings)
    hooks = _hooks(place, settings, hook_environ(environ, lock_token), identity.author, stamps[0])
    with index_lock(place.git_dir, place.root, lock_token):
        index, old = place.index(), place.head()
        edits = _staged(place, index, old) if contents is None else _named(place, index, contents, settings)
        place.objects.flush()
        made = Transaction(place, settings, identity, stamps, sign, hooks, lock_token, old, edits)
        try:
            yield made
        finally:
            made.close()
    if made.published:
        made.post_commit()


def _hooks(place: Place, settings: Settings, given: dict[str, str], author: Person, authored: Stamp) -> Hooks:
    """Find the hooks, and give them what git gives them."""
    given |= {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": f"@{authored}",
    }
    if (place.worktree / ".git").is_file():
        given["GIT_DIR"] = str(place.git_dir)
    return Hooks(hooks_folder(place, settings), place.worktree, given)


def _named(place: Place, index: GitIndex, contents: Mapping[str, bytes | None], settings: Settings) -> Edits:
    """Turn contents into edits, blobs written; a path that is a symbolic link stands for its target."""
    conversion = Conversion(place, settings, lambda path: stored_in(place, index, path))
    head = place.whole_tree(place.head())
    edits: Edits = {}
    for name, data in contents.items():
        path = _through_link(place, place.full(name)) if data is not None else place.full(name)
        if path is None:
            continue
        if data is None:
            edits[path] = None
            continue
        entry, leaf = index.get(path), place.objects.find(head, path)
        committed = leaf[0] if leaf else None
        known = entry.mode if entry else committed
        mode = _mode_on_disk(place, path, settings) or file_mode(known)
        edits[path] = (mode, place.objects.add(BLOB, conversion.to_git(path, data)))
    return edits


def _mode_on_disk(place: Place, path: bytes, settings: Settings) -> int | None:
    """The mode a file has now; None where there is no file, or where its executable bit does not count."""
    if not settings.flag("core", "filemode", default=True):
        return None
    try:
        info = place.on_disk(path).lstat()
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    return EXECUTABLE if info.st_mode & stat.S_IXUSR else REGULAR


def _through_link(place: Place, path: bytes) -> bytes | None:
    """Follow a symbolic link to what is really written; None where that is outside the repository."""
    file = place.on_disk(path)
    if not file.is_symlink():
        return path
    real = file.resolve()
    if not real.is_relative_to(place.worktree):
        return None
    return real.relative_to(place.worktree).as_posix().encode("utf-8", "surrogateescape")


def _staged(place: Place, index: GitIndex, old: str | None) -> Edits:
    return {path: leaf for path, (leaf, _) in staged_leaves(place, index, old).items()}


def _only(index: GitIndex, leaves: Mapping[bytes, Leaf]) -> GitIndex:
    """Make an index of exactly these files; entries that hold the same keep what git knows of them."""
    made = GitIndex(index.version, written_ns=index.written_ns)
    for path, (mode, ident) in leaves.items():
        entry = index.get(path)
        if entry is None or entry.intent_to_add or (entry.mode, entry.blob.hex()) != (mode, ident):
            entry = IndexEntry(path, bytes.fromhex(ident), mode)
        made.entries[path, 0] = entry
    return made


def tidy(message: str) -> str:
    """Clean a message as `git commit -m` does: no blanks at line ends, no doubled or outer blank lines."""
    lines = "\n".join(line.rstrip() for line in message.replace("\0", "").split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
    return f"{text}\n" if text.strip() else ""
