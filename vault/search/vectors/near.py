"""What is said of vectors without looking at any: numpy takes 100 ms to load."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vault.errors import VaultError


class VectorsFailed(VaultError):
    """The system refused to write vectors; those that are there stay."""

    code = "vectors-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"vectors could not be written: {reason}",
            hint="free some space, then `vault index` goes on where it stopped; no entry is affected",
        )


@dataclass(frozen=True, slots=True)
class Near:
    """A passage and its cosine with the query."""

    row: int
    ordinal: int
    score: float


def by_entry(found: Iterable[Near]) -> Mapping[int, Near]:
    """The nearest passage of each entry."""
    best: dict[int, Near] = {}
    for near in found:
        held = best.get(near.row)
        if held is None or near.score > held.score:
            best[near.row] = near
    return best
