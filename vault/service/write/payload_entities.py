"""The entities that a payload names: found by id, name or alias, or made."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.knowledge.kinds import TYPES, type_of
from vault.knowledge.payload import Payload
from vault.model.entry import Entry, check_readable
from vault.model.keys import fold_name, split_key
from vault.model.slots import FACT
from vault.model.values import EnumValue, Reference, Value, same
from vault.service.write.change_set import ChangeSet
from vault.service.write.create import free_id, stamped
from vault.service.write.new_entry import checked_id
from vault.service.write.update import make_sure_own
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema
from vault.workspace.snapshot import Ambiguous, NotFound, Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class UnknownEntityType(UsageError):
    """An entity that does not exist yet, and no word of what it is that a vault has a type for."""

    code = "unknown-entity-type"

    def __init__(self, name: str, given: str | None, own: Iterable[str]) -> None:
        told = f"`{given}` is not an entity type" if given else "nothing says what it is"
        types = ", ".join(dict.fromkeys([*TYPES, *sorted(own)]))
        super().__init__(f"there is no entity `{name}` yet, and {told}", hint=f"give one of: {types}")


class NotAnEntity(VaultError):
    """A fact where an entity should be named."""

    code = "not-an-entity"

    def __init__(self, key: str) -> None:
        super().__init__(f"`{key}` is a fact; name what it is about")


@dataclass(slots=True)
class Entities:
    """The entities of one payload; new ones are entries that are not written yet.

    `declared` is what the payload says of names anywhere, for where it does not; `changed` are entities that were
    there and got relations.
    """

    vault: "VaultHandle"
    snapshot: Snapshot
    declared: dict[str, str]
    found: dict[str, Stored] = field(default_factory=dict)
    made: dict[str, Entry] = field(default_factory=dict)
    changed: list[Stored] = field(default_factory=list)
    _relations: dict[str, list[tuple[str, Reference, str]]] = field(default_factory=dict)

    def by_name(self, name: str, given: str | None) -> Reference:
        """The entity of a name or alias, or of a key; a new one where there is none of that name.

        Raises `Ambiguous`, `NotAnEntity` and `UnknownEntityType`.
        """
        if split_key(name) and self.snapshot.by_key(name):
            return self.by_id(name, None, given)
        kind = self._type(name, given)
        stored = self._known(name, kind and kind[0])
        if stored:
            return self._found(stored)
        new = [entry for entry in self.made.values() if fold_name(entry.name) == fold_name(name)]
        fitting = [entry for entry in new if kind is None or entry.type == kind[0]]
        return _reference(fitting[0]) if fitting else self._make(name, given, None)

    def by_id(self, ident: str, name: str | None, given: str | None) -> Reference:
        """The entity of an id or key; one of a key that is free is made under it.

        Raises as `by_name`, and `NotFound`.
        """
        for way in ("key", "id"):
            rows = self.snapshot.catalog.entities_by_name(self.snapshot.visible(), ident, way)
            stored = self._nearest(list(rows), ident)
            if stored:
                return self._found(stored)
        if ident in self.made:
            return _reference(self.made[ident])
        key = split_key(ident)
        if key is None or key[0] not in {FACT, *self._own}:
            raise NotFound(ident, self.snapshot.near(ident))
        if key[0] == FACT:
            raise NotAnEntity(ident)
        return self._make(name or key[1].replace("_", " "), given or key[0], key)

    @property
    def _own(self) -> set[str]:
        """The types that the vault's own schemas define: not those of the product's records, nor facts."""
        return {name for name, schema in self.snapshot.schemas.items() if schema.path and name != FACT}

    def name(self, reference: Reference) -> str:
        """What an entity is called."""
        entry = self.made.get(reference.key)
        return entry.name if entry else self.found[reference.key].entry.name

    def relate(self, source: Reference, name: str, target: Reference, path: str) -> None:
        """Add a reference to a relation field of an entity, as the payload says at a JSON path."""
        self._relations.setdefault(source.key, []).append((name, target, path))

    def write(self, edits: ChangeSet) -> Iterator[tuple[str, str]]:
        """Put new entities and relations into the edits; yields what is wrong, by JSON path."""
        for key, entry in self.made.items():
            told = self._relations.pop(key, [])
            whole = replace(entry, fields={**entry.fields, **_with(entry, told)})
            found = check_against_schema(whole, self.snapshot.schemas)
            yield from (("$.structured", item.message) for item in found if item.severity == "error")
            edits.add(whole, self.vault.layout.entry_path(whole.type, whole.id, self.vault.scope))
        for key, told in self._relations.items():
            stored = self.found[key]
            try:
                changes = _with(stored.entry, told)
                if changes:
                    self.changed.append(stored)
                    make_sure_own(self.vault, stored)
                    edits.change(stored, changes)
            except VaultError as error:
                yield told[0][2], f"{error.message} ({error.hint})"

    def _known(self, name: str, kind: str | None) -> Stored | None:
        """The entity that goes by a name: one of the type meant, else of another."""
        for way in ("name", "likeness"):
            rows = list(self.snapshot.catalog.entities_by_name(self.snapshot.visible(), name, way))
            if rows:
                return self._nearest([row for row in rows if row.entry.type == kind] or rows, name)
        return None

    def _nearest(self, rows: list[Stored], words: str) -> Stored | None:
        """The most specific of some entries; raises `Ambiguous` where they are several."""
        rows.sort(key=lambda stored: self.snapshot.scopes.index(stored.scope))
        if len({stored.entry.key for stored in rows}) > 1:
            raise Ambiguous(words, [f"{stored.entry.key} ({stored.entry.path})" for stored in rows])
        return rows[0] if rows else None

    def _found(self, stored: Stored) -> Reference:
        self.found[stored.entry.key] = stored
        return _reference(stored.entry)

    def _type(self, name: str, given: str | None) -> tuple[str, str] | None:
        words = given or self.declared.get(fold_name(name))
        return type_of(words, self._own) if words else None

    def _make(self, name: str, given: str | None, key: tuple[str, str] | None) -> Reference:
        words = given or self.declared.get(fold_name(name))
        kind = self._type(name, given)
        if kind is None:
            raise UnknownEntityType(name, words, self._own)
        fields: dict[str, Value] = {"name": name, **({"kind": EnumValue(kind[1])} if kind[1] else {})}
        reserved = {entry.id for entry in self.made.values() if entry.type == kind[0]}
        ident = checked_id(key[1]) if key else free_id(self.vault, kind[0], fields, reserved)
        schema = self.snapshot.schemas[kind[0]]
        entry = Entry(kind[0], ident, stamped(self.vault, schema, fields))
        self.made[entry.key] = entry
        return _reference(entry)


def _with(entry: Entry, relations: Sequence[tuple[str, Reference, str]]) -> dict[str, Value]:
    """The relation fields of an entry with the references it lacks. Raises `UnreadableField`."""
    check_readable(entry, [name for name, _, _ in relations])
    changes: dict[str, Value] = {}
    for name, target, _ in relations:
        held = changes.get(name, entry.fields.get(name, ()))
        items = held if isinstance(held, tuple) else (held,)
        if not any(same(target, item) for item in items):
            changes[name] = (*items, target)
    return changes


def declared(payload: Payload) -> dict[str, str]:
    """What a payload says anywhere of the types of names."""
    found: dict[str, str] = {}
    for link in payload.structured.entities if payload.structured else ():
        for name, kind in ((link.source, link.source_type), (link.target, link.target_type)):
            if kind:
                found.setdefault(fold_name(name), kind)
    for about in payload.structured.aspects if payload.structured else ():
        if about.entity_name and about.entity_type:
            found.setdefault(fold_name(about.entity_name), about.entity_type)
    return found


def _reference(entry: Entry) -> Reference:
    return Reference(entry.type, entry.id)
