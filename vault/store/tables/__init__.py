"""The questions to a catalog: one module for each of its tables, or for what is asked of it first."""
