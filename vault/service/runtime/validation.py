"""Judging content that is not in the files: what is staged, what a commit holds, what a write would make."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, Span, diagnostic, in_file_order, with_severities
from vault.lang.compat import extensions
from vault.lang.lower import read
from vault.lang.parse import parse
from vault.model.schema import Schema
from vault.model.settings import SETTINGS_FILE, BadSettings
from vault.render import line_of
from vault.service.runtime.discovery import settings_in
from vault.store.catalog import Catalog
from vault.store.files import Unreadable, passes_link, read_bytes
from vault.store.journal import FileWrite
from vault.store.records import Divided, FileRecord
from vault.store.scan import ABSENT
from vault.workspace.check import check
from vault.workspace.ingest import Context, SourceFile, decode, ingest
from vault.workspace.layout import Layout
from vault.workspace.refresh import blob_of, schemas_in_force

if TYPE_CHECKING:
    from vault.render import Excerpt
    from vault.service.runtime.handle import VaultHandle


#: The codes of references that an entry's going away can leave without an end.
LED_NOWHERE = frozenset(["dangling-reference", "out-of-scope-reference", "private-reference"])


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a vault at some state: blob ids by path, and how a file is read (None: it is not there).

    `beside` says that files which are not listed are as the working tree has them. `differing` returns the
    paths at which the tree may differ from the working tree; without it every path is compared.
    """

    blobs: Mapping[str, str]
    read: Callable[[str], bytes | None]
    beside: bool = False
    differing: Callable[[], Collection[str]] | None = None

    def excerpt(self, path: str, line: int) -> str | None:
        """A line of a file, for showing a diagnostic."""
        return line_of(self.read(path) or b"", line)


def tree_of(
    blobs: Mapping[str, str],
    read_blob: Callable[[str], bytes],
    differing: Callable[[], Collection[str]] | None = None,
) -> Tree:
    """A tree whose files are blobs."""
    return Tree(blobs, lambda path: read_blob(blobs[path]) if path in blobs else None, differing=differing)


class EditedFiles(Mapping[str, str]):
    """Files by path and blob, some of them edited (None: deleted)."""

    def __init__(self, files: Mapping[str, str], edits: Mapping[str, str | None]) -> None:
        self._files, self._edits = files, edits

    def __getitem__(self, path: str) -> str:
        """The blob of a path."""
        blob = self._edits[path] if path in self._edits else self._files[path]
        if blob is None:
            raise KeyError(path)
        return blob

    def __iter__(self) -> Iterator[str]:
        """The paths of all files."""
        yield from (path for path in self._files if path not in self._edits)
        yield from (path for path, blob in self._edits.items() if blob is not None)

    def __len__(self) -> int:
        """How many files there are."""
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Validation:
    """The diagnostics of so many files, and what gives their lines."""

    found: Sequence[Diagnostic]
    files: int
    excerpt: "Excerpt"


def check_worktree(
    vault: "VaultHandle",
    paths: Collection[str] | None = None,
    *,
    known: Callable[[str], bool] = lambda _scope: True,
    firm_compatible: bool = False,
) -> list[Diagnostic]:
    """Return every diagnostic of the files, or of some, that is about the `known` scopes alone; by default all.

    `firm_compatible` adds which entries plain Firm would take for one.
    """
    vault.refresh()
    found = check(
        vault.layout,
        vault.catalog,
        vault.clock(),
        paths,
        known=known,
        has_file=lambda path: (vault.root / path).is_file(),
        firm_compatible=firm_compatible,
    )
    scanned = with_severities(vault.refreshed.findings(), vault.layout.settings.check)
    return in_file_order([*found, *(item for item in scanned if paths is None or item.span.path in paths)])


def findings(vault: "VaultHandle") -> list[Diagnostic]:
    """Return the diagnostics of what the reader may know of."""
    return vault.tellable(check_worktree(vault, known=vault.knows))


def check_files(
    vault: "VaultHandle", paths: Collection[str] | None = None, *, firm_compatible: bool = False
) -> Validation:
    """Judge the working tree, or some of its files; with `firm_compatible` also as plain Firm would."""
    found = check_worktree(vault, paths, firm_compatible=firm_compatible)
    if firm_compatible:
        texts = vault.firm_paths() if paths is None else paths
        foreign = _extensions(texts, lambda path: read_bytes(vault.root, path), vault.layout)
        found = in_file_order([*found, *foreign])
    return Validation(found, vault.refreshed.files if paths is None else len(paths), vault.excerpt)


def check_staged(vault: "VaultHandle", *, firm_compatible: bool = False) -> Validation:
    """Judge what is staged, as it would be committed.

    Inside a hook git names the index it is about to commit in GIT_INDEX_FILE.
    """
    repository = vault.git()
    named = vault.environ.get("GIT_INDEX_FILE")
    index = repository.worktree / named if named else None
    judged = _check_changed(
        vault, repository.tree_at(repository.head()), repository.index_tree(index), firm_compatible=firm_compatible
    )
    unsettled = [_unsettled(path) for path in repository.unmerged(index) if _is_read(vault.layout, path)]
    return replace(
        judged, found=in_file_order([*judged.found, *with_severities(unsettled, vault.layout.settings.check)])
    )


def check_range(vault: "VaultHandle", start: str, end: str, *, firm_compatible: bool = False) -> Validation:
    """Judge what a revision brings beside another: the files that changed since the two parted.

    A revision of zeros stands for nothing at all. Raises `UnknownRevision`.
    """
    repository = vault.git()
    last = repository.resolve(end)
    first = None if not start.strip("0") else repository.resolve(start)  # what hosts say of a branch that is new
    before = repository.tree_at(first and (repository.merge_base(first, last) or first))
    return _check_changed(vault, before, repository.tree_at(last), firm_compatible=firm_compatible)


def _check_changed(
    vault: "VaultHandle", before: Mapping[str, str], after: Mapping[str, str], *, firm_compatible: bool
) -> Validation:
    old, new = (tree_of(blobs, vault.git().read_blob) for blobs in (before, after))
    return check_change(vault, old, new, firm_compatible=firm_compatible)


def _is_read(layout: Layout, path: str) -> bool:
    return path == SETTINGS_FILE or layout.kind(path) is not None


def _unsettled(path: str) -> Diagnostic:
    message = f"the merge of `{path}` is not settled: git holds both sides"
    return diagnostic("conflict-marker", message, Span(path), hint="settle it in an editor, then `git add` it")


def _changed(before: Tree, after: Tree, edited: Collection[str] | None) -> set[str]:
    """The paths of files that differ between two trees."""
    if edited is not None:
        return {path for path in edited if before.blobs.get(path) != after.blobs.get(path)}
    new = {path for path, blob in after.blobs.items() if before.blobs.get(path) != blob}
    return new | (before.blobs.keys() - after.blobs.keys())


def check_change(
    vault: "VaultHandle",
    before: Tree,
    after: Tree,
    *,
    edited: Collection[str] | None = None,
    firm_compatible: bool = False,
) -> Validation:
    """Judge what differs between two trees as the second holds it, among its other files.

    `edited` names the only paths at which the two can differ; without it all are compared.

    Also what it makes wrong in files that are the same: where a schema or the settings differ, and
    where entries that are named elsewhere are gone.
    """
    paths = _changed(before, after, edited)
    layout = _layout_of(vault, after)
    with _tried(vault, after, layout) as catalog:
        judged = {*paths, *(owner for owner, sidecar, _ in catalog.sidecars() if sidecar in paths)}
        found = check(
            layout,
            catalog,
            vault.clock(),
            judged,
            has_file=lambda path: path in after.blobs or layout.scope(path) is None,
            firm_compatible=firm_compatible,
        )
        decides = any(_decides(layout, path, before, after) for path in paths)
        elsewhere = check(layout, catalog, vault.clock()) if decides else []
        if not decides and (named := catalog.files_naming(_gone(layout, before, catalog, paths)) - judged):
            left = check(layout, catalog, vault.clock(), named)
            found += [item for item in left if item.code in LED_NOWHERE]
    if elsewhere:
        have, old = set(found), _told(vault, before)
        found += [item for item in elsewhere if item not in have and _telling(item) not in old]
    if firm_compatible:
        found += _extensions(paths, after.read, layout)
    return Validation(in_file_order(found), sum(_is_read(layout, path) for path in paths), after.excerpt)


def _gone(layout: Layout, before: Tree, catalog: Catalog, paths: Collection[str]) -> set[str]:
    """The keys of entries that some files of a tree declared and a catalog has no more."""
    texts = (decode(before.read(path) or b"", path)[0] for path in paths if layout.kind(path) == "firm")
    keys = {f"{block.type}.{block.id}" for text in texts for block in parse(text).blocks}
    return {key for key in keys if not catalog.has_key(key)}


def _decides(layout: Layout, path: str, before: Tree, after: Tree) -> bool:
    """Say whether what is right in other files may hang on a file: settings and schemas."""
    if layout.workspace:
        return path.endswith(".firm") and any(b"schema" in (tree.read(path) or b"") for tree in (before, after))
    return path == SETTINGS_FILE or layout.kind(path) == "schema"


def _told(vault: "VaultHandle", tree: Tree) -> set[tuple[str, ...]]:
    """What is wrong in a tree; nothing is known of one whose settings cannot be read."""
    try:
        layout = _layout_of(vault, tree)
    except BadSettings:
        return set()
    with _tried(vault, tree, layout) as catalog:
        return set(map(_telling, check(layout, catalog, vault.clock())))


def _telling(item: Diagnostic) -> tuple[str, ...]:
    """What a diagnostic says, wherever in its file that is."""
    return item.code, item.severity, item.span.path, item.subject, item.message


def news(vault: "VaultHandle", own: FileWrite) -> list[Diagnostic]:
    """What would be wrong after a write of a `.firm` file and is not now, as far as the reader may know."""
    old = Counter(map(_telling, findings(vault)))
    found = []
    with _tried(vault, _with_write(vault, own), vault.layout) as catalog:
        after = check(vault.layout, catalog, vault.clock(), known=vault.knows)
    for item in vault.tellable(after):
        if old[_telling(item)]:
            old[_telling(item)] -= 1
        else:
            found.append(item)
    return found


def _with_write(vault: "VaultHandle", own: FileWrite) -> Tree:
    """The working tree as a write of a `.firm` file would leave it."""
    blobs = {path: blob for path, blob in vault.catalog.blobs().items() if path != own.path}
    if own.after is not None:
        blobs[own.path] = blob_of(own.after)

    def read_file(path: str) -> bytes | None:
        if path == own.path:
            return own.after
        with suppress(Unreadable):
            if not passes_link(vault.root, path):
                return read_bytes(vault.root, path)
        return None

    return Tree(blobs, read_file, beside=True)


def _extensions(paths: Collection[str], read_file: Callable[[str], bytes | None], layout: Layout) -> list[Diagnostic]:
    """What plain Firm would not read in some `.firm` files; one that is too large is left out, as everywhere."""
    found = []
    for path in paths:
        data = read_file(path) if layout.kind(path) in ("firm", "schema") else None
        if data is not None and len(data) <= layout.settings.file_limit:
            found += extensions(decode(data, path)[0], path)
    return with_severities(found, layout.settings.check)


def _layout_of(vault: "VaultHandle", tree: Tree) -> Layout:
    """The vault with the tree's own settings, where it has some; raises `BadSettings`."""
    data = tree.read(SETTINGS_FILE)
    return vault.layout if data is None or vault.layout.workspace else Layout(vault.root, settings_in(data))


def catalog_of(vault: "VaultHandle", tree: Tree, layout: Layout) -> Catalog:
    """Make a catalog in memory of a tree; the caller closes it."""
    vault.refresh()
    catalog = vault.catalog.copy()
    try:
        records, removed = _differing(vault, catalog, tree, layout)
        with catalog.writing():
            catalog.apply(records, removed)
    except BaseException:
        catalog.close()
        raise
    return catalog


@contextmanager
def _tried(vault: "VaultHandle", tree: Tree, layout: Layout) -> Iterator[Catalog]:
    """The vault's catalog as it would be of a tree, until the end of the context; nothing is copied."""
    vault.refresh()
    records, removed = _differing(vault, vault.catalog, tree, layout)
    with vault.catalog.trial():
        vault.catalog.apply(records, removed)
        yield vault.catalog


def _differing(
    vault: "VaultHandle", catalog: Catalog, tree: Tree, layout: Layout
) -> tuple[list[FileRecord], list[str]]:
    """The records of a tree's files that a catalog knows otherwise, and the paths that the tree does not have."""
    kinds = layout.kinds()
    stale, removed = _compared(catalog, tree)
    stale = {path for path in stale if kinds(path) in ("firm", "schema")}
    schemas = _schemas(layout, catalog, tree, stale, removed)
    if schemas != vault.schemas() or layout.settings.file_limit != vault.layout.settings.file_limit:
        stale = {
            path for path in tree.blobs if kinds(path) in ("firm", "schema")
        }  # what a file says by itself hangs on no other setting
    # no rule looks at passages, and making them is most of the work
    context = Context(layout, schemas, lambda path: (tree.read(path), ABSENT), lambda *_: Divided())
    contents = ((path, tree.read(path)) for path in sorted(stale))
    # of a file that cannot be read, what was known is kept
    sources = [SourceFile(path, data, tree.blobs[path], ABSENT) for path, data in contents if data is not None]
    return [ingest(source, context) for source in sources], removed


def _compared(catalog: Catalog, tree: Tree) -> tuple[set[str], list[str]]:
    """The paths of which a tree holds something else than a catalog knows, and those it does not have."""
    paths = None if tree.differing is None else set(tree.differing())
    known = catalog.blobs(paths)
    if paths is None:
        stale = {path for path, blob in tree.blobs.items() if known.get(path) != blob}
    else:
        stale = {path for path in paths if (blob := tree.blobs.get(path)) and known.get(path) != blob}
    if not tree.beside:  # the catalog knows the sidecars of the working tree
        stale |= {
            owner
            for owner, sidecar, _ in catalog.sidecars()
            if (paths is None or sidecar in paths) and owner in tree.blobs
        }
    return stale, sorted(path for path in known if path not in tree.blobs)


def _schemas(
    layout: Layout, catalog: Catalog, tree: Tree, stale: Collection[str], removed: Collection[str]
) -> dict[str, Schema]:
    gone = {*stale, *removed}
    declared = [schema for schema in catalog.schemas() if schema.path not in gone]
    for path in stale:
        if layout.workspace or layout.kind(path) == "schema":
            declared += read(decode(tree.read(path) or b"", path)[0], path).schemas
    return schemas_in_force(sorted(declared, key=lambda schema: schema.path))
