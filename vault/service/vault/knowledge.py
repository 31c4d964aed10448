"""Walking knowledge: from entities to aspects, groups, claims and statements; and chats."""

from typing import TYPE_CHECKING, Any, overload

from vault.model.access import Reader
from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.knowledge.navigate.entities import Entity
    from vault.knowledge.navigate.outline import Aspect, Claim, Group
    from vault.knowledge.navigate.parameters import Page
    from vault.knowledge.navigate.states import State
    from vault.model.access import Reader
    from vault.search.find import Found
    from vault.service.read.chats import Chat, Excerpt
    from vault.service.read.navigate import Tree
    from vault.store.records import Stored


class Knowledge(VaultHandle):
    """Walking knowledge: from entities to aspects, groups, claims and statements; and chats."""

    @overload
    def navigate(self, *, limit: int = 50, offset: int = 0) -> "Page[Entity]": ...
    @overload
    def navigate(self, entity: str, /, *, limit: int = 50, offset: int = 0) -> "Tree": ...
    @overload
    def navigate(self, entity: str, aspect: str, /, *, limit: int = 50, offset: int = 0) -> "Page[Group]": ...
    @overload
    def navigate(
        self, entity: str, aspect: str, group: str, /, *, limit: int = 50, offset: int = 0
    ) -> "Page[Claim]": ...
    @overload
    def navigate(
        self, entity: str, aspect: str, group: str, claim: str, /, *, limit: int = 50, offset: int = 0
    ) -> "Page[State]": ...
    def navigate(self, *steps: str, limit: int = 50, offset: int = 0) -> Any:
        """Walk from the entities there are to what is said in a claim: each word goes one step down.

        Without a word the entities, most facts first; an entity's outline as a `Tree`; then groups, claims, and what is
        said now. `navigating` has more to ask for. Raises `EntityNotFound`, `AmbiguousEntity` and `PlaceNotFound`.
        """
        from vault.service.read import navigate

        match steps:
            case ():
                return navigate.entities(self, limit=limit, offset=offset)
            case (entity,):
                return navigate.tree(self, entity)
            case (entity, aspect):
                return navigate.groups(self, entity, aspect, limit=limit, offset=offset)
            case (entity, aspect, group):
                return navigate.claims(self, entity, aspect, group, limit=limit, offset=offset)
            case (entity, aspect, group, claim):
                return navigate.attributes(self, entity, aspect, group, claim, limit=limit, offset=offset)
        raise TypeError(f"a walk has at most four steps, not {len(steps)}")

    def entities(
        self,
        *,
        q: str = "",
        type: str | None = None,  # noqa: A002  the word people know
        agent_id: str | None = None,
        limit: int | str = 50,
        offset: int | str = 0,
        reader: "Reader | None" = None,
    ) -> "Page[Entity]":
        """List the entities, or those whose name, alias or id contains `q`, or that are of a type."""
        from vault.service.read.navigate import entities

        return entities(self, q=q, type=type, agent_id=agent_id, limit=limit, offset=offset, reader=reader)

    def entity(self, name: str, *, agent_id: str | None = None, reader: "Reader | None" = None) -> "Entity":
        """Find an entity, with what is known of it."""
        from vault.service.read.navigate import entity

        return entity(self, name, agent_id=agent_id, reader=reader)

    def tree(
        self,
        entity: str,
        *,
        depth: int | str = 3,
        max_aspects: int | str = 20,
        max_groups: int | str = 20,
        max_claims: int | str = 50,
        status: str = "active",
        agent_id: str | None = None,
        reader: "Reader | None" = None,
    ) -> "Tree":
        """Outline what is said about an entity."""
        from vault.service.read.navigate import tree

        return tree(
            self,
            entity,
            depth=depth,
            max_aspects=max_aspects,
            max_groups=max_groups,
            max_claims=max_claims,
            status=status,
            agent_id=agent_id,
            reader=reader,
        )

    def aspects(
        self,
        entity: str,
        *,
        status: str = "active",
        agent_id: str | None = None,
        limit: int | str = 50,
        offset: int | str = 0,
        reader: "Reader | None" = None,
    ) -> "Page[Aspect]":
        """List the aspects of an entity."""
        from vault.service.read.navigate import aspects

        return aspects(self, entity, status=status, agent_id=agent_id, limit=limit, offset=offset, reader=reader)

    def groups(
        self,
        entity: str,
        aspect: str,
        *,
        status: str = "active",
        agent_id: str | None = None,
        limit: int | str = 50,
        offset: int | str = 0,
        reader: "Reader | None" = None,
    ) -> "Page[Group]":
        """List the groups of an aspect."""
        from vault.service.read.navigate import groups

        return groups(self, entity, aspect, status=status, agent_id=agent_id, limit=limit, offset=offset, reader=reader)

    def claims(
        self,
        entity: str,
        aspect: str,
        group: str,
        *,
        status: str = "active",
        agent_id: str | None = None,
        limit: int | str = 50,
        offset: int | str = 0,
        reader: "Reader | None" = None,
    ) -> "Page[Claim]":
        """List the claims of a group."""
        from vault.service.read.navigate import claims

        return claims(
            self, entity, aspect, group, status=status, agent_id=agent_id, limit=limit, offset=offset, reader=reader
        )

    def attributes(
        self,
        entity: str,
        aspect: str,
        group: str,
        claim: str,
        *,
        status: str = "active",
        kind: str | None = None,
        agent_id: str | None = None,
        limit: int | str = 50,
        offset: int | str = 0,
        reader: "Reader | None" = None,
    ) -> "Page[State]":
        """List what is said in a claim, and with other statuses what was said before; newest first."""
        from vault.service.read.navigate import attributes

        return attributes(
            self,
            entity,
            aspect,
            group,
            claim,
            status=status,
            kind=kind,
            agent_id=agent_id,
            limit=limit,
            offset=offset,
            reader=reader,
        )

    def chats(self, *, reader: "Reader | None" = None) -> "list[Chat]":
        """The chats a reader sees, by id."""
        from vault.service.read.chats import chats

        return chats(self, reader=reader)

    def chat_excerpt(self, ident: str, turn: int | None = None, context: int = 0) -> "Excerpt":
        """A chat, or a turn of it with so many around it on each side. Raises `NoSuchTurn` as well."""
        from vault.service.read.chats import excerpt

        return excerpt(self, ident, turn, context)

    def chat_context(self, stored: "Stored", context: int, *, reader: "Reader | None" = None) -> "Excerpt | None":
        """The turns around the one that an entry was written in; None where it names none that the reader sees."""
        from vault.service.read.chats import context_of

        return context_of(self, stored, context, reader=reader)

    def search_chats(self, query: str, *, limit: int = 10, reader: "Reader | None" = None) -> "list[Found]":
        """The turns that fit a query best, by their words; any text is a legal query."""
        from vault.service.read.chats import search_chats

        return search_chats(self, query, limit=limit, reader=reader)
