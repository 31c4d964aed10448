"""Making derived data anew, and proving that it equals what making it anew would give."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import Reader
from vault.search.passages import split
from vault.search.sync import documents
from vault.store.catalog import Catalog
from vault.store.ignore import Ignored
from vault.workspace.refresh import Progress, Refresh, Refreshed

if TYPE_CHECKING:
    from vault.service.vault import Vault


class CannotRebuild(VaultError):
    """A rebuild that would lose what is known of files that cannot be read now."""

    code = "unreadable"

    def __init__(self, paths: list[str]) -> None:
        super().__init__(
            f"nothing was rebuilt: {len(paths)} file{'s' * (len(paths) != 1)} cannot be read, as {paths[0]}",
            hint="give yourself access to them, then repeat the command",
            details={"paths": paths},
        )


@dataclass(frozen=True, slots=True)
class Indexed:
    """The state of derived data: what there is, and what a refresh did."""

    files: int
    entries: int
    passages: int
    changed: int
    removed: int


def index(vault: "Vault", *, rebuild: bool = False) -> Indexed:
    """Bring all derived data up to date, or make it anew."""
    if rebuild:
        _rebuild(vault)
    snapshot = vault.snapshot(Reader(owner=True))
    refreshed = vault.refreshed
    passages = sum(part.count() for part in vault.text_indexes(snapshot))
    return Indexed(refreshed.files, snapshot.count(), passages, refreshed.changed, refreshed.removed)


def _rebuild(vault: "Vault") -> None:
    """Make the catalog anew beside the old one, and put it in its place once it is whole."""
    if vault.derived is None:
        return
    fresh, refreshed = made_anew(vault, vault.progress("reading"))
    if refreshed.unread:
        fresh.close()
        raise CannotRebuild([item.span.path for item in refreshed.unread])
    with vault.writing():
        fresh.copy_into(vault.catalog)
    fresh.close()


def made_anew(vault: "Vault", progress: Progress | None = None) -> tuple[Catalog, Refreshed]:
    """Read every file into a catalog in memory."""
    catalog = Catalog.open(None)
    return catalog, Refresh(vault.layout, catalog, split, Ignored(vault.root), progress).run()


def differences(vault: "Vault") -> list[str]:
    """Where the derived data differs from what making it anew gives; empty where they are equal."""
    snapshot = vault.snapshot(Reader(owner=True))
    fresh, _ = made_anew(vault, vault.progress("reading"))
    try:
        held, wanted = vault.catalog.content(), fresh.content()
        found = [
            f"{table}: {len(set(held[table]) - set(wanted[table]))} rows too many,"
            f" {len(set(wanted[table]) - set(held[table]))} missing"
            for table in wanted
            if held[table] != wanted[table]
        ]
    finally:
        fresh.close()
    paths = [path for (path,) in vault.catalog.db.execute("SELECT path FROM files WHERE scope IS NOT NULL")]
    expected = sum(
        sum(1 for _ in documents(vault.catalog, paths[start : start + 400])) for start in range(0, len(paths), 400)
    )
    indexed = sum(part.count() for part in vault.text_indexes(snapshot))
    if expected != indexed:
        found.append(f"text index: {indexed} passages instead of {expected}")
    return found
