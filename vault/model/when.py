"""Moments as people say them: `2025-03-01`, `2025-03-01 14:30`, `March 2025`, `2025`, `yesterday`, `2 weeks ago`."""

import re
from calendar import month_name, monthrange
from datetime import date, datetime, time, timedelta, tzinfo

from vault.errors import UsageError

_AGO = re.compile(r"(a|an|one|\d{1,5}) (second|minute|hour|day|week|month|year)s? ago")
_MONTHS = tuple(name.casefold() for name in month_name)
_MONTH = re.compile(r"(?P<year>\d{4})(?:-(?P<number>\d\d))?|(?P<name>[a-z]{3,9})\.? (?P<later>\d{4})")
_DAYS = {"now": 0, "today": 0, "yesterday": 1}


class BadMoment(UsageError):
    """Words that name no moment."""

    code = "bad-moment"

    def __init__(self, words: str) -> None:
        super().__init__(
            f"`{words}` is not a date or time",
            hint="write a day (`2025-03-01`), a time (`2025-03-01 14:30`), a month (`March 2025`, `2025-03`), a year,"
            " `yesterday` or `2 weeks ago`",
            details={"given": words},
        )


def moment_in(words: str, now: datetime, local: tzinfo | None = None, *, begins: bool = False) -> datetime:
    """Read words as an instant; a day, month or year is its last moment, or with `begins` its first.

    Raises `BadMoment`.

    `now` is aware; what has no zone is read in `local`, the machine's if None.
    """
    text = " ".join(words.casefold().split())
    here = now.astimezone(local)
    if text == "now":
        return now
    if text in _DAYS:
        return _edge(here.date() - timedelta(days=_DAYS[text]), local, begins=begins)
    found = _AGO.fullmatch(text)
    try:
        first = first_day(text)
        if first:
            return _edge(first if begins else _last_day(text), local, begins=begins)
        if found:
            return _before(here, found[1], found[2], local, begins=begins)
        return _written(words.strip(), local, begins=begins)
    except (ValueError, OverflowError) as error:
        raise BadMoment(words) from error


def first_day(words: str, *, after: bool = False) -> date | None:
    """The first day of a month or year that words name, or with `after` the first day that follows it.

    None for words that name neither. Raises `ValueError` for a month or year that no calendar has.
    """
    found = _MONTH.fullmatch(" ".join(words.casefold().split()))
    if found is None:
        return None
    if found["name"]:
        number = _month(found["name"])
        if number is None:
            return None
        return _later(int(found["later"]), number, months=1 if after else 0)
    if found["number"]:
        return _later(int(found["year"]), int(found["number"]), months=1 if after else 0)
    return _later(int(found["year"]), 1, months=12 if after else 0)


def _last_day(words: str) -> date:
    """The last day of a month or year that words name."""
    try:
        after = first_day(words, after=True)
    except ValueError:  # no calendar has the year 10000
        return date.max
    return after - timedelta(days=1) if after else date.max


def _month(name: str) -> int | None:
    """The number of a month that is named in full or by its first letters, three at least."""
    return next((number for number, full in enumerate(_MONTHS) if full and full.startswith(name)), None)


def _later(year: int, month: int, *, months: int) -> date:
    date(year, month, 1)
    years, index = divmod(month - 1 + months, 12)
    return date(year + years, index + 1, 1)


def _edge(day: date, local: tzinfo | None, *, begins: bool) -> datetime:
    """The first moment of a day, or the last."""
    return _aware(datetime.combine(day, time.min if begins else time.max), local)


def _aware(naive: datetime, local: tzinfo | None) -> datetime:
    return naive.replace(tzinfo=local) if local else naive.astimezone()


def _before(here: datetime, number: str, unit: str, local: tzinfo | None, *, begins: bool) -> datetime:
    """So many units before now; days and longer mean the whole of that day."""
    many = int(number) if number.isdigit() else 1
    if unit in ("second", "minute", "hour"):
        return here - timedelta(**{f"{unit}s": many})
    if unit in ("day", "week"):
        return _edge(here.date() - timedelta(days=many * (7 if unit == "week" else 1)), local, begins=begins)
    months = here.year * 12 + here.month - 1 - many * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    day = min(here.day, monthrange(year, month + 1)[1])
    return _edge(date(year, month + 1, day), local, begins=begins)


def _written(text: str, local: tzinfo | None, *, begins: bool) -> datetime:
    """A date or time as ISO 8601 or Firm writes it."""
    plain = re.sub(r" at (\d):", r" 0\1:", text).replace(" at ", " ")
    plain = re.sub(r" ?UTC([+-]\d{1,2})$", lambda found: f"{int(found[1]):+03d}:00", plain.replace(" UTC", "UTC"))
    plain = plain.replace("UTC", "+00:00")
    if re.fullmatch(r"\d{4}-\d\d-\d\d", plain):
        return _edge(date.fromisoformat(plain), local, begins=begins)
    if not re.match(r"\d{4}-\d\d-\d\d[ T]", plain):
        raise ValueError(text)
    found = datetime.fromisoformat(plain)
    return found if found.tzinfo else _aware(found, local)
