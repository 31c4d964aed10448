"""Names taken twice: keys, schemas, paths and unique values; and spaces that nobody declared."""

import unicodedata
from collections.abc import Iterator

from vault.diagnostics import Diagnostic, Related, Span, diagnostic
from vault.model.access import GLOBAL
from vault.model.keys import is_space_name
from vault.model.schema import Schema
from vault.model.values import plain_text
from vault.store.records import Stored
from vault.workspace.ingest import field_span, heading_span
from vault.workspace.rules.whole import Whole


def duplicate_entries(whole: Whole) -> Iterator[Diagnostic]:
    """Entries of one key in one scope."""
    for key, scope in whole.catalog.duplicate_keys(whole.paths):
        entries = whole.catalog.entries_with_key(key, scope)
        first, *others = sorted(entries, key=lambda stored: (stored.entry.path, stored.row))
        for other in others:
            where = "" if whole.layout.workspace else f" in {_scope_words(scope)}"
            yield diagnostic(
                "duplicate-entry",
                f"`{key}` is declared twice{where}",
                heading_span(other.entry),
                hint="rename one of the two, or merge them",
                subject=key,
                related=(Related(heading_span(first.entry), "it is declared here first"),),
            )


def _scope_words(scope: str) -> str:
    return "the global scope" if scope == GLOBAL else f"the space {scope}"


def duplicate_schemas(whole: Whole) -> Iterator[Diagnostic]:
    """Schemas of one name."""
    seen: dict[str, Schema] = {}
    for schema in whole.catalog.schemas():
        if schema.name in seen:
            yield diagnostic(
                "schema-error",
                f"the schema `{schema.name}` is declared twice",
                Span(schema.path),
                hint="keep one of the two",
                subject=schema.name,
                related=(Related(Span(seen[schema.name].path), "it is declared here first"),),
            )
        seen.setdefault(schema.name, schema)


def colliding_paths(whole: Whole) -> Iterator[Diagnostic]:
    """Paths that are one file on a system that ignores case or Unicode form."""
    seen: dict[str, str] = {}
    wanted = None if whole.paths is None else frozenset(map(_folded, whole.paths))
    for path in whole.catalog.paths_near(wanted):
        folded = _folded(path)
        if wanted is not None and folded not in wanted:
            continue
        if folded in seen:
            yield diagnostic(
                "case-collision",
                f"`{path}` and `{seen[folded]}` are one file on macOS and Windows",
                Span(path),
                hint="rename one of the two",
                related=(Related(Span(seen[folded]), "the other file"),),
            )
        seen.setdefault(folded, path)


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def undeclared_spaces(whole: Whole) -> Iterator[Diagnostic]:
    """Folders under `spaces/` that no setting declares: nobody outside sees what is in them."""
    if whole.layout.workspace:
        return
    for scope in whole.catalog.file_scopes(whole.paths):
        if scope != GLOBAL and scope not in whole.layout.settings.spaces:
            path = whole.catalog.first_path(scope)
            valid = is_space_name(scope)
            yield diagnostic(
                "undeclared-space",
                f"the space `{scope}` is not declared in vault.yaml, so it is kept private",
                Span(path),
                hint=f"`vault spaces add {scope}` declares it"
                if valid
                else "rename the folder: space names use a-z, 0-9, `_` and `-`",
            )


def shared_values(whole: Whole) -> Iterator[Diagnostic]:
    """Values of fields marked `unique` that two entries of one scope share."""
    types = whole.catalog.types_in(whole.paths)
    for schema in whole.catalog.schemas():
        for spec in schema.fields:
            if not spec.unique or schema.name not in types:
                continue
            seen: dict[tuple[str, str], Stored] = {}
            for stored in whole.catalog.own_entries(schema.name):
                if spec.name not in stored.entry.fields:
                    continue
                place = (stored.scope, plain_text(stored.entry.fields[spec.name]))
                first = seen.setdefault(place, stored)
                if first is not stored:
                    yield diagnostic(
                        "not-unique",
                        f"`{spec.name}` is {place[1]!r} in `{first.entry.key}` too",
                        field_span(stored.entry, spec.name),
                        subject=stored.entry.key,
                        related=(Related(field_span(first.entry, spec.name), "the same value"),),
                    )
