"""Which commits a log is to show."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which commits a log shows: those that meet everything that is given.

    `words` name an entry or a slot; `scope` is a space, or the global scope; `op` is what a commit's trailer says, or
    what it did where it has none; `author` is part of a name or address, in any case.
    """

    words: str | None = None
    scope: str | None = None
    agent: str | None = None
    op: str | None = None
    since: str | None = None
    until: str | None = None
    author: str | None = None
