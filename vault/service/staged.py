"""Judging content that is not in the files: what is staged, or what a commit holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.lang.lower import read
from vault.model.schema import Schema
from vault.model.settings import SETTINGS_FILE
from vault.search.passages import divide
from vault.service.opening import settings_in
from vault.store.catalog import Catalog
from vault.store.scan import ABSENT, Stamp
from vault.workspace.check import check
from vault.workspace.ingest import Context, SourceFile, decode, ingest
from vault.workspace.layout import Layout
from vault.workspace.refresh import schemas_in_force

if TYPE_CHECKING:
    from vault.service.vault import Vault


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a vault somewhere in git: blobs by path, and how a blob is read."""

    blobs: Mapping[str, str]
    read_blob: Callable[[str], bytes]

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None if it is not in the tree."""
        return self.read_blob(self.blobs[path]) if path in self.blobs else None


def check_staged(vault: "Vault") -> list[Diagnostic]:
    """The diagnostics of what is staged, as it would be committed.

    Inside a hook git names the index it is about to commit in GIT_INDEX_FILE.
    """
    repository = vault.git()
    tree = _staged_tree(vault)
    head = repository.tree_at(repository.head())
    changed = [path for path in {*tree.blobs, *head} if tree.blobs.get(path) != head.get(path)]
    return check_tree(vault, tree, changed)


def _staged_tree(vault: "Vault") -> Tree:
    repository = vault.git()
    named = vault.environ.get("GIT_INDEX_FILE")
    index = (repository.worktree / named) if named else None
    return Tree(repository.index_tree(index), repository.read_blob)


def staged_excerpt(vault: "Vault") -> Callable[[str, int], str | None]:
    """Make the function that gives a line of a file as it is staged, for showing a diagnostic."""
    tree = _staged_tree(vault)

    def excerpt(path: str, line: int) -> str | None:
        data = tree.read(path)
        rows = (data or b"").decode("utf-8-sig", "replace").split("\n")
        return rows[line - 1].rstrip("\r") if data is not None and line <= len(rows) else None

    return excerpt


def check_tree(vault: "Vault", tree: Tree, paths: Sequence[str]) -> list[Diagnostic]:
    """The diagnostics of some files as a tree holds them, among the tree's other files."""
    layout = _layout_of(vault, tree)
    catalog = _catalog_of(vault, tree, layout)
    try:
        return check(layout, catalog, paths)
    finally:
        catalog.close()


def _layout_of(vault: "Vault", tree: Tree) -> Layout:
    """The vault with the tree's own settings, where it has some; raises `BadSettings`."""
    data = tree.read(SETTINGS_FILE)
    return vault.layout if data is None or vault.layout.workspace else Layout(vault.root, settings_in(data))


def _catalog_of(vault: "Vault", tree: Tree, layout: Layout) -> Catalog:
    """Make a catalog in memory of a tree, starting from what the vault's own knows already."""
    vault.refresh()
    catalog = vault.catalog.copy()
    known = catalog.blobs()
    wanted = {path: blob for path, blob in tree.blobs.items() if layout.kind(path) in ("firm", "schema")}
    stale = [path for path, blob in wanted.items() if known.get(path) != blob]
    stale += [owner for owner, path, _ in catalog.sidecars() if owner in wanted and owner not in stale]
    removed = [path for path in known if path not in wanted]
    schemas = _schemas(layout, catalog, tree, stale, removed)
    if schemas != vault.schemas() or layout.settings != vault.layout.settings:
        stale = list(wanted)
    context = Context(layout, schemas, _sidecars(tree), divide)
    sources = [SourceFile(path, tree.read_blob(wanted[path]), wanted[path], ABSENT) for path in stale]
    with catalog.writing():
        catalog.apply([ingest(source, context) for source in sources], removed)
    return catalog


def _schemas(
    layout: Layout, catalog: Catalog, tree: Tree, stale: Sequence[str], removed: Sequence[str]
) -> dict[str, Schema]:
    gone = {*stale, *removed}
    declared = [schema for schema in catalog.schemas() if schema.path not in gone]
    for path in stale:
        if layout.workspace or layout.kind(path) == "schema":
            declared += read(decode(tree.read(path) or b"", path)[0], path).schemas
    return schemas_in_force(sorted(declared, key=lambda schema: schema.path))


def _sidecars(tree: Tree) -> Callable[[str], tuple[bytes | None, Stamp]]:
    return lambda path: (tree.read(path), ABSENT)
