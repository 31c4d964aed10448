"""Following references to the entry or value one names."""

from vault.errors import VaultError
from vault.model.values import Reference, Value
from vault.store.records import Stored
from vault.workspace.snapshot import NotFound, Snapshot


class NoSuchField(VaultError):
    """A reference to a field its entry does not have."""

    code = "no-such-field"

    def __init__(self, reference: Reference, fields: list[str]) -> None:
        super().__init__(
            f"`{reference.key}` has no field `{reference.field}`",
            hint=f"it has {', '.join(fields) or 'none'}",
            details={"key": reference.key, "field": reference.field},
        )


class ReferenceLoop(VaultError):
    """Field references that lead back to where they began."""

    code = "reference-loop"

    def __init__(self, chain: list[Reference]) -> None:
        super().__init__(
            f"the references go in a circle: {' → '.join(map(str, chain))}",
            hint="give one of these fields a value of its own",
            details={"chain": [str(reference) for reference in chain]},
        )


def resolve(snapshot: Snapshot, reference: Reference) -> Stored | Value:
    """Follow a reference to its entry, or through field references to a value.

    A field that names an entry has that reference as its value. Raises `NotFound`, `NoSuchField`
    and `ReferenceLoop`.
    """
    chain = [reference]
    while True:
        stored = _entry(snapshot, chain[-1].key)
        if chain[-1].field is None:
            return stored
        value = stored.entry.fields.get(chain[-1].field)
        if value is None:
            raise NoSuchField(chain[-1], list(stored.entry.fields))
        if not isinstance(value, Reference) or value.field is None:
            return value
        if value in chain:
            raise ReferenceLoop([*chain, value])
        chain.append(value)


def _entry(snapshot: Snapshot, key: str) -> Stored:
    found = snapshot.by_key(key) or snapshot.redirected(key)
    if not found:
        raise NotFound(key, snapshot.near(key))
    return found[0]
