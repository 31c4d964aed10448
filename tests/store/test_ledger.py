"""The ledger's file: begun, begun anew, and left to whoever holds it."""

import sqlite3
from pathlib import Path

import pytest

from vault.store import database
from vault.store import ledger as ledgers
from vault.store.database import CatalogBusy
from vault.store.ledger import Ledger, Told


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a ledger of one commit lies."""
    place = tmp_path / "ledger.db"
    ledger = Ledger.open(place)
    with ledger.writing():
        ledger.link(0, Told("a" * 40, 0, "Ada", "ada@example.org", "First", ()))
    ledger.close()
    return place


def test_a_ledger_keeps_what_it_was_told(place: Path) -> None:
    ledger = Ledger.open(place)
    assert (ledger.tip(), ledger.ident(0), ledger.number("a" * 40)) == (0, "a" * 40, 0)
    assert ledger.beginning() == "aaaaaaaaaa of 1970-01-01"
    ledger.close()
    assert Ledger.open(None).beginning() == "the first commit"


@pytest.mark.parametrize("data", [b"no database" * 500, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_file_that_is_no_ledger_is_begun_anew(place: Path, data: bytes) -> None:
    place.write_bytes(data)
    ledger = Ledger.open(place)
    assert ledger.tip() == -1
    ledger.close()


def test_another_format_is_begun_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "FORMAT", ledgers.FORMAT + 1)
    assert Ledger.open(place).tip() == -1


def test_a_ledger_that_another_process_holds_is_left_to_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    ledger = Ledger.open(place)
    with pytest.raises(CatalogBusy), ledger.writing():
        pass
    holder.execute("ROLLBACK")
    assert ledger.tip() == 0


def test_an_interrupted_write_leaves_nothing(place: Path) -> None:
    ledger = Ledger.open(place)

    def interrupted() -> None:
        with ledger.writing():
            ledger.link(1, Told("b" * 40, 9, "Ada", "ada@example.org", "Second", ()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ledger.tip() == 0
