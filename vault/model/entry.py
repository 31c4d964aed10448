"""Entries: what a file declares."""

from collections.abc import Mapping
from dataclasses import dataclass

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

    def texts(self, field: str) -> list[str]:
        """The strings of a list field (or of a single string); empty where it holds anything else."""
        value = self.fields.get(field)
        if isinstance(value, str):
            return [value]
        return [item for item in value if isinstance(item, str)] if isinstance(value, tuple) else []

    def references(self) -> list[tuple[str, Reference]]:
        """Every reference of the entry with the field it stands in."""
        return [(name, found) for name, value in self.fields.items() for found in references_in(value)]
