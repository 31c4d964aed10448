"""Paths in fields that name no file."""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from vault.model.values import PathValue, Value
from vault.store.files import safe_join

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


def missing(vault: "VaultHandle", file: str, fields: Mapping[str, Value | None]) -> tuple[str, ...]:
    """Say which paths of the fields of an entry name nothing, as far as the reader may know."""
    return tuple(
        f"`{name}`: there is no file {path}"
        for name, value in fields.items()
        for path in _paths(value, file)
        if vault.shows(path) and not os.path.lexists(safe_join(vault.root, path))
    )


def _paths(value: Value | None, file: str) -> Iterator[str]:
    """The paths of a value that lie in the vault, from its folder."""
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, PathValue) and "://" not in item.text:
            path = item.from_root(file)
            if path.startswith("./"):
                yield path.removeprefix("./")
