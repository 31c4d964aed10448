"""Use cases that read: each takes a handle and writes nothing."""
