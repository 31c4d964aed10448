"""The operations that agents and programs are served: what each takes, does and answers. Every surface has these."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from vault.knowledge.payload import Payload
from vault.model.access import READ_TOOLS, READING, Need
from vault.serve import handlers
from vault.serve import params as p
from vault.serve.answers import entries, finding, navigation
from vault.wire.shape import Json

if TYPE_CHECKING:
    from vault.service.vault import Vault


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its name as a tool, what it takes, what it does with a vault, and the shape of its answer.

    `replaces` is whether it can destroy what is there, `repeats` whether to do it twice is to do it once. `also` are
    permissions that it needs besides its own.
    """

    name: str
    title: str
    about: str
    takes: type[BaseModel]
    does: Callable[["Vault", Any], Json]
    answers: Any
    replaces: bool = False
    repeats: bool = True
    also: tuple[Need, ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """The permissions that each call needs, whatever it does."""
        return ((self.name,), *self.also)

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.name in READ_TOOLS


#: The reading operations, the first of them first to be called; then those that write.
OPERATIONS = (
    Operation(
        "knowledge_tree",
        "Outline knowledge",
        "Start here. Without `entity`, the entities there are; with one, its aspects, groups and claims with counts and"
        " previews. Then `knowledge_list_attributes` for what is said in a claim, or `get_knowledge` for an entry.",
        p.Tree,
        handlers.tree,
        navigation.Outline | navigation.EntityPage,
    ),
    Operation(
        "search_knowledge",
        "Search knowledge",
        "Find entries by words and by meaning; each result cites path:line@commit. Without a query, an overview. Use it"
        " when you do not know what an entry is called; then `get_knowledge` with the key of a result.",
        p.Search,
        handlers.search,
        finding.SearchResults | finding.TurnsFound | finding.Overview,
    ),
    Operation(
        "get_knowledge",
        "Get an entry",
        "One entry in full: fields, text, references both ways, and the `version` that an update takes. Names, ids,"
        " aliases and paths all work; `search_knowledge` finds what none of these fits.",
        p.Get,
        handlers.get,
        entries.EntryInFull,
    ),
    Operation(
        "add_knowledge",
        "Add an entry",
        "Write a new entry and commit it. A refusal tells the expected structure of its type. For something said of an"
        " entity prefer `knowledge_remember`, which knows what replaces what.",
        p.Add,
        handlers.add,
        entries.Added,
        repeats=False,
    ),
    Operation(
        "update_knowledge",
        "Change an entry",
        "Set fields of an entry and commit that; fields that are not named stay, null removes one. Give the `version`"
        " that `get_knowledge` answered, and no other change is lost.",
        p.Update,
        handlers.update,
        entries.Updated,
        replaces=True,
    ),
    Operation(
        "delete_knowledge",
        "Delete an entry",
        "Remove an entry and commit that; history keeps it. Needs a person's consent unless the vault says otherwise."
        " If it overrode a global entry, that one shows again, and the answer says so.",
        p.Delete,
        handlers.delete,
        entries.Deleted,
        replaces=True,
        repeats=False,
    ),
    Operation(
        "knowledge_remember",
        "Remember",
        "Write relations and statements about entities as one commit, all or nothing; entities that are missing are"
        " made, a statement replaces what its slot (aspect, group, claim) said. Text alone becomes a linked note.",
        Payload,
        handlers.remember,
        entries.Remembered,
        replaces=True,
    ),
    Operation(
        "knowledge_hydrate",
        "Hydrate a message",
        "For each user message: one small block of what the vault knows of what it names, with citations; nothing for"
        " small talk. Give the same `session` each turn. Then `knowledge_tree` or `get_knowledge` for more of one.",
        p.Hydrate,
        handlers.hydrate,
        finding.Hydrated,
        also=(READING,),
    ),
    Operation(
        "knowledge_query",
        "Query entries",
        'Filter, order and count entries with the query language, as in `from actor | where tags contains "x" | count`.'
        " Use it for exact conditions; `search_knowledge` is for words and meaning.",
        p.Query,
        handlers.query,
        finding.QueriedEntries | finding.Table | finding.Count | finding.Sum | finding.Average | finding.Median,
    ),
    Operation(
        "knowledge_history",
        "Show history",
        "What each commit made of an entry, or what stood in a slot (`ENTITY/ASPECT/GROUP/CLAIM`): who, when, why.",
        p.History,
        handlers.history,
        entries.EntryHistory | entries.SlotHistory,
    ),
    Operation(
        "knowledge_list_entities",
        "List entities",
        "The entities facts are about, those with most facts first. Then `knowledge_tree` or `knowledge_list_aspects`.",
        p.Entities,
        handlers.entities,
        navigation.EntityPage,
    ),
    Operation(
        "knowledge_get_entity",
        "Get an entity",
        "One entity with its fields and counts. Then `knowledge_tree` for what is said of it.",
        p.Entity,
        handlers.entity,
        navigation.EntityShown,
    ),
    Operation(
        "knowledge_list_aspects",
        "List aspects",
        "The aspects of an entity, with counts. Then `knowledge_list_groups` with a key from here.",
        p.Aspects,
        handlers.aspects,
        navigation.AspectPage,
    ),
    Operation(
        "knowledge_list_groups",
        "List groups",
        "The groups of an aspect, with counts. Then `knowledge_list_claims` with a key from here.",
        p.Groups,
        handlers.groups,
        navigation.GroupPage,
    ),
    Operation(
        "knowledge_list_claims",
        "List claims",
        "The claims of a group, with counts and a preview. Then `knowledge_list_attributes` with a key from here.",
        p.Claims,
        handlers.claims,
        navigation.ClaimPage,
    ),
    Operation(
        "knowledge_list_attributes",
        "List attributes",
        "What is said in a claim, with sources and citations; `status` all adds what was superseded or retracted.",
        p.Attributes,
        handlers.attributes,
        navigation.AttributePage,
    ),
    Operation(
        "knowledge_hygiene_report",
        "Report on hygiene",
        "What to tidy up: duplicates, dangling references, facts without a source; each with a command.",
        p.Hygiene,
        handlers.hygiene,
        navigation.HygieneReport,
    ),
)

#: Names that older clients call the walk by.
ALIASES = {
    "entity_list": "knowledge_list_entities",
    "entity_get": "knowledge_get_entity",
    "entity_aspects": "knowledge_list_aspects",
    "entity_groups": "knowledge_list_groups",
    "entity_claims": "knowledge_list_claims",
    "entity_attributes": "knowledge_list_attributes",
}

BY_NAME = {operation.name: operation for operation in OPERATIONS}
BY_NAME |= {alias: BY_NAME[name] for alias, name in ALIASES.items()}
