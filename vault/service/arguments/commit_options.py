"""How a write is to be committed."""

from dataclasses import dataclass

from vault.model.trailers import KEY, REASON


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """The wish that a write is committed with it, under this message or one that says what changed.

    `op` is what the write is called where its content does not tell; `trailers` are more words about it.
    """

    message: str | None = None
    op: str | None = None
    trailers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CommitDetails:
    """What the commit of a write says besides its content: message, idempotency key, reason."""

    message: str | None = None
    key: str | None = None
    reason: str | None = None

    def options(self, op: str | None = None) -> CommitOptions:
        """The commit that is asked for."""
        told = {KEY: self.key or "", REASON: self.reason or ""}
        return CommitOptions(self.message, op, tuple((name, value) for name, value in told.items() if value))
