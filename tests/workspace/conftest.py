"""A vault of files, its catalog in memory, and what its readers see."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vault.diagnostics import Diagnostic
from vault.model.access import GLOBAL, Reader
from vault.model.settings import Settings, Space
from vault.search.passages import divide
from vault.store.catalog import Catalog
from vault.workspace.check import check
from vault.workspace.layout import Layout
from vault.workspace.refresh import Refresh, schemas_in_force
from vault.workspace.snapshot import Snapshot

SCHEMA = """\
schema t {
    field { name = "name" type = "string" }
    field { name = "code" type = "string" unique = true }
    field { name = "text_file" type = "path" }
}
"""
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
SPACES = {"work": Space("work"), "home": Space("home"), "diary": Space("diary", private=True)}


@dataclass(slots=True)
class Kept:
    """A vault on disk with the spaces work, home and diary (private)."""

    root: Path
    settings: Settings = field(default_factory=lambda: Settings(bundled=False, spaces=SPACES))
    workspace: bool = False
    catalog: Catalog = field(default_factory=lambda: Catalog.open(None))

    @property
    def layout(self) -> Layout:
        """The layout as it is set now."""
        return Layout(self.root, self.settings, workspace=self.workspace)

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def entry(self, ident: str, body: str = "", scope: str = "global") -> None:
        """Write the entry `t.<ident>`."""
        self.write(f"{self.layout.entry_path('t', ident, scope)}", f"t {ident} {{ {body} }}\n")

    def check(self, paths: list[str] | None = None, known: Callable[[str], bool] = lambda _: True) -> list[Diagnostic]:
        """Every finding, or those about some files, as one hears of them who knows of some scopes."""
        self.refresh()
        return check(self.layout, self.catalog, NOW, paths, known=known)

    def codes(self) -> list[tuple[str, str]]:
        """Each finding as its code and path."""
        return [(item.code, item.span.path) for item in self.check()]

    def refresh(self) -> None:
        """Bring the catalog up to date."""
        Refresh(self.layout, self.catalog, divide).run()

    def seen(self, space: str | None = None, *, all_spaces: bool = False, owner: bool = False) -> Snapshot:
        """What a reader sees."""
        self.refresh()
        reader = Reader(space, all_spaces=all_spaces, owner=owner)
        present = {GLOBAL, *self.layout.settings.spaces, *self.catalog.file_scopes()}
        return Snapshot(self.layout, self.catalog, reader, schemas_in_force(self.catalog.schemas()), present)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path)
    made.write("schema/t.firm", SCHEMA)
    yield made
    made.catalog.close()
