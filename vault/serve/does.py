"""What each operation does with a vault: one call of the service, and the shape of its answer."""

from typing import TYPE_CHECKING, Any

from vault import wire
from vault.knowledge.payload import Payload
from vault.serve import params as p
from vault.wire.shape import Json

if TYPE_CHECKING:
    from vault.model.schema import Schema
    from vault.service.vault import Vault
    from vault.service.writing import Landing, Written

#: Relations that `get_knowledge` shows at the most.
RELATED_MAX = 50


def search(vault: "Vault", asked: p.Search) -> Json:
    """Search, or show what there is."""
    if not asked.query.strip():
        return wire.overview(vault.overview(kind=asked.type, tag=asked.tag))
    answer = vault.search(
        asked.query, kind=asked.type, tag=asked.tag, limit=asked.limit, mode=asked.mode, history=asked.history
    )
    return wire.found(asked.query, answer, vault.cited([one.path for one in answer if not one.former]))


def get(vault: "Vault", asked: p.Get) -> Json:
    """Show an entry in full."""
    from vault.service.based_on import version_in
    from vault.service.reading import detail
    from vault.service.relating import related

    found = detail(vault, asked.id)
    shown = wire.entry(
        found.stored, text=found.text, commit=found.commit, referrers=found.referrers, shadows=found.shadows
    )
    shown["version"] = version_in(found)
    if asked.related:
        stored, around = related(vault, found.stored.entry.key)
        linked = wire.related(stored, around[:RELATED_MAX])["items"]
        shown["related"] = {**wire.listing(linked, total=len(around)), "hasMore": len(around) > RELATED_MAX}
    return shown


def add(vault: "Vault", asked: p.Add) -> Json:
    """Write a new entry, and commit it."""
    from vault.service import adding
    from vault.service.choices import UnknownType
    from vault.service.jsonfields import fields_of

    vault.refresh()
    schema = vault.schemas().get(asked.type)
    if schema is None:
        raise UnknownType(asked.type, vault.schemas())
    given = {name: value for name, value in fields_of(asked.fields, schema).items() if value is not None}
    return _written(vault, adding.add(vault, asked.type, asked.id, given, _landing()))


def update(vault: "Vault", asked: p.Update) -> Json:
    """Change fields of an entry, and commit that."""
    from vault.service.changing import change
    from vault.service.jsonfields import fields_of

    def changes(_: object, schema: "Schema | None") -> Any:
        return fields_of(asked.fields, schema)

    return _written(vault, change(vault, asked.id, changes, landing=_landing(), based_on=asked.version))


def delete(vault: "Vault", asked: p.Delete) -> Json:
    """Remove an entry, and commit that."""
    from vault.service.changing import remove

    result = remove(vault, asked.id, _landing(asked.reason), based_on=asked.version)
    shown = wire.written(result)
    if result.reveals:
        shown["message"] = f"deleted; now showing again: {result.reveals}"
    return shown


def _landing(reason: str | None = None) -> "Landing":
    from vault.service.facts import Words

    return Words(reason=reason).landing()


def _written(vault: "Vault", result: "Written") -> Json:
    from vault.service.based_on import version_in
    from vault.service.reading import detail

    return {**wire.written(result), "version": version_in(detail(vault, result.key))}


def remember(vault: "Vault", asked: Payload) -> Json:
    """Write what a payload says, as one commit."""
    from vault.service.remembering import remember as write

    return wire.remembered(write(vault, asked))


def hydrate(vault: "Vault", asked: p.Hydrate) -> Json:
    """Make one block of what is known of what a message names."""
    from vault.service.hydrating import hydrate as bring

    found = bring(vault, asked.text, session=asked.session, mode=asked.mode, meaning=asked.meaning, budget=asked.budget)
    return wire.hydrated(found, explain=asked.explain)


def query(vault: "Vault", asked: p.Query) -> Json:
    """Answer a question in the query language."""
    from vault.service.querying import query as run

    return wire.query(run(vault, asked.query))


def history(vault: "Vault", asked: p.History) -> Json:
    """Show what was made of an entry, or what stood in a slot."""
    from vault.service.succession import asked as slot_in
    from vault.service.succession import succession
    from vault.service.versions import history as steps

    slot = slot_in(vault, asked.of)
    if slot is not None:
        return wire.listing([wire.stand(one) for one in succession(vault, slot, limit=asked.limit)])
    return wire.listing([wire.step(one) for one in steps(vault, asked.of, limit=asked.limit)])


def hygiene(vault: "Vault", _: p.Hygiene) -> Json:
    """Report what to tidy up."""
    from vault.service.hygiene import hygiene as report

    return wire.hygiene(report(vault))


def tree(vault: "Vault", asked: p.Tree) -> Json:
    """Outline an entity; without one, list the entities there are."""
    from vault.service import navigating

    if asked.entity is None:
        return wire.page(navigating.entities(vault), wire.known_entity)
    return wire.knowledge_tree(
        navigating.tree(
            vault,
            asked.entity,
            depth=asked.depth,
            max_aspects=asked.max_aspects,
            max_groups=asked.max_groups,
            max_claims=asked.max_claims,
        )
    )


def entities(vault: "Vault", asked: p.Entities) -> Json:
    """List the entities."""
    from vault.service import navigating

    found = navigating.entities(vault, q=asked.q, type=asked.type, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.known_entity)


def entity(vault: "Vault", asked: p.Entity) -> Json:
    """Show an entity."""
    from vault.service import navigating

    return wire.entity_in_full(navigating.entity(vault, asked.name))


def aspects(vault: "Vault", asked: p.Aspects) -> Json:
    """List the aspects of an entity."""
    from vault.service import navigating

    found = navigating.aspects(vault, asked.entity, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.aspect)


def groups(vault: "Vault", asked: p.Groups) -> Json:
    """List the groups of an aspect."""
    from vault.service import navigating

    found = navigating.groups(vault, asked.entity, asked.aspect, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.group)


def claims(vault: "Vault", asked: p.Claims) -> Json:
    """List the claims of a group."""
    from vault.service import navigating

    found = navigating.claims(vault, asked.entity, asked.aspect, asked.group, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.claim)


def attributes(vault: "Vault", asked: p.Attributes) -> Json:
    """List what is said in a claim."""
    from vault.service import navigating

    found = navigating.attributes(
        vault,
        asked.entity,
        asked.aspect,
        asked.group,
        asked.claim,
        status=asked.status,
        kind=asked.kind,
        limit=asked.limit,
        offset=asked.offset,
    )
    return wire.page(found, wire.attribute)
