"""What all shapes are made of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vault.service.runtime.commit_result import Landed

Json = dict[str, Any]


def listing(items: Sequence[Json], total: int | None = None) -> Json:
    """A list with its total."""
    return {"items": list(items), "total": len(items) if total is None else total}


def landed(result: "Landed") -> Json:
    """The commit of a write; without one the commit that already holds the result, if there is one."""
    shown: Json = {"commit": result.commit.commit if result.commit else None}
    return {**shown, "alreadyIn": result.already_in} if result.already_in else shown
