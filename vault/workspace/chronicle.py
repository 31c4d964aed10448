"""Bringing the ledger up to date with history: what a new commit brought, or all of it from nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vault.model.access import scope_of
from vault.store.ledger import Event, Ledger, Told, Version
from vault.store.records import Divided
from vault.store.scan import ABSENT
from vault.workspace.ingest import Context, SourceFile, ingest
from vault.workspace.layout import Layout

if TYPE_CHECKING:
    from vault.store.git import LogRecord, PathChange, Repository
    from vault.store.git.chain import Chain

#: Commits put into the ledger by one transaction: the most an interruption can lose.
BATCH = 500

#: Files whose entries are kept in memory: a change is followed by one of the same file more often than not.
KEPT = 20_000

Progress = Callable[[int, int], None]
#: What an entry is: its key and scope.
Identity = tuple[str, str]


@dataclass(slots=True)
class Chronicle:
    """One update of one vault's ledger."""

    layout: Layout
    repository: "Repository"
    ledger: Ledger
    progress: Progress | None = None
    _context: Context = field(init=False)
    _lately: dict[tuple[str, str], list[Version]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # a sidecar is read when it is asked for; only where it stands is part of a version
        self._context = Context(self.layout, {}, lambda _: (b"", ABSENT), lambda *_: Divided())

    def run(self) -> int:
        """Bring the ledger to HEAD; returns how many commits of the chain were new.

        A branch that was rewritten is followed from where the two part; an interruption keeps the batches
        that are done. Where another process writes the same ledger, what it has done is not done again.
        """
        self._follow_depth()
        chain = self.repository.chain()
        done = 0
        while self._missing(chain) != ([], self.ledger.tip()):
            with self.ledger.writing():
                new, fork = self._missing(chain)  # once more: another process may have been at work
                if fork < self.ledger.tip():
                    self.ledger.forget_after(fork)
                before = self.ledger.ident(fork)
                for number, ident in enumerate(new[:BATCH], fork + 1):
                    self._take(chain, number, ident, before)
                    before = ident
            done += len(new[:BATCH])
            if self.progress and new:
                self.progress(done, done + len(new[BATCH:]))
        return done

    def _missing(self, chain: "Chain") -> tuple[list[str], int]:
        """The first parents of HEAD that the ledger does not have, oldest first, and the number of the last it has."""
        head = self.repository.head()
        return chain.back_to(head, self.ledger.number) if head else ([], -1)

    def _follow_depth(self) -> None:
        """Begin anew where a clone got deeper or shallower: the chain's numbers count from its beginning."""
        depth = " ".join(sorted(self.repository.shallow()))
        if depth != self.ledger.meta("depth"):
            with self.ledger.writing():
                self.ledger.forget_after(-1)
                self.ledger.remember("depth", depth)

    def _take(self, chain: "Chain", number: int, ident: str, before: str | None) -> None:
        """Put one commit of the chain into the ledger, with those that came in with it."""
        changes = chain.differences(before, ident)
        for change in changes:
            if self._is_entry_file(change.path):
                scope = scope_of(change.path, workspace=self.layout.workspace) or ""
                self.ledger.hold(number, change.path, scope, self._versions(change.path, change.new))
        for rank, record in enumerate(chain.arrivals(ident, self.ledger.has, changes)):
            scopes = {scope_of(change.path, workspace=self.layout.workspace) for change in record.changes}
            told = _told(record, sorted(scope for scope in scopes if scope))
            self.ledger.note(number, rank, told, self._events(record.changes))
            if record.commit == ident:
                self.ledger.link(number, told)

    def _is_entry_file(self, path: str) -> bool:
        return self.layout.kind(path) == "firm"

    def _versions(self, path: str, blob: str | None) -> list[Version]:
        """The entries of a file of history."""
        if blob is None:
            return []
        if (blob, path) not in self._lately:
            if len(self._lately) > KEPT:
                self._lately.clear()
            self._lately[blob, path] = self._learnt(path, blob)
        return self._lately[blob, path]

    def _learnt(self, path: str, blob: str) -> list[Version]:
        known = self.ledger.known(blob, path)
        if known is None:
            source = SourceFile(path, self.repository.read_blob(blob), blob, ABSENT)
            known = self.ledger.learn(blob, path, ingest(source, self._context).entries)
        return known

    def _events(self, changes: "Sequence[PathChange]") -> list[Event]:
        """What a commit changed of entries: an entry that went from one place and came to another has moved."""
        before: dict[Identity, tuple[str, int]] = {}
        after: dict[Identity, tuple[str, int]] = {}
        for change in changes:
            if self._is_entry_file(change.path):
                scope = scope_of(change.path, workspace=self.layout.workspace) or ""
                for side, blob in ((before, change.old), (after, change.new)):
                    for version in self._versions(change.path, blob):
                        side.setdefault((version.key, scope), (change.path, version.content))
        return [event for identity in sorted({*before, *after}) if (event := _event(identity, before, after))]


def _event(
    identity: Identity, before: Mapping[Identity, tuple[str, int]], after: Mapping[Identity, tuple[str, int]]
) -> Event | None:
    key, scope = identity
    old_path, old = before.get(identity, (None, None))
    new_path, new = after.get(identity, (None, None))
    if (old_path, old) == (new_path, new):
        return None
    moved = old_path if new_path and old_path != new_path else None
    return Event(scope, key, new_path or old_path or "", old, new, moved)


def _told(record: "LogRecord", scopes: Sequence[str]) -> Told:
    return Told(
        record.commit,
        int(record.commit_time.timestamp()),
        record.author_name,
        record.author_email,
        record.subject,
        record.trailers,
        scopes,
    )
