"""Questions to the ledger: which entries and commits a look at the past is about."""

import json
from collections.abc import Iterable

from vault.store.ledger import Ledger


def keys_in(ledger: Ledger, subject: str, aspect: str, group: str, claim: str) -> list[str]:
    """The keys of the facts that ever stood somewhere, of whatever agent and scope."""
    rows = ledger.db.execute(
        "SELECT DISTINCT c.key FROM facts f JOIN contents c ON c.id = f.content"
        " WHERE f.subject = ? AND f.aspect = ? AND f.section = ? AND f.claim = ? ORDER BY c.key",
        [subject, aspect, group, claim],
    )
    return [key for (key,) in rows]


def slots_of(ledger: Ledger, subject: str, scopes: Iterable[str]) -> list[tuple[str, str, str, str, str]]:
    """The slots of a subject that facts of some scopes ever stood in: agent, subject, aspect, group and claim."""
    rows = ledger.db.execute(
        "SELECT DISTINCT f.agent, f.subject, f.aspect, f.section, f.claim FROM facts f"
        " JOIN events e ON e.new = f.content WHERE f.subject = ? AND f.claim <> ''"
        " AND e.scope IN (SELECT value FROM json_each(?)) ORDER BY 3, 4, 5",
        [subject, json.dumps(list(scopes))],
    )
    return rows.fetchall()


def order(ledger: Ledger, idents: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The places of some commits in the order of history."""
    rows = ledger.db.execute(
        "SELECT ident, n, k FROM commits WHERE ident IN (SELECT value FROM json_each(?))", [json.dumps(list(idents))]
    )
    return {ident: (n, k) for ident, n, k in rows}
