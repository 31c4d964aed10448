"""Entries that are apart here and one to plain Firm, which knows no scopes and puts underscores into ids."""

from collections.abc import Iterator

from vault.diagnostics import Diagnostic, Related, diagnostic
from vault.lang.compat import firm_id
from vault.store.records import Stored
from vault.workspace.ingest import heading_span
from vault.workspace.rules.whole import Whole


def one_to_firm(whole: Whole) -> Iterator[Diagnostic]:
    """Entries of one id to plain Firm, and of several here."""
    seen: dict[tuple[str, str], int] = {}
    twice: dict[int, int] = {}
    for row, kind, ident in whole.catalog.own_ids():
        first = seen.setdefault((firm_id(kind), firm_id(ident)), row)
        if first != row:
            twice[row] = first
    entries = {stored.row: stored for stored in whole.catalog.entries_at({*twice, *twice.values()})}
    for row, first in twice.items():
        if not _duplicate(entries[row], entries[first]):
            yield _one(entries[row], entries[first])


def _duplicate(one: Stored, other: Stored) -> bool:
    """Whether the two are one here as well, which is said elsewhere."""
    return (one.entry.key, one.scope) == (other.entry.key, other.scope)


def _one(stored: Stored, first: Stored) -> Diagnostic:
    entry, other = stored.entry, first.entry
    read_as = f"it reads both as `{firm_id(entry.type)}.{firm_id(entry.id)}`"
    why = "it knows no scopes" if entry.key == other.key else read_as
    return diagnostic(
        "firm-incompatible",
        f"to plain Firm `{entry.key}` is declared twice: {why}",
        heading_span(entry),
        hint="rename one of the two",
        subject=entry.key,
        related=(Related(heading_span(other), "the other entry"),),
    )
