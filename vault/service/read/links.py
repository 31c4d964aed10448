"""What entries are linked with, near and far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.model.access import BUNDLED
from vault.service.arguments.choices import check_type
from vault.store.records import Stored
from vault.workspace.graph import Direction, Edge, Graph, graph, walk

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


@dataclass(frozen=True, slots=True)
class Related:
    """An entry `depth` references away; `edge` is the last of them, followed `backward` or as it points."""

    stored: Stored
    depth: int
    edge: Edge
    backward: bool


def related(
    vault: "VaultHandle", words: str, *, direction: Direction | None = None, depth: int = 1, kind: str | None = None
) -> tuple[Stored, Sequence[Related]]:
    """Find an entry, and what is up to `depth` references away from it, nearest first, of one type where given.

    What ships with the product is among it.

    Raises `NotFound`, `Ambiguous` and `UnknownType`.
    """
    snapshot = vault.snapshot().whole()
    stored = snapshot.resolve(words)
    check_type(snapshot, kind)
    whole = graph(snapshot)
    steps = walk(whole, stored.entry.key, direction=direction, depth=depth)
    wanted = [step for step in steps if kind in (None, whole.nodes[step.key].type)]
    entries = snapshot.rows(whole.nodes[step.key].row for step in wanted)
    found = [Related(entries[whole.nodes[step.key].row], step.depth, step.edge, step.backward) for step in wanted]
    return stored, found


def subgraph(
    vault: "VaultHandle", words: str | None = None, *, depth: int = 1, kind: str | None = None, field: str | None = None
) -> Graph:
    """The graph of what the reader sees, or of what is around one entry.

    Raises `NotFound`, `Ambiguous` and `UnknownType`.
    """
    snapshot = vault.snapshot()
    check_type(snapshot, kind)
    if words is None:
        return graph(snapshot, kind=kind, field=field)
    stored = snapshot.resolve(words)
    key = stored.entry.key
    whole = graph(snapshot.whole() if stored.scope == BUNDLED else snapshot, field=field)
    near = {key, *(step.key for step in walk(whole, key, depth=depth))}
    return whole.within({one for one in near if one == key or kind in (None, whole.nodes[one].type)})
