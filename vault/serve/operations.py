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
        "Start here. Lists the entities in the vault or, with `entity`, outlines what is known about one: aspects,"
        " groups and claims with counts and previews. Next: `knowledge_list_attributes` for the statements of a"
        " claim, `get_knowledge` for an entry.",
        p.Tree,
        handlers.tree,
        navigation.Outline | navigation.EntityPage,
    ),
    Operation(
        "search_knowledge",
        "Search knowledge",
        "Search entries by keyword and by meaning. Use it when you do not know an entry's name. Each result cites"
        " path:line@commit. Without a query, returns an overview of the vault. Next: `get_knowledge` with the key"
        " of a result.",
        p.Search,
        handlers.search,
        finding.SearchResults | finding.TurnsFound | finding.Overview,
    ),
    Operation(
        "get_knowledge",
        "Get an entry",
        "Get one entry in full by key, id, name, alias or path: fields, text, links in both directions, and the"
        " `version` that `update_knowledge` needs. If nothing matches, use `search_knowledge`.",
        p.Get,
        handlers.get,
        entries.EntryInFull,
    ),
    Operation(
        "add_knowledge",
        "Add an entry",
        "Add an entry and commit it. If it is refused, the error describes the fields of its type. For a statement"
        " about an entity use `knowledge_remember` instead: it replaces the outdated statement.",
        p.Add,
        handlers.add,
        entries.Added,
        repeats=False,
    ),
    Operation(
        "update_knowledge",
        "Change an entry",
        "Change fields of an entry and commit that. Fields you do not name stay; null removes a field. Pass the"
        " `version` from `get_knowledge` so that no other change is overwritten.",
        p.Update,
        handlers.update,
        entries.Updated,
        replaces=True,
    ),
    Operation(
        "delete_knowledge",
        "Delete an entry",
        "Delete an entry and commit that; git history keeps it. By default a person has to consent. If the entry"
        " overrode a global one, that becomes visible again and the answer names it.",
        p.Delete,
        handlers.delete,
        entries.Deleted,
        replaces=True,
        repeats=False,
    ),
    Operation(
        "knowledge_remember",
        "Remember",
        "Record statements about entities and relations between them in one commit, all or nothing. Missing"
        " entities are created. A statement replaces the current one in its slot (aspect, group, claim). Text alone"
        " is kept as a linked note.",
        Payload,
        handlers.remember,
        entries.Remembered,
        replaces=True,
    ),
    Operation(
        "knowledge_hydrate",
        "Hydrate a message",
        "Call it for each user message: returns a small block of the knowledge relevant to it, with citations;"
        " empty for small talk. Pass the same `session` each turn. Next: `knowledge_tree` or `get_knowledge` for"
        " details.",
        p.Hydrate,
        handlers.hydrate,
        finding.Hydrated,
        also=(READING,),
    ),
    Operation(
        "knowledge_query",
        "Query entries",
        'Filter, sort and count entries by exact conditions, for example `from actor | where tags contains "x" |'
        " count`. To search by words or meaning use `search_knowledge`.",
        p.Query,
        handlers.query,
        finding.QueriedEntries | finding.Table | finding.Count | finding.Sum | finding.Average | finding.Median,
    ),
    Operation(
        "knowledge_history",
        "Show history",
        "List the changes of an entry, or the statements a slot (`ENTITY/ASPECT/GROUP/CLAIM`) has held: who, when"
        " and why.",
        p.History,
        handlers.history,
        entries.EntryHistory | entries.SlotHistory,
    ),
    Operation(
        "knowledge_list_entities",
        "List entities",
        "List entities, those with the most facts first. Next: `knowledge_tree` or `knowledge_list_aspects`.",
        p.Entities,
        handlers.entities,
        navigation.EntityPage,
    ),
    Operation(
        "knowledge_get_entity",
        "Get an entity",
        "Get an entity with its fields and counts. Next: `knowledge_tree` for its facts.",
        p.Entity,
        handlers.entity,
        navigation.EntityShown,
    ),
    Operation(
        "knowledge_list_aspects",
        "List aspects",
        "List the aspects of an entity, with counts. Next: `knowledge_list_groups` with a key from the answer.",
        p.Aspects,
        handlers.aspects,
        navigation.AspectPage,
    ),
    Operation(
        "knowledge_list_groups",
        "List groups",
        "List the groups of an aspect, with counts. Next: `knowledge_list_claims` with a key from the answer.",
        p.Groups,
        handlers.groups,
        navigation.GroupPage,
    ),
    Operation(
        "knowledge_list_claims",
        "List claims",
        "List the claims of a group, with counts and a preview. Next: `knowledge_list_attributes` with a key from"
        " the answer.",
        p.Claims,
        handlers.claims,
        navigation.ClaimPage,
    ),
    Operation(
        "knowledge_list_attributes",
        "List attributes",
        "List the statements of a claim, with sources and citations. `status` all includes superseded and"
        " retracted ones.",
        p.Attributes,
        handlers.attributes,
        navigation.AttributePage,
    ),
    Operation(
        "knowledge_hygiene_report",
        "Report on hygiene",
        "Report what to tidy up: duplicates, dangling references, facts without a source; each with a command that"
        " fixes it.",
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
