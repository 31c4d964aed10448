"""Which of two results that fit alike comes first: what is current, then what is newer."""

from datetime import UTC, datetime
from math import inf

from vault.model.values import Moment
from vault.store.records import Stored


def is_current(stored: Stored, now: datetime) -> bool:
    """Say whether what an entry states still holds: its `valid_until` is absent or ahead."""
    until = stored.entry.fields.get("valid_until")
    return not isinstance(until, Moment) or until.instant() > now


def recency(stored: Stored) -> tuple[float, str, str]:
    """A sort key: the newer entry first, then the order of keys."""
    return (-_instant(stored.created) if stored.created else inf, stored.entry.key, stored.scope)


def _instant(iso: str) -> float:
    """The instant of a written moment, in seconds since 1970; one without a zone is read as UTC."""
    moment = datetime.fromisoformat(iso)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
