"""What a vault holds, for a reader who asks for nothing in particular."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vault.model.access import GLOBAL
from vault.search.order import recency
from vault.store.records import Stored
from vault.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts by type and scope, the newest entries, and the most connected with their references."""

    total: int
    types: Mapping[str, int]
    scopes: Mapping[str, int]
    newest: Sequence[Stored]
    connected: Sequence[tuple[Stored, int]]


def overview(snapshot: Snapshot, *, kind: str | None = None, tag: str | None = None, limit: int = 5) -> Overview:
    """Count what the reader sees by type and scope, with the newest and the most connected entries."""
    seen = list(snapshot.entries(kind=kind, tag=tag))
    types: dict[str, int] = {}
    scopes: dict[str, int] = {}
    for stored in seen:
        types[stored.entry.type] = types.get(stored.entry.type, 0) + 1
        scopes[stored.scope] = scopes.get(stored.scope, 0) + 1
    newest = sorted((stored for stored in seen if stored.created), key=recency)[:limit]
    degree = _degrees(snapshot, seen)
    connected = sorted((s for s in seen if degree[s.row]), key=lambda s: (-degree[s.row], s.entry.key))[:limit]
    return Overview(
        len(seen),
        dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        dict(sorted(scopes.items(), key=lambda item: (item[0] != GLOBAL, item[0]))),
        newest,
        [(stored, degree[stored.row]) for stored in connected],
    )


def _degrees(snapshot: Snapshot, seen: Sequence[Stored]) -> dict[int, int]:
    """How many references between visible entries begin or end at each."""
    degree = {stored.row: 0 for stored in seen}
    by_key: dict[str, list[int]] = {}
    for stored in seen:
        by_key.setdefault(stored.entry.key, []).append(stored.row)
    for row, target in snapshot.catalog.targets():
        if row in degree and target in by_key:
            degree[row] += 1
            for named in by_key[target]:
                degree[named] += 1
    return degree
