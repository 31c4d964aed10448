"""Which files of a folder belong to a vault, and as what."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vault.model.access import GLOBAL, folder_of, scope_of
from vault.model.settings import SETTINGS_FILE, Settings

FileKind = Literal["firm", "schema", "sidecar"]


@dataclass(frozen=True, slots=True)
class Layout:
    """A vault's root and settings; `workspace` is True for a folder of `.firm` files without `vault.yaml`."""

    root: Path
    settings: Settings
    workspace: bool = False

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders whose files are read."""
        return ("",) if self.workspace else ("schema", GLOBAL, "spaces")

    @property
    def places(self) -> tuple[str, ...]:
        """The folders and files that make up the vault."""
        return self.folders if self.workspace else (*self.folders, SETTINGS_FILE)

    def is_content(self, path: str) -> bool:
        """Whether a path is part of the vault: its settings, schemas and scopes."""
        if self.workspace:
            return path.endswith(".firm")
        return path == SETTINGS_FILE or path.startswith(("schema/", f"{GLOBAL}/", "spaces/"))

    def scope(self, path: str) -> str | None:
        """The scope a path stands in; None for a schema and for what belongs to no scope."""
        return scope_of(path, workspace=self.workspace)

    def kind(self, path: str) -> FileKind | None:
        """What a file is read as: entries, schemas, or (any other file in a scope) a possible sidecar."""
        is_firm = path.endswith(".firm")
        if not self.workspace and path.startswith("schema/"):
            return "schema" if is_firm else None
        if self.scope(path) is None:
            return None
        return "firm" if is_firm else "sidecar"

    def kinds(self) -> Callable[[str], FileKind | None]:
        """`kind`, for many paths: what a folder's files are is worked out once."""
        known: dict[str, dict[bool, FileKind | None]] = {}

        def kind(path: str) -> FileKind | None:
            folder = path.rpartition("/")[0]
            found = known.get(folder)
            if found is None:
                found = {
                    firm: self.kind(f"{folder}/x{'.firm' * firm}" if folder else f"x{'.firm' * firm}")
                    for firm in (False, True)
                }
                known[folder] = found
            return found[path.endswith(".firm")]

        return kind

    def entry_path(self, kind: str, ident: str, scope: str) -> str:
        """Where a new entry is written."""
        if self.workspace:
            return f"generated/{kind}.firm"
        return f"{folder_of(scope)}/{kind}/{ident}.firm"
