"""The database below a catalog or a ledger: to look into its tables, and to damage them on purpose."""

from collections.abc import Sequence
from typing import Any

from vault.store.database import DerivedDatabase


def sql(store: DerivedDatabase, statement: str, parameters: Sequence[object] = ()) -> list[Any]:
    """Run a statement in the database of a catalog or a ledger, and read all that it gives."""
    return store._db.execute(statement, parameters).fetchall()
