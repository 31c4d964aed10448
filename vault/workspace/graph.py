"""The graph that references make of the entries a reader sees."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
    condition, parameters = snapshot.visible()
    rows = snapshot.catalog.db.execute(
        f"SELECT e.key, e.type, e.name, e.id, e.scope FROM entries e WHERE {condition} ORDER BY e.key, e.path",
        parameters,
    ).fetchall()
    rows.sort(key=lambda row: (row[0], snapshot.scopes.index(row[4])))
    nodes: dict[str, Node] = {}
    for key, node_type, name, row, _scope in rows:
        if kind in (None, node_type):
            nodes.setdefault(key, Node(key, node_type, name, row))
    found = snapshot.catalog.db.execute(
        "SELECT DISTINCT e.key, r.field, r.target FROM refs r JOIN entries e ON e.id = r.entry"
        f" WHERE {condition} ORDER BY e.key, r.rowid",
        parameters,
    )
    edges = [Edge(*row) for row in found if row[0] in nodes and row[2] in nodes and field in (None, row[1])]
    return Graph(nodes, list(dict.fromkeys(edges)))


def walk(graph: Graph, start: str, *, direction: Direction | None = None, depth: int = 1) -> list[Step]:
    """The entries up to `depth` references away from one, nearest first, each by the first way there."""
    links = _links(graph, direction)
    reached: dict[str, Step] = {}
    border, distance = [start], 0
    while border and distance < depth:
        distance += 1
        steps = [step for key in border for step in links.get(key, ())]
        border = []
        for step in steps:
            if step.key != start and step.key not in reached:
                reached[step.key] = step._replace(depth=distance)
                border.append(step.key)
    return list(reached.values())


def _links(graph: Graph, direction: Direction | None) -> Mapping[str, Sequence[Step]]:
    """For each entry the steps that lead away from it, those along its own references first."""
    links: dict[str, list[Step]] = defaultdict(list)
    if direction != "incoming":
        for edge in graph.edges:
            links[edge.source].append(Step(edge.target, 0, edge, backward=False))
    if direction != "outgoing":
        for edge in graph.edges:
            links[edge.target].append(Step(edge.source, 0, edge, backward=True))
    return links


def dot(graph: Graph) -> str:
    """The graph in Graphviz' language."""
    rows = [f"  {_quoted(node.key)} [label={_quoted(_label(node))}];" for node in graph.nodes.values()]
    rows += [f"  {_quoted(e.source)} -> {_quoted(e.target)} [label={_quoted(e.field)}];" for e in graph.edges]
    return "\n".join(["digraph vault {", "  rankdir=LR;", "  node [shape=box];", *rows, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "\\n".join(escaped.splitlines()) + '"'


#: Characters of a name that a drawing shows.
LABEL = 40


def _label(node: Node) -> str:
    """What a node is called: its name over its key, cut to what a box holds."""
    name = " ".join(node.name.split())
    told = name if len(name) <= LABEL else f"{name[:LABEL]}…"
    return node.key if node.name == node.key.partition(".")[2] else f"{told}\n{node.key}"


def mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart."""
    numbers = {key: f"n{number}" for number, key in enumerate(graph.nodes)}
    rows = [f'  {numbers[node.key]}["{_entities(_label(node))}"]' for node in graph.nodes.values()]
    rows += [f"  {numbers[edge.source]} -->|{edge.field}| {numbers[edge.target]}" for edge in graph.edges]
    return "\n".join(["flowchart LR", *rows])


def _entities(text: str) -> str:
    return "<br>".join(_escaped(line) for line in text.splitlines())


def _escaped(text: str) -> str:
    """A text with what Mermaid takes for markup written as character codes."""
    return "".join(f"#{ord(char)};" if char in '"#<>&;`[]{}|' else char for char in text)


#: The languages a graph can be drawn in.
WRITERS: dict[str, Callable[[Graph], str]] = {"dot": dot, "mermaid": mermaid}
