"""What answers are made of."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

#: The value of a field: text, a number, a truth value or a list, whatever its schema wants; null where there is none.
Plain = str | float | bool | list[Any] | None
Fields = dict[str, Plain]
Cite = Annotated[str, "path:line@commit"]
Space = Annotated[str | None, "null: global"]
Shipped = Annotated[Literal["bundled"], "It is bundled with firm-vault and read-only."]
Version = Annotated[str, "What an update is based on."]
Total = Annotated[int, "How many there are in all."]
More = Annotated[bool, "Whether some follow what is shown."]


class Page(TypedDict):
    """A part of a list."""

    total: Total
    limit: int
    offset: int
    hasMore: More


class Heading(TypedDict):
    """An entry in a list."""

    key: str
    type: str
    id: str
    name: str
    space: Space
    scope: NotRequired[Shipped]
    path: str
    line: int


class Spot(TypedDict):
    """A place in a file: 1-based, end exclusive."""

    path: str
    line: int
    column: int
    endLine: int
    endColumn: int


class RelatedSpot(Spot):
    """A second place that a diagnostic is about."""

    message: str


class Diagnostic(Spot):
    """Trouble in a file, and what to do about it."""

    severity: Literal["error", "warning", "info"]
    code: str
    message: str
    hint: str
    note: str
    subject: str
    related: list[RelatedSpot]


class Chat(TypedDict):
    """A chat in a list."""

    id: str
    space: Space
    path: str
    turns: int
    begun: str | None
    ended: str | None
    unreadable: Annotated[int, "Lines that are not turns."]


class Turn(TypedDict):
    """A turn of a chat."""

    turn: int
    role: str
    name: str | None
    at: str | None
    content: str
    line: int
    cite: Cite


class Turns(TypedDict):
    """Some turns of a chat, around the one that was asked for."""

    chat: Chat
    turn: int | None
    items: list[Turn]
    total: Total
