"""What `remember` takes: the payload of a structured write, read strictly, with every error at its JSON path."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from itertools import islice
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict

from vault.errors import VaultError
from vault.model.values import Moment, moment_of
from vault.model.when import first_day

#: What some editors put before a text.
BOM = "\ufeff"
#: Digits of a whole number that any payload could mean; Python converts some thousands.
DIGITS = 100
#: Problems that one message lists.
LISTED = 20
#: Levels of objects and lists in one another that anything given could need.
DEPTH = 50


class BadPayload(VaultError):
    """A payload that cannot be remembered; nothing of it was. `problems` are pairs of JSON path and sentence."""

    code = "invalid-payload"

    def __init__(self, problems: Sequence[tuple[str, str]], hint: str = "") -> None:
        self.problems = list(problems)
        told = "\n".join(f"  {path}: {why}" for path, why in self.problems[:LISTED])
        more = f"\n  and {len(self.problems) - LISTED} more" if len(self.problems) > LISTED else ""
        super().__init__(
            f"nothing was recorded:\n{told}{more}",
            hint=hint or "correct the payload, and remember it again",
            details={"problems": [{"path": path, "message": why} for path, why in self.problems]},
        )


def _as_moment(value: Any, info: ValidationInfo) -> Moment:
    """Read a date, a date and time as ISO 8601 writes it, a month or a year."""
    if isinstance(value, Moment):
        return value
    if not isinstance(value, str):
        raise ValueError("write a date as a string, as in `2025-03-01` or `2025-03-01T14:30:00Z`")  # noqa: TRY004  pydantic's way
    try:
        if day := first_day(value, after=info.field_name == "valid_until"):
            return Moment(day)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return Moment(date.fromisoformat(value))
        found = datetime.fromisoformat(value)
    except ValueError as error:
        raise ValueError(
            f"`{value[:40]}` is not a date; write `2025-03-01`, `2025-03` or `2025-03-01T14:30:00Z`"
        ) from error
    if found.tzinfo:
        return moment_of(found)
    return Moment(found.date(), found.time().replace(microsecond=0))


def _is_said(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("it is empty")
    return value


Words = Annotated[str, BeforeValidator(_is_said)]
Share = Annotated[float, Field(ge=0, le=1)]
When = Annotated[
    Moment, BeforeValidator(_as_moment), WithJsonSchema({"type": "string", "description": "ISO 8601 date or time"})
]


#: A payload as tools show it.
EXAMPLE: JsonDict = {
    "structured": {
        "aspects": [
            {
                "entityName": "Bob",
                "entityType": "person",
                "aspect": "work",
                "attributes": [{"claimKey": "role", "content": "Bob is CTO of Acme.", "value": "CTO"}],
            }
        ]
    }
}


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=to_camel, arbitrary_types_allowed=True
    )


class Link(_Part):
    """A relation between two entities."""

    source: Words = Field(description="The name of an entity.")
    source_type: Words | None = Field(
        None, description="Its type or kind, as `person`; needed for an entity that is new."
    )
    relationship: Words = Field(description="How it relates, as `works_at` or `uses`.")
    target: Words = Field(description="The name of the other entity.")
    target_type: Words | None = Field(None, description="Its type or kind; needed for an entity that is new.")
    confidence: Share | None = Field(None, description="0 to 1.")


CLAIM_KEY = (
    "What the statement is about, as `role`. It names the slot: a later statement with this key replaces this one."
    " Without it the statement has no slot and is never replaced."
)


class Statement(_Part):
    """One thing said of an entity, or with `retract` no longer said."""

    group_key: Words | None = Field(None, description="The group inside the aspect; `general` if omitted.")
    claim_key: Words | None = Field(
        None,
        description=CLAIM_KEY,
    )
    content: Words | None = Field(None, description="The statement, one sentence. Leave it out only with `retract`.")
    confidence: Share | None = Field(None, description="0 to 1.")
    importance: Share | None = Field(None, description="0 to 1.")
    kind: Literal["attribute", "constraint"] | None = Field(
        None, description="How it is (`attribute`, if omitted) or must be (`constraint`)."
    )
    value: Words | None = Field(None, description="The bare value, as `CTO`.")
    quote: Words | None = Field(None, description="The words that it rests on.")
    retract: bool = Field(default=False, description="Take back what the slot says; needs `claimKey`.")


class About(_Part):
    """What is said of one aspect of an entity, which is named by its name or its id."""

    entity_name: Words | None = Field(None, description="The name or alias of the entity; one that is missing is made.")
    entity_id: Words | None = Field(None, description="Its id or key, as `actor.bob`, in place of the name.")
    entity_type: Words | None = Field(None, description="Its type or kind; needed for an entity that is new.")
    aspect: Words = Field(description="The side of the entity, as `work` or `health`.")
    attributes: tuple[Statement, ...] = Field(description="What is said.")


class Structured(_Part):
    """Relations, statements, and words that the statements should be found by."""

    entities: tuple[Link, ...] = Field((), description="Relations between entities.")
    aspects: tuple[About, ...] = Field((), description="Statements, by entity and aspect.")
    hints: tuple[Words, ...] = Field((), description="Words that the statements should be found by.")


class Payload(_Part):
    """What is to be remembered: structure, text, or both."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    structured: Structured | None = Field(None, description="Relations and statements.")
    content: Words | None = Field(
        None, description="A text: the quote of the statements that it contains, else kept as a note."
    )
    agent_id: Words | None = Field(None, description="The agent that sees it; everyone if omitted.")
    observed_at: When | None = Field(None, description="When it was observed.")
    valid_from: When | None = Field(None, description="Since when it holds.")
    valid_until: When | None = Field(None, description="The first moment at which it holds no more.")
    source_id: Words | None = Field(None, description="Where it comes from: a URL, a path or a citation.")
    idempotency_key: Words | None = Field(
        None, description="A call that is repeated with the same key changes nothing."
    )
    space: Words | None = Field(None, description="The space to write in.")
    chat: Words | None = Field(None, description="The id of the chat this comes from.")
    turn: Annotated[int, Field(ge=0)] | None = Field(None, description="The turn of the chat, counted from 0.")

    @property
    def retracts(self) -> bool:
        """Whether it takes back anything that was said."""
        return self.structured is not None and any(
            said.retract for about in self.structured.aspects for said in about.attributes
        )


def read_payload(text: str) -> Payload:
    """Read a payload from JSON, each key of which stands once in its object. Raises `BadPayload`."""
    try:
        data = json.loads(text.removeprefix(BOM), object_pairs_hook=_once, parse_constant=_no_number, parse_int=_number)
    except RecursionError as error:
        raise BadPayload([("$", "it is nested too deeply")]) from error
    except ValueError as error:
        raise BadPayload([("$", f"it is not JSON: {error}")]) from error
    return payload_of(data)


def is_json(text: str) -> bool:
    """Say whether a text is meant as JSON: an object, whole or broken, or a list that can be read."""
    text = text.removeprefix(BOM).lstrip()
    if not text.startswith("["):
        return text.startswith("{")
    try:
        json.loads(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; a key that is there twice would hide what the first says."""
    twice = [name for name, number in Counter(name for name, _ in pairs).items() if number > 1]
    if twice:
        raise ValueError(f"the key `{twice[0]}` occurs twice in one object")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(f"`{name}` is not a number")


def _number(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def payload_of(data: Any) -> Payload:
    """Read a payload from JSON's values. Raises `BadPayload`."""
    if unfit := list(islice(what_is_unfit(data), LISTED)):
        raise BadPayload(unfit)
    try:
        payload = Payload.model_validate(_frozen(data))
    except ValidationError as error:
        raise BadPayload([(path_of(item["loc"]), _why(item)) for item in error.errors()]) from error
    problems = _beyond_types(payload)
    if problems:
        raise BadPayload(problems)
    return payload


def what_is_unfit(data: Any) -> Iterator[tuple[str, str]]:
    """What JSON can write and nothing here can hold, by its path: halves of characters, and what is no number."""
    left: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while left:
        place, value = left.pop()
        if len(place) > DEPTH:
            yield path_of(place), "it is nested too deeply"
        elif isinstance(value, Mapping):
            left += [((*place, str(name)), part) for name, part in value.items()]
            yield from ((path_of((*place, name)), HALF) for name in value if not _is_whole(str(name)))
        elif isinstance(value, (list, tuple)):
            left += [((*place, number), part) for number, part in enumerate(value)]
        elif isinstance(value, str) and not _is_whole(value):
            yield path_of(place), HALF
        elif isinstance(value, float) and not isfinite(value):
            yield path_of(place), "it is not a number"


HALF = "it holds half of a character (a surrogate without the other)"


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def path_of(parts: Sequence[str | int]) -> str:
    """Write a place in a payload as a JSON path; halves of characters in it are told by their numbers."""
    told = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return told.encode(errors="backslashreplace").decode()


def _frozen(data: Any) -> Any:
    """Lists as tuples, so that nothing is coerced."""
    if isinstance(data, list):
        return tuple(map(_frozen, data))
    return {name: _frozen(value) for name, value in data.items()} if isinstance(data, dict) else data


def _why(item: Any) -> str:
    """A problem in a sentence of ours."""
    if item["type"] == "missing":
        return "it is missing"
    if item["type"] == "extra_forbidden":
        return _unknown_key(str(item["loc"][-1]))
    if item["type"] == "model_type":
        return "it should be an object"
    if item["type"] == "value_error":
        return str(item["ctx"]["error"])
    told = str(item["msg"])
    return told.replace("Input should be", "it should be").replace("a valid tuple", "a list")


def _unknown_key(key: str) -> str:
    """What is wrong with a key where it stands: it belongs elsewhere, or it is misspelt."""
    if key in _PLACES:
        return f"`{key}` does not belong here; it is a key of {' and '.join(_PLACES[key])}"
    near = get_close_matches(key, _PLACES, n=1)
    return "no such key" + (f"; did you mean `{near[0]}`?" if near else "")


def _places() -> dict[str, list[str]]:
    """The places of a payload that each key belongs to."""
    found: dict[str, list[str]] = {}
    for place, model in (
        ("$", Payload),
        ("$.structured", Structured),
        ("$.structured.entities[]", Link),
        ("$.structured.aspects[]", About),
        ("$.structured.aspects[].attributes[]", Statement),
    ):
        for name, field in model.model_fields.items():
            found.setdefault(field.alias or name, []).append(place)
    return found


_PLACES = _places()


def _beyond_types(payload: Payload) -> list[tuple[str, str]]:
    """What is wrong with a payload whose parts are right."""
    found = []
    structured = payload.structured
    if structured is None and payload.content is None:
        found.append(("$", "there is nothing to remember: give `structured`, `content`, or both"))
    for number, about in enumerate(structured.aspects if structured else ()):
        place = f"$.structured.aspects[{number}]"
        if about.entity_name is None and about.entity_id is None:
            found.append((place, "name the entity: give `entityName` or `entityId`"))
        for item, said in enumerate(about.attributes):
            here = f"{place}.attributes[{item}]"
            if said.content is None and not said.retract:
                found.append((f"{here}.content", "it is missing"))
            if said.retract and said.claim_key is None:
                found.append((f"{here}.claimKey", "it is missing: name what is retracted"))
    return found
