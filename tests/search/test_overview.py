"""What is shown to who asks for nothing in particular."""

from tests.search.conftest import Shelf
from vault.search.overview import overview


def test_an_empty_vault_has_nothing(shelf: Shelf) -> None:
    seen = overview(shelf.seen())
    assert (seen.total, seen.types, seen.scopes, seen.newest, seen.connected) == (0, {}, {}, [], [])


def test_types_are_counted_the_largest_first_and_scopes_with_the_global_one_first(shelf: Shelf) -> None:
    shelf.kept.write("global/note/n.firm", 'note n { text = "garden" }\n')
    shelf.put("a", scope="diary")
    shelf.put("b")
    seen = overview(shelf.seen("diary"))
    assert (seen.total, list(seen.types.items())) == (3, [("t", 2), ("note", 1)])
    assert list(seen.scopes.items()) == [("global", 2), ("diary", 1)]


def test_the_newest_have_a_date_and_are_few(shelf: Shelf) -> None:
    shelf.put("undated")
    for number in range(1, 5):
        shelf.put(f"n{number}", body=f"created_at = 2020-01-0{number} at 00:00 UTC")
    assert [each.entry.id for each in overview(shelf.seen(), limit=3).newest] == ["n4", "n3", "n2"]


def test_references_count_at_both_ends_and_once_for_each_pair(shelf: Shelf) -> None:
    shelf.put("hub")
    shelf.put("a", body="uses = [t.hub, t.gone] relates_to = [t.hub]")
    shelf.put("b", body="uses = [t.hub]")
    shelf.put("alone")
    connected = [(each.entry.id, number) for each, number in overview(shelf.seen()).connected]
    assert connected == [("hub", 2), ("a", 1), ("b", 1)]


def test_references_of_what_is_not_seen_do_not_count(shelf: Shelf) -> None:
    shelf.put("a", body="uses = [t.secret]")
    shelf.put("secret", body="uses = [t.a]", scope="diary")
    assert overview(shelf.seen()).connected == []
    assert [number for _, number in overview(shelf.seen("diary")).connected] == [2, 2]


def test_of_a_type_or_tag_alone(shelf: Shelf) -> None:
    shelf.put("a", body='tags = ["Home"]')
    shelf.put("b")
    shelf.kept.write("global/note/n.firm", 'note n { tags = ["home"] }\n')
    assert overview(shelf.seen(), kind="t").types == {"t": 2}
    assert overview(shelf.seen(), tag="#home").types == {"note": 1, "t": 1}
    assert overview(shelf.seen(), kind="t", tag="home").total == 1
