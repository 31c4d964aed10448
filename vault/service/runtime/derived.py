"""The derived data of a vault: its folder, the catalog that follows the files, and what holds until one changes."""

import math
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_ident
from time import monotonic
from typing import TYPE_CHECKING

from vault.errors import DamagedData, VaultError
from vault.model.access import GLOBAL
from vault.model.schema import Schema
from vault.search.passages import divide
from vault.store.catalog import Catalog
from vault.store.database import CatalogFailed
from vault.store.exclusions import Exclusions
from vault.store.files import WriteFailed, ensure_private_dir, is_writable
from vault.workspace.due import Dated, rivals
from vault.workspace.refresh import Refresh, Refreshed, schemas_in_force

if TYPE_CHECKING:
    from vault.service.runtime.opened import OpenedVault


@dataclass(frozen=True, slots=True)
class State:
    """What holds until a file changes: the schemas in force, and the scopes that are declared or have files.

    `mark` names the state: two that are equal hold the same.
    """

    mark: tuple[str, int]
    schemas: Mapping[str, Schema]
    scopes: frozenset[str]


class VaultClosed(VaultError):
    """A vault that is used after it was closed."""

    code = "vault-closed"

    def __init__(self) -> None:
        super().__init__("this vault was closed", hint="open it again (`Vault.open`)")


class WrongThread(VaultError):
    """A vault that a thread uses which did not open it."""

    code = "wrong-thread"

    def __init__(self) -> None:
        super().__init__(
            "this vault was opened by another thread",
            hint="open one in each thread (`Vault.open`): any number may read and write the same folder",
        )


@dataclass(slots=True)
class Derived:
    """The catalog of one vault: on disk, or in memory where that cannot be written to; it belongs to one thread.

    `damage` says what derived data turned out to be damaged, and was rebuilt.
    """

    vault: "OpenedVault"
    refreshed: Refreshed = field(default_factory=Refreshed)
    damage: list[str] = field(default_factory=list)
    _folder: Path | None = None
    _catalog: Catalog | None = None
    _known: tuple[Catalog, State] | None = None
    _rivals: "tuple[object, list[Sequence[Dated]]] | None" = None
    _temporary: Path | None = None
    _looked: float = -math.inf
    _opened: bool = False
    _closed: bool = False
    _thread: int = field(default_factory=get_ident)

    @property
    def folder(self) -> Path | None:
        """The folder of derived data; None where the vault cannot be written to."""
        if not self._opened:
            self._opened = True
            try:
                private = ensure_private_dir(self.vault.root)
            except WriteFailed:
                return None
            self._folder = private if is_writable(private) else None
        return self._folder

    def check_usable(self) -> None:
        """Raise `WrongThread` or `VaultClosed` where nothing can be read any more, or from here."""
        if get_ident() != self._thread:
            raise WrongThread
        if self._closed:
            raise VaultClosed

    @property
    def catalog(self) -> Catalog:
        """The catalog, opened when it is first asked for. Raises `WrongThread` and `VaultClosed`."""
        self.check_usable()
        if self._catalog is not None and self._catalog.is_damaged:
            self._let_go()
        if self._catalog is None:
            self._catalog = self._open()
        return self._catalog

    def _open(self) -> Catalog:
        if self.folder:
            try:
                catalog = Catalog.open(self.folder / "catalog.db")
            except CatalogFailed as error:
                self._do_without(error)
            else:
                self.report("the catalog", catalog.damage)
                return catalog
        return Catalog.open(None)

    def report(self, name: str, damage: str) -> None:
        """Say that derived data was damaged, if it was, and is rebuilt."""
        if damage:
            self.damage.append(f"{name} {damage}")
            self.vault.say(f"{name} {damage}; it is rebuilt")

    def _do_without(self, error: VaultError) -> None:
        """Read all anew, in memory, for as long as this vault is open."""
        self._folder = None
        self.vault.say(f"{error.message}; the files are read again instead")

    def close(self) -> None:
        """Let go of the catalog and of temporary data, for good."""
        self._let_go()
        self._closed = True
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None

    def _let_go(self) -> None:
        if self._catalog is not None:
            self._catalog.close()
        self._catalog, self._known = None, None
        self.forget()

    def forget(self) -> None:
        """Look at the files anew at the next read, however lately that was done."""
        self._looked = -math.inf

    def refresh(self, *, anew: bool = False) -> Refreshed:
        """Bring the catalog up to date with the files, unless (but for `anew`) it was just done."""
        now = monotonic()
        if now - self._looked < self.vault.max_age and not anew:
            return self.refreshed
        try:
            self.refreshed = self._run_again()
        except (CatalogFailed, DamagedData) as error:
            if self.folder is None:
                raise
            self._let_go()
            self._do_without(error)
            self.refreshed = self._run()
        self._looked = now
        return self.refreshed

    def _run_again(self) -> Refreshed:
        """Bring the catalog up to date; one that turns out to be damaged is rebuilt first."""
        try:
            return self._run()
        except DamagedData:
            self._let_go()
            self.report("the catalog", "is damaged")
            return self._run()

    def exclusions(self) -> Exclusions:
        """Return which paths git leaves out, by its ignore files and its index as they are now."""
        return Exclusions(self.vault.root, environ=self.vault.environ, memory=self.catalog)

    def _run(self) -> Refreshed:
        vault, excluded = self.vault, self.exclusions()
        result = Refresh(vault.layout, self.catalog, divide, excluded, vault.progress("reading")).run()
        if excluded.learned:
            with self.catalog.writing():
                for name, value in excluded.learned.items():
                    self.catalog.remember(name, value)
        return result

    def state(self) -> State:
        """What the catalog says as a whole, made once for each change of it."""
        catalog = self.catalog
        mark = (catalog.meta("identity"), catalog.revision)
        if self._known is None or self._known[0] is not catalog or self._known[1].mark != mark:
            scopes = frozenset([GLOBAL, *self.vault.layout.settings.spaces, *catalog.file_scopes()])
            self._known = (catalog, State(mark, schemas_in_force(catalog.schemas()), scopes))
        return self._known[1]

    def rivals(self) -> "list[Sequence[Dated]]":
        """The attributes of each slot that several fill, one of them from a day on; read once for each change."""
        state, local = self.state(), self.vault.layout.settings.local
        if self._rivals is None or self._rivals[0] != (state.mark, local):
            self._rivals = (state.mark, local), rivals(self.catalog, local)
        return self._rivals[1]

    def temporary(self) -> Path:
        """A folder for derived data that goes when the vault is closed. Raises `WriteFailed`."""
        if self._temporary is None:
            try:
                self._temporary = Path(tempfile.mkdtemp(prefix="firm-vault-"))
            except OSError as error:
                raise WriteFailed("a temporary folder", error.strerror or str(error)) from error
        return self._temporary
