"""Graphs as text, with odd names in them."""

from vault.drawing import dot, mermaid
from vault.workspace.graph import Edge, Graph, Node

ODD = Graph(
    {"t.a": Node("t.a", "t", 'say "hi"\\\n<b> [x]', 1), "t.b": Node("t.b", "t", "b", 2)}, [Edge("t.a", "r", "t.b")]
)


def test_dot_quotes_what_names_hold() -> None:
    assert dot(ODD).splitlines()[3:] == [
        '  "t.a" [label="say \\"hi\\"\\\\ <b> [x]\\nt.a"];',
        '  "t.b" [label="t.b"];',
        '  "t.a" -> "t.b" [label="r"];',
        "}",
    ]


def test_mermaid_writes_marks_as_codes() -> None:
    assert mermaid(ODD).splitlines() == [
        "flowchart LR",
        '  n0["say #34;hi#34;\\ #60;b#62; #91;x#93;<br>t.a"]',
        '  n1["t.b"]',
        "  n0 -->|r| n1",
    ]


def test_long_names_are_cut() -> None:
    drawn = dot(Graph({"t.a": Node("t.a", "t", "x" * 50, 1)}, []))
    assert f"{'x' * 40}…\\nt.a" in drawn
