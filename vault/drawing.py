"""Graphs in the languages that draw them: Graphviz and Mermaid."""

from collections.abc import Callable

from vault.workspace.graph import Graph, Node


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
