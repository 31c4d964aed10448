"""What words name: an entry, a field of one, or a passage."""

import re

from vault.model.keys import is_identifier
from vault.model.values import Reference


def field_reference(words: str) -> Reference | None:
    """Words that name a field of an entry, as `actor.ada.kind`; None for others."""
    parts = words.split(".")
    return Reference(*parts) if len(parts) == 3 and all(map(is_identifier, parts)) else None  # noqa: PLR2004


def is_address(words: str) -> bool:
    """Whether words have the form of a passage's address."""
    return re.search(r"[^#]#[0-9a-f]{8}(-[0-9]+)?\Z", words) is not None
