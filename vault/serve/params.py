"""What each operation takes: strict, described, and shown to clients as JSON schemas."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Limit = Annotated[int, Field(ge=1, le=200, description="At most so many items.")]
Offset = Annotated[int, Field(ge=0, description="Items to leave out at the start; `hasMore` says that some follow.")]
Text = Annotated[str, Field(max_length=200_000)]


class Params(BaseModel):
    """What every operation takes: where it looks, and for whom. Both can only narrow what the server is bound to."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    space: str | None = Field(None, description="The space to stand in; `global` leaves it.")
    agent_id: str | None = Field(None, description="See this agent's facts and everyone's.")


class Reading(Params):
    """What every reading takes: the two clocks."""

    at: str | None = Field(None, description="As was known at a commit, a day or `2 weeks ago`.")
    valid_at: str | None = Field(None, description="What held on a day.")


class Listed(Params):
    """A part of a list."""

    limit: Limit = 50
    offset: Offset = 0


class Paged(Reading, Listed):
    """A reading of a list."""


class Search(Reading):
    """A search; without a query an overview."""

    query: Text = Field("", description="Any words, in any language. Empty: an overview of what there is.")
    type: str | None = Field(None, description="Only entries of this type.")
    tag: str | None = Field(None, description="Only entries with this tag.")
    mode: Literal["hybrid", "keyword", "semantic"] = "hybrid"
    where: Literal["entries", "chats"] = Field(
        "entries", description="`chats`: turns of the chats that entries were written in, by their words."
    )
    history: bool = Field(default=False, description="Also what was superseded or retracted; it ranks below.")
    limit: Annotated[int, Field(ge=1, le=50)] = 10


class Get(Reading):
    """One entry in full."""

    id: Text = Field(description="A key (`actor.ada`), an id, a path, a name or an alias.")
    related: bool = Field(default=False, description="Also the entries it is linked with, 50 at a time.")
    offset: Annotated[int, Field(ge=0, description="With `related`: entries to leave out at the start.")] = 0
    start: Annotated[int, Field(ge=0, description="The character of a long text to begin at.")] = 0
    length: Annotated[int, Field(ge=1, le=200_000, description="Characters of a text to show.")] = 20_000
    context: Annotated[int, Field(ge=0, le=50)] | None = Field(
        None, description="Also the turn of the chat it was written in, with so many on each side."
    )


class Writing(Params):
    """What every change takes: the chat it comes from."""

    chat: str | None = Field(None, max_length=128, description="The id of the chat this comes from.")
    turn: Annotated[int, Field(ge=0)] | None = Field(None, description="The turn of the chat, counted from 0.")


class Add(Writing):
    """A new entry."""

    type: str = Field(description="actor, thing, fact, output, note, or a type of the vault's own.")
    id: str | None = Field(None, description="Without one an id is made of the name.")
    fields: dict[str, Any] = Field(
        description="Field → value; references are strings such as `actor.ada`; paths count from the vault's folder."
    )


class Update(Writing):
    """A change of an entry: fields that are not named stay."""

    id: Text = Field(description="A key, an id, a path, a name or an alias.")
    fields: dict[str, Any] = Field(description="Field → new value; null removes a field.")
    version: str | None = Field(None, description="The version it is based on, as `get_knowledge` gave it.")


class Delete(Writing):
    """A removal of an entry."""

    id: Text = Field(description="A key, an id, a path, a name or an alias.")
    version: str | None = Field(None, description="The version it is based on, as `get_knowledge` gave it.")
    reason: str | None = Field(None, description="Why, kept in the commit.")


class Hydrate(Params):
    """A message, for which what the vault knows of what it names is wanted."""

    text: Text = Field(description="The message, as it was written.")
    session: str | None = Field(None, max_length=200, description="Remembers what was matched or shown, turn by turn.")
    mode: Literal["turn", "transcript"] = Field(
        "turn", description="`turn`: the block is made anew each turn; `transcript`: nothing is said twice."
    )
    meaning: bool = Field(default=False, description="Also what is near in meaning.")
    budget: Annotated[int, Field(ge=0, le=20_000)] | None = Field(None, description="At most about so many tokens.")
    explain: bool = Field(default=False, description="Also why each candidate is in or out.")


class Query(Paged):
    """A question in the query language."""

    query: Text = Field(description='As in `from actor | where tags contains "x" | limit 5`.')


class History(Listed):
    """What was made of an entry or a slot."""

    of: Text = Field(description="An entry, or a slot as `ENTITY/ASPECT/GROUP/CLAIM`.")


class Entities(Paged):
    """A list of entities."""

    q: str = Field("", description="Only those whose name, alias or id contains this.")
    type: str | None = Field(None, description="Only those of this type.")


class Entity(Reading):
    """One entity."""

    name: Text = Field(description="An id, a name or an alias.")


class Tree(Reading):
    """The outline of an entity; without one, the entities there are."""

    entity: Text | None = Field(None, description="An id, a name or an alias.")
    depth: Annotated[int, Field(ge=1, le=3, description="1 stops at aspects, 2 at groups, 3 at claims.")] = 3
    max_aspects: Annotated[int, Field(ge=1)] = 20
    max_groups: Annotated[int, Field(ge=1)] = 20
    max_claims: Annotated[int, Field(ge=1)] = 50


class Aspects(Paged):
    """The aspects of an entity."""

    entity: Text


class Groups(Aspects):
    """The groups of an aspect."""

    aspect: Text


class Claims(Groups):
    """The claims of a group."""

    group: Text


class Attributes(Claims):
    """What is said in a claim."""

    claim: Text
    status: Literal["active", "superseded", "retracted", "all"] = "active"
    kind: Literal["attribute", "constraint"] | None = None


class Hygiene(Listed):
    """A report of what to tidy up."""
