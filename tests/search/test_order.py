"""What comes first of results that fit alike."""

from datetime import UTC, datetime, timedelta

from tests.search.conftest import NOW, Shelf
from vault.search.order import is_current, recency
from vault.store.records import Stored


def stored(shelf: Shelf, ident: str, body: str = "", scope: str = "global") -> Stored:
    shelf.put(ident, body=body, scope=scope)
    return shelf.seen(None if scope == "global" else scope).by_key(f"t.{ident}")[0]


def test_what_has_no_end_is_current(shelf: Shelf) -> None:
    assert is_current(stored(shelf, "a"), NOW)
    assert is_current(stored(shelf, "b", 'valid_until = "some day"'), NOW)


def test_what_ends_is_current_until_that_moment(shelf: Shelf) -> None:
    ends = stored(shelf, "a", "valid_until = 2025-05-01 at 12:00 UTC")
    end = datetime(2025, 5, 1, 12, tzinfo=UTC)
    assert is_current(ends, end - timedelta(seconds=1))
    assert not is_current(ends, end)


def test_newer_entries_come_first_then_those_without_a_date_by_key_and_scope(shelf: Shelf) -> None:
    made = [
        stored(shelf, "b"),
        stored(shelf, "a", scope="work"),
        stored(shelf, "a"),
        stored(shelf, "old", "created_at = 2020-01-01 at 00:00 UTC"),
        stored(shelf, "new", "created_at = 2020-01-01 at 00:01 UTC"),
    ]
    ordered = [(each.entry.id, each.scope) for each in sorted(made, key=recency)]
    assert ordered == [("new", "global"), ("old", "global"), ("a", "global"), ("a", "work"), ("b", "global")]


def test_the_newest_is_told_by_instant_and_not_by_the_written_day(shelf: Shelf) -> None:
    shelf.put("early", "x", body="created_at = 2026-12-01 at 01:00 UTC")
    shelf.put("late", "x", body="created_at = 2026-11-30 at 23:30 UTC-5")
    entries = sorted(shelf.kept.seen().entries(kind="t"), key=recency)
    assert [stored.entry.id for stored in entries] == ["late", "early"]
