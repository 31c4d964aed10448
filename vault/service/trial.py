"""What a write of one file would make wrong in the vault, found out without writing it."""

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.lang.lower import read
from vault.model.schema import Schema
from vault.store.catalog import Catalog
from vault.store.files import Unreadable, passes_link, read_bytes
from vault.store.journal import FileWrite
from vault.store.records import Divided
from vault.store.scan import ABSENT, Stamp
from vault.workspace.check import check
from vault.workspace.ingest import Context, SourceFile, decode, ingest
from vault.workspace.refresh import blob_of, schemas_in_force

if TYPE_CHECKING:
    from vault.service.vault import Vault


def news(vault: "Vault", own: FileWrite) -> list[Diagnostic]:
    """What would be wrong after a write of a `.firm` file and is not now, as far as the reader may know."""
    old = Counter(map(_what, vault.findings()))
    found = []
    for item in _after(vault, own):
        if old[_what(item)]:
            old[_what(item)] -= 1
        else:
            found.append(item)
    return found


def _what(item: Diagnostic) -> tuple[str, ...]:
    """What a diagnostic says, wherever in its file that is."""
    return item.code, item.severity, item.span.path, item.subject, item.message


def _after(vault: "Vault", own: FileWrite) -> list[Diagnostic]:
    catalog = vault.catalog.copy()
    try:
        _apply(vault, catalog, own)
        found = check(vault.layout, catalog, vault.clock(), known=vault.knows)
    finally:
        catalog.close()
    return [
        item
        for item in found
        if vault.shows(item.span.path) and all(vault.shows(related.span.path) for related in item.related)
    ]


def _apply(vault: "Vault", catalog: Catalog, own: FileWrite) -> None:
    """Bring a copy of the catalog to what it would hold after a write."""
    contents = {} if own.after is None else {own.path: own.after}
    schemas = _schemas(vault, catalog, own)
    if schemas != vault.schemas():  # every entry is judged by the schemas
        for path in catalog.blobs():
            if path != own.path:
                with suppress(Unreadable):  # what was known of it is kept
                    contents[path] = read_bytes(vault.root, path)

    def sidecar(path: str) -> tuple[bytes | None, Stamp]:
        with suppress(Unreadable):
            if not passes_link(vault.root, path):
                return read_bytes(vault.root, path), ABSENT
        return None, ABSENT

    # no rule looks at passages, and making them is most of the work
    context = Context(vault.layout, schemas, sidecar, lambda *_: Divided())
    sources = (SourceFile(path, data, blob_of(data), ABSENT) for path, data in contents.items())
    with catalog.writing():
        catalog.apply([ingest(source, context) for source in sources], [own.path] if own.after is None else [])


def _schemas(vault: "Vault", catalog: Catalog, own: FileWrite) -> dict[str, Schema]:
    """The schemas in force after a write."""
    declared = [schema for schema in catalog.schemas() if schema.path != own.path]
    if own.after is not None and (vault.layout.workspace or vault.layout.kind(own.path) == "schema"):
        declared += read(decode(own.after, own.path)[0], own.path).schemas
    return schemas_in_force(sorted(declared, key=lambda schema: schema.path))
