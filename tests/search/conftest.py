"""A vault that can be searched: its text indexes, and vectors of a small model that hashes words."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from struct import pack
from typing import Any
from zlib import crc32

import pytest

from tests.workspace.conftest import SCHEMA, SPACES, Kept
from vault.model.access import Reader
from vault.search.find import Found, search
from vault.search.neighbours import Approved
from vault.search.passages import embedded_text, name_text
from vault.search.rank import Meaning, Question
from vault.search.sync import Part, Sync, parts
from vault.search.text import PassageDocument, TextIndex
from vault.search.vectors.nearest import Table
from vault.search.vectors.store import VectorStore
from vault.store.tables.passages import NAME
from vault.workspace.refresh import schemas_in_force
from vault.workspace.snapshot import Snapshot

NOW = datetime(2025, 6, 1, tzinfo=UTC)
DIMENSION = 16


def vector(text: str) -> bytes:
    """The vector of a text: each of its words counts in one of 16 places; b"" where there is no word."""
    counts = [0.0] * DIMENSION
    for word in text.casefold().split():
        counts[crc32(word.encode()) % DIMENSION] += 1.0
    length = sqrt(sum(count * count for count in counts))
    return pack(f"<{DIMENSION}f", *(count / length for count in counts)) if length else b""


def unit(*numbers: float) -> bytes:
    """A vector of unit length in the direction of some numbers."""
    length = sqrt(sum(number * number for number in numbers))
    return pack(f"<{len(numbers)}f", *(number / length for number in numbers))


def digest(number: int) -> bytes:
    """The 16 bytes that stand for a text."""
    return number.to_bytes(16, "big")


def everything(_stored: object, _key: str) -> bool:
    """Approve every reference."""
    return True


@dataclass(slots=True)
class Shelf:
    """A vault with the spaces work, home and diary (private), and what a search asks."""

    kept: Kept
    derived: Path
    sync: Sync = field(init=False)

    def __post_init__(self) -> None:
        self.sync = Sync(self.derived / "text", self.kept.catalog, nullcontext)

    def put(self, ident: str, text: str = "", body: str = "", scope: str = "global") -> None:
        """Write the entry `t.<ident>` with a text."""
        self.kept.entry(ident, f'text = "{text}" {body}' if text else body, scope)

    def seen(self, space: str | None = None) -> Snapshot:
        """What a reader sees."""
        self.kept.refresh()
        schemas = schemas_in_force(self.kept.catalog.schemas())
        return Snapshot(self.kept.layout, self.kept.catalog, Reader(space), schemas, ["global", *SPACES])

    def parts(self, snapshot: Snapshot) -> list[Part]:
        """The indexes of what a snapshot sees."""
        settings = self.kept.settings
        private = [name for name, space in settings.spaces.items() if space.private]
        found = parts(["global", *settings.spaces], private)
        return [part for part in found if set(part.scopes) & set(snapshot.scopes)]

    def indexes(self, snapshot: Snapshot) -> list[TextIndex]:
        """The text indexes of what a snapshot sees, up to date."""
        return [self.sync.index(part) for part in self.parts(snapshot)]

    def tables(self, snapshot: Snapshot) -> list[Table]:
        """The passages of what a snapshot sees, every one with its vector."""
        return [self._embedded(part) for part in self.parts(snapshot)]

    def _embedded(self, part: Part) -> Table:
        catalog = self.kept.catalog
        store = VectorStore(self.derived / "vectors" / part.name, DIMENSION)
        table = Table(catalog.digests(part.scopes), store)
        rows = table.rows.tolist()
        passages, names = catalog.passages(rows), catalog.names(rows)
        made = []
        for place in table.missing():
            row, ordinal = rows[place], int(table.ordinals[place])
            name = names.get(row, "")
            text = name_text(name) if ordinal == NAME else embedded_text(name, passages[row, ordinal])
            made.append((table.digests[place], vector(text)))
        store.append((key, value) for key, value in made if value)
        return table

    def find(
        self,
        text: str,
        *,
        space: str | None = None,
        meant: str | None = None,
        approved: Approved = everything,
        **how: Any,
    ) -> list[Found]:
        """Search as a reader; with `meant`, vectors are asked for the entries near to these words."""
        snapshot = self.seen(space)
        meaning = None if meant is None else Meaning(self.tables(snapshot), vector(meant))
        question = Question(text, **how)
        return search(snapshot, self.indexes(snapshot), question, meaning=meaning, approved=approved, now=NOW)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    kept = Kept(tmp_path / "vault")
    kept.write("schema/t.firm", SCHEMA)
    (tmp_path / "derived").mkdir()
    yield Shelf(kept, tmp_path / "derived")
    kept.catalog.close()


def idents(found: Sequence[Found]) -> list[str]:
    """The ids of results, best first."""
    return [each.stored.entry.id for each in found]


def document(row: int, body: str = "", *, ordinal: int = 0, name: str = "", scope: str = "global") -> PassageDocument:
    """A passage as a text index takes it."""
    return PassageDocument(f"{scope}/{row}.firm", scope, "t", row, ordinal, name, "", body, ())
