"""What a reader sees of a catalog, as data that every question to it takes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

from vault.model.access import BUNDLED


@dataclass(frozen=True, slots=True)
class Visibility:
    """The entries of some scopes, without those that others of them hide.

    An entry of `space` hides those of its key in every other scope ("": none does), and a global
    entry hides a bundled one. Of `agents` each leaves out what is another agent's. `hidden` are
    rows that are left out in any case.
    """

    scopes: tuple[str, ...]
    space: str = ""
    agents: tuple[str, ...] = ()
    hidden: frozenset[int] = frozenset()

    @property
    def has_bundled(self) -> bool:
        """Whether what ships with the product is in sight."""
        return BUNDLED in self.scopes

    def without(self, rows: Collection[int]) -> Self:
        """The same without some more rows."""
        return replace(self, hidden=self.hidden.union(rows)) if rows else self

    def of_agent(self, agent: str) -> Self:
        """The same without what is another agent's."""
        return replace(self, agents=(*self.agents, agent))
