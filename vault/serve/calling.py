"""One call of an operation: read what it is given, see whether it may be done, and do it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from vault.errors import UsageError, VaultError
from vault.knowledge.payload import LISTED, BadPayload, Payload, path_of, payload_of, what_is_unfit
from vault.model.access import GLOBAL
from vault.serve.binding import Desk
from vault.serve.operations import BY_NAME, Operation
from vault.service.consents import make_sure_agreed
from vault.service.vault import Vault
from vault.store.files import Unreadable
from vault.wire.shape import Json


class UnknownTool(UsageError):
    """A tool that is not served, or not to this caller."""

    code = "unknown-tool"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        near = get_close_matches(name, known, n=1)
        super().__init__(
            f"there is no tool `{name}`",
            hint=f"did you mean `{near[0]}`?" if near else f"tools: {', '.join(known)}",
            details={"candidates": list(known)},
        )


class BadArguments(UsageError):
    """Arguments that an operation does not take."""

    code = "invalid_parameter"

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        told = "; ".join(f"{path}: {why}" for path, why in problems)
        super().__init__(
            f"the arguments are off: {told}",
            hint="see the tool's input schema",
            details={"problems": [{"path": path, "message": why} for path, why in problems]},
        )


class NotPermitted(VaultError):
    """A tool that the vault's settings switch off."""

    code = "not-permitted"

    def __init__(self, tool: str) -> None:
        super().__init__(
            f"`{tool}` is switched off in this vault",
            hint="`permissions:` in vault.yaml says what may be used; its owner can change that",
            details={"tool": tool},
        )


def served(desk: Desk) -> list[str]:
    """The names that a caller may call."""
    allowed = desk.binding.tools
    return [name for name, one in BY_NAME.items() if allowed is None or {name, one.name} & allowed]


def operation_of(desk: Desk, name: str) -> Operation:
    """The operation of a name. Raises `UnknownTool`."""
    known = served(desk)
    if name not in known:
        raise UnknownTool(name, known)
    return BY_NAME[name]


def read_arguments(operation: Operation, given: Mapping[str, Any]) -> BaseModel:
    """Read what an operation is given. Raises `BadArguments` and `BadPayload`."""
    if operation.takes is Payload:
        return payload_of(dict(given))
    if unfit := list(islice(what_is_unfit(given), LISTED)):
        raise BadArguments(unfit)
    try:
        return operation.takes.model_validate(dict(given))
    except ValidationError as error:
        raise BadArguments([(path_of(one["loc"]), one["msg"]) for one in error.errors()]) from error


def call(desk: Desk, name: str, given: Mapping[str, Any], *, agreed: str | None = None) -> Json:
    """Do what a call asks for; `agreed` is the digest of what a person has just said yes to.

    Raises `UnknownTool`, `BadArguments`, `NotBound`, `NotPermitted`, `ConsentRequired`, and what operations raise.
    """
    operation = operation_of(desk, name)
    asked = read_arguments(operation, given)
    reader = desk.binding.reader(getattr(asked, "space", None), getattr(asked, "agent_id", None))
    with desk.vault(reader, getattr(asked, "at", None), getattr(asked, "valid_at", None)) as vault:
        permissions = [
            (vault.layout.settings.permission(tool, reader.space or GLOBAL), tool) for tool in _tools(operation, asked)
        ]
        for permission, tool in permissions:
            if permission == "never":
                raise NotPermitted(tool)
        if any(permission == "ask" for permission, _ in permissions):
            make_sure_agreed(vault, operation.name, given, agreed=agreed)
        with vault.written_in(getattr(asked, "chat", None), getattr(asked, "turn", None)):
            return _done(operation, vault, asked)


def _tools(operation: Operation, asked: BaseModel) -> list[str]:
    """The tools whose permissions a call needs: to remember is to add and to change, and it may be to delete."""
    if isinstance(asked, Payload):
        return [operation.name, "add_knowledge", "update_knowledge", *(["delete_knowledge"] if asked.retracts else [])]
    return [operation.name]


def _done(operation: Operation, vault: Vault, asked: BaseModel) -> Json:
    """What an operation answers; files that a switch of branches took away meanwhile are looked at anew."""
    try:
        return operation.does(vault, asked)
    except Unreadable:
        if not operation.reads or vault.past:
            raise
        vault.refresh(anew=True)
        return operation.does(vault, asked)


__all__ = ["BadArguments", "BadPayload", "NotPermitted", "UnknownTool", "call", "operation_of", "served"]
