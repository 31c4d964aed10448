"""One call of an operation: read its arguments, pass the gate, and do it. Resources and prompts pass the same gate."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from vault.errors import DamagedData, UsageError, VaultError
from vault.knowledge.payload import LISTED, BadPayload, Payload, path_of, payload_of, what_is_unfit
from vault.model.access import Need
from vault.serve.hints import with_agent_hints
from vault.serve.operations import ALIASES, BY_NAME, Operation
from vault.serve.session import Desk
from vault.service.vault import Vault
from vault.service.write.consents import Consent
from vault.service.write.permission_gate import Gate, NotPermitted
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

    code = "invalid-parameter"

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        told = "; ".join(f"{path}: {why}" for path, why in problems)
        super().__init__(
            f"invalid arguments: {told}",
            hint="see the tool's input schema",
            details={"problems": [{"path": path, "message": why} for path, why in problems]},
        )


def served(desk: Desk) -> list[str]:
    """The names that a caller may call; those of older clients where the settings want them."""
    names = BY_NAME if desk.serves_aliases else BY_NAME.keys() - ALIASES
    return [name for name in BY_NAME if name in names and _is_allowed(desk, name)]


def operation_of(desk: Desk, name: str) -> Operation:
    """The operation of a name. Raises `UnknownTool`."""
    known = name in BY_NAME and _is_allowed(desk, name)
    if not known or (name in ALIASES and not desk.serves_aliases):
        raise UnknownTool(name, served(desk))
    return BY_NAME[name]


def _is_allowed(desk: Desk, name: str) -> bool:
    allowed = desk.binding.tools
    return allowed is None or bool({name, BY_NAME[name].name} & allowed)


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


def call(desk: Desk, name: str, given: Mapping[str, Any]) -> Json:
    """Do what a call asks for.

    Raises `UnknownTool`, `BadArguments`, `NotBound`, `NotPermitted`, `ConsentRequired`, and what operations raise.
    """
    operation = operation_of(desk, name)
    asked = read_arguments(operation, given)
    reader = desk.binding.reader(getattr(asked, "space", None), getattr(asked, "agent_id", None))
    with desk.vault(reader, getattr(asked, "at", None), getattr(asked, "valid_at", None)) as vault:
        gate = Gate(vault, desk.binding.caller, operation.name, operation.needs, given)
        if operation.reads:
            with gate.reading():
                return _remarked(_read(operation, vault, asked), vault)
        gate.enter()
        with _passing(vault, gate), vault.written_in(getattr(asked, "chat", None), getattr(asked, "turn", None)):
            try:
                answer = with_agent_hints(_done(operation, vault, asked))
            except VaultError as error:
                if not gate.may_read:
                    _leave_out_names(error)
                raise
        return answer if gate.may_read else _without_texts(answer)


def _remarked(answer: Json, vault: Vault) -> Json:
    """An answer, with what a shallow clone cannot know."""
    text = vault.shallow_warning()
    return {**answer, "shallow": {"leftOut": len(vault.unknown_facts()), "message": text}} if text else answer


def _read(operation: Operation, vault: Vault, asked: BaseModel) -> Json:
    """Answer a call that reads; derived data that turns out to be damaged is rebuilt, and read once more."""
    try:
        return _done(operation, vault, asked)
    except DamagedData:
        vault.data.forget()
        return _done(operation, vault, asked)


@contextmanager
def reading(desk: Desk, name: str, arguments: Mapping[str, Any], *needs: Need) -> Iterator[Vault]:
    """Read the vault in another way than by a tool. Raises `NotPermitted` and `ConsentRequired`."""
    with (
        desk.vault(desk.binding.reader()) as vault,
        Gate(vault, desk.binding.caller, name, needs, arguments).reading(),
    ):
        yield vault


def permits(desk: Desk, name: str, *needs: Need) -> bool:
    """Whether a caller may do something that needs some tools, perhaps once a person has agreed."""
    with desk.vault(desk.binding.reader()) as vault:
        try:
            Gate(vault, desk.binding.caller, name, needs).enter()
        except NotPermitted:
            return False
    return True


def agree_to(desk: Desk, consent: Consent) -> None:
    """Note that the person at the client agrees. Raises `NoSuchConsent`."""
    with desk.vault(desk.binding.reader(consent.call.space)) as vault:
        vault.agree(consent.number)


@contextmanager
def _passing(vault: Vault, gate: Gate) -> Iterator[None]:
    """Let every write of the vault pass a gate."""
    vault.gate = gate
    try:
        yield
    finally:
        vault.gate = None


def _leave_out_names(error: VaultError) -> None:
    """Take the entries that an error names out of it, for a caller who may not read."""
    if error.details.keys() & {"candidates", "places"}:
        error.message = error.message.partition(": ")[0]
        error.args = (error.message,)
        error.hint = "entries are named only to callers who may read"
        error.details = {name: value for name, value in error.details.items() if name not in ("candidates", "places")}


def _without_texts(answer: Json) -> Json:
    """The answer of a write, for a caller who may not read what was there before."""
    shown = {**answer, "replaced": None} if "replaced" in answer else answer
    if "facts" in shown:
        shown = {**shown, "facts": [{**fact, "replaced": None} for fact in shown["facts"]]}
    return shown


def _done(operation: Operation, vault: Vault, asked: BaseModel) -> Json:
    """What an operation answers; files that a switch of branches took away meanwhile are looked at anew."""
    try:
        return operation.does(vault, asked)
    except Unreadable:
        if not operation.reads or vault.past:
            raise
        vault.refresh(anew=True)
        return operation.does(vault, asked)


__all__ = [
    "BadArguments",
    "BadPayload",
    "NotPermitted",
    "UnknownTool",
    "agree_to",
    "call",
    "operation_of",
    "permits",
    "reading",
    "served",
]
