"""A vault that is open: its files and derived data, its lock, git and history, as one reader sees them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vault.errors import DamagedData, VaultError
from vault.model.access import Reader, UnknownSpace, checked_space
from vault.model.keys import spellings
from vault.model.schema import Schema
from vault.render import line_of
from vault.service.runtime.derived import Derived
from vault.service.runtime.discovery import NotInGit, find_layout, space_at
from vault.service.runtime.opened import OpenedVault
from vault.store import journal
from vault.store.bundled import read_any
from vault.store.catalog import Catalog
from vault.store.exclusions import Exclusions
from vault.store.files import Unreadable, VaultLocked, WriteFailed, read_bytes, vault_lock
from vault.store.records import Stored
from vault.store.scan import Found
from vault.workspace.due import due
from vault.workspace.refresh import Refreshed, blob_of
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.embedding_index import EmbeddingIndex
    from vault.service.runtime.past import Past
    from vault.service.runtime.text_index import TextIndexes
    from vault.store.git import Repository
    from vault.store.ledger import Ledger

LOCK_SECONDS = 30.0


@dataclass(eq=False)
class VaultHandle(OpenedVault):
    """An open vault: its files and derived data, its lock, git and history, as one reader sees them.

    `vault.service.vault.Vault` adds the use cases. It belongs to the thread that opened it (`WrongThread`); any number
    may be open on one folder. `recovered` is what opening the vault settled of a write that was cut short. `past` is
    what is read if this vault went back in time.
    """

    recovered: journal.Recovery | None = None
    past: "Past | None" = None
    reads_history: bool = False

    @classmethod
    def open(
        cls,
        path: Path | str = ".",
        *,
        space: str | None = None,
        outside: bool = False,
        all_spaces: bool = False,
        environ: Mapping[str, str] | None = None,
        lock_token: str | None = None,
        max_age: float = 1.0,
    ) -> Self:
        """Open the vault a folder is in, and settle a write that was cut short there.

        The reader stands in `space`, else in the space the folder lies in; `outside` leaves it.
        What others write is seen after `max_age` seconds at the latest.
        Raises `NotAVault`, `BadSettings`, `UnknownSpace`.
        """
        start = Path(path)
        layout = find_layout(start)
        chosen = None
        if not outside:
            chosen = space_at(layout, start) if space is None else space
        vault = cls(layout, Reader(chosen, all_spaces=all_spaces), dict(environ or {}), lock_token, max_age=max_age)
        vault.check_space(chosen)
        vault.recover()
        return vault

    def check_space(self, name: str | None) -> None:
        """Raise `UnknownSpace` unless a space is declared or there."""
        if name is None:
            return
        declared = self.layout.settings.spaces
        if name not in declared and not (self.root / "spaces" / checked_space(name)).is_dir():
            raise UnknownSpace(name, self.layout.settings.public_spaces())

    @cached_property
    def data(self) -> Derived:
        """The derived data: the catalog and its folder."""
        return Derived(self)

    @property
    def derived(self) -> Path | None:
        """The folder of derived data; None where the vault cannot be written to."""
        return self.data.folder

    def exclusions(self) -> Exclusions:
        """Which paths git leaves out, as its files of rules and its index say now."""
        return self.data.exclusions()

    @property
    def catalog(self) -> Catalog:
        """The catalog: on disk, or in memory where derived data cannot be written."""
        return self.data.catalog

    @property
    def refreshed(self) -> Refreshed:
        """What the last look at the files found."""
        return self.data.refreshed

    def close(self) -> None:
        """Let go of the catalog, the ledger and temporary data."""
        self.return_to_now()
        self._close_ledger()
        self.data.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def repository(self) -> "Repository | None":
        """The git repository the vault is in."""
        from vault.store.git import Repository  # dulwich takes 60 ms

        return Repository.discover(self.root)

    def git(self) -> "Repository":
        """The repository; raises `NotInGit` where there is none."""
        if self.repository is None:
            raise NotInGit(self.root)
        return self.repository

    def recover(self) -> None:
        """Settle a write that was cut short, unless one is under way; `recovered` is what came of it.

        One that cannot be settled stops no reader; a writer is told.
        """
        self.recovered = None
        if journal.pending(self.root):
            # whoever holds the lock is at work on it, perhaps our parent
            with suppress(VaultLocked, journal.JournalDamaged, WriteFailed, Unreadable):
                self.recovered = self.settle()

    def settle(self) -> journal.Recovery | None:
        """Finish or undo a write that was cut short; raises `VaultLocked` if one is under way."""
        with vault_lock(self.root, timeout=0, token=self.lock_token) as token:
            return None if token == self.lock_token else self._recover()

    def _recover(self) -> journal.Recovery | None:
        """Settle a write that was cut short. Raises `JournalDamaged`, with those files that the reader may know of."""
        try:
            return journal.recover(self.root, self._publish)
        except journal.JournalDamaged as error:
            shown = [path for path in error.paths if self.shows(path)]
            raise journal.JournalDamaged(error.folder, error.reason, shown) from None

    def _publish(self, record: Mapping[str, object]) -> None:
        from vault.store.git import publish_record

        publish_record(self.git(), record)

    @contextmanager
    def writing(self) -> Iterator[str]:
        """Hold the vault's writer lock; yields the token for children."""
        with vault_lock(self.root, timeout=LOCK_SECONDS, token=self.lock_token) as token:
            if token != self.lock_token:  # else a hook of ours is writing, inside its parent's journal
                self._recover()
            self.data.forget()
            try:
                yield token
            finally:
                self._undo_prepared()
                self.data.forget()

    def _undo_prepared(self) -> None:
        while self.prepared:
            self.prepared.pop().undo()

    @property
    def place(self) -> str:
        """The chat and turn that this vault is written in, as commits name them: `standup#12`."""
        return self.chat if self.turn is None else f"{self.chat}#{self.turn}"

    @contextmanager
    def written_in(self, chat: str | None, turn: int | None = None) -> Iterator[None]:
        """Write in a turn of a chat for as long as it lasts; without one, where this vault is written in anyway.

        Raises `BadChatId`, and `TurnOfNone` for a turn without a chat.
        """
        from vault.knowledge.chats import checked_place

        before = self.chat, self.turn
        self.chat, self.turn = checked_place(chat or self.chat, turn if chat or turn is not None else self.turn)
        try:
            yield
        finally:
            self.chat, self.turn = before

    # -- the past

    @property
    def ledger(self) -> "Ledger":
        """The versions of every entry, as history has them now. Raises `NotInGit`."""
        self.data.check_usable()
        self.reads_history = True
        if self._ledger.is_damaged:
            self._close_ledger()
        try:
            self.bring_to_head(self._ledger)
        except DamagedData:
            self._close_ledger()
            self.data.report("the ledger", "is damaged")
            self.bring_to_head(self._ledger)
        return self._ledger

    def bring_to_head(self, ledger: "Ledger") -> None:
        """Add to a ledger the commits it does not have yet. Raises `NotInGit`."""
        from vault.workspace.ledger_sync import Chronicle

        Chronicle(self.layout, self.git(), ledger, self.progress("reading history")).run()

    def _close_ledger(self) -> None:
        if "_ledger" in self.__dict__:
            self._ledger.close()
            del self.__dict__["_ledger"]

    @cached_property
    def _ledger(self) -> "Ledger":
        from vault.store.ledger import Ledger

        ledger = Ledger.open(self.derived and self.derived / "ledger.db")
        self.data.report("the ledger", ledger.damage)
        return ledger

    def return_to_now(self) -> None:
        """From now on read what is there again."""
        if self.past:
            self.past.catalog.close()
        self.past = None

    # -- reading

    def refresh(self, *, anew: bool = False) -> Refreshed:
        """Bring the catalog up to date with the files, unless (but for `anew`) it was just done."""
        return self.data.refresh(anew=anew)

    def scanned(self) -> Found:
        """What the last scan says of the vault's files, made if none is young enough."""
        return self.refresh().scanned

    def known_path(self, path: str) -> str:
        """The spelling of a typed path that a file has, with composed letters or not; as typed if no file has any."""
        return next((one for one in spellings(path) if os.path.lexists(self.root / one)), path)

    def snapshot(self, reader: Reader | None = None) -> Snapshot:
        """What a reader (this vault's own, or another) sees: now, or where this vault went back to."""
        if self.past:
            return self.past.snapshot(reader or self.reader)
        self.refresh()
        return self.view(reader)

    def view(self, reader: Reader | None = None) -> Snapshot:
        """What a reader sees as of the last refresh."""
        state = self.data.state()
        succeeded = due(self.data.rivals(), self.clock(), self.layout.settings.local)
        return Snapshot(self.layout, self.catalog, reader or self.reader, state.schemas, state.scopes, due=succeeded)

    def schemas(self) -> Mapping[str, Schema]:
        """The schemas in force by type."""
        return self.data.state().schemas

    def read(self, path: str) -> bytes:
        """A file's bytes: now, or where this vault went back to. Raises `Unreadable`."""
        return self.past.read(path) if self.past else read_any(self.root, path)

    def text_of(self, stored: Stored) -> str | None:
        """Return the text an entry keeps in a file beside it; None if it has none or it cannot be read."""
        if stored.text_file is None:
            return None
        with suppress(VaultError, UnicodeDecodeError):
            return self.read(stored.text_file).decode("utf-8-sig")
        return None

    @cached_property
    def indexes(self) -> "TextIndexes":
        """The text indexes."""
        from vault.service.runtime.text_index import TextIndexes

        return TextIndexes(self, self.data)

    @cached_property
    def meanings(self) -> "EmbeddingIndex":
        """The embedding model and the vectors of passages."""
        from vault.service.runtime.embedding_index import EmbeddingIndex

        return EmbeddingIndex(self, self.data, self.indexes)

    def present_scopes(self) -> frozenset[str]:
        """The scopes that are declared or have files."""
        return self.data.state().scopes

    def firm_paths(self) -> list[str]:
        """The paths of every `.firm` file of the vault."""
        self.refresh()
        return sorted(self.catalog.blobs())

    def blob(self, path: str) -> str:
        """The blob id of a file as it is now."""
        return blob_of(read_bytes(self.root, path))

    def excerpt(self, path: str, line: int) -> str | None:
        """A line of a file as it is now, for showing a diagnostic."""
        try:
            return line_of(read_bytes(self.root, path), line)
        except VaultError:
            return None
