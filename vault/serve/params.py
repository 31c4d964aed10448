"""The parameters of each operation: strict, described, and shown to clients as JSON schemas."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of items.")]
Offset = Annotated[int, Field(ge=0, description="Items to skip; `hasMore` says whether more follow.")]
Text = Annotated[str, Field(max_length=200_000)]


class Params(BaseModel):
    """Parameters of every operation. Both can only narrow what the server is bound to."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    space: str | None = Field(None, description="Space to work in; `global` for none.")
    agent_id: str | None = Field(None, description="Include this agent's own facts.")


class Reading(Params):
    """Parameters of every operation that reads: the two times."""

    at: str | None = Field(None, description="The vault as of a commit, a date or `2 weeks ago`.")
    valid_at: str | None = Field(None, description="Only facts valid on this date.")


class Listed(Params):
    """A page of a list."""

    limit: Limit = 50
    offset: Offset = 0


class Paged(Reading, Listed):
    """A reading of a list."""


class Search(Reading):
    """A search; without a query an overview."""

    query: Text = Field("", description="Search words in any language; empty for an overview of the vault.")
    type: str | None = Field(None, description="Only entries of this type.")
    tag: str | None = Field(None, description="Only entries with this tag.")
    mode: Literal["hybrid", "keyword", "semantic"] = Field(
        "hybrid", description="Match by words, by meaning, or by both (`hybrid`)."
    )
    where: Literal["entries", "chats"] = Field(
        "entries", description="What to search: entries, or the turns of imported chats (by keyword only)."
    )
    history: bool = Field(default=False, description="Include superseded and deleted text, ranked below current text.")
    limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of results.")] = 10


class Get(Reading):
    """One entry in full."""

    id: Text = Field(description="A key (`actor.ada`), an id, a path, a name or an alias.")
    related: bool = Field(default=False, description="Include the entries it links to or is linked from, 50 at a time.")
    offset: Annotated[int, Field(ge=0, description="With `related`: number of linked entries to skip.")] = 0
    start: Annotated[int, Field(ge=0, description="Character of a long text to start at.")] = 0
    length: Annotated[int, Field(ge=1, le=200_000, description="Number of characters of a text to return.")] = 20_000
    context: Annotated[int, Field(ge=0, le=50)] | None = Field(
        None, description="Include the chat turn it was written in, with this many turns on each side."
    )


class Writing(Params):
    """Parameters of every change: the chat it comes from."""

    chat: str | None = Field(None, max_length=128, description="ID of the chat this comes from.")
    turn: Annotated[int, Field(ge=0)] | None = Field(None, description="Turn of the chat, counted from 0.")


class Add(Writing):
    """A new entry."""

    type: str = Field(description="Entry type: actor, thing, fact, output, note, or a type declared in the vault.")
    id: str | None = Field(None, description="If omitted, it is derived from the name.")
    fields: dict[str, Any] = Field(
        description="Field names and values. A reference is a string (`actor.ada`) where the schema declares one,"
        ' else `{"ref": "actor.ada"}`. Paths are relative to the vault\'s folder.'
    )


class Update(Writing):
    """A change of an entry. Fields that are not named stay as they are."""

    id: Text = Field(description="A key, an id, a path, a name or an alias.")
    fields: dict[str, Any] = Field(description="Field names and new values; null removes a field.")
    version: str | None = Field(
        None,
        description="The `version` that `get_knowledge` returned; an outdated one is refused.",
    )


class Delete(Writing):
    """A removal of an entry."""

    id: Text = Field(description="A key, an id, a path, a name or an alias.")
    version: str | None = Field(
        None,
        description="The `version` that `get_knowledge` returned; an outdated one is refused.",
    )
    reason: str | None = Field(None, description="Reason, kept in the commit message.")


class Hydrate(Params):
    """A message to find relevant knowledge for."""

    text: Text = Field(description="The user's message, unchanged.")
    session: str | None = Field(None, max_length=200, description="Session ID; keeps matches across turns.")
    mode: Literal["turn", "transcript"] = Field(
        "turn",
        description="`turn`: all that is relevant, each time; `transcript`: nothing twice in a session.",
    )
    meaning: bool = Field(default=False, description="Also match by meaning, not only by name.")
    budget: Annotated[int, Field(ge=0, le=20_000)] | None = Field(
        None, description="Maximum size in tokens, approximately."
    )
    explain: bool = Field(default=False, description="Include why each candidate was included or skipped.")


class Query(Paged):
    """A question in the query language."""

    query: Text = Field(description='A query such as `from actor | where tags contains "x" | limit 5`.')


class History(Listed):
    """The history of an entry or a slot."""

    of: Text = Field(description="An entry, or a slot as `ENTITY/ASPECT/GROUP/CLAIM`.")


class Entities(Paged):
    """A list of entities."""

    q: str = Field("", description="Only entities whose name, alias or ID contains this text.")
    type: str | None = Field(None, description="Only entities of this type.")


class Entity(Reading):
    """One entity."""

    name: Text = Field(description="An id, a name or an alias.")


class Tree(Reading):
    """The outline of an entity; without an entity, a list of entities."""

    entity: Text | None = Field(None, description="An id, a name or an alias.")
    depth: Annotated[int, Field(ge=1, le=3, description="1 for aspects, 2 for groups, 3 for claims.")] = 3
    max_aspects: Annotated[int, Field(ge=1, description="Maximum number of aspects of the entity.")] = 20
    max_groups: Annotated[int, Field(ge=1, description="Maximum number of groups in each aspect.")] = 20
    max_claims: Annotated[int, Field(ge=1, description="Maximum number of claims in each group.")] = 50


class Aspects(Paged):
    """The aspects of an entity."""

    entity: Text = Field(description="ID, name or alias of the entity.")


class Groups(Aspects):
    """The groups of an aspect."""

    aspect: Text = Field(description="Aspect of the entity, such as `work`.")


class Claims(Groups):
    """The claims of a group."""

    group: Text = Field(description="Group in the aspect, such as `general`.")


class Attributes(Claims):
    """The statements in a claim."""

    claim: Text = Field(description="Claim in the group, such as `role`.")
    status: Literal["active", "superseded", "retracted", "all"] = Field(
        "active", description="Only statements with this status; `all` includes earlier ones."
    )
    kind: Literal["attribute", "constraint"] | None = Field(
        None, description="Only statements of how something is (`attribute`) or must be (`constraint`)."
    )


class Hygiene(Listed):
    """A report of what to tidy up in the vault."""
