"""The graph of references: what is in it, what is near, how it is drawn."""

import pytest

from tests.workspace.conftest import Kept
from vault.workspace.graph import Direction, Edge, Graph, Node, graph, walk


@pytest.fixture
def chain(kept: Kept) -> Kept:
    """Ceo ← vp ← boss ← clerk, and boss names itself."""
    kept.entry("ceo")
    kept.entry("vp", "r = t.ceo.name")
    kept.entry("boss", "r = [t.vp, t.boss] s = t.vp")
    kept.entry("clerk", "r = t.boss")
    kept.entry("alone", "r = t.nobody")
    return kept


def test_graph_has_what_the_reader_sees(chain: Kept) -> None:
    chain.entry("hidden", "r = t.ceo", "diary")
    chain.entry("ceo", "r = t.hidden", "diary")
    found = graph(chain.seen())
    assert list(found.nodes) == ["t.alone", "t.boss", "t.ceo", "t.clerk", "t.vp"]
    assert found.edges == [
        Edge("t.boss", "r", "t.vp"),
        Edge("t.boss", "r", "t.boss"),
        Edge("t.boss", "s", "t.vp"),
        Edge("t.clerk", "r", "t.boss"),
        Edge("t.vp", "r", "t.ceo"),
    ]
    inside = graph(chain.seen("diary"))
    assert Edge("t.ceo", "r", "t.hidden") in inside.edges
    assert len(inside.nodes) == 6


def test_graph_of_one_type_or_field(chain: Kept) -> None:
    chain.write("schema/u.firm", "schema u { }")
    chain.write("global/u/x.firm", "u x { s = t.vp }")
    assert [edge.source for edge in graph(chain.seen(), field="s").edges] == ["t.boss", "u.x"]
    assert graph(chain.seen(), kind="u").edges == []


def test_the_most_specific_version_is_the_node(chain: Kept) -> None:
    chain.entry("vp", 'name = "Ours"', "work")
    chain.entry("vp", 'name = "Theirs"', "home")
    assert graph(chain.seen(all_spaces=True)).nodes["t.vp"].name == "Theirs"
    assert graph(chain.seen("work")).nodes["t.vp"].name == "Ours"


@pytest.mark.parametrize(
    ("direction", "depth", "keys"),
    [
        (None, 1, ["t.vp", "t.clerk"]),
        ("incoming", 1, ["t.clerk"]),
        ("outgoing", 1, ["t.vp"]),
        ("outgoing", 9, ["t.vp", "t.ceo"]),
        (None, 2, ["t.vp", "t.clerk", "t.ceo"]),
    ],
)
def test_walk_goes_so_far(chain: Kept, direction: Direction | None, depth: int, keys: list[str]) -> None:
    steps = walk(graph(chain.seen()), "t.boss", direction=direction, depth=depth)
    assert [step.key for step in steps] == keys
    assert [step.depth for step in steps] == sorted(step.depth for step in steps)


def test_a_step_tells_how_it_was_come_by(chain: Kept) -> None:
    first, second, third = walk(graph(chain.seen()), "t.boss", depth=2)
    assert (first.edge, first.backward, first.depth) == (Edge("t.boss", "r", "t.vp"), False, 1)
    assert (second.edge, second.backward) == (Edge("t.clerk", "r", "t.boss"), True)
    assert (third.edge, third.depth) == (Edge("t.vp", "r", "t.ceo"), 2)


def test_a_part_of_a_graph() -> None:
    nodes = {key: Node(key, "t", key, row) for row, key in enumerate(["t.a", "t.b"])}
    whole = Graph(nodes, [Edge("t.a", "r", "t.b")])
    assert whole.within({"t.a", "t.c"}) == Graph({"t.a": nodes["t.a"]}, [])
