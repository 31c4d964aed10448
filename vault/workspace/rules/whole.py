"""All of a vault, as the rules about more than one file look at it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from vault.diagnostics import Diagnostic, Span
from vault.model.entry import Entry
from vault.store.catalog import Catalog
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


Rule = Callable[[Whole], Iterator[Diagnostic]]


def first_span(entry: Entry, *names: str) -> Span:
    """The span of the first of some fields that an entry has, else of its heading."""
    return field_span(entry, next((name for name in names if name in entry.fields), ""))
