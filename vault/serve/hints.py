"""Hints for agents: the tools that they have, in place of the commands that a person has."""

import re
from collections.abc import Mapping

from vault import wire
from vault.errors import VaultError
from vault.service.write.permission_gate import ConsentRequired
from vault.wire.shape import Json

#: What a hint says of a command → what an agent can do.
_TOOLS = (
    (r"`vault list` lists the entries", "`search_knowledge` finds entries"),
    (r"make a version of your own.*of this type and id", "`add_knowledge` with this type and id is shown in its place"),
    (
        r"`--global` changes it for everyone; `[^`]*` makes a version of its own for this space",
        "`space: global` changes it for everyone; `add_knowledge` with this type and id makes one for this space",
    ),
    (r"`vault supersede [^`]*` puts [^;]*", "`update_knowledge` with `valid_until` ends one of them"),
    (r"`vault get [^`]*`", "`get_knowledge`"),
    (r"`vault set [^`]*`", "`update_knowledge`"),
    (r"`vault add [^`]*`", "`add_knowledge`"),
    (r"`vault fact[^`]*`", "`knowledge_remember`"),
    (r"`vault retract`", "`knowledge_remember` with `retract`"),
    (r"`vault history [^`]*`", "`knowledge_history`"),
    (r"`vault knowledge entities`", "`knowledge_list_entities`"),
    (r"; `vault schema add [^`]*` makes a new one", ""),
    (r"`vault query --help` shows what a query looks like", "the description of `knowledge_query` shows one"),
    (r"`--status all`", "`status: all`"),
    (r"use `--mode keyword`, or leave `--mode` out", "give `mode: keyword`, or leave `mode` out"),
    (r"use `--space ([^`]*)`", r"give `space: \1`"),
    (r"say of which: `--chat`, or `chat`", "give `chat` too"),
)
_COMMAND = re.compile(r"`(vault |git |--)")


def agent_hint(hint: str) -> str:
    """A hint in the words of tools; what only a person can do is left to the vault's owner."""
    for pattern, replacement in _TOOLS:
        hint = re.sub(pattern, replacement, hint, flags=re.DOTALL)
    return f"for the vault's owner: {hint}" if _COMMAND.search(hint) else hint


def error_of(error: VaultError) -> Json:
    """A failure as agents are told of it. Consent needs a person, so its command stays."""
    told = wire.error(error)
    if not isinstance(error, ConsentRequired):
        told["error"]["hint"] = agent_hint(told["error"]["hint"])
    return told


def with_agent_hints(answer: Json) -> Json:
    """An answer whose warnings have hints for agents."""
    warnings = answer.get("warnings")
    if not warnings:
        return answer
    return {**answer, "warnings": [_hinted(item) for item in warnings]}


def _hinted(warning: object) -> object:
    if isinstance(warning, Mapping):
        return {**warning, "hint": agent_hint(str(warning["hint"]))}
    return warning
