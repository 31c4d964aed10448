"""Entries: what a file declares."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vault.errors import VaultError
from vault.model.values import Reference, Value, references_in


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry or field stands: 1-based lines and columns, and offsets into the file's text."""

    start: int
    end: int
    line: int
    column: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its type and id, its fields in the order written, and where they stand.

    `path` is relative to the vault. `places` holds a place for each field; an entry made by a program
    has none.
    """

    type: str
    id: str
    fields: Mapping[str, Value]
    path: str = ""
    place: Place = Place(0, 0, 1, 1, 1)
    places: Mapping[str, Place] | None = None
    broken: bool = False

    @property
    def key(self) -> str:
        """The identity of the entry: `type.id`."""
        return f"{self.type}.{self.id}"

    @property
    def name(self) -> str:
        """What a person calls the entry: its name, else its statement or id."""
        for field in ("name", "statement"):
            value = self.fields.get(field)
            if isinstance(value, str) and value.strip():
                return value
        return self.id

    @property
    def unreadable(self) -> frozenset[str]:
        """The fields that are written down and have no value, because what is written cannot be read."""
        return frozenset(self.places or ()) - self.fields.keys()

    def texts(self, field: str) -> list[str]:
        """The strings of a list field (or of a single string); empty where it holds anything else."""
        value = self.fields.get(field)
        if isinstance(value, str):
            return [value]
        return [item for item in value if isinstance(item, str)] if isinstance(value, tuple) else []

    def references(self) -> list[tuple[str, Reference]]:
        """Every reference of the entry with the field it stands in."""
        return [(name, found) for name, value in self.fields.items() for found in references_in(value)]


class UnreadableField(VaultError):
    """A change that builds on the value of a field which cannot be read."""

    code = "unreadable-field"

    def __init__(self, entry: Entry, name: str) -> None:
        place = (entry.places or {}).get(name, entry.place)
        super().__init__(
            f"`{name}` of `{entry.key}` cannot be read ({entry.path}:{place.line}); correct it first",
            hint=f"`vault check {entry.path}` says what is wrong there; setting the whole field replaces it",
            details={"key": entry.key, "field": name, "path": entry.path, "line": place.line},
        )


def check_readable(entry: Entry, names: Iterable[str] | None = None) -> None:
    """Raise `UnreadableField` if a change builds on fields (None: on all of them) that cannot be read."""
    wanted = entry.unreadable if names is None else entry.unreadable.intersection(names)
    for name in sorted(wanted):
        raise UnreadableField(entry, name)
