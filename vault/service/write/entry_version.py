"""The version of an entry that a change is based on: another one means that somebody was quicker."""

import hashlib
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.service.read.entry_detail import Detail, detail

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class StaleVersion(VaultError):
    """A change of an entry that is not any more what it was when it was read."""

    code = "stale-version"

    def __init__(self, key: str, given: str, now: str) -> None:
        super().__init__(
            f"`{key}` has changed: you have version {given}, current is {now}",
            hint="get it again, and repeat the change with the version it has then",
            details={"key": key, "version": now},
        )


def version_in(found: Detail) -> str:
    """The version of an entry as it was read: made of its own text and that of its sidecar, 16 characters."""
    told = f"{found.block}\0{found.text or ''}"
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_version(vault: "VaultHandle", key: str, given: str | None) -> None:
    """Raise `StaleVersion` unless an entry is at the version given; None is any."""
    if given is not None and given != (now := version_in(detail(vault, key))):
        raise StaleVersion(key, given, now)
