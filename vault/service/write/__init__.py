"""Use cases that write: each validates first, then writes all of its files or none."""
