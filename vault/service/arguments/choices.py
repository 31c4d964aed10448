"""What callers choose from: entry types, and the words an option takes."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from vault.errors import UsageError
from vault.model.schema import Schema
from vault.workspace.snapshot import Snapshot


class UnknownType(UsageError):
    """A type no schema declares."""

    code = "unknown-type"

    def __init__(self, kind: str, schemas: Iterable[str]) -> None:
        names = sorted(schemas)
        near = get_close_matches(kind, names, n=1)
        lead = f"did you mean `{near[0]}`? " if near else ""
        super().__init__(
            f"there is no schema for the type `{kind}`",
            hint=f"{lead}types: {', '.join(names)}; `vault schema add {kind}` makes a new one",
            details={"type": kind, "types": names},
        )


def check_type(snapshot: Snapshot, kind: str | None) -> None:
    """Raise `UnknownType` for a type that no schema declares and no entry has."""
    if kind and kind not in snapshot.schemas and not snapshot.count(kind=kind):
        raise UnknownType(kind, own_types(snapshot.schemas))


def own_types(schemas: Mapping[str, Schema]) -> list[str]:
    """The types a person chooses from: those of the vault's own schemas, not of the product's records."""
    return sorted(name for name, schema in schemas.items() if schema.path)


class BadChoice(UsageError):
    """A word that is none of those an option takes."""

    code = "bad-choice"

    def __init__(self, name: str, given: object, known: Iterable[str]) -> None:
        super().__init__(
            f"`{given}` is not a valid {name}", hint=f"use one of {', '.join(known)}", details={"option": name}
        )


def checked_choice(name: str, given: object, known: Collection[str]) -> None:
    """Raise `BadChoice` unless an option's value is one of the known ones."""
    if given not in known:
        raise BadChoice(name, given, known)
