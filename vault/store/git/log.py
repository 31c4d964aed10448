"""History, newest first, with what each commit changed in the vault."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from vault.store.git.objects import Leaf, MissingObject
from vault.store.git.parse import Commit
from vault.store.git.place import Place, decode
from vault.store.git.trailers import read_trailers

Kind = Literal["added", "modified", "deleted"]
_GITLINK = 0o160000


@dataclass(frozen=True, slots=True)
class PathChange:
    """A file a commit changed: vault-relative path, and the blobs on both sides (None: no file)."""

    path: str
    kind: Kind
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A commit that changed the vault."""

    commit: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    author_time: datetime
    committer_name: str
    committer_email: str
    commit_time: datetime
    subject: str
    body: str
    trailers: list[tuple[str, str]]
    changes: list[PathChange]


def log(
    place: Place,
    paths: Sequence[str] | None = None,
    *,
    limit: int | None = None,
    since_commit: str | None = None,
    start: str | None = None,
    first_parent: bool = False,
) -> Iterator[LogRecord]:
    """Yield the commits that changed the vault, or these paths of it (files or folders), newest first.

    A commit comes before its parents. `since_commit` and all that it reaches are left out. A merge is
    there only if it differs from each of its parents; its changes are those against the first.
    """
    history = History(place)
    begin = start or place.head()
    if begin is None:
        return
    count = 0
    for commit in history.walk(begin, since_commit, first_parent=first_parent):
        changes = history.changes(commit, first_parent=first_parent)
        if paths is not None:
            changes = [change for change in changes if _touches(change.path, paths)]
        if changes:
            yield record_of(commit, changes)
            count += 1
            if limit is not None and count >= limit:
                return


def _touches(path: str, wanted: Iterable[str]) -> bool:
    return any(path == one or path.startswith(one.rstrip("/") + "/") for one in wanted)


def record_of(commit: Commit, changes: list[PathChange]) -> LogRecord:
    """Tell of a commit and what it changed."""
    subject, _, body = commit.message.partition("\n")
    return LogRecord(
        commit.ident,
        commit.parents,
        commit.author.name,
        commit.author.email,
        commit.author.time,
        commit.committer.name,
        commit.committer.email,
        commit.committer.time,
        subject,
        body.strip("\n"),
        read_trailers(commit.message),
        changes,
    )


class History:
    """The commits of a repository; where a shallow clone ends, history ends."""

    def __init__(self, place: Place) -> None:
        """Read the history of one repository."""
        self._place = place
        self._shallow = shallow_commits(place)
        self._read: dict[str, Commit] = {}

    def commit(self, ident: str) -> Commit:
        """Read a commit once."""
        if ident not in self._read:
            self._read[ident] = self._place.commit(ident)
        return self._read[ident]

    def tree(self, ident: str) -> str | None:
        """Return the vault's own tree in a commit, None if it has none."""
        return self._place.objects.subtree(self.commit(ident).tree, self._base)

    def parents(self, commit: Commit, *, first_parent: bool = False) -> tuple[str, ...]:
        """Return the parents that are there."""
        if commit.ident in self._shallow:
            return ()
        return commit.parents[:1] if first_parent else commit.parents

    def walk(self, start: str, since: str | None, *, first_parent: bool) -> Iterator[Commit]:
        """Yield commits by time, newest first, each before its parents whatever the clocks say."""
        hidden = self.reachable(since) if since else set()
        if start in hidden:
            return
        waiting = self._children(start, hidden, first_parent=first_parent)
        queue = [self._ranked(start, 0)]
        order = 1
        while queue:
            commit = self.commit(heapq.heappop(queue)[2])
            yield commit
            for parent in self.parents(commit, first_parent=first_parent):
                if parent in hidden:
                    continue
                waiting[parent] -= 1
                if not waiting[parent]:
                    heapq.heappush(queue, self._ranked(parent, order))
                    order += 1

    def _ranked(self, ident: str, order: int) -> tuple[float, int, str]:
        return (-self.commit(ident).committer.time.timestamp(), order, ident)

    def _children(self, start: str, hidden: set[str], *, first_parent: bool) -> dict[str, int]:
        """Count, for every commit to show, how many of the others it is a parent of."""
        counts = {start: 0}
        stack = [start]
        while stack:
            for parent in self.parents(self.commit(stack.pop()), first_parent=first_parent):
                if parent in hidden:
                    continue
                if parent not in counts:
                    counts[parent] = 0
                    stack.append(parent)
                counts[parent] += 1
        return counts

    def reachable(self, start: str) -> set[str]:
        """Return a commit and all that came before it, as far as the repository holds it."""
        seen, stack = {start}, [start]
        while stack:
            try:
                parents = self.parents(self.commit(stack.pop()))
            except MissingObject:
                continue
            stack += [parent for parent in parents if parent not in seen]
            seen.update(parents)
        return seen

    def changes(self, commit: Commit, *, first_parent: bool = False) -> list[PathChange]:
        """Return what a commit changed in the vault; for a merge, what differs from every parent."""
        parents = self.parents(commit, first_parent=first_parent)
        own = self.tree(commit.ident)
        trees = [self.tree(one) for one in parents] or [None]
        if any(tree == own for tree in trees):
            return []
        found = list(self._place.objects.differences(trees[0], own))
        for other in trees[1:]:
            also = {path for path, _, _ in self._place.objects.differences(other, own)}
            found = [item for item in found if item[0] in also]
        return [change for path, old, new in found if (change := path_change(path, old, new))]

    @property
    def _base(self) -> bytes:
        return self._place.full("").rstrip(b"/")


def path_change(path: bytes, old: Leaf | None, new: Leaf | None) -> PathChange | None:
    """Tell of a file that differs; None where both sides are no file but a submodule."""
    before, after = (leaf[1] if leaf and leaf[0] != _GITLINK else None for leaf in (old, new))
    if before is None and after is None:
        return None
    kind: Kind = "modified"
    if before is None:
        kind = "added"
    elif after is None:
        kind = "deleted"
    return PathChange(decode(path), kind, before, after)


def shallow_commits(place: Place) -> set[str]:
    """Return the commits a shallow clone has without their parents."""
    try:
        return set((place.common_dir / "shallow").read_text("ascii").split())
    except FileNotFoundError:
        return set()
