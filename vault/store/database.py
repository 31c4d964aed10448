"""SQLite as derived data uses it: sealed files, one writer, and errors that say what can be done."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from vault.errors import DamagedData, VaultError
from vault.store.files import WriteFailed
from vault.store.sealed import SealedDatabase

#: Seconds that are waited for another process to finish its write.
PATIENCE = 30.0
#: Rows that are fetched in one step.
_FETCHED = 200
#: What SQLite reports of a damaged file, besides a table that is gone and a text that is not UTF-8.
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT)
_UNREADABLE = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ)
_DAMAGED = ("no such", "malformed", "could not decode", "has no column", "file is not a database")


class CatalogFailed(VaultError):
    """The system refused to write the catalog; what it held before, it still holds."""

    code = "catalog-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"derived data could not be written: {reason}",
            hint="free some space; no entry is affected, and `.vault/` can be deleted unless a write is in flight",
        )


class CatalogBusy(VaultError):
    """Another process has kept the catalog for longer than we wait."""

    code = "catalog-busy"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"another process is refreshing {path}",
            hint="wait for it, or end it; deleting `.vault/` loses nothing unless a write is in flight",
        )


class DamagedDatabase(DamagedData):
    """A database that turned out to be damaged while it was read."""

    def __init__(self, place: Path | None, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)


class Rows(sqlite3.Cursor):
    """A cursor that reports a damaged database as `DamagedDatabase`."""

    def execute(self, *arguments: Any) -> Self:
        """Run a statement."""
        try:
            super().execute(*arguments)
        except sqlite3.Error as error:
            self._report(error)
            raise
        return self

    def executemany(self, *arguments: Any) -> Self:
        """Run a statement for each row of values."""
        try:
            super().executemany(*arguments)
        except sqlite3.Error as error:
            self._report(error)
            raise
        return self

    def fetchone(self) -> Any:
        """Read a row, None after the last."""
        try:
            return super().fetchone()
        except sqlite3.Error as error:
            self._report(error)
            raise

    def fetchall(self) -> list[Any]:
        """Read all rows that are left."""
        try:
            return super().fetchall()
        except sqlite3.Error as error:
            self._report(error)
            raise

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        """Read row by row."""
        try:
            while rows := super().fetchmany(_FETCHED):
                yield from rows
        except sqlite3.Error as error:
            self._report(error)
            raise

    def _report(self, error: sqlite3.Error) -> None:
        """Raise `DamagedDatabase` if an error is one of a damaged file."""
        if is_damage(error):
            place = self.connection.mark_damaged() if isinstance(self.connection, Connection) else None
            raise DamagedDatabase(place, str(error)) from error


class Connection(sqlite3.Connection):
    """A connection to a database of derived data; `damaged` is set once it turned out to be damaged."""

    sealed: SealedDatabase | None = None
    damaged = False

    def cursor(self, factory: Any = Rows) -> Any:
        """Make a cursor."""
        return super().cursor(factory)

    def execute(self, *arguments: Any) -> Rows:
        """Run a statement; sqlite's own method makes a cursor of its own class."""
        return Rows(self).execute(*arguments)

    def executemany(self, *arguments: Any) -> Rows:
        """Run a statement for each row of values."""
        return Rows(self).executemany(*arguments)

    def mark_damaged(self) -> Path | None:
        """Have the database rebuilt when it is next opened; returns where it is."""
        self.damaged = True
        if self.sealed is None:
            return None
        self.sealed.mark_damaged()
        return self.sealed.path

    def begin(self) -> None:
        """Begin a transaction that writes. Raises `WriteFailed`."""
        if self.sealed:
            self.sealed.unseal()
        self.execute("BEGIN IMMEDIATE")

    def close(self) -> None:
        """Close the database, and seal it if no other process has it open."""
        sealed, self.sealed = self.sealed, None
        if sealed:
            sealed.close(super().close, sound=not self.damaged)
        else:
            super().close()


def connect(path: Path | None, **options: Any) -> Connection:
    """Connect to a database without sealing it (None: in memory)."""
    place = path or ":memory:"
    # a vault that is dropped without being closed is closed by whichever thread collects it
    return sqlite3.connect(place, isolation_level=None, factory=Connection, check_same_thread=False, **options)


def open_database(path: Path | None, version: int, make: Callable[[Connection], None]) -> Connection:
    """Open a database of derived data (None: in memory), or make it if it is missing, damaged or of another format.

    Raises `CatalogBusy`, and `CatalogFailed` where the disk is full or refuses writes.
    """
    if path is None:
        connection = connect(None)
        _make(connection, version, make)
        return connection
    sealed = SealedDatabase(path)
    try:
        sealed.open()
        try:
            return _opened(sealed, version, make)
        except (sqlite3.DatabaseError, DamagedDatabase) as error:
            if isinstance(error, sqlite3.DatabaseError) and (is_busy(error) or is_refused(error)):
                raise
            sealed.replace()
            return _opened(sealed, version, make)
    except (sqlite3.DatabaseError, DamagedDatabase, WriteFailed) as error:
        sealed.release()
        if isinstance(error, sqlite3.DatabaseError) and is_busy(error):
            raise CatalogBusy(path) from error
        raise CatalogFailed(str(error)) from error


def _opened(sealed: SealedDatabase, version: int, make: Callable[[Connection], None]) -> Connection:
    connection = connect(sealed.path, timeout=PATIENCE)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _version(connection) != version:
            sealed.unseal()
            with _transaction(connection):
                if _version(connection) != version:  # else another process was first
                    _clear(connection)
                    _make(connection, version, make)
        connection.execute("SELECT value FROM meta LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    connection.sealed = sealed
    return connection


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _clear(connection: Connection) -> None:
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        connection.execute(f'DROP TABLE "{name}"')


def _make(connection: Connection, version: int, make: Callable[[Connection], None]) -> None:
    make(connection)
    connection.execute(f"PRAGMA user_version = {version}")


class DerivedDatabase:
    """A connection to a database of derived data, which keeps a few words by name."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    @property
    def damage(self) -> str:
        """Why it was made again when it was opened, "" if it was not."""
        return self._db.sealed.damage if self._db.sealed else ""

    @property
    def is_damaged(self) -> bool:
        """Whether it turned out to be damaged since it was opened."""
        return self._db.damaged

    def mark_damaged(self) -> None:
        """Have it rebuilt when it is next opened."""
        self._db.mark_damaged()

    def is_whole(self) -> bool:
        """Say whether every byte on disk is what was last sealed."""
        return self._db.sealed is None or self._db.sealed.is_whole()

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock for one transaction: all of it lands, or none.

        Raises `CatalogFailed` and `CatalogBusy`.
        """
        with writing(self._db):
            yield

    def meta(self, name: str) -> str:
        """Read a remembered word; "" if there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
        return str(row[0]) if row else ""

    def remember(self, name: str, value: str) -> None:
        """Remember a word."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [name, value])


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """Hold the write lock for one transaction: all of it lands, or none. Raises `CatalogFailed` and `CatalogBusy`."""
    try:
        with _transaction(connection):
            yield
    except sqlite3.OperationalError as error:
        raise _failure(connection, error) from error
    except WriteFailed as error:
        raise CatalogFailed(error.message) from error


@contextmanager
def trial(connection: Connection) -> Iterator[None]:
    """Hold the write lock for changes that never land. Raises `CatalogFailed` and `CatalogBusy`."""
    try:
        connection.execute("BEGIN IMMEDIATE")  # the seal stays
    except sqlite3.OperationalError as error:
        raise _failure(connection, error) from error
    try:
        yield
    finally:
        connection.rollback()


def _failure(connection: Connection, error: sqlite3.OperationalError) -> VaultError:
    if is_busy(error):
        return CatalogBusy(Path(connection.execute("PRAGMA database_list").fetchone()[2]))
    return CatalogFailed(str(error))


@contextmanager
def _transaction(connection: Connection) -> Iterator[None]:
    connection.begin()
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite has rolled back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def is_busy(error: sqlite3.Error) -> bool:
    """Say whether another process keeps a database for now."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_refused(error: sqlite3.Error) -> bool:
    """Say whether the system refused a write: what is on disk may be sound and is not thrown away."""
    return _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)


def is_damage(error: sqlite3.Error) -> bool:
    """Say whether a database is damaged, as far as SQLite notices."""
    if getattr(error, "sqlite_errorcode", 0) in _UNREADABLE:
        return True
    return _code(error) in _DAMAGE or any(words in str(error).lower() for words in _DAMAGED)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
