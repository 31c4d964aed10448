"""The passages nearest to a query's vector, among those a reader sees."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vault.search.vectors.near import Near
from vault.search.vectors.store import VectorStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The cosine of a passage that has no vector: below every real one.
UNKNOWN = -2.0


class Table:
    """The passages of one part of a vault, column by column, beside the store of their vectors."""

    def __init__(self, passages: Iterable[tuple[int, int, str, bytes, object, object]], store: VectorStore) -> None:
        """Take passages as the catalog gives them: entry row, ordinal (below 0: the name), scope, digest, …."""
        columns = list(zip(*passages, strict=True)) or [(), (), (), ()]
        self.rows = np.array(columns[0], np.int64)
        self.ordinals = np.array(columns[1], np.int64)
        self._codes = {scope: code for code, scope in enumerate(dict.fromkeys(columns[2]))}
        self._scopes = np.array([self._codes[scope] for scope in columns[2]], np.int64)
        self.digests: Sequence[bytes] = columns[3]
        self._embeddable = np.array([bool(digest) for digest in self.digests], np.bool_)
        self.store = store
        self._count = -1
        self._positions = np.empty(0, np.int64)

    def positions(self) -> "NDArray[np.int64]":
        """The row of the store behind each passage, -1 where there is none yet."""
        self.store.reload()
        if self._count != self.store.count:
            self._positions = self.store.positions(self.digests)
            self._count = self.store.count
        return self._positions

    def missing(self) -> list[int]:
        """The places of passages without a vector, in the table's order; of equal texts the first."""
        places = np.flatnonzero(self._embeddable & (self.positions() < 0)).tolist()
        first: dict[bytes, int] = {}
        for place in places:
            first.setdefault(self.digests[place], place)
        return list(first.values())

    def visible(
        self, scopes: Collection[str], without: Collection[int], only: Collection[int] | None
    ) -> "NDArray[np.bool_]":
        """Which passages are of these scopes, of none of the rows `without`, and of the rows `only`."""
        codes = [self._codes[scope] for scope in scopes if scope in self._codes]
        mask: NDArray[np.bool_] = np.isin(self._scopes, codes)
        if without:
            mask &= ~np.isin(self.rows, list(without))
        if only is not None:
            mask &= np.isin(self.rows, list(only))
        return mask

    def share(self, mask: "NDArray[np.bool_]") -> tuple[int, int]:
        """How many of the chosen passages have a vector, and how many could: empty ones cannot; names do not count."""
        could = mask & self._embeddable & (self.ordinals >= 0)
        return int((could & (self.positions() >= 0)).sum()), int(could.sum())

    def compared(self, query: bytes, mask: "NDArray[np.bool_]") -> "Compared":
        """Compare the chosen passages with a query's vector."""
        positions = self.positions()
        scores = np.append(self.store.scores(query), np.float32(UNKNOWN))
        return Compared(self, np.where(mask & (positions >= 0), scores[positions], np.float32(UNKNOWN)))


@dataclass(frozen=True, slots=True)
class Compared:
    """The cosine of every passage of a table with a query; `UNKNOWN` for those not chosen or without a vector."""

    table: Table
    cosines: "NDArray[np.float32]"

    @property
    def known(self) -> int:
        """How many passages have a cosine."""
        return int((self.cosines > UNKNOWN).sum())

    def nearest(self, limit: int) -> list[Near]:
        """The passages with the highest cosines, best first."""
        count = max(0, min(limit, self.known))
        if count == 0:
            return []
        top = np.argpartition(-self.cosines, count - 1)[:count]
        return self._near(top[np.lexsort((self.table.ordinals[top], self.table.rows[top], -self.cosines[top]))])

    def of_rows(self, rows: Collection[int]) -> list[Near]:
        """The passages of some entries that have a cosine."""
        chosen = np.isin(self.table.rows, list(rows)) & (self.cosines > UNKNOWN)
        return self._near(np.flatnonzero(chosen))

    def _near(self, places: "NDArray[np.int64]") -> list[Near]:
        columns = (self.table.rows, self.table.ordinals, self.cosines)
        found = zip(*(column[places].tolist() for column in columns), strict=True)
        return [Near(row, ordinal, score) for row, ordinal, score in found]
