"""Importing the turns of a chat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vault.knowledge.chats import (
    Turn,
    chat_path,
    checked_id,
    id_of,
    new_turns,
    read_transcript,
    read_turns,
)
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.service.write.atomic_write import put
from vault.store.files import read_optional, safe_join
from vault.store.journal import FileWrite

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: the chat, how many turns are new, and where that landed."""

    ident: str
    path: str
    added: int
    total: int
    landed: Landed = UNCOMMITTED

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


def import_chat(
    vault: "VaultHandle",
    text: str,
    source: str,
    *,
    ident: str | None = None,
    name: str = "",
    options: CommitOptions | None = None,
) -> Imported:
    """Add the turns of a text that the chat does not have yet.

    Its id is what is given, else what the text says, else made of a file's `name`; `source` is what an error calls the
    text. Raises `BadTurn`, `BadChatId` and `ChatDiverges`, before anything is written.
    """
    transcript = read_transcript(text, source)
    chosen = checked_id(ident or transcript.ident or id_of(name))
    path = chat_path(vault.scope, chosen)
    with vault.writing() as token:
        before = read_optional(safe_join(vault.root, path), path)
        held, problems = read_turns((before or b"").decode("utf-8", "replace"), path)
        if problems:
            raise problems[0]
        added = new_turns(held, transcript.turns, chosen)
        after = _appended(before, added)
        wished = options and _named(vault, options, chosen, len(added))
        landed = UNCOMMITTED
        if after is not None:
            landed = put(vault, [FileWrite(path, before, after)], wished, token=token)
    return Imported(chosen, path, len(added), len(held) + len(added), landed)


def _appended(before: bytes | None, turns: Sequence[Turn]) -> bytes | None:
    """A chat's file with turns behind those that it holds."""
    if not turns:
        return before
    lead = before or b""
    return (
        lead
        + b"\n" * (bool(lead) and not lead.endswith(b"\n"))
        + "".join(f"{one.as_line()}\n" for one in turns).encode()
    )


def _named(vault: "VaultHandle", options: CommitOptions, ident: str, number: int) -> CommitOptions:
    """A commit that says what was imported, unless that is nobody's to read."""
    if options.message or vault.layout.settings.is_private(vault.scope):
        return options
    return replace(options, message=f"add {number} turn{'s' * (number != 1)} to the chat {ident}")
