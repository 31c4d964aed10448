"""The turns of chats as a search finds them: a catalog and text indexes of their own, below `.vault/chats`.

Nothing that reads entries looks at them, and their files are looked at when chats are searched. A private space's turns
are in a text index of their own, as its entries are.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vault.knowledge.chats import Turn, chat_at, read_turns
from vault.model.access import GLOBAL, Reader
from vault.model.entry import Entry, Place
from vault.model.keys import fold_name
from vault.model.values import Value
from vault.search.sync import Sync, parts
from vault.search.text import DamagedTextIndex, IndexWriteFailed
from vault.store.catalog import Catalog
from vault.store.database import CatalogFailed
from vault.store.files import Unreadable, WriteFailed, file_lock, make_derived_path, read_found
from vault.store.records import Divided, EntryRecord, FileRecord, Passage
from vault.store.scan import Stamp, is_fresh, scan
from vault.workspace.refresh import blob_of
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.search.text import TextIndex
    from vault.service.runtime.handle import VaultHandle

Answer = TypeVar("Answer")

TURN = "turn"
#: Its folder, in that of derived data.
FOLDER = "chats"
LOCK_SECONDS = 30.0


@dataclass(slots=True)
class ChatIndex:
    """The turns of all chats of one vault, in a folder, brought up to date when they are asked for."""

    vault: "VaultHandle"
    folder: Path
    catalog: Catalog = field(init=False)

    def __post_init__(self) -> None:
        """Open what is there. Raises `WriteFailed` and `CatalogFailed`."""
        make_derived_path(self.folder)
        self.catalog = Catalog.open(self.folder / "catalog.db")
        self.vault.data.report("the catalog of chats", self.catalog.damage)

    def close(self) -> None:
        """Let go of the catalog."""
        self.catalog.close()

    def refresh(self) -> None:
        """Read the chats that changed since they were last read."""
        root = self.vault.root
        folders = [f"{GLOBAL}/chats", *(f"spaces/{name}/chats" for name in _spaces(root))]
        found = scan(root, folders, self.vault.exclusions())
        present = {path: stamp for path, stamp in found.files.items() if chat_at(path)}
        known = self.catalog.stamps()
        stale = [path for path, stamp in present.items() if known.get(path) != (*stamp, 1)]
        removed = [path for path in known if path not in present]
        if not stale and not removed:
            return
        records = [
            record_of(path, read_found(root, path), present[path], fresh=is_fresh(present[path], found.started))
            for path in stale
        ]
        with self.catalog.writing():
            blobs = self.catalog.blobs(stale)
            same = [record for record in records if blobs.get(record.path) == record.blob]
            self.catalog.restamp({record.path: (record.stamp, record.fresh) for record in same})
            changed = [record for record in records if blobs.get(record.path) != record.blob]
            if changed or removed:
                self.catalog.apply(changed, removed)

    def snapshot(self, reader: "Reader") -> Snapshot:
        """The turns a reader sees."""
        scopes = {*self.vault.present_scopes(), *self.catalog.file_scopes()}
        return Snapshot(self.vault.layout, self.catalog, reader, {}, scopes)

    def indexes(self, snapshot: Snapshot) -> "list[TextIndex]":
        """The text indexes of what a snapshot sees, up to date."""
        sync = self._sync()
        private = {scope for scope in snapshot.present if self.vault.layout.settings.is_private(scope)}
        seen = {*snapshot.scopes}
        indexes = [sync.index(part) for part in parts(snapshot.present, private) if seen & {*part.scopes}]
        self.vault.indexes.report(sync.damaged, "the index of chats")
        return indexes

    def prove(self) -> None:
        """Have rebuilt what is not, byte for byte, what was written."""
        if not self.catalog.is_whole():
            self.catalog.mark_damaged()
            return
        snapshot = self.snapshot(Reader(owner=True))
        sync = self._sync()
        private = {scope for scope in snapshot.present if self.vault.layout.settings.is_private(scope)}
        for part in parts(snapshot.present, private):
            sync.prove(part)
        self.vault.indexes.report(sync.damaged, "the index of chats")

    def _sync(self) -> Sync:
        language = self.vault.layout.settings.finding.language
        return Sync(self.folder / "text", self.catalog, self._lock, self.vault.progress("indexing"), language)

    def _lock(self) -> AbstractContextManager[None]:
        return file_lock(self.folder / "text.lock", timeout=LOCK_SECONDS)


def asked(vault: "VaultHandle", question: Callable[[ChatIndex], Answer]) -> Answer:
    """Ask the turns of all chats something; of an index in a temporary folder where the disk refuses to keep one."""
    if vault.derived is not None:
        try:
            return _asked(vault, vault.derived / FOLDER, question)
        except (CatalogFailed, DamagedTextIndex, IndexWriteFailed, WriteFailed) as error:
            vault.say(f"{error.message}; a temporary index of chats is made instead")
    return _asked(vault, vault.data.temporary() / FOLDER, question)


def _asked(vault: "VaultHandle", folder: Path, question: Callable[[ChatIndex], Answer]) -> Answer:
    with closing(ChatIndex(vault, folder)) as index:
        index.refresh()
        return question(index)


def is_made(vault: "VaultHandle") -> bool:
    """Whether anybody has looked at chats yet."""
    return vault.derived is not None and (vault.derived / FOLDER).is_dir()


def prove(vault: "VaultHandle") -> None:
    """Have rebuilt what is derived of chats and is not what was written."""
    if is_made(vault):
        asked(vault, ChatIndex.prove)


def forget(vault: "VaultHandle") -> None:
    """Delete what is derived of chats; it is made again when they are looked at."""
    if vault.derived is not None:
        shutil.rmtree(vault.derived / FOLDER, ignore_errors=True)


def differences(vault: "VaultHandle") -> list[str]:
    """Where what is derived of chats differs from what making it anew gives; empty where nobody has looked at them."""
    if not is_made(vault):
        return []

    def content(index: ChatIndex) -> dict[str, object]:
        texts = [one.content() for one in index.indexes(index.snapshot(Reader(owner=True)))]
        return {**index.catalog.content(), "texts": texts}

    held = asked(vault, content)
    with tempfile.TemporaryDirectory(prefix="firm-vault-") as folder:
        wanted = _asked(vault, Path(folder) / FOLDER, content)
    return [f"index of chats: {part} differs" for part in wanted if held[part] != wanted[part]]


def _spaces(root: Path) -> list[str]:
    """The folders of spaces, declared or not."""
    try:
        return sorted(place.name for place in (root / "spaces").iterdir() if place.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unreadable("spaces", error.strerror or str(error)) from error


def record_of(path: str, data: bytes, stamp: Stamp, *, fresh: bool) -> FileRecord:
    """What the catalog keeps of a chat's file: its turns as entries, each with one passage on one line."""
    place = chat_at(path)
    scope, ident = place or (GLOBAL, path)
    turns, _ = read_turns(data.decode("utf-8", "replace"), path)
    entries = [_entry(path, ident, number, turn) for number, turn in enumerate(turns)]
    return FileRecord(path, scope, "chat", blob_of(data), stamp, fresh=fresh, entries=entries)


def _entry(path: str, ident: str, number: int, turn: Turn) -> EntryRecord:
    fields: dict[str, Value] = {"chat": ident, "number": number, "role": turn.role, "at": turn.at, "speaker": turn.name}
    at = Place(0, 0, turn.line, 1, turn.line)
    lines = (turn.line,) * (turn.content.count("\n") + 1)
    passage = Passage(path, turn.content, lines)
    # the id tells turns of chats of one name in two scopes apart: neither shadows the other
    entry = Entry(TURN, f"{path}#{number}", {name: value for name, value in fields.items() if value != ""}, path, at)
    # who spoke is its name, also where that is not known: without one an entry is found by its id
    return EntryRecord(entry, [("name", fold_name(turn.name), turn.name)], Divided((passage,)), turn.at)
