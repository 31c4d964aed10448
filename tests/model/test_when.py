"""Moments as people say them."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.model.when import BadMoment, first_day, moment_in

NOW = datetime(2025, 3, 31, 12, tzinfo=UTC)


def last(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 23, 59, 59, 999999, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("now", NOW),
        ("Today", last(2025, 3, 31)),
        ("yesterday", last(2025, 3, 30)),
        ("2 weeks  ago", last(2025, 3, 17)),
        ("a day ago", last(2025, 3, 30)),
        ("one month ago", last(2025, 2, 28)),
        ("13 months ago", last(2024, 2, 29)),
        ("1 year ago", last(2024, 3, 31)),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("90 minutes ago", NOW - timedelta(minutes=90)),
        ("1 second ago", NOW - timedelta(seconds=1)),
        ("March 2024", last(2024, 3, 31)),
        ("feb 2024", last(2024, 2, 29)),
        ("2024-02", last(2024, 2, 29)),
        ("2024", last(2024, 12, 31)),
        ("2025-01-02", last(2025, 1, 2)),
        ("2025-01-02 14:30", datetime(2025, 1, 2, 14, 30, tzinfo=UTC)),
        ("2025-01-02T14:30:15+02:00", datetime(2025, 1, 2, 14, 30, 15, tzinfo=timezone(timedelta(hours=2)))),
        ("2025-01-02 at 9:05", datetime(2025, 1, 2, 9, 5, tzinfo=UTC)),
        ("2025-01-02 at 9:05 UTC", datetime(2025, 1, 2, 9, 5, tzinfo=UTC)),
        ("2025-01-02 at 9:05 UTC-7", datetime(2025, 1, 2, 16, 5, tzinfo=UTC)),
    ],
)
def test_words_are_a_moment(words: str, moment: datetime) -> None:
    assert moment_in(words, NOW, UTC) == moment


@pytest.mark.parametrize(
    "words",
    [
        "",
        "soon",
        "2025-13",
        "March",
        "Mai 2025",
        "20251",
        "0000",
        "2025-13-01",
        "2025-02-30",
        "20250101",
        "9999 years ago",
        "-1 days ago",
        "tomorrow",
    ],
)
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(BadMoment):
        moment_in(words, NOW, UTC)


def test_a_moment_without_a_zone_is_local() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert moment_in("2025-01-01 09:00", NOW, tokyo) == datetime(2025, 1, 1, tzinfo=UTC)
    assert moment_in("2025-01-01 09:00", NOW).tzinfo is not None


@given(st.text(max_size=30))
def test_nothing_but_a_bad_moment_is_raised(words: str) -> None:
    with suppress(BadMoment):
        assert moment_in(words, NOW, UTC).tzinfo is not None


@pytest.mark.parametrize("words", ["2025-03-01", "today", "2 weeks ago", "a month ago"])
def test_a_day_begins_with_its_first_moment(words: str) -> None:
    now = datetime(2025, 3, 1, 15, tzinfo=UTC)
    first, last = (moment_in(words, now, UTC, begins=begins) for begins in (True, False))
    assert (first.hour, first.minute, first.date()) == (0, 0, last.date())


@pytest.mark.parametrize(
    ("words", "first", "after"),
    [
        ("2024-12", date(2024, 12, 1), date(2025, 1, 1)),
        ("December 2024", date(2024, 12, 1), date(2025, 1, 1)),
        ("2024", date(2024, 1, 1), date(2025, 1, 1)),
        ("2024-12-01", None, None),
        ("x 2024", None, None),
    ],
)
def test_a_month_or_year_has_a_first_day_and_one_that_follows(
    words: str, first: date | None, after: date | None
) -> None:
    assert (first_day(words), first_day(words, after=True)) == (first, after)
