"""The graph that references make of the entries a reader sees."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from vault.workspace.snapshot import Snapshot

#: `incoming` are the references to an entry, `outgoing` those it makes.
Direction = Literal["incoming", "outgoing"]


class Node(NamedTuple):
    """An entry in the graph; `row` is the catalog's, of the most specific version."""

    key: str
    type: str
    name: str
    row: int


class Edge(NamedTuple):
    """A reference: the entry `source` names the entry `target` in its field `field`."""

    source: str
    field: str
    target: str


class Step(NamedTuple):
    """An entry `depth` references away: `edge` is the last of them, followed `backward` or as it points."""

    key: str
    depth: int
    edge: Edge
    backward: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by key in key order, and the edges between them in the order of entries and fields."""

    nodes: Mapping[str, Node]
    edges: Sequence[Edge]

    def within(self, keys: set[str]) -> "Graph":
        """The part of the graph between some entries."""
        nodes = {key: node for key, node in self.nodes.items() if key in keys}
        return Graph(nodes, [edge for edge in self.edges if edge.source in nodes and edge.target in nodes])


def graph(snapshot: Snapshot, *, kind: str | None = None, field: str | None = None) -> Graph:
    """The entries a reader sees, of one type where given, and their references, in one field where given.

    References to what the reader does not see are left out, and so is what does not exist.
    """
    visible = snapshot.visible()
    headings = snapshot.catalog.headings(visible)
    headings.sort(key=lambda heading: (heading.key, snapshot.scopes.index(heading.scope)))
    nodes: dict[str, Node] = {}
    for heading in headings:
        if kind in (None, heading.type):
            nodes.setdefault(heading.key, Node(heading.key, heading.type, heading.name, heading.row))
    references = snapshot.catalog.edges(visible)
    moved = _redirects(snapshot)
    named = [Edge(source, name, moved.get(target, target)) for source, name, target in references]
    edges = [edge for edge in named if edge.source in nodes and edge.target in nodes and field in (None, edge.field)]
    return Graph(nodes, list(dict.fromkeys(edges)))


def _redirects(snapshot: Snapshot) -> Mapping[str, str]:
    """For each key that is named and that no entry has the key of the one entry that has it as an alias."""
    found: dict[str, set[str]] = defaultdict(set)
    for old, key in snapshot.catalog.redirects(snapshot.visible()):
        found[old].add(key)
    return {old: keys.pop() for old, keys in found.items() if len(keys) == 1}


def walk(graph: Graph, start: str, *, direction: Direction | None = None, depth: int = 1) -> list[Step]:
    """The entries up to `depth` references away from one, nearest first, each by the first way there."""
    away = links(graph, direction)
    reached: dict[str, Step] = {}
    border, distance = [start], 0
    while border and distance < depth:
        distance += 1
        steps = [step for key in border for step in away.get(key, ())]
        border = []
        for step in steps:
            if step.key != start and step.key not in reached:
                reached[step.key] = step._replace(depth=distance)
                border.append(step.key)
    return list(reached.values())


def links(graph: Graph, direction: Direction | None = None) -> Mapping[str, Sequence[Step]]:
    """For each entry the steps that lead away from it, those along its own references first."""
    found: dict[str, list[Step]] = defaultdict(list)
    if direction != "incoming":
        for edge in graph.edges:
            found[edge.source].append(Step(edge.target, 0, edge, backward=False))
    if direction != "outgoing":
        for edge in graph.edges:
            found[edge.target].append(Step(edge.source, 0, edge, backward=True))
    return found
