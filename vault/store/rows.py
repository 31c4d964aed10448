"""The rows of the catalog's tables that files become."""

import json
from collections.abc import Iterable, Sequence
from zlib import crc32

from vault.model.codec import pack
from vault.model.entry import Place
from vault.model.schema import Schema
from vault.model.slots import FACT, is_attribute, keys_of
from vault.store.records import EntryRecord, FileRecord, Passage, pack_diagnostics, pack_schema

CONTENT_TABLES = ("files", "entries", "labels", "refs", "passages", "facts", "schemas", "sidecars")


def rows_of(records: Sequence[FileRecord], revision: int, row: int) -> dict[str, list[tuple[object, ...]]]:
    """The rows of each table for some files; entries are numbered from `row` on."""
    rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in CONTENT_TABLES}
    for record in records:
        found = pack_diagnostics(record.diagnostics)
        rows["files"].append(
            (record.path, record.scope, record.kind, record.blob, *record.stamp, record.fresh, revision, found)
        )
        rows["schemas"] += [_schema_row(schema, record.path) for schema in record.schemas]
        rows["sidecars"] += [(record.path, path, *stamp) for path, stamp in record.sidecars]
        for entry in record.entries:
            rows["entries"].append(_entry_row(entry, record.scope or "", row))
            rows["labels"] += [(folded, kind, row, written) for kind, folded, written in entry.labels]
            rows["refs"] += [(row, name, ref.key, ref.field) for name, ref in entry.entry.references()]
            if entry.entry.type == FACT:
                rows["facts"].append((row, *keys_of(entry.entry), is_attribute(entry.entry)))
            rows["passages"] += [_passage_row(row, *item) for item in enumerate(entry.divided.passages)]
            row += 1
    return rows


def _schema_row(schema: Schema, path: str) -> tuple[object, ...]:
    columns = (schema.name, path, pack_schema(schema))
    return (*columns, sum_of(columns))


def _passage_row(row: int, ordinal: int, passage: Passage) -> tuple[object, ...]:
    lines = json.dumps(passage.lines)
    columns = (row, ordinal, passage.path, passage.heading, passage.text, lines, passage.digest)
    return (*columns, sum_of(columns))


def _entry_row(record: EntryRecord, scope: str, row: int) -> tuple[object, ...]:
    entry = record.entry
    fields = json.dumps({name: pack(value) for name, value in entry.fields.items()}, ensure_ascii=False)
    places = json.dumps({name: packed_place(place) for name, place in (entry.places or {}).items()})
    place, text_file = json.dumps(packed_place(entry.place)), record.text_file
    own = (row, entry.path, scope, entry.type, entry.id)
    rest = (fields, places, place, int(entry.broken), record.created, text_file)
    return (*own, entry.key, entry.name, *rest, record.divided.digest, sum_of([*own, *rest]))


def sum_of(columns: Iterable[object]) -> int:
    """Sum up a row, so that damage to it shows where it is read."""
    return crc32(repr(list(columns)).encode("utf-8", "surrogatepass"))


def packed_place(place: Place) -> tuple[int, int, int, int, int]:
    """A place as the catalog and the ledger keep it."""
    return (place.start, place.end, place.line, place.column, place.end_line)
