"""The rows of the catalog's tables that files become."""

import json
from collections.abc import Sequence

from vault.model.codec import pack
from vault.model.entry import Place
from vault.model.slots import FACT, is_attribute, keys_of
from vault.store.records import EntryRecord, FileRecord, pack_diagnostics, pack_schema

CONTENT_TABLES = ("files", "entries", "labels", "refs", "passages", "facts", "schemas", "sidecars")


def rows_of(records: Sequence[FileRecord], revision: int, row: int) -> dict[str, list[tuple[object, ...]]]:
    """The rows of each table for some files; entries are numbered from `row` on."""
    rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in CONTENT_TABLES}
    for record in records:
        found = pack_diagnostics(record.diagnostics)
        rows["files"].append(
            (record.path, record.scope, record.kind, record.blob, *record.stamp, record.fresh, revision, found)
        )
        rows["schemas"] += [(schema.name, record.path, pack_schema(schema)) for schema in record.schemas]
        rows["sidecars"] += [(record.path, path, *stamp) for path, stamp in record.sidecars]
        for entry in record.entries:
            rows["entries"].append(_entry_row(entry, record.scope or "", row))
            rows["labels"] += [(folded, kind, row, written) for kind, folded, written in entry.labels]
            rows["refs"] += [(row, name, ref.key, ref.field) for name, ref in entry.entry.references()]
            if entry.entry.type == FACT:
                rows["facts"].append((row, *keys_of(entry.entry), is_attribute(entry.entry)))
            rows["passages"] += [
                (row, ordinal, passage.path, passage.heading, passage.text, json.dumps(passage.lines), passage.digest)
                for ordinal, passage in enumerate(entry.divided.passages)
            ]
            row += 1
    return rows


def _entry_row(record: EntryRecord, scope: str, row: int) -> tuple[object, ...]:
    entry = record.entry
    return (
        row,
        entry.path,
        scope,
        entry.type,
        entry.id,
        entry.key,
        entry.name,
        json.dumps({name: pack(value) for name, value in entry.fields.items()}, ensure_ascii=False),
        json.dumps({name: packed_place(place) for name, place in (entry.places or {}).items()}),
        json.dumps(packed_place(entry.place)),
        entry.broken,
        record.created,
        record.text_file,
        record.divided.digest,
    )


def packed_place(place: Place) -> tuple[int, int, int, int, int]:
    """A place as the catalog and the ledger keep it."""
    return (place.start, place.end, place.line, place.column, place.end_line)
