"""Paths in fields: given from the vault's folder, stored from the entry's file."""

import posixpath

from vault.model.values import PathValue, Value


def stored_paths(value: Value, file: str) -> Value:
    """A value with its paths relative to an entry's file; raises `TypeError` for one that leaves the vault."""
    if isinstance(value, tuple):
        return tuple(stored_paths(item, file) for item in value)
    if not isinstance(value, PathValue) or "://" in value.text:
        return value
    place = posixpath.normpath(value.text)
    if place.startswith(("/", "../")) or place == "..":
        raise TypeError("a path counts from the vault's folder, and may not leave it")
    return PathValue(posixpath.relpath(place, posixpath.dirname(file)))
