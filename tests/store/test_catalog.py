"""The catalog: what it keeps, revisions, copies, and what it does with damage."""

import threading
from pathlib import Path

import pytest

from tests.tables import sql
from vault.diagnostics import Related, Span, diagnostic
from vault.model.entry import Entry, Place
from vault.model.schema import FieldSpec, Schema
from vault.model.values import EnumValue, Reference, Value
from vault.store.catalog import Catalog
from vault.store.database import CatalogFailed
from vault.store.records import Divided, EntryRecord, FileRecord, Passage
from vault.store.scan import Stamp

STAMP = Stamp(10, 1, 2, 3)


def record(path: str = "global/note/a.firm", blob: str = "b1", **fields: Value) -> FileRecord:
    entry = Entry(
        "note", Path(path).stem, fields, path, Place(0, 9, 1, 1, 2), {name: Place(1, 2, 1, 2, 1) for name in fields}
    )
    passages = [Passage(path, "words", (1,), "Top")]
    own = EntryRecord(entry, [("name", "a", "A")], Divided(passages), "2026-01-01", "global/note/a.md")
    schema = Schema(
        "note", (FieldSpec("kind", "enum", allowed_values=("x",), target=("actor",)),), closed=True, path=path
    )
    span = Span(path, 1, 2, 3, 4)
    found = diagnostic("bad-value", "wrong", span, hint="h", related=(Related(span, "there"),))
    return FileRecord(
        path,
        "global",
        "firm",
        blob,
        STAMP,
        entries=[own],
        schemas=[schema],
        diagnostics=[found],
        sidecars=[("global/note/a.md", STAMP)],
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog.open(tmp_path / "catalog.db")


def put(catalog: Catalog, *records: FileRecord, removed: tuple[str, ...] = ()) -> None:
    with catalog.writing():
        catalog.apply(records, removed)


def test_what_is_put_in_comes_out(catalog: Catalog) -> None:
    held = record(kind=EnumValue("x"), refs=(Reference("actor", "b"),))
    put(catalog, held)
    (stored,) = catalog.entries()
    assert stored.entry.fields == held.entries[0].entry.fields
    assert stored.entry.places == held.entries[0].entry.places
    assert (stored.created, stored.text_file) == ("2026-01-01", "global/note/a.md")
    assert catalog.diagnostics() == held.diagnostics
    assert catalog.diagnostics(["other"]) == []
    assert catalog.schemas() == held.schemas
    assert catalog.sidecars() == [(held.path, "global/note/a.md", STAMP)]
    assert catalog.passages([stored.row]) == {(stored.row, 0): held.entries[0].divided.passages[0]}
    assert catalog.stamps() == {held.path: (*STAMP, 1)}
    assert catalog.blobs() == catalog.blobs([held.path, "other"]) == {held.path: "b1"}
    assert sql(catalog, "SELECT target FROM refs") == [("actor.b",)]


def test_a_new_state_replaces_the_old_one(catalog: Catalog) -> None:
    put(catalog, record(kind="x", refs=(Reference("actor", "b"),)))
    put(catalog, record(blob="b2"))
    assert len(list(catalog.entries())) == 1
    assert sql(catalog, "SELECT * FROM refs") == []
    put(catalog, removed=("global/note/a.firm",))
    assert all(not rows for rows in catalog.content().values())


def test_revisions_count_changes_and_remember_what_is_gone(catalog: Catalog) -> None:
    assert catalog.revision == 0
    put(catalog, record())
    put(catalog, removed=("global/note/a.firm", "never/there.firm"))
    assert catalog.revision == 2
    assert sql(catalog, "SELECT path, revision FROM gone") == [("global/note/a.firm", 2)]
    put(catalog, record())
    assert sql(catalog, "SELECT path FROM gone") == []


def test_a_failed_transaction_leaves_nothing(catalog: Catalog) -> None:
    def fail() -> None:
        with catalog.writing():
            catalog.apply([record()])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(catalog.entries()) == []


def test_a_copy_is_apart(catalog: Catalog) -> None:
    put(catalog, record())
    copy = catalog.copy()
    put(copy, removed=("global/note/a.firm",))
    assert len(list(catalog.entries())) == 1
    copy.copy_into(catalog)
    assert list(catalog.entries()) == []


def test_stamps_are_noted_without_a_new_revision(catalog: Catalog) -> None:
    put(catalog, record())
    catalog.restamp({"global/note/a.firm": (Stamp(9, 9, 9, 9), False)})
    assert catalog.stamps() == {"global/note/a.firm": (9, 9, 9, 9, 0)}
    assert catalog.revision == 1


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"", b"SQLite format 3\0 broken"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(content)
    assert list(Catalog.open(path).entries()) == []


def test_another_format_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    first = Catalog.open(path)
    put(first, record())
    sql(first, "PRAGMA user_version = 99")
    first.close()
    again = Catalog.open(path)
    assert (list(again.entries()), again.revision) == ([], 0)


def test_a_reader_beside_a_writer_sees_the_old_state(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    writer, reader = Catalog.open(path), Catalog.open(path)
    with writer.writing():
        writer.apply([record()])
        assert list(reader.entries()) == []
    assert len(list(reader.entries())) == 1


def test_two_writers_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    Catalog.open(path).close()

    def write(number: int) -> None:
        own = Catalog.open(path)
        put(own, record(f"global/note/n{number}.firm"))
        own.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(Catalog.open(path).entries())) == 4
    with pytest.raises(CatalogFailed, match="No such file"):
        Catalog.open(tmp_path / "nowhere" / "catalog.db")
