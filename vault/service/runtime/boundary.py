"""Where the history of a shallow clone ends, and what cannot be known because of that."""

from typing import TYPE_CHECKING

from vault.errors import VaultError

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: What gets the rest of the history.
UNSHALLOW = "git fetch --unshallow"


class ShallowHistory(VaultError):
    """A question about a time that the history of this clone does not reach back to."""

    code = "shallow-history"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"this clone's history does not say since when `{key}` holds",
            hint=f"`{UNSHALLOW}` gets the rest of the history",
            details={"key": key},
        )


def boundary(vault: "VaultHandle") -> frozenset[str]:
    """The commits at which a shallow clone ends: what they brought in may be older."""
    return frozenset(vault.repository.shallow()) if vault.repository else frozenset()


def left_out(vault: "VaultHandle") -> list[str]:
    """The facts that an answer leaves out, because nobody can tell here whether they held at that moment."""
    if vault.past is None or not vault.past.unknown:
        return []
    scopes = vault.snapshot().scopes
    return sorted({key for key, scope in vault.past.unknown if scope in scopes})


def warning(vault: "VaultHandle") -> str:
    """What an answer that was read from a shallow history has to say; "" if it was not."""
    if not vault.reads_history or not boundary(vault):
        return ""
    missing = left_out(vault)
    facts = f"; facts left out because they may or may not have held then: {len(missing)}" if missing else ""
    return f"this clone's history is cut off, so what its first commit brought in may be older{facts}; `{UNSHALLOW}`"
