"""Bringing the ledger up to date with history: what a new commit brought, or all of it from nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

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
        """Begin anew where a clone got deeper or shallower, or a vault became a workspace or one a vault.

        The chain's numbers count from its beginning, and scopes are those of the one or the other.
        """
        depth = " ".join([*sorted(self.repository.shallow()), *(["workspace"] if self.layout.workspace else [])])
        if depth != self.ledger.meta("depth"):
            with self.ledger.writing():
                self.ledger.forget_after(-1)
                self.ledger.remember("depth", depth)

    def _take(self, chain: "Chain", number: int, ident: str, before: str | None) -> None:
        """Put one commit of the chain into the ledger, with those that came in with it."""
        changes = chain.differences(before, ident)
        for path, blob in self._held(changes, ident).items():
            held = [(version, self._text_at(version, ident)) for version in self._versions(path, blob)]
            self.ledger.hold(number, path, self._scope(path), held)
        for rank, record in enumerate(chain.arrivals(ident, self.ledger.has, changes)):
            scopes = {scope_of(change.path, workspace=self.layout.workspace) for change in record.changes}
            told = _told(record, sorted(scope for scope in scopes if scope))
            self.ledger.note(number, rank, told, self._events(record))
            if record.commit == ident:
                self.ledger.link(number, told)

    def _held(self, changes: "Sequence[PathChange]", ident: str) -> dict[str, str | None]:
        """The files of entries that a commit changed, or a text of, with their blobs there."""
        held = {change.path: change.new for change in changes if self._is_entry_file(change.path)}
        for change in changes:
            if self.layout.kind(change.path) == "sidecar":
                for path in self.ledger.files_with_text(change.path):
                    blob = None if path in held else self.repository.entry_at(ident, path)
                    if any(version.text_file == change.path for version in self._versions(path, blob)):
                        held[path] = blob
        return held

    def _text_at(self, version: Version, ident: str) -> str:
        """The blob of the file that a version's text is in, at a commit; "" where there is none."""
        return (version.text_file and self.repository.entry_at(ident, version.text_file)) or ""

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

    def _events(self, record: "LogRecord") -> list[Event]:
        """What a commit changed of entries: an entry that went from one place and came to another has moved."""
        texts = {change.path: change for change in record.changes if self.layout.kind(change.path) == "sidecar"}
        sides = _Sides({}, {})
        quiet: set[Identity] = set()
        for change in record.changes:
            if self._is_entry_file(change.path):
                quiet |= self._compare(change, sides)
        for path in texts:
            self._add_holders(record, path, sides)
        found = [
            self._event(identity, sides, texts, record.commit) for identity in sorted({*sides.before, *sides.after})
        ]
        return [event for event in found if _is_telling(event) or (event.key, event.scope) in quiet]

    def _compare(self, change: "PathChange", sides: "_Sides") -> set[Identity]:
        """Add the entries of a file on both sides; returns them where none of them says anything else."""
        scope = self._scope(change.path)
        told = []
        for side, blob in ((sides.before, change.old), (sides.after, change.new)):
            versions = self._versions(change.path, blob)
            told.append({(version.key, scope): version.content for version in versions})
            for version in versions:
                side.setdefault((version.key, scope), (change.path, version))
        return set(told[0]) if told[0] == told[1] else set()

    def _add_holders(self, record: "LogRecord", text_file: str, sides: "_Sides") -> None:
        """Add the entries whose text is in a file that a commit changed, where they did not change themselves."""
        changed = {change.path for change in record.changes}
        for path in self.ledger.files_with_text(text_file):
            blob = None if path in changed else self.repository.entry_at(record.commit, path)
            for version in self._versions(path, blob):
                if version.text_file == text_file:
                    for side in (sides.before, sides.after):
                        side.setdefault((version.key, self._scope(path)), (path, version))

    def _event(self, identity: Identity, sides: "_Sides", texts: "Mapping[str, PathChange]", commit: str) -> Event:
        key, scope = identity
        (old_path, old), (path, new) = (side.get(identity, ("", None)) for side in (sides.before, sides.after))
        return Event(
            scope,
            key,
            path or old_path,
            old.content if old else None,
            new.content if new else None,
            old_path if old and new and old_path != path else None,
            self._text(old, "old", texts, commit),
            self._text(new, "new", texts, commit),
        )

    def _text(
        self, version: Version | None, side: Literal["old", "new"], texts: "Mapping[str, PathChange]", commit: str
    ) -> str | None:
        """The blob of the file a version's text is in, before a commit or after it."""
        if version is None or version.text_file is None:
            return None
        change = texts.get(version.text_file)
        if change is None:
            return self.repository.entry_at(commit, version.text_file)
        return change.old if side == "old" else change.new

    def _scope(self, path: str) -> str:
        return scope_of(path, workspace=self.layout.workspace) or ""


class _Sides(NamedTuple):
    """The entries a commit may have changed, before and after: where each stands."""

    before: dict[Identity, tuple[str, Version]]
    after: dict[Identity, tuple[str, Version]]


def _is_telling(event: Event) -> bool:
    """Say whether a commit changed what an entry says or where it stands."""
    return event.old != event.new or event.old_path is not None or event.old_text != event.new_text


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
