"""Making derived data anew, and proving that it equals what making it anew would give."""

import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import Reader
from vault.search.embedding import ModelUnavailable
from vault.search.find import Share
from vault.search.passages import divide
from vault.search.sync import Sync
from vault.search.vectors.near import VectorsFailed
from vault.service.read.history_search import has_ledger, index_of, past_scopes, sync_of
from vault.service.runtime import chat_index
from vault.service.runtime.embed_job import Embedded, embed_all
from vault.store.catalog import Catalog
from vault.store.files import PRIVATE_DIR, WriteFailed
from vault.store.ledger import Ledger
from vault.workspace.refresh import Progress, Refresh, Refreshed
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


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
    embedded: Embedded = field(default_factory=Embedded)
    share: Share = field(default_factory=lambda: Share(0, 0))
    problem: str = ""


def index(vault: "VaultHandle", *, rebuild: bool = False) -> Indexed:
    """Bring all derived data up to date, or make it anew; what looks at the past is made when that is first asked.

    Vectors are kept by content, so a rebuild makes none again; `problem` says why none could be made.
    """
    anew = _rebuild(vault) if rebuild else None
    vault.refresh(anew=True)
    snapshot = vault.view(Reader(owner=True))
    refreshed = anew or vault.refreshed
    passages = sum(part.count() for part in vault.indexes.text(snapshot))
    for scope in past_scopes(vault):
        index_of(vault, scope)
    embedded, problem = _embedded(vault, snapshot)
    if vault.derived is None:
        place = vault.root / PRIVATE_DIR
        problem = f"{place} cannot be written to, so nothing of this is kept; free some space, or give yourself access"
    share = vault.meanings.share(snapshot) if vault.meanings.wanted else Share(0, 0)
    return Indexed(
        refreshed.files, snapshot.count(), passages, refreshed.changed, refreshed.removed, embedded, share, problem
    )


def _embedded(vault: "VaultHandle", snapshot: Snapshot) -> tuple[Embedded, str]:
    """Make the vectors that are missing; what they cannot be made for is told, the rest is done."""
    if not vault.meanings.wanted:
        return Embedded(), ""
    try:
        made = embed_all(vault.meanings, snapshot, vault.progress("embedding"))
        if vault.meanings.share(snapshot).of:  # a vault that says nothing needs none
            embed_all(vault.meanings, snapshot.shipped())
    except (ModelUnavailable, VectorsFailed, WriteFailed) as error:
        return Embedded(), f"{error.message}; {error.hint}"
    return made, ""


def _rebuild(vault: "VaultHandle") -> Refreshed | None:
    """Make the catalog anew beside the old one, and put it in its place once it is whole."""
    if vault.derived is None:
        return None
    fresh, refreshed = made_anew(vault, vault.progress("reading"))
    if refreshed.unread:
        fresh.close()
        raise CannotRebuild([item.span.path for item in refreshed.unread])
    with vault.writing():
        fresh.copy_into(vault.catalog)
        if has_ledger(vault):
            vault.ledger.clear()
        chat_index.forget(vault)
    fresh.close()
    return refreshed


def made_anew(vault: "VaultHandle", progress: Progress | None = None) -> tuple[Catalog, Refreshed]:
    """Read every file into a catalog in memory."""
    catalog = Catalog.open(None)
    return catalog, Refresh(vault.layout, catalog, divide, vault.exclusions(), progress).run()


def differences(vault: "VaultHandle") -> list[str]:
    """Where the derived data differs from what making it anew gives; empty where they are equal.

    What turned out to be damaged meanwhile was rebuilt, and is named.
    """
    known = len(vault.data.damage)
    _prove(vault)
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
    found += [*_text_differences(vault, snapshot.whole()), *_past_differences(vault), *chat_index.differences(vault)]
    return [*(f"{damage}, and was rebuilt" for damage in vault.data.damage[known:]), *found]


def _prove(vault: "VaultHandle") -> None:
    """Have rebuilt what is not, byte for byte, what was written."""
    vault.refresh(anew=True)
    if not vault.catalog.is_whole():
        vault.catalog.mark_damaged()
        vault.refresh(anew=True)
    if has_ledger(vault) and not vault.ledger.is_whole():
        vault.ledger.mark_damaged()
    snapshot = vault.view(Reader(owner=True))
    vault.indexes.text(snapshot)
    vault.indexes.prove(snapshot)
    if has_ledger(vault):
        former = sync_of(vault)
        for scope in former.scopes():
            former.index(scope)
            former.prove(scope)
            former.index(scope)
        vault.indexes.report(former.damaged, "the index of the past of")
    chat_index.prove(vault)


def _past_differences(vault: "VaultHandle") -> list[str]:
    """Where the ledger differs from history, and the indexes of the past from the ledger; what is not made is right."""
    if not has_ledger(vault):
        return []
    fresh = Ledger.open(None)
    try:
        vault.bring_to_head(fresh)
        wanted, held = fresh.content(), vault.ledger.content()
        found = [f"ledger: {table} differs from history" for table in wanted if held[table] != wanted[table]]
    finally:
        fresh.close()
    with tempfile.TemporaryDirectory(prefix="firm-vault-") as folder:
        anew = replace(sync_of(vault), folder=Path(folder) / "text" / "past", lock=nullcontext)
        (Path(folder) / "text").mkdir()
        wrong = [s for s in past_scopes(vault) if anew.index(s).content() != index_of(vault, s).content()]
    return [*found, *(f"index of the past of {scope}: differs from what the ledger holds" for scope in wrong)]


def _text_differences(vault: "VaultHandle", snapshot: Snapshot) -> list[str]:
    """Where the text indexes differ from ones made anew of the same catalog, in a temporary folder."""
    found = []
    with tempfile.TemporaryDirectory(prefix="firm-vault-") as folder:
        language = vault.layout.settings.finding.language
        sync = Sync(Path(folder) / "text", vault.catalog, nullcontext, vault.progress("indexing"), language)
        for part, held in zip(vault.indexes.parts(snapshot), vault.indexes.text(snapshot), strict=True):
            wanted, content = sync.index(part).content(), held.content()
            found += [
                f"text index {part.name}: {name}: {len(set(content[name]) - set(wanted[name]))} rows too many,"
                f" {len(set(wanted[name]) - set(content[name]))} missing"
                for name in wanted
                if content[name] != wanted[name]
            ]
    return found
