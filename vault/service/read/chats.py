"""Chats: imported, listed, shown, searched, and what was said around the turn an entry was written in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.knowledge.chats import (
    BadTurn,
    Turn,
    chat_at,
    chat_path,
    read_turns,
)
from vault.model.access import GLOBAL
from vault.model.values import PathValue, Value
from vault.service.runtime.citations import cited
from vault.store.files import Unreadable, passes_link, safe_join

if TYPE_CHECKING:
    from vault.model.access import Reader
    from vault.search.find import Found
    from vault.service.runtime.handle import VaultHandle
    from vault.store.records import Stored


class ChatNotFound(VaultError):
    """No chat the reader may see has this id."""

    code = "not-found"

    def __init__(self, ident: str) -> None:
        super().__init__(f"there is no chat `{ident}`", hint="`vault chat list` lists the chats")


class NoSuchTurn(VaultError):
    """A turn that a chat does not have."""

    code = "not-found"

    def __init__(self, ident: str, turn: int, number: int) -> None:
        last = f"its turns are 0 to {number - 1}" if number else "it has none"
        super().__init__(f"the chat `{ident}` has no turn {turn}", hint=last)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat: its id, scope and file, its turns, and what of the file is none; `commit` holds what the file says."""

    ident: str
    scope: str
    path: str
    turns: Sequence[Turn]
    commit: str
    problems: Sequence[BadTurn] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some turns of a chat, from the turn `first` on; `turn` is the one they are around, None where it is all."""

    chat: Chat
    first: int
    turns: Sequence[Turn]
    turn: int | None = None


def chats(vault: "VaultHandle", *, reader: "Reader | None" = None) -> list[Chat]:
    """The chats a reader sees, by id."""
    from vault.service.runtime.chat_index import ChatIndex, asked

    def listed(index: ChatIndex) -> list[Chat]:
        scopes = index.snapshot(reader or vault.reader).scopes
        found = [_read(vault, path) for path, scope in index.catalog.files() if scope in scopes]
        return sorted(found, key=lambda chat: (chat.ident, scopes.index(chat.scope)))

    return asked(vault, listed)


def _read(vault: "VaultHandle", path: str) -> Chat:
    """A chat by its file, which is one's, and no link: that could lead into another scope. Raises `Unreadable`."""
    if vault.past is None and passes_link(vault.root, path):
        raise Unreadable(path, "it is, or is below, a link")
    turns, problems = read_turns(vault.read(path).decode("utf-8", "replace"), path)
    scope, ident = chat_at(path) or (GLOBAL, path)
    return Chat(ident, scope, path, turns, cited(vault, [path])[path], problems)


def chat(vault: "VaultHandle", ident: str, *, reader: "Reader | None" = None) -> Chat:
    """A chat by its id, that of the nearest scope. Raises `ChatNotFound` and `BadChatId`."""
    for scope in vault.snapshot(reader).scopes:
        try:
            return _read(vault, chat_path(scope, ident))
        except Unreadable:
            continue
    raise ChatNotFound(ident)


def excerpt(vault: "VaultHandle", ident: str, turn: int | None = None, context: int = 0) -> Excerpt:
    """A chat, or a turn of it with so many around it on each side. Raises `NoSuchTurn` as well."""
    found = chat(vault, ident)
    if turn is None:
        return Excerpt(found, 0, found.turns)
    if not 0 <= turn < len(found.turns):
        raise NoSuchTurn(found.ident, turn, len(found.turns))
    return _around(found, turn, context)


def _around(found: Chat, turn: int, context: int) -> Excerpt:
    first = max(0, turn - context)
    return Excerpt(found, first, found.turns[first : turn + context + 1], turn)


def context_of(
    vault: "VaultHandle", stored: "Stored", context: int, *, reader: "Reader | None" = None
) -> Excerpt | None:
    """The turns around the one that an entry was written in; None where it names none that the reader sees."""
    place, turn = stored.entry.fields.get("chat"), stored.entry.fields.get("chat_turn")
    if not isinstance(place, PathValue) or not isinstance(turn, int):
        return None
    path = place.from_root(stored.entry.path).removeprefix("./")
    known = chat_at(path)
    if known is None or known[0] not in vault.snapshot(reader).scopes:
        return None
    try:
        found = _read(vault, path)
    except Unreadable:
        return None
    return _around(found, turn, context) if 0 <= turn < len(found.turns) else None


def chat_fields(vault: "VaultHandle", kind: str) -> dict[str, Value]:
    """The fields that say which chat, and which turn of it, an entry of a type is written in; it may come later.

    The chat is that of the nearest scope that has it, else of the writer's.
    """
    ident, turn = vault.chat, vault.turn
    if not ident:
        return {}
    scopes = vault.snapshot().scopes
    paths = [chat_path(scope, ident) for scope in scopes]
    path = next((path for path in paths if safe_join(vault.root, path).is_file()), chat_path(vault.scope, ident))
    folder = PurePosixPath(vault.layout.entry_path(kind, "x", vault.scope)).parent
    up = "/".join([".."] * _steps(folder, PurePosixPath(path)))
    below = PurePosixPath(path).parts[len(folder.parts) - _steps(folder, PurePosixPath(path)) :]
    fields: dict[str, Value] = {"chat": PathValue("/".join([*([up] if up else []), *below]))}
    return {**fields, **({} if turn is None else {"chat_turn": turn})}


def _steps(folder: PurePosixPath, path: PurePosixPath) -> int:
    """How many folders up a path that leads from a folder to a file begins."""
    shared = 0
    for one, other in zip(folder.parts, path.parts, strict=False):
        if one != other:
            break
        shared += 1
    return len(folder.parts) - shared


def search_chats(vault: "VaultHandle", query: str, *, limit: int = 10, reader: "Reader | None" = None) -> "list[Found]":
    """The turns that fit a query best, by their words; any text is a legal query."""
    from vault.search.find import search
    from vault.search.rank import Question
    from vault.service.runtime.chat_index import ChatIndex, asked

    def found(index: ChatIndex) -> "list[Found]":
        snapshot = index.snapshot(reader or vault.reader)
        return search(
            snapshot,
            index.indexes(snapshot),
            Question(query, limit=limit, mode="keyword"),
            meaning=None,
            approved=lambda _stored, _key: False,
            now=vault.clock(),
        )

    return asked(vault, found)
