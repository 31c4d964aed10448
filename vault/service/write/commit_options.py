"""How a write is to be committed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Landing:
    """The wish that a write is committed with it, under this message or one that says what changed.

    `op` is what the write is called where its content does not tell; `trailers` are more words about it.
    """

    message: str | None = None
    op: str | None = None
    trailers: tuple[tuple[str, str], ...] = ()
