"""Vectors of passages on disk, and the passages nearest to a query's."""

from vault.search.vectors.nearest import Compared, Near, Table, by_entry
from vault.search.vectors.queries import QueryVectors
from vault.search.vectors.store import VectorsFailed, VectorStore

__all__ = ["Compared", "Near", "QueryVectors", "Table", "VectorStore", "VectorsFailed", "by_entry"]
