"""The entries that ship with the product: rows of the catalog in a scope of their own, least specific of all."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from vault.lang.lower import read
from vault.model.access import BUNDLED
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.settings import Settings
from vault.store import bundled
from vault.store.catalog import Catalog
from vault.store.records import Divided, FileRecord
from vault.store.scan import ABSENT
from vault.workspace.ingest import Context, Divide, Sidecar, SourceFile, ingest
from vault.workspace.layout import Layout

#: What the catalog remembers the digest of the bundled entries by that it holds.
HELD = "bundled"
#: What stands between the prose of a bundled entry's text and the commands that show it.
EXAMPLES = "\n\n$ "


def bring_in(catalog: Catalog, layout: Layout, divide: Divide) -> None:
    """Let a catalog hold the bundled entries of this version, or none where the settings or a workspace want none."""
    wanted = bundled.entry_digest() if layout.settings.bundled and not layout.workspace else ""
    if catalog.meta(HELD) != wanted:
        put_in(catalog, wanted, divide)


def put_in(catalog: Catalog, digest: str, divide: Divide) -> None:
    """Replace the bundled entries of a catalog by those of this version; by none for no digest."""
    with catalog.writing():
        catalog.replace_scope(BUNDLED, records(divide) if digest else [])
        catalog.remember(HELD, digest)


@cache
def records(divide: Divide) -> list[FileRecord]:
    """What the catalog keeps of the bundled entries, read by the shipped schemas whatever a vault's own say."""

    def divided(entry: Entry, text: str, sidecar: Sidecar | None, schema: Schema | None) -> Divided:
        return divide(without_examples(entry), text, sidecar, schema)

    context = Context(Layout(Path(), Settings()), schemas(), lambda _: (None, ABSENT), divided)
    files = bundled.entry_files()
    return [ingest(SourceFile(path, data, "", ABSENT), context) for path, data in files.items()]


def without_examples(entry: Entry) -> Entry:
    """An entry without the commands at the end of its text: what they say of people and things is not to be found."""
    text = entry.fields.get("text")
    return (
        replace(entry, fields={**entry.fields, "text": text.partition(EXAMPLES)[0]}) if isinstance(text, str) else entry
    )


def schemas() -> dict[str, Schema]:
    """The shipped schemas by type."""
    texts = bundled.schema_texts().values()
    return {schema.name: schema for text in texts for schema in read(text, "").schemas}
