"""The entries that the catalog keeps beside those of files: one scope of them, put in and taken out as a whole."""

from collections.abc import Sequence

from vault.store.catalog import Catalog
from vault.store.records import FileRecord
from vault.store.rows import rows_of


def put_beside(catalog: Catalog, scope: str, records: Sequence[FileRecord]) -> None:
    """Put entries in the place of all that a scope has; their files are not the vault's. Call it inside `writing`."""
    revision, first = catalog.revision + 1, int(catalog.meta("row") or 0) + 1
    for table in ("labels", "refs", "passages", "facts"):
        catalog.db.execute(
            f"DELETE FROM {table} WHERE entry IN (SELECT id FROM entries WHERE scope = ?)",
            [scope],
        )
    catalog.db.execute("DELETE FROM entries WHERE scope = ?", [scope])
    tables = rows_of(records, revision, first)
    for table in ("entries", "labels", "refs", "passages", "facts"):
        if tables[table]:
            marks = ", ".join("?" * len(tables[table][0]))
            catalog.db.executemany(f"INSERT INTO {table} VALUES ({marks})", tables[table])
    catalog.remember("row", str(first + len(tables["entries"])))
    catalog.remember("revision", str(revision))
