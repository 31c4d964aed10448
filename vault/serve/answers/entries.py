"""Answers about entries, what was written of them, and their history."""

from typing import Annotated, Literal, NotRequired, TypedDict

from vault.serve.answers.parts import Cite, Diagnostic, Fields, Heading, More, Page, Plain, Space, Total, Turns, Version


class NamedReference(TypedDict):
    """A reference of an entry; `of` where it names a field of another."""

    field: str
    key: str
    of: NotRequired[str]


class Referrer(TypedDict):
    """An entry that names this one."""

    field: str
    key: str
    path: str


_Ends = TypedDict("_Ends", {"from": str, "to": str})


class LinkedEntry(Heading, _Ends):
    """An entry that is linked with another one, and the reference between them."""

    depth: int
    field: str


class LinkedEntries(TypedDict):
    """The entries that one is linked with."""

    items: list[LinkedEntry]
    total: Total
    hasMore: More


class TextPart(TypedDict):
    """Which characters of a text are shown."""

    start: int
    end: int
    total: Total
    hasMore: More


class EntryInFull(Heading):
    """An entry in full."""

    cite: Cite
    fields: Fields
    references: list[NamedReference]
    referencedBy: Annotated[list[Referrer], "The first of them; `related` has all."]
    referencedByTotal: int
    shadows: Annotated[list[str], "Files of entries that this one hides."]
    version: Version
    conflicted: Annotated[bool, "true: a merge left two sides in its file, and one is shown."]
    textPart: NotRequired[Annotated[TextPart, "Where `text` is a part of a long one: ask with `start` for the rest."]]
    related: NotRequired[LinkedEntries]
    context: NotRequired[Annotated[Turns | None, "The chat turns around it, if it came from a chat."]]


class Replaced(TypedDict):
    """What stood in a slot before."""

    key: str
    fields: Fields


AlreadyIn = Annotated[str, "The last commit, which already contains the result."]


class Landed(TypedDict):
    """Where a new entry went, and what stood there."""

    op: Literal["add", "supersede", "update", "retract", "none"]
    slot: str | None
    replaced: Replaced | None
    respelt: Annotated[list[str], "Keys that are written otherwise there."]
    done: Annotated[str | None, "The commit that did this before."]


class Written(TypedDict):
    """What a write did."""

    key: str
    path: str
    paths: list[str]
    fields: Annotated[list[str], "Those it wrote."]
    reveals: Annotated[str | None, "The file of the entry that shows again."]
    shadows: Annotated[list[str], "Files of entries that it hides from this space."]
    warnings: list[Diagnostic]
    notes: Annotated[list[str], "What the writer may not expect, such as another id than the name makes."]
    commit: Annotated[str | None, "null: no commit was needed"]
    alreadyIn: NotRequired[AlreadyIn]


class Added(Written, Landed):
    """What an addition did."""

    version: Annotated[str | None, "What an update is based on; null: another writer has removed it since."]


class Updated(Written):
    """What a change did."""

    version: Annotated[str | None, "What an update is based on; null: another writer has removed it since."]


class Deleted(Written):
    """What a removal did."""

    message: NotRequired[str]


class RememberedEntity(TypedDict):
    """An entity that a payload names, and whether it was made."""

    key: str
    created: bool


class RememberedFact(Landed):
    """What became of a statement; `at` is where it stands in the payload."""

    at: str
    key: str
    path: str


class Remembered(TypedDict):
    """What became of a payload."""

    commit: str | None
    alreadyIn: NotRequired[AlreadyIn]
    entities: list[RememberedEntity]
    facts: list[RememberedFact]
    note: Annotated[str | None, "The note that holds the text."]
    noteOp: Annotated[
        Literal["add", "update", "none"] | None, "none: the note already existed; update: with new sources."
    ]
    paths: list[str]
    done: str | None
    warnings: Annotated[list[str], "What to know of single statements, by their place in the payload."]
    shadows: Annotated[list[str], "Files of entries that it hides from this space."]


class FieldStep(TypedDict):
    """A field before and after."""

    before: Plain
    after: Plain


class EntryStep(TypedDict):
    """What a commit made of an entry."""

    commit: str
    time: str
    author: str
    subject: str
    op: str
    path: str
    space: Space
    version: Annotated[bool, "Whether a fact became another one."]
    boundary: NotRequired[Annotated[bool, "Whether a shallow clone ends here: what it changed may be older."]]
    fields: dict[str, FieldStep]


class EntryHistory(Page):
    """What each commit made of an entry, the newest first."""

    items: list[EntryStep]


class Successor(TypedDict):
    """What took a version's place."""

    key: str
    version: str


class SlotVersion(TypedDict):
    """A version that stood in a slot."""

    key: str
    kind: Literal["attribute", "constraint"]
    status: str
    statement: Plain
    value: Plain
    agent: Plain
    confidence: Plain
    importance: Plain
    quote: Plain
    validFrom: Plain
    validUntil: Plain
    observedAt: Plain
    sources: list[str]
    space: Space
    path: str
    version: str
    boundary: NotRequired[bool]
    commit: str
    time: str
    author: str
    subject: str
    ended: str | None
    endedAt: str | None
    supersededBy: Successor | None
    reason: str | None


class SlotHistory(Page):
    """What stood in a slot, the newest first."""

    items: list[SlotVersion]
