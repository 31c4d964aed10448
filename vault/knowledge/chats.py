"""Chats: turns, one JSON object a line, as they are kept, and as other programs write them down."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vault.errors import UsageError, VaultError
from vault.model.access import folder_of, scope_of

ROLES = ("user", "assistant", "system", "tool")
#: A chat's id, which is a file's name.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")
_FOLDER = "chats"
_SUFFIX = ".jsonl"


class BadTurn(VaultError):
    """A line that is no turn of a chat."""

    code = "bad-turn"

    def __init__(self, source: str, line: int, problem: str) -> None:
        super().__init__(
            f"{source}:{line}: {problem}",
            hint='a turn is a JSON object, as in {"role": "user", "content": "Hello", "at": "2025-03-01T09:00:00Z"}',
            details={"path": source, "line": line},
        )


class BadChatId(VaultError):
    """A chat's id that cannot be a file's name."""

    code = "bad-chat-id"
    status = 2

    def __init__(self, ident: str) -> None:
        super().__init__(
            f"`{ident}` is not a chat id" if ident else "the chat needs an id",
            hint="an id (`--id` gives one) has up to 128 of a-z, A-Z, 0-9, `.`, `_` and `-`, a letter or digit first",
            details={"id": ident},
        )


class ChatDiverges(VaultError):
    """Turns that share some with a chat and contradict the order of others: it cannot be told what is new."""

    code = "chat-diverges"

    def __init__(self, ident: str, number: int) -> None:
        super().__init__(
            f"turn {number} of the chat `{ident}` is another one in what is imported",
            hint="`--id OTHER` keeps it as a chat of its own",
            details={"id": ident, "turn": number},
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said: by which role, perhaps by name and at a time. `line` is where it stands in its file."""

    role: str
    content: str
    at: str = ""
    name: str = ""
    line: int = 0

    @property
    def said(self) -> tuple[str, str, str, str]:
        """What tells it from others."""
        return self.role, self.content, self.at, self.name

    def as_line(self) -> str:
        """The turn as a line of a chat's file."""
        more = {name: value for name, value in (("at", self.at), ("name", self.name)) if value}
        return json.dumps({"role": self.role, "content": self.content, **more}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of a file that is imported, and the id it gives its chat; "" if it gives none."""

    turns: Sequence[Turn]
    ident: str = ""


class TurnOfNone(UsageError):
    """A turn, and no chat that it is one of."""

    code = "turn-of-none"

    def __init__(self) -> None:
        super().__init__("a turn is one of a chat", hint="say of which: `--chat`, or `chat`")


def checked_id(ident: str) -> str:
    """A chat's id; raises `BadChatId`."""
    if not _ID.match(ident):
        raise BadChatId(ident)
    return ident


def checked_place(ident: str, turn: int | None) -> tuple[str, int | None]:
    """The chat and turn that something is written in, "" for none. Raises `BadChatId` and `TurnOfNone`."""
    if turn is not None and not ident:
        raise TurnOfNone
    return checked_id(ident) if ident else "", turn


def id_of(words: str) -> str:
    """An id made of any words, as a file's name; "" where nothing is left."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", words).strip("-._")[:128]


def chat_path(scope: str, ident: str) -> str:
    """Where the turns of a chat are kept. Raises `BadChatId`."""
    return f"{folder_of(scope)}/{_FOLDER}/{checked_id(ident)}{_SUFFIX}"


def chat_at(path: str) -> tuple[str, str] | None:
    """The scope and the id of the chat whose file stands at a path; None for another file."""
    scope = scope_of(path)
    if scope is None:
        return None
    ident = path.removeprefix(f"{folder_of(scope)}/{_FOLDER}/").removesuffix(_SUFFIX)
    return (scope, ident) if _ID.match(ident) and chat_path(scope, ident) == path else None


def read_turns(text: str, source: str) -> tuple[list[Turn], list[BadTurn]]:
    """The turns of a chat's file, and what of it is none; blank lines are passed over."""
    turns: list[Turn] = []
    problems: list[BadTurn] = []
    for number, line in _lines(text):
        try:
            turns.append(_turn(_object(line, source, number), source, number))
        except BadTurn as error:
            problems.append(error)
    return turns, problems


def read_transcript(text: str, source: str) -> Transcript:
    """Read turns as `{role, content, at?, name?}`, or the transcript of a Claude Code session. Raises `BadTurn`."""
    rows = [(number, _object(line, source, number)) for number, line in _lines(text)]
    if any("message" in row or "sessionId" in row for _, row in rows):
        return _claude_code(rows, source)
    return Transcript([_turn(row, source, number) for number, row in rows])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    lines = text.removeprefix("\ufeff").split("\n")  # JSON may hold other line ends inside of strings
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _object(line: str, source: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadTurn(source, number, "this is not JSON") from error
    if not isinstance(row, dict):
        raise BadTurn(source, number, "this is not a JSON object")
    return row


def _turn(row: Mapping[str, Any], source: str, number: int) -> Turn:
    role, content = row.get("role"), row.get("content")
    if role not in ROLES:
        raise BadTurn(source, number, f"`role` is one of {', '.join(ROLES)}")
    content = _text_of(content)
    if content is None:
        raise BadTurn(source, number, "`content` is a text")
    told = {name: row.get(name) or "" for name in ("at", "name")}
    for name, value in told.items():
        if not isinstance(value, str):
            raise BadTurn(source, number, f"`{name}` is a text")
    return Turn(role, _clean(content), _clean(told["at"]), _clean(told["name"]), number)


def _clean(text: str) -> str:
    """A text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _text_of(content: object) -> str | None:
    """The text of a message: a string, or the text parts of a list; None where it is neither."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n\n".join(part for part in parts if isinstance(part, str))


def _claude_code(rows: Sequence[tuple[int, Mapping[str, Any]]], source: str) -> Transcript:
    """What people and the assistant said: no results of tools, no thoughts, nothing of subordinate agents."""
    turns = []
    ident = ""
    for number, row in rows:
        session, message = row.get("sessionId"), row.get("message")
        ident = ident or (id_of(session) if isinstance(session, str) else "")
        if row.get("type") not in ("user", "assistant") or row.get("isMeta") or row.get("isSidechain"):
            continue
        if not isinstance(message, dict):
            raise BadTurn(source, number, "`message` is a JSON object")
        turn = _turn({"role": row["type"], **message, "at": row.get("timestamp")}, source, number)
        if turn.content.strip():
            turns.append(turn)
    return Transcript(turns, ident)


def new_turns(held: Sequence[Turn], given: Sequence[Turn], ident: str) -> Sequence[Turn]:
    """What of some turns a chat does not have yet: what follows those they share, or all where they share none.

    Raises `ChatDiverges` where some are shared, and others stand in the place of those that are held.
    """
    old, new = [turn.said for turn in held], [turn.said for turn in given]
    if new == old[: len(new)] or _holds(old, new):
        return ()
    for shared in range(min(len(old), len(new)), 0, -1):
        if old[-shared:] == new[:shared]:
            return given[shared:]
    if not {*old} & {*new}:
        return given
    place = next((place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    raise ChatDiverges(ident, place)


def _holds(old: Sequence[object], new: Sequence[object]) -> bool:
    """Say whether some turns stand in others, one behind the other."""
    return any(old[start : start + len(new)] == new for start in range(len(old) - len(new) + 1))
