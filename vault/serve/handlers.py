"""What each operation does with a vault: one call of the service, and the shape of its answer."""

from typing import TYPE_CHECKING

from vault import wire
from vault.knowledge.payload import Payload
from vault.serve import params as p
from vault.wire.shape import Json
from vault.workspace.snapshot import Ambiguous, NotFound

if TYPE_CHECKING:
    from vault.search.find import Answer
    from vault.service.vault import Vault
    from vault.service.write.result import Written

#: Entries that name or are linked with one, as many as `get_knowledge` shows at once.
LINKED_MAX = 50


def _part(shown: Json, asked: p.Listed, key: str = "items") -> Json:
    """The part of a list that is asked for; its total is of all."""
    items = shown[key][asked.offset : asked.offset + asked.limit]
    more = asked.offset + len(items) < shown["total"]
    return {**shown, key: items, "limit": asked.limit, "offset": asked.offset, "hasMore": more}


def search(vault: "Vault", asked: p.Search) -> Json:
    """Search, or show what there is."""
    if asked.where == "chats":
        return _turns(vault, asked)
    if not asked.query.strip():
        return wire.overview(vault.overview(kind=asked.type, tag=asked.tag))
    answer = vault.search(
        asked.query, kind=asked.type, tag=asked.tag, limit=asked.limit, mode=asked.mode, history=asked.history
    )
    paths = [one.path for one in answer if not one.former]
    return wire.found(asked.query, answer, vault.cited(paths), _conflicted(vault, answer))


def _conflicted(vault: "Vault", answer: "Answer") -> list[str]:

    return [item.span.path for item in vault.conflicts([one.stored.entry.path for one in answer if not one.former])]


def _turns(vault: "Vault", asked: p.Search) -> Json:
    """Search what was said in chats."""
    found = vault.search_chats(asked.query, limit=asked.limit) if asked.query.strip() else []
    return wire.turns_found(asked.query, found, vault.cited([one.path for one in found]))


def get(vault: "Vault", asked: p.Get) -> Json:
    """Show an entry in full."""
    from vault.service.write.entry_version import version_in

    found = vault.detail(asked.id)
    shown = wire.entry(
        found.stored,
        text=found.text,
        commit=found.commit,
        referrers=found.referrers[:LINKED_MAX],
        shadows=found.shadows,
    )
    shown["version"] = version_in(found)
    shown["conflicted"] = bool(found.conflicts)
    shown["referencedByTotal"] = len(found.referrers)
    _cut_text(shown, asked)
    if asked.related:
        stored, around = vault.related(found.stored.entry.key)
        end = asked.offset + LINKED_MAX
        linked = wire.related(stored, around[asked.offset : end])["items"]
        shown["related"] = {**wire.listing(linked, total=len(around)), "hasMore": len(around) > end}
    if asked.context is not None:
        turns = vault.chat_context(found.stored, asked.context)
        shown["context"] = turns and wire.turns(turns)
    return shown


def _cut_text(shown: Json, asked: p.Get) -> None:
    """Leave of a long text the part that is asked for, and say which that is."""
    text = shown["fields"].get("text")
    if isinstance(text, str) and (asked.start or len(text) > asked.length):
        part = text[asked.start : asked.start + asked.length]
        end = asked.start + len(part)
        shown["fields"]["text"] = part
        shown["textPart"] = {"start": asked.start, "end": end, "total": len(text), "hasMore": end < len(text)}


def add(vault: "Vault", asked: p.Add) -> Json:
    """Write a new entry, and commit it."""
    return _written(vault, vault.add(asked.type, asked.fields, id=asked.id))


def update(vault: "Vault", asked: p.Update) -> Json:
    """Change fields of an entry, and commit that."""
    return _written(vault, vault.update(asked.id, asked.fields, version=asked.version))


def delete(vault: "Vault", asked: p.Delete) -> Json:
    """Remove an entry, and commit that."""
    result = vault.delete(asked.id, version=asked.version, reason=asked.reason)
    shown = wire.written(result)
    if result.reveals:
        shown["message"] = f"deleted; now showing again: {result.reveals}"
    return shown


def _written(vault: "Vault", result: "Written") -> Json:
    try:
        version = vault.version(result.key)
    except (NotFound, Ambiguous):
        version = None  # it landed, and another writer has taken it away since
    return {**wire.written(result), "version": version}


def remember(vault: "Vault", asked: Payload) -> Json:
    """Write what a payload says, as one commit."""
    return wire.remembered(vault.remember(asked))


def hydrate(vault: "Vault", asked: p.Hydrate) -> Json:
    """Make one block of what is known of what a message names."""
    found = vault.hydrate(
        asked.text, session=asked.session, mode=asked.mode, meaning=asked.meaning, budget=asked.budget
    )
    return wire.hydrated(found, explain=asked.explain)


def query(vault: "Vault", asked: p.Query) -> Json:
    """Answer a question in the query language."""
    shown = wire.query(vault.query(asked.query))
    key = next((name for name in ("items", "rows") if name in shown), None)
    return _part(shown, asked, key) if key else shown


def history(vault: "Vault", asked: p.History) -> Json:
    """Show what was made of an entry, or what stood in a slot."""
    from vault.service.read.slot_history import SlotVersion

    found = vault.history(asked.of)
    shown = [wire.stand(one) if isinstance(one, SlotVersion) else wire.step(one) for one in found]
    return _part(wire.listing(shown), asked)


def hygiene(vault: "Vault", asked: p.Hygiene) -> Json:
    """Report what to tidy up."""
    return _part(wire.hygiene(vault.hygiene()), asked)


def tree(vault: "Vault", asked: p.Tree) -> Json:
    """Outline an entity; without one, list the entities there are."""
    if asked.entity is None:
        return wire.page(vault.entities(), wire.known_entity)
    return wire.knowledge_tree(
        vault.tree(
            asked.entity,
            depth=asked.depth,
            max_aspects=asked.max_aspects,
            max_groups=asked.max_groups,
            max_claims=asked.max_claims,
        )
    )


def entities(vault: "Vault", asked: p.Entities) -> Json:
    """List the entities."""
    found = vault.entities(q=asked.q, type=asked.type, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.known_entity)


def entity(vault: "Vault", asked: p.Entity) -> Json:
    """Show an entity."""
    return wire.entity_in_full(vault.entity(asked.name))


def aspects(vault: "Vault", asked: p.Aspects) -> Json:
    """List the aspects of an entity."""
    found = vault.aspects(asked.entity, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.aspect)


def groups(vault: "Vault", asked: p.Groups) -> Json:
    """List the groups of an aspect."""
    found = vault.groups(asked.entity, asked.aspect, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.group)


def claims(vault: "Vault", asked: p.Claims) -> Json:
    """List the claims of a group."""
    found = vault.claims(asked.entity, asked.aspect, asked.group, limit=asked.limit, offset=asked.offset)
    return wire.page(found, wire.claim)


def attributes(vault: "Vault", asked: p.Attributes) -> Json:
    """List what is said in a claim."""
    found = vault.attributes(
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
