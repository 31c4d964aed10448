"""What sessions remember, in `.vault/sessions`: for each reader a folder, for each session a file.

A file holds keys of entries, digests and numbers of turns, never what was said. Its name is made of the session's id
and of who reads, so that one id used inside a private space and outside of it is two sessions.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import UsageError
from vault.knowledge.hydrate.memory import Memory, Mode, as_data, from_data
from vault.store.files import file_lock, make_derived_path, remove_unless_file, sweep_temporaries
from vault.store.sealed import read_json, write_json

if TYPE_CHECKING:
    from vault.model.access import Reader
    from vault.service.runtime.handle import VaultHandle

#: Sessions kept of each folder: those used last.
KEPT = 200
#: Characters of a session's id.
LONGEST = 200
LOCK_SECONDS = 10.0


class BadSession(UsageError):
    """A session's id that is none."""

    def __init__(self) -> None:
        super().__init__("a session needs an id", hint=f"give one of 1 to {LONGEST} characters")


@dataclass(frozen=True, slots=True)
class Session:
    """A session: its id, how it is hydrated, and who reads, as which agent. Raises `BadSession`."""

    ident: str
    mode: Mode
    reader: "Reader"
    agent: str | None = None

    def __post_init__(self) -> None:
        """Check the id."""
        if not self.ident.strip() or len(self.ident) > LONGEST:
            raise BadSession

    @property
    def file_name(self) -> str:
        """The name of its file, which tells nothing of it."""
        reader = self.reader
        told = [self.ident, self.mode, reader.space, reader.all_spaces, reader.owner, reader.agent, self.agent]
        return hashlib.sha256(json.dumps(told).encode(errors="replace")).hexdigest()[:40] + ".json"


def remember(vault: "VaultHandle", session: Session, turn: Callable[[Memory], Memory]) -> None:
    """Give a session's memory to a turn and keep what comes back; two turns of a session wait for each other.

    Where the vault cannot be written to, each turn is the first one.
    """
    folder = _folder(vault, session.reader)
    if folder is None:
        turn(Memory())
        vault.say("the vault cannot be written to, so the session remembers nothing")
        return
    file = folder / session.file_name
    make_derived_path(folder)
    with file_lock(folder / "lock", timeout=LOCK_SECONDS):
        remove_unless_file(file)
        is_new = not file.exists()
        sweep_temporaries(folder)
        write_json(file, as_data(turn(_read(file))))
        if is_new:
            _prune(folder)


def forget(vault: "VaultHandle", session: Session) -> None:
    """Begin a session anew, as after its transcript was cut."""
    remember(vault, session, lambda _memory: Memory())


def _folder(vault: "VaultHandle", reader: "Reader") -> Path | None:
    """The folder of the sessions of a reader: a private space has its own."""
    from vault.search.sync import PRIVATE, PUBLIC, folder_name  # 10 ms, for messages of a session

    if vault.derived is None:
        return None
    space = "*" if reader.owner else reader.space  # who sees all is in no space's folder, and not in the public one
    private = space is not None and vault.layout.settings.is_private(space)
    part = f"{PRIVATE}/{folder_name(space)}" if space and private else PUBLIC
    return vault.derived / "sessions" / part


def _read(file: Path) -> Memory:
    return from_data(read_json(file))


def _prune(folder: Path) -> None:
    """Remove the sessions that were not used for longest."""
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for file in files[KEPT:]:
        file.unlink(missing_ok=True)
