"""The base of every failure that stops a command.

Trouble in the user's data is a diagnostic (`vault.diagnostics`). What means "cannot go on" is an
exception derived from `VaultError`, defined beside the code that raises it.
"""

from collections.abc import Mapping
from typing import ClassVar


class VaultError(Exception):
    """A failure with a stable code, one sentence, and the next step.

    `status` is the exit code a command ends with; `details` holds what a program may want to read.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details or {})

    def add(self, words: str) -> None:
        """Append what a caller further up knows about the failure."""
        self.message += words
        self.args = (self.message,)


class UsageError(VaultError):
    """A call with invalid arguments; nothing was attempted."""

    code = "usage"
    status = 2


class DamagedData(VaultError):
    """Derived data that turned out to be damaged while it was read; it is rebuilt when it is next opened."""

    code = "damaged-data"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"derived data is damaged ({what})",
            hint="repeat the command, or run `vault index --rebuild`; no entry is affected",
        )
