"""All of a vault, as the rules about more than one file look at it."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from vault.diagnostics import Diagnostic, Span
from vault.model.entry import Entry
from vault.store.catalog import Catalog
from vault.store.records import Stored
from vault.workspace.ingest import field_span
from vault.workspace.layout import Layout


@dataclass(frozen=True, slots=True)
class Whole:
    """A vault at the moment `now`; `known` says whether the one who asks may know of a scope.

    `has_file` says whether the vault has a file at a path. With `paths`, only findings about those files are
    wanted: a rule reads what they touch, not everything.
    """

    layout: Layout
    catalog: Catalog
    now: datetime
    known: Callable[[str], bool]
    has_file: Callable[[str], bool]
    paths: frozenset[str] | None = None

    def wanted(self, column: str) -> tuple[str, list[object]]:
        """The SQL condition that a column holds the path of a wanted file, and its parameters."""
        if self.paths is None:
            return "1", []
        return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(sorted(self.paths))]

    def stored(self, rows: Iterable[int]) -> Iterator[Stored]:
        """Read entries by their catalog rows, a few hundred at a time."""
        wanted = list(rows)
        for start in range(0, len(wanted), 500):
            chunk = wanted[start : start + 500]
            yield from self.catalog.select(f"e.id IN ({','.join('?' * len(chunk))})", chunk)


Rule = Callable[[Whole], Iterator[Diagnostic]]


def first_span(entry: Entry, *names: str) -> Span:
    """The span of the first of some fields that an entry has, else of its heading."""
    return field_span(entry, next((name for name in names if name in entry.fields), ""))
