"""The questions to a catalog, one module for each of its tables."""
