"""Bringing the catalog up to date: a stat scan, then only what changed."""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from vault.diagnostics import Diagnostic, Span, diagnostic
from vault.errors import VaultError
from vault.lang.lower import read
from vault.model.schema import Schema
from vault.store import bundled
from vault.store.catalog import Catalog
from vault.store.files import Unreadable, passes_link, read_bytes, read_found
from vault.store.records import FileRecord, pack_schema
from vault.store.scan import Found, Ignored, Stamp, is_fresh, link_target, scan, stamp_of
from vault.workspace import bundled_entries
from vault.workspace.ingest import Context, Divide, SourceFile, decode, ingest
from vault.workspace.layout import Layout

#: Files put into the catalog by one transaction: the most an interruption can lose.
BATCH = 1000

#: The kinds of files that are read by themselves.
_READ = ("firm", "schema")

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Refreshed:
    """What a refresh did. `unread` are files that could not be read: what was known of them is kept.

    `links` and `misnamed` are paths that were left out, as the scan tells; `scanned` is the scan itself.
    """

    root: Path = field(default_factory=Path)
    files: int = 0
    changed: int = 0
    removed: int = 0
    unread: list[Diagnostic] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    scanned: Found = field(default_factory=lambda: Found(0))

    def findings(self) -> list[Diagnostic]:
        """What is to be said of the paths that could not be read or were left out."""
        links = (_is_link(self.root, path) for path in self.links)
        return [*self.unread, *links, *map(_is_misnamed, self.misnamed)]


def _is_link(root: Path, path: str) -> Diagnostic:
    target = link_target(root, path)
    if target is not None:
        message = f"`{path}` is a link to `{target}`, so it is left out"
        return diagnostic("inside-link", message, Span(path), hint="remove the link: the file is read in its own place")
    message = f"`{path}` is a link to a place outside the vault, so it is left out"
    return diagnostic("outside-link", message, Span(path), hint="move the file itself here")


def _is_misnamed(path: str) -> Diagnostic:
    message = f"the name of `{path}` is not UTF-8, so it is left out"
    return diagnostic("bad-name", message, Span(path), hint="rename it")


def blob_of(data: bytes) -> str:
    """The id git gives to a file of these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@cache
def internal_schemas() -> Mapping[str, Schema]:
    """The schemas of the product's own records, for types the vault does not define itself."""
    texts = bundled.schema_texts(bundled.INTERNAL).values()
    return {schema.name: replace(schema, path="") for text in texts for schema in read(text, "").schemas}


def schemas_in_force(declared: Iterable[Schema]) -> dict[str, Schema]:
    """Schemas by type: the vault's own before the internal ones; of two of one name the first counts."""
    return {**internal_schemas(), **{schema.name: schema for schema in reversed(list(declared))}}


@dataclass(slots=True)
class Refresh:
    """One refresh of one vault's catalog; `divide` makes passages, `ignored` knows what git ignores."""

    layout: Layout
    catalog: Catalog
    divide: Divide
    ignored: Ignored | None = None
    progress: Progress | None = None
    result: Refreshed = field(default_factory=Refreshed)

    def run(self) -> Refreshed:
        """Bring the catalog up to date; an interruption keeps the batches that are done."""
        found = scan(self.layout.root, self.layout.places, self.ignored)
        before, kinds = self.catalog.folders(), self.layout.kinds()
        digests = {folder: listing.digest() for folder, listing in found.listings.items()}
        changed = [folder for folder, digest in digests.items() if before.get(folder, (b"",))[0] != digest]
        gone = [folder for folder in before if folder not in digests]
        present = {
            path: stamp
            for folder in changed
            for name, stamp in found.listings[folder].items()
            if kinds(path := f"{folder}/{name}" if folder else name) in _READ
        }
        known = self.catalog.stamps({*changed, *gone}) if changed or gone else {}
        removed = [path for path in known if path not in present]
        stale = self._stale(present, known, {*removed}, found)
        self.result.root = self.layout.root
        self.result.links, self.result.misnamed, self.result.scanned = found.links, found.misnamed, found
        if stale or removed:
            self._bring_in(stale, removed, found)
        counts = Counter(path.rpartition("/")[0] for path in present)
        settled = {
            folder: (digests[folder], counts[folder])
            for folder in self._settled(changed, present, found.started)
            if before.get(folder) != (digests[folder], counts[folder])
        }
        if settled or gone:
            with self.catalog.writing():
                self.catalog.remember_folders(settled, gone)
        kept = sum(count for folder, (_, count) in before.items() if folder in digests and folder not in changed)
        self.result.files = len(present) + kept
        bundled_entries.bring_in(self.catalog, self.layout, self.divide)
        return self.result

    def _settled(self, changed: Iterable[str], present: Mapping[str, Stamp], started: int) -> Iterator[str]:
        """The changed folders of which all is known for certain: no file was written just now, or could not be read."""
        doubtful = {item.span.path.rpartition("/")[0] for item in self.result.unread}
        doubtful |= {path.rpartition("/")[0] for path, stamp in present.items() if not is_fresh(stamp, started)}
        return (folder for folder in changed if folder not in doubtful)

    def _stale(
        self,
        present: Mapping[str, Stamp],
        known: Mapping[str, tuple[int, ...]],
        removed: Collection[str],
        found: Found,
    ) -> list[str]:
        """Files with a new stamp or one that cannot be trusted, or naming a sidecar that has one."""
        stale = {path for path, stamp in present.items() if known.get(path) != (*stamp, 1)}
        for owner, path, stamp in self.catalog.sidecars():
            now = stamp_of(self.layout.root / path)
            if owner not in removed and (now != stamp or not is_fresh(now, found.started)):
                stale.add(owner)
        return sorted(stale)

    def _bring_in(
        self,
        stale: list[str],
        removed: list[str],
        found: Found,
    ) -> None:
        blobs = self.catalog.blobs(stale)
        schemas = self._schemas(stale, removed, blobs)
        fingerprint = _fingerprint(schemas)
        if fingerprint != self.catalog.meta("schemas"):
            # every entry is judged by the schemas, so all are read again
            kinds = self.layout.kinds()
            stale, blobs = sorted(path for path in found.files if kinds(path) in _READ), {}
        context = Context(self.layout, schemas, self._read_sidecar, self.divide)
        with _no_collection():
            self._ingest(self._read(stale, blobs, found), context, len(stale))
        with self.catalog.writing():
            if removed:
                self.catalog.apply([], removed)
            self.catalog.remember("schemas", fingerprint)
        self.result.removed = len(removed)

    def _schemas(self, stale: Collection[str], removed: Collection[str], blobs: Mapping[str, str]) -> dict[str, Schema]:
        """The schemas in force once the stale files are read."""
        reread: dict[str, list[Schema]] = {}
        for path in stale:
            if not self.layout.workspace and self.layout.kind(path) != "schema":
                continue
            data = self._bytes(path)
            if data is not None and blob_of(data) != blobs.get(path):
                reread[path] = read(decode(data, path)[0], path).schemas if b"schema" in data else []
        gone = {*removed, *reread}
        kept = [schema for schema in self.catalog.schemas() if schema.path not in gone]
        declared = [*kept, *(schema for found in reread.values() for schema in found)]
        return schemas_in_force(sorted(declared, key=lambda schema: schema.path))

    def _bytes(self, path: str) -> bytes | None:
        """Read a file the scan found; one that cannot be read is reported once."""
        try:
            return read_found(self.layout.root, path)
        except Unreadable as error:
            report = diagnostic("unreadable", error.message, Span(path), hint=error.hint)
            if report not in self.result.unread:
                self.result.unread.append(report)
            return None

    def _read(self, paths: Iterable[str], blobs: Mapping[str, str], found: Found) -> Iterator[SourceFile]:
        """Read files; of one whose content is the known one, only the stamp is noted."""
        owners = {owner for owner, _, _ in self.catalog.sidecars()}
        touched: dict[str, tuple[Stamp, bool]] = {}
        for path in paths:
            data = self._bytes(path)
            if data is None:
                continue
            blob, stamp = blob_of(data), found.stamp(path)
            fresh = is_fresh(stamp, found.started)
            if blobs.get(path) == blob and path not in owners:
                touched[path] = (stamp, fresh)
            else:
                yield SourceFile(path, data, blob, stamp, fresh)
        if touched:
            with self.catalog.writing():
                self.catalog.restamp(touched)

    def _ingest(self, sources: Iterable[SourceFile], context: Context, total: int) -> None:
        batch: list[FileRecord] = []
        for source in sources:
            batch.append(ingest(source, context))
            if len(batch) == BATCH:
                self._write(batch, total)
                batch = []
        self._write(batch, total)

    def _write(self, batch: list[FileRecord], total: int) -> None:
        if batch:
            with self.catalog.writing():
                self.catalog.apply(batch)
            self.result.changed += len(batch)
            if self.progress:
                self.progress(self.result.changed, total)

    def _read_sidecar(self, path: str) -> tuple[bytes | None, Stamp]:
        """Read a sidecar with the stamp it had before; None where it cannot be read, or only through a link."""
        stamp = stamp_of(self.layout.root / path)
        if passes_link(self.layout.root, path):
            return None, stamp
        try:
            return read_bytes(self.layout.root, path), stamp
        except VaultError:
            return None, stamp


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python from looking for circles in what is read: there are none, and it takes a tenth of the time."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _fingerprint(schemas: Mapping[str, Schema]) -> str:
    packed = "\n".join(pack_schema(schemas[name]) for name in sorted(schemas))
    return hashlib.sha256(packed.encode()).hexdigest()
