"""Neighbours one reference away."""

from collections.abc import Sequence

import pytest

from tests.search.conftest import NOW, Shelf, everything
from vault.search.neighbours import NEIGHBOURS, SHARE, SOURCES, Approved, Link, Neighbour, neighbours
from vault.store.records import Stored


def around(
    shelf: Shelf,
    *found: str,
    space: str | None = None,
    fitting: Sequence[str] = (),
    approved: Approved = everything,
) -> list[Neighbour]:
    """The neighbours of some entries, each scored 1; those of `fitting` fit the question, the first of them best."""
    snapshot = shelf.seen(space)
    sources = [(snapshot.by_key(f"t.{ident}")[0], 1.0) for ident in found]
    fused = {snapshot.by_key(f"t.{ident}")[0].row: 1.0 / place for place, ident in enumerate(fitting, 1)}
    return list(neighbours(snapshot, sources, fused, approved, NOW))


def ids(found: Sequence[Neighbour]) -> list[str]:
    return [neighbour.stored.entry.id for neighbour in found]


def test_what_an_entry_names_is_its_neighbour(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.b]")
    shelf.put("b")
    (found,) = around(shelf, "a")
    assert (found.stored.entry.key, found.score) == ("t.b", SHARE)
    assert found.link == Link("t.a", "uses")


def test_what_names_an_entry_is_its_neighbour(shelf: Shelf) -> None:
    shelf.put("a")
    shelf.put("b", body="describes = t.a")
    (found,) = around(shelf, "a")
    assert (found.stored.entry.key, found.link) == ("t.b", Link("t.a", "describes", backward=True))


def test_no_neighbours_of_nothing_or_of_an_entry_alone(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.a, t.gone]")
    assert around(shelf) == []
    assert around(shelf, "a") == []


def test_those_that_fit_the_question_come_first_then_the_newer(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.old, t.plain, t.fits]")
    shelf.put("old", body="created_at = 2020-01-01 at 00:00 UTC")
    shelf.put("plain")
    shelf.put("fits")
    shelf.put("new", body="created_at = 2024-06-01 at 00:00 UTC uses = [t.a]")
    assert ids(around(shelf, "a", fitting=["fits"])) == ["fits", "new"]
    assert ids(around(shelf, "a", fitting=["plain", "old"])) == ["plain", "old"]
    assert ids(around(shelf, "a")) == ["new", "old"]


def test_current_neighbours_come_before_newer_ones(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.past, t.old, t.older]")
    shelf.put("past", body="created_at = 2025-01-01 at 00:00 UTC valid_until = 2025-02-01 at 00:00 UTC")
    shelf.put("old", body="created_at = 2021-01-01 at 00:00 UTC valid_until = 2099-01-01 at 00:00 UTC")
    shelf.put("older", body="created_at = 2020-01-01 at 00:00 UTC")
    assert ids(around(shelf, "a")) == ["old", "older"]


def test_each_source_adds_a_few_and_only_the_first_sources(shelf: Shelf) -> None:
    sources = [f"s{number}" for number in range(SOURCES + 1)]
    for ident in sources:
        names = [f"{ident}_{number}" for number in range(NEIGHBOURS + 1)]
        shelf.put(ident, body=f"uses = [{', '.join(f't.{name}' for name in names)}]")
        for name in names:
            shelf.put(name)
    found = around(shelf, *sources)
    assert len(found) == SOURCES * NEIGHBOURS
    assert [neighbour.link.source for neighbour in found] == [f"t.{s}" for s in sources[:SOURCES] for _ in range(2)]


def test_what_is_taken_does_not_come_twice(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.b, t.c] relates_to = [t.c]")
    shelf.put("b", body="uses = [t.a, t.c, t.d]")
    shelf.put("c", body="uses = [t.a]")
    shelf.put("d")
    found = around(shelf, "a", "b")
    assert [(each.stored.entry.id, each.link.source) for each in found] == [("c", "t.a"), ("d", "t.b")]


def test_only_what_is_approved_comes_and_the_one_that_states_it_is_asked(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.b, t.c]")
    shelf.put("b")
    shelf.put("c")
    shelf.put("d", body="uses = [t.a]")
    asked = []

    def approved(stored: Stored, key: str) -> bool:
        asked.append((stored.entry.key, key))
        return key != "t.b"

    assert set(ids(around(shelf, "a", approved=approved))) == {"c", "d"}
    assert set(asked) == {("t.a", "t.b"), ("t.a", "t.c"), ("t.d", "t.a")}
    assert around(shelf, "a", approved=lambda *_: False) == []


def test_what_is_not_approved_takes_nobodys_place(shelf: Shelf) -> None:
    names = [f"n{number}" for number in range(NEIGHBOURS * 2)]
    shelf.put("a", body=f"uses = [{', '.join(f't.{name}' for name in names)}]")
    for name in names:
        shelf.put(name)
    assert ids(around(shelf, "a", approved=lambda _, key: key in {"t.n2", "t.n3"})) == ["n2", "n3"]


@pytest.mark.parametrize("space", [None, "work"])
def test_entries_of_other_scopes_are_no_neighbours(shelf: Shelf, space: str | None) -> None:
    shelf.put("a", body="uses = [t.secret, t.house]")
    for ident, scope in (("secret", "diary"), ("house", "home")):
        shelf.put(ident, scope=scope)
        shelf.put(f"{ident}_names", body="uses = [t.a]", scope=scope)
    assert around(shelf, "a", space=space) == []
    assert set(ids(around(shelf, "a", space="diary"))) == {"secret_names"}  # a global entry names none of a space


def test_a_shadowed_entry_is_no_neighbour(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.b]")
    shelf.put("b")
    shelf.put("b", body='name = "ours"', scope="work")
    shelf.put("c", body="uses = [t.a]")
    shelf.put("c", scope="work")
    (found,) = around(shelf, "a", space="work")
    assert (found.stored.scope, found.stored.entry.name) == ("work", "ours")
    assert set(ids(around(shelf, "a"))) == {"b", "c"}
