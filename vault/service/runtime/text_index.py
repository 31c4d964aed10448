"""The text indexes of a vault, kept in step with its catalog: below `.vault/`, or in a temporary folder."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.search.sync import Part, Sync, parts, shipped
from vault.search.text import DamagedTextIndex, IndexWriteFailed, TextIndex
from vault.store.files import WriteFailed, file_lock
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.derived import Derived
    from vault.service.runtime.opened import OpenedVault

LOCK_SECONDS = 30.0


@dataclass(slots=True)
class TextIndexes:
    """The text indexes of one vault, opened once."""

    vault: "OpenedVault"
    derived: "Derived"
    _beside: bool = False
    _syncs: dict[Path, Sync] = field(default_factory=dict)

    def text(self, snapshot: Snapshot) -> list[TextIndex]:
        """The text indexes of the scopes a snapshot sees, up to date; temporary ones if the disk refuses."""
        try:
            return self._made(snapshot)
        except (DamagedTextIndex, IndexWriteFailed, WriteFailed) as error:
            if not self.leave_the_disk(error):
                raise
            return self._made(snapshot)

    def leave_the_disk(self, error: VaultError) -> bool:
        """From now on keep indexes in a temporary folder, and say why; False where they are in one already."""
        if self.derived.folder is None or self._beside:
            return False
        self._beside = True
        self.vault.say(f"{error.message}; a temporary index is made instead")
        return True

    def _made(self, snapshot: Snapshot) -> list[TextIndex]:
        folder = self.folder()
        sync = self._syncs.get(folder)
        if sync is None or sync.catalog is not self.derived.catalog:  # one that failed is left for another
            language = self.vault.layout.settings.finding.language
            sync = self._syncs[folder] = Sync(folder, self.derived.catalog, self.lock, language=language)
        sync.progress = self.vault.progress("indexing")
        made = [sync.index(part) for part in self.parts(snapshot)]
        self.report(sync.damaged)
        return made

    def report(self, damaged: list[str], what: str = "the text index") -> None:
        """Say which indexes were damaged and are made again, once."""
        for name in damaged:
            self.derived.report(f"{what} `{name}`", "is damaged")
        damaged.clear()

    def prove(self, snapshot: Snapshot) -> bool:
        """Say whether the indexes of a snapshot are whole, before an answer rests on what is not in them."""
        sync = self._syncs[self.folder()]
        damaged = [part for part in self.parts(snapshot) if not sync.prove(part)]
        self.report(sync.damaged)
        return not damaged

    def parts(self, snapshot: Snapshot) -> list[Part]:
        """What the indexes of the scopes a snapshot sees hold."""
        present = self.derived.state().scopes
        private = {scope for scope in present if self.vault.layout.settings.is_private(scope)}
        wanted = set(snapshot.scopes)
        return [part for part in [*parts(present, private), shipped()] if wanted & set(part.scopes)]

    def folder(self) -> Path:
        """Where the indexes are. Raises `WriteFailed`."""
        if self.derived.folder and not self._beside:
            return self.derived.folder / "text"
        return self.derived.temporary() / "text"

    def lock(self) -> AbstractContextManager[None]:
        """Hold the lock of whoever writes an index."""
        return file_lock(self.folder().with_name("text.lock"), timeout=LOCK_SECONDS)
