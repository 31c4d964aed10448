"""Hydration: what a message names or repeats of the knowledge, as one compact block."""
