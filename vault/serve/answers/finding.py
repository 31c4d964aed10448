"""Answers of searches, queries and hydration."""

from typing import Annotated, Literal, NotRequired, TypedDict

from vault.serve.answers.parts import Cite, Heading, Page, Plain, Shipped, Space, Total


class Placing(TypedDict):
    """Where one ranker puts a result."""

    place: int
    score: float


class Via(TypedDict):
    """The reference that a neighbour of another result was come by."""

    key: str
    field: str
    backward: bool


class FormerText(TypedDict):
    """What became of what only history has."""

    status: Literal["superseded", "retracted", "deleted"]
    commit: str
    ended: str
    endedAt: str


class SearchResult(Heading):
    """An entry that fits, and the place that answers."""

    score: float
    heading: str
    snippet: str
    marks: Annotated[list[list[int]], "Start and end of each matched word in the snippet."]
    commit: str
    cite: Cite
    passage: str
    current: Annotated[bool, "false: it does not hold any more"]
    former: FormerText | None
    ranks: dict[str, Placing]
    via: Via | None


class Embedded(TypedDict):
    """How many passages have a vector."""

    passages: int
    of: int


class SearchResults(TypedDict):
    """What a search found, best first."""

    query: str
    mode: Literal["hybrid", "keyword", "semantic"]
    fusion: Literal["rrf", "convex"] | None
    embedded: Embedded | None
    problem: Annotated[str | None, "Why meaning could not be searched."]
    conflicted: Annotated[list[str], "Files in which a merge left two sides: one is shown."]
    items: list[SearchResult]
    total: Total


class TurnFound(TypedDict):
    """A turn of a chat that fits."""

    chat: Plain
    turn: Plain
    role: Plain
    name: Plain
    at: Plain
    space: Space
    score: float
    snippet: str
    marks: list[list[int]]
    path: str
    line: int
    commit: str
    cite: Cite


class TurnsFound(TypedDict):
    """The turns of chats that a search found, best first."""

    query: str
    items: list[TurnFound]
    total: Total


class Newest(Heading):
    """An entry, and when it was made."""

    createdAt: str


class Connected(Heading):
    """An entry, and how many references begin or end at it."""

    references: int


class Overview(TypedDict):
    """What there is: counts, the newest and the most connected entries."""

    total: Total
    types: dict[str, int]
    spaces: dict[str, int]
    newest: list[Newest]
    mostConnected: list[Connected]


class HydratedLine(TypedDict):
    """A line of a block, and why it is there; what is gone since it was shown has a key alone."""

    key: str
    type: NotRequired[str]
    id: NotRequired[str]
    name: NotRequired[str]
    space: NotRequired[Space]
    scope: NotRequired[Shipped]
    path: str | None
    line: int | None
    text: str
    commit: str | None
    cite: Annotated[str | None, "path:line@commit"]
    source: str
    why: str
    score: float


_Chosen = TypedDict("_Chosen", {"in": bool})


class HydrationCandidate(_Chosen):
    """What might have been brought, and why it is in or out."""

    key: str
    path: str
    source: str
    why: str
    score: float
    out: str | None


class Hydrated(TypedDict):
    """What a message brings."""

    block: Annotated[str | None, "What to show beside the message; null: nothing."]
    tokens: int
    budget: int
    mode: Literal["turn", "transcript"]
    turn: int | None
    enabled: bool
    problem: str | None
    items: list[HydratedLine]
    total: Total
    candidates: NotRequired[list[HydrationCandidate]]


class QueriedEntry(Heading):
    """An entry that a query found."""

    fields: dict[str, Plain]


class QueriedEntries(Page):
    """The entries that a query found."""

    items: list[QueriedEntry]


class Table(Page):
    """The fields that a query selects."""

    columns: list[str]
    rows: list[list[Plain]]


class Count(TypedDict):
    """How many a query counted."""

    count: int


class Sum(TypedDict):
    """A sum; an amount of money is a text."""

    sum: float | str


class Average(TypedDict):
    """An average; an amount of money is a text."""

    average: float | str


class Median(TypedDict):
    """A median; an amount of money is a text."""

    median: float | str
