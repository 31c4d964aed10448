"""What all shapes are made of."""

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]


def listing(items: Sequence[Json], total: int | None = None) -> Json:
    """A list with its total."""
    return {"items": list(items), "total": len(items) if total is None else total}
