"""A view of the past: the catalog, settings and schemas of a commit, or of what was valid at a moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from vault.model.access import GLOBAL, Reader
from vault.model.schema import Schema
from vault.store.bundled import read_any
from vault.store.catalog import Catalog
from vault.store.files import Unreadable
from vault.workspace.due import due, rivals
from vault.workspace.layout import Layout
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.store.git import Repository


@dataclass(frozen=True, slots=True)
class Past:
    """A vault as of a commit (None: the working tree), or what was valid at a moment, with its settings and schemas.

    A space is private if it was then or is now, so that nothing shows that a reader of today may not see.
    `commits` are those that files are read from where that is another one; `moment` is when it held. `number` is the
    commit's in the chain of HEAD's first parents; None if it is not one of them, or where what held is looked at.
    `as_of` is the moment of which the last commit was looked for, if it was named by a date.
    `unknown` are the facts (key and scope) of which a shallow clone does not say whether they held.
    `seen_at` is the moment at which slots are read: `as_of`, else when the commit was made.
    """

    repository: "Repository | None"
    commit: str | None
    catalog: Catalog
    layout: Layout
    schemas: Mapping[str, Schema]
    commits: Mapping[str, str] = field(default_factory=dict)
    moment: datetime | None = None
    number: int | None = None
    unknown: frozenset[tuple[str, str]] = frozenset()
    as_of: datetime | None = None
    seen_at: datetime | None = None

    def snapshot(self, reader: Reader) -> Snapshot:
        """What a reader sees of it."""
        present = {GLOBAL, *self.catalog.file_scopes()}
        succeeded: Mapping[int, int] = {}
        if self.seen_at is not None:
            local = self.layout.settings.local
            succeeded = due(rivals(self.catalog, local), self.seen_at, local)
        return Snapshot(self.layout, self.catalog, reader, self.schemas, present, due=succeeded)

    def commit_of(self, path: str) -> str | None:
        """The commit a file is read from; None where that is the working tree."""
        return self.commits.get(path, self.commit)

    def read(self, path: str) -> bytes:
        """A file as it was. Raises `Unreadable`."""
        commit = self.commit_of(path)
        if commit is None or self.repository is None:
            return read_any(self.layout.root, path)
        blob = self.repository.entry_at(commit, path)
        if blob is None:
            raise Unreadable(path, f"was not there in {commit[:10]}")
        return self.repository.read_blob(blob)
