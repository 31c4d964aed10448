"""Which of two results that fit alike comes first: what is current, then what is newer."""

from datetime import datetime

from vault.model.values import Moment
from vault.store.records import Stored


def is_current(stored: Stored, now: datetime) -> bool:
    """Say whether what an entry states still holds: its `valid_until` is absent or ahead."""
    until = stored.entry.fields.get("valid_until")
    return not isinstance(until, Moment) or until.instant() > now


def recency(stored: Stored) -> tuple[tuple[int, ...], str, str]:
    """A sort key: the newer entry first, then the order of keys."""
    newest_first = tuple(-ord(char) for char in stored.created)
    return (newest_first or (0,), stored.entry.key, stored.scope)
