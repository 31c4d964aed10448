"""Attachments: files that entries name and that are not there."""

from collections.abc import Iterator

from vault.diagnostics import Diagnostic, diagnostic
from vault.model.values import PathValue
from vault.workspace.ingest import field_span
from vault.workspace.rules.whole import Whole

FIELDS = ("attachments", "imported_attachments")


def missing_attachments(whole: Whole) -> Iterator[Diagnostic]:
    """Find the attachments of entries that are not in the vault."""
    for stored in whole.catalog.entries_with_attachments(whole.paths):
        for name in FIELDS:
            value = stored.entry.fields.get(name)
            for item in value if isinstance(value, tuple) else ():
                if not isinstance(item, PathValue):
                    continue
                path = item.from_root(stored.entry.path).removeprefix("./")
                if path.startswith(("/", "../")) or not whole.has_file(path):
                    yield diagnostic(
                        "missing-attachment",
                        f"the attachment `{path}` is not in the vault",
                        field_span(stored.entry, name),
                        hint="put the file there, or take the path out of the list",
                        subject=stored.entry.key,
                    )
