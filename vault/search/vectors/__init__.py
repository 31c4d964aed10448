"""Vectors of passages on disk, and the passages nearest to a query's."""
