"""The words of a payload for types and relations, and what a vault has for them."""

from collections.abc import Collection

from vault.model.keys import normalise_key

#: Type of an entity in a payload → the entry's type and its kind ("" for none).
TYPES = {
    "person": ("actor", "person"),
    "agent": ("actor", "ai"),
    "organization": ("actor", "organisation"),
    "organisation": ("actor", "organisation"),
    "team": ("actor", "team"),
    "project": ("thing", "project"),
    "system": ("thing", "service"),
    "tool": ("thing", "tool"),
    "product": ("thing", "object"),
    "service": ("thing", "service"),
    "place": ("thing", "place"),
    "concept": ("thing", "concept"),
    "skill": ("thing", "skill"),
    "event": ("thing", "event"),
    "task": ("thing", "project"),
    "workflow": ("thing", "concept"),
    "policy": ("thing", "concept"),
    "object_type": ("thing", "concept"),
    "interface": ("thing", "service"),
    "artifact": ("output", ""),
    "document": ("output", "document"),
    "source": ("output", "document"),
    "output": ("output", ""),
}

#: Relationship → the field of references that says it; any other becomes a fact.
RELATIONS = {
    "uses": "uses",
    "requires": "uses",
    "part_of": "belongs_to",
    "owned_by": "belongs_to",
    "belongs_to": "belongs_to",
    "describes": "describes",
    "documents": "describes",
    "related_to": "relates_to",
}


def type_of(words: str, own: Collection[str]) -> tuple[str, str] | None:
    """The entry type and kind that a payload's word means; one of the vault's `own` types is taken as it is."""
    key = normalise_key(words)
    return (key, "") if key in own else TYPES.get(key)
