"""Chats and their turns."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vault.wire.shape import Json, landed, listing

if TYPE_CHECKING:
    from vault.knowledge.chats import Turn
    from vault.search.find import Found
    from vault.service.read.chats import Chat, Excerpt
    from vault.service.write.import_chat import Imported


def chat(item: "Chat") -> Json:
    """A chat in a list."""
    told = [turn.at for turn in item.turns if turn.at]
    return {
        "id": item.ident,
        "space": None if item.scope == "global" else item.scope,
        "path": item.path,
        "turns": len(item.turns),
        "begun": told[0] if told else None,
        "ended": told[-1] if told else None,
        "unreadable": len(item.problems),
    }


def turns(item: "Excerpt") -> Json:
    """A chat, or some turns of it, around the one that was asked for."""
    rows = [_turn(item.chat, item.first + place, turn) for place, turn in enumerate(item.turns)]
    return {"chat": chat(item.chat), "turn": item.turn, **listing(rows, total=len(item.chat.turns))}


def _turn(item: "Chat", number: int, turn: "Turn") -> Json:
    return {
        "turn": number,
        "role": turn.role,
        "name": turn.name or None,
        "at": turn.at or None,
        "content": turn.content,
        "line": turn.line,
        "cite": f"{item.path}:{turn.line}@{item.commit}",
    }


def chat_imported(item: "Imported") -> Json:
    """What an import of turns did."""
    return {
        "id": item.ident,
        "path": item.path,
        "added": item.added,
        "turns": item.total,
        **landed(item.landed),
    }


def turns_found(query: str, results: "Sequence[Found]", cited: Mapping[str, str]) -> Json:
    """The turns a search found, best first."""
    return {"query": query, **listing([_found(result, cited[result.path]) for result in results])}


def _found(result: "Found", commit: str) -> Json:
    fields = result.stored.entry.fields
    return {
        "chat": fields["chat"],
        "turn": fields["number"],
        "role": fields["role"],
        "name": fields.get("speaker"),
        "at": fields.get("at"),
        "space": None if result.stored.scope == "global" else result.stored.scope,
        "score": round(result.score, 4),
        "snippet": result.snippet,
        "marks": [list(mark) for mark in result.marks],
        "path": result.path,
        "line": result.line,
        "commit": commit,
        "cite": f"{result.path}:{result.line}@{commit}",
    }
