"""Writes that are done once: a key in the history tells that a repeated one has been made."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.errors import UsageError
from vault.model.trailers import KEY
from vault.service.runtime.boundary import UNSHALLOW, boundary
from vault.service.write.commits import key_digest

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

KEY_LENGTH = 200


class BadIdempotencyKey(UsageError):
    """An idempotency key that no trailer can hold as it is."""

    code = "bad-key"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"`{key[:40]}` cannot be an idempotency key",
            hint=f"give 1 to {KEY_LENGTH} characters, without blanks at the ends, double blanks or line ends",
        )


@dataclass(frozen=True, slots=True)
class Done:
    """A write that history holds: its commit, and the entries it changed with their paths."""

    commit: str
    subject: str
    entries: tuple[tuple[str, str], ...]


def checked_key(key: str) -> str:
    """Return the key if a commit can hold it; raises `BadIdempotencyKey`."""
    if not 0 < len(key) <= KEY_LENGTH or key != " ".join(key.split()) or not key.isprintable():
        raise BadIdempotencyKey(key)
    return key


def done(vault: "VaultHandle", key: str | None) -> Done | None:
    """The write that was made with an idempotency key, as far as the reader may know of it."""
    if key is None:
        return None
    ledger = vault.ledger
    wanted = {checked_key(key), key_digest(key, vault.scope)}
    for commit in ledger.commits_with_trailer(KEY):
        found = any(name == KEY and value in wanted for name, value in commit.trailers)
        if found and all(map(vault.knows, commit.scopes)):
            return Done(commit.ident, commit.subject, tuple(ledger.paths_at(commit.position)))
    if boundary(vault):
        vault.say(f"no write with this key is in the history of this clone, which is cut off; `{UNSHALLOW}` shows all")
    return None
