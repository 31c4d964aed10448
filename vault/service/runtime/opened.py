"""What a vault was opened with: its folder and settings, the reader, the clock, and where messages go."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from vault.diagnostics import Diagnostic
from vault.model.access import GLOBAL, Reader
from vault.workspace.layout import Layout
from vault.workspace.refresh import Progress

if TYPE_CHECKING:
    from vault.store.journal import FileWrite


class WriteGate(Protocol):
    """Decides whether a caller may make a write."""

    def check(self, writes: "Sequence[FileWrite]") -> None:
        """Raise an error if the write is refused or needs a person's consent."""

    def passing(self, writes: "Sequence[FileWrite]") -> AbstractContextManager[None]:
        """Use up the consent to a write while it is made."""


class Prepared(Protocol):
    """A change of files that a write made for itself, to be committed before it, or undone if it is refused."""

    @property
    def writes(self) -> "Sequence[FileWrite]":
        """The files that were changed."""

    def commit(self) -> None:
        """Commit the change."""

    def undo(self) -> None:
        """Put the files back as they were."""


def _now() -> datetime:
    return datetime.now(UTC)


def _user_cache() -> Path:
    return Path.home() / ".cache" / "firm-vault"


@dataclass(eq=False)
class OpenedVault:
    """What a vault was opened with, before anything of it is read.

    Reads scan the files again once what is known of them is `max_age` seconds old; this vault's own writes are seen
    at once. `cache` is the folder for downloaded models. `environ` is read for git's identity and passed on to hooks;
    `lock_token` lets a command that one of our hooks runs write inside its parent's lock; `clock` gives aware
    datetimes. `progress` and `say` receive the progress of long work and what hooks print. `agent` is who writes, if
    not a person; `chat` and `turn` are recorded with every write. `gate` decides what a served call may write;
    without one nothing is refused. `prepared` are changes that the write under way made for itself: it commits them
    first, or they are undone.
    """

    layout: Layout
    reader: Reader = field(default_factory=Reader)
    environ: Mapping[str, str] = field(default_factory=dict)
    lock_token: str | None = None
    clock: Callable[[], datetime] = _now
    progress: Callable[[str], Progress | None] = field(default=lambda _label: None)
    say: Callable[[str], None] = field(default=lambda _text: None)
    cache: Path = field(default_factory=_user_cache)
    max_age: float = 0.0
    agent: str = ""
    chat: str = ""
    turn: int | None = None
    gate: WriteGate | None = None
    prepared: list[Prepared] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.layout.root

    @property
    def scope(self) -> str:
        """The scope this reader writes to: their space, else the global scope."""
        return self.reader.space or GLOBAL

    def shows(self, path: str) -> bool:
        """Whether the reader may know of a path: one of a private space shows only from inside it."""
        scope = self.layout.scope(path)
        return scope is None or self.knows(scope)

    def knows(self, scope: str) -> bool:
        """Whether the reader may know of a scope."""
        return not self.layout.settings.is_private(scope) or scope == self.reader.space

    def tellable(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that are only about what the reader may know of."""
        return [
            item
            for item in found
            if self.shows(item.span.path) and all(self.shows(related.span.path) for related in item.related)
        ]
