"""Commits that were made, and where a write landed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that was made: its id, its subject, how many files, and which entries and files.

    Those of a private space are named to a reader inside it alone.
    """

    commit: str
    subject: str
    files: int
    entries: tuple[str, ...]
    paths: tuple[str, ...]
    space: str | None = None


@dataclass(frozen=True, slots=True)
class Landed:
    """Where a write landed: in the commit that it made, or in HEAD, which already held the result.

    Both are None if no commit was asked for, and if the write changed nothing that HEAD lacks.
    """

    commit: Commit | None = None
    already_in: str | None = None


#: A write that asked for no commit, or changed nothing.
UNCOMMITTED = Landed()
