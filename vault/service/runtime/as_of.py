"""The past of a vault: what it knew at a commit or at a moment."""

from dataclasses import replace
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.lang.lower import read
from vault.model.access import BUNDLED
from vault.model.settings import SETTINGS_FILE, BadSettings, Settings, Space
from vault.model.when import BadMoment, moment_in
from vault.service.runtime.boundary import UNSHALLOW, boundary
from vault.service.runtime.discovery import settings_in
from vault.service.runtime.past import Past
from vault.service.runtime.validation import Tree, catalog_of, tree_of
from vault.store.catalog import Catalog
from vault.store.ledger import Ledger
from vault.workspace.ingest import decode
from vault.workspace.layout import Layout
from vault.workspace.refresh import schemas_in_force
from vault.workspace.valid_at import held

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class NothingKnown(VaultError):
    """A moment before the history of a vault begins."""

    code = "nothing-known"

    def __init__(self, when: str, first: str, *, shallow: bool) -> None:
        why = f"this clone has no older history: `{UNSHALLOW}` gets it" if shallow else "use a later date"
        super().__init__(f"at {when} nothing was committed yet: history begins with {first}", hint=why)


class NoMoment(UsageError):
    """Words that name neither a revision nor a moment."""

    code = "unknown-revision"

    def __init__(self, when: str) -> None:
        super().__init__(
            f"`{when}` is not a revision or a date",
            hint="give a commit, a branch, `HEAD~1`, a day (`2025-03-01`) or `2 weeks ago`",
            details={"at": when},
        )


def go_back(vault: "VaultHandle", when: str | None = None, *, valid_at: str | None = None) -> None:
    """Make a vault read what it knew at a revision or moment, and of that what was valid at another.

    Raises `NoMoment`, `NothingKnown` and `BadMoment`, and then falls back to the current state.
    """
    try:
        for moment, view in ((when, past), (valid_at, held_at)):
            if moment is not None:
                found = view(vault, moment)
                vault.return_to_now()
                vault.past = found
    except BaseException:
        vault.return_to_now()  # half of the way is nowhere
        raise


def past(vault: "VaultHandle", when: str) -> Past:
    """What a vault knew at a revision, or at a moment: the last commit of HEAD's first parents up to then.

    Raises `NoMoment` and `NothingKnown`.
    """
    repository, ledger = vault.git(), vault.ledger
    commit = commit_at(vault, when)
    layout = Layout(vault.root, settings_at(vault, commit), workspace=vault.layout.workspace)
    tree = tree_of(repository.tree_at(commit), repository.read_blob)
    as_of = None if repository.names(when) else moment_in(when, vault.clock(), vault.layout.settings.local)
    number = ledger.number(commit)
    # a commit of another branch is read from its files
    catalog = _catalog_of(vault, tree, layout) if number is None else ledger.as_of(number)
    declared = [
        schema
        for path in sorted(tree.blobs)
        if layout.kind(path) == "schema"
        for schema in read(decode(tree.read(path) or b"", path)[0], path).schemas
    ]
    schemas = vault.schemas() if layout.workspace else schemas_in_force(declared)
    seen_at = min(as_of, vault.clock()) if as_of else repository.commit(commit).committer.time
    return Past(repository, commit, catalog, layout, schemas, number=number, as_of=as_of, seen_at=seen_at)


def _catalog_of(vault: "VaultHandle", tree: Tree, layout: Layout) -> Catalog:
    """What a tree holds, without what ships with the product of today."""
    catalog = catalog_of(vault, tree, layout)
    with catalog.writing():
        catalog.replace_scope(BUNDLED, [])
    return catalog


def held_at(vault: "VaultHandle", when: str) -> Past:
    """What held at a moment, by what is known now or was at the commit a vault went back to. Raises `BadMoment`."""
    now, local = vault.clock(), vault.layout.settings.local
    moment = moment_in(when, now, local)
    base = vault.past
    snapshot = vault.snapshot()
    if vault.repository is None:
        ledger, until = Ledger.open(None), None
    else:
        ledger = vault.ledger
        until = None
        if base and base.commit:
            number = ledger.number(base.commit)
            until = -1 if number is None else number  # of another branch only what its files say is known
    cut = boundary(vault)
    then = held(snapshot.catalog, ledger, until, moment, now=now, local=local, boundary=cut)
    return Past(
        vault.repository,
        base.commit if base else None,
        then.catalog,
        base.layout if base else vault.layout,
        snapshot.schemas,
        then.commits,
        moment,
        unknown=then.unknown,
        as_of=base.as_of if base else None,
    )


def commit_at(vault: "VaultHandle", when: str) -> str:
    """The commit that a revision or moment names. Raises `NoMoment` and `NothingKnown`."""
    from vault.store.git.repo import UnknownRevision

    repository, ledger = vault.git(), vault.ledger
    try:
        return repository.resolve(when)
    except UnknownRevision:
        try:
            moment = moment_in(when, vault.clock(), vault.layout.settings.local)
        except BadMoment as error:
            raise NoMoment(when) from error
    number = ledger.number_at(moment.timestamp())
    commit = None if number is None else ledger.ident(number)
    if commit is None:
        raise NothingKnown(when, ledger.beginning(), shallow=bool(repository.shallow()))
    return commit


def settings_at(vault: "VaultHandle", commit: str) -> Settings:
    """The settings of then, with what is private now; those of now where there were none that can be read."""
    now, repository = vault.layout.settings, vault.git()
    blob = repository.entry_at(commit, SETTINGS_FILE)
    try:
        then = settings_in(repository.read_blob(blob)) if blob else now
    except BadSettings:
        then = now
    names = {*now.spaces, *then.spaces}
    spaces = {name: Space(name, private=now.is_private(name) or then.is_private(name)) for name in names}
    return replace(now, spaces=spaces)
