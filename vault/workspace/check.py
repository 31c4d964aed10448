"""The checks that look at more than one file: names taken twice, references that lead nowhere."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from vault.diagnostics import Diagnostic, Related, Span, diagnostic, in_file_order, with_severities
from vault.model.access import GLOBAL
from vault.model.keys import is_space_name
from vault.model.schema import Schema
from vault.model.values import plain_text
from vault.store.catalog import Catalog
from vault.store.records import Stored
from vault.workspace.ingest import field_span, heading_span
from vault.workspace.layout import Layout

#: Near matches are looked for this many times in one run; each compares with every id there is.
NEAR_LIMIT = 40


def check(layout: Layout, catalog: Catalog, paths: Iterable[str] | None = None) -> list[Diagnostic]:
    """Every diagnostic of a vault as its owner sees it, in file order; of some files where given.

    A finding about two places is reported where either is asked for.
    """
    found = catalog.diagnostics(paths)
    wanted = None if paths is None else set(paths)
    for rule in RULES:
        for item in rule(layout, catalog):
            if wanted is None or item.span.path in wanted or any(r.span.path in wanted for r in item.related):
                found.append(item)
    return in_file_order(with_severities(found, layout.settings.check))


def _duplicate_entries(layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    twice = catalog.db.execute("SELECT key, scope FROM entries GROUP BY key, scope HAVING count(*) > 1").fetchall()
    for key, scope in twice:
        first, *others = catalog.select("e.key = ? AND e.scope = ?", [key, scope], "ORDER BY e.path, e.id")
        for other in others:
            where = "" if layout.workspace else f" in {_scope_words(scope)}"
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


def _duplicate_schemas(_layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    seen: dict[str, Schema] = {}
    for schema in catalog.schemas():
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


def _references(layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    """References that resolve to nothing from where they are written."""
    scopes: dict[str, set[str]] = defaultdict(set)
    for key, scope in catalog.db.execute("SELECT key, scope FROM entries"):
        scopes[key].add(scope)
    missing: dict[int, list[tuple[str, str]]] = defaultdict(list)
    owners = dict(catalog.db.execute("SELECT id, scope FROM entries").fetchall())
    for row, name, target in catalog.db.execute("SELECT entry, field, target FROM refs"):
        reachable = scopes.get(target)
        if not reachable or not (owners[row] in reachable or GLOBAL in reachable):
            missing[row].append((name, target))
    left = NEAR_LIMIT
    for stored in _stored(catalog, missing):
        for name, target in dict.fromkeys(missing[stored.row]):
            yield _unresolved(layout, stored, name, target, scopes, near=left > 0)
            left -= 1
    yield from _missing_fields(catalog)


def _stored(catalog: Catalog, rows: Iterable[int]) -> Iterator[Stored]:
    wanted = list(rows)
    for start in range(0, len(wanted), 500):
        chunk = wanted[start : start + 500]
        yield from catalog.select(f"e.id IN ({','.join('?' * len(chunk))})", chunk)


def _unresolved(
    layout: Layout, stored: Stored, name: str, target: str, scopes: dict[str, set[str]], *, near: bool
) -> Diagnostic:
    entry, elsewhere = stored.entry, scopes.get(target, set())
    span = field_span(entry, name)
    open_scopes = sorted(scope for scope in elsewhere if not layout.settings.is_private(scope))
    if open_scopes:
        return diagnostic(
            "out-of-scope-reference",
            f"`{name}` names `{target}`, which only the space {open_scopes[0]} has",
            span,
            hint=f"move `{target}` to the global scope, or this entry into the space",
            subject=entry.key,
        )
    if elsewhere:
        return diagnostic(
            "private-reference",
            f"`{name}` names `{target}`, which only a private space has",
            span,
            hint="whoever reads this learns that it exists",
            subject=entry.key,
        )
    close: list[str] = []
    if near:
        visible = [key for key, held in scopes.items() if stored.scope in held or GLOBAL in held]
        close = get_close_matches(target, visible, n=1, cutoff=0.8)
    return diagnostic(
        "dangling-reference",
        f"`{name}` names `{target}`, which does not exist",
        span,
        hint=f"did you mean `{close[0]}`?" if close else f"`vault add {target.replace('.', ' ', 1)}` would make it",
        subject=entry.key,
    )


def _missing_fields(catalog: Catalog) -> Iterator[Diagnostic]:
    """References to a field that the version the writer means, their scope's or else the global one, has not."""
    rows = catalog.db.execute(
        "SELECT entry, field, target, target_field FROM"
        " (SELECT r.*, CASE WHEN EXISTS (SELECT 1 FROM entries t WHERE t.key = r.target AND t.scope = o.scope)"
        " THEN o.scope ELSE ? END AS meant"
        " FROM refs r JOIN entries o ON o.id = r.entry WHERE r.target_field IS NOT NULL)"
        " WHERE EXISTS (SELECT 1 FROM entries t WHERE t.key = target AND t.scope = meant)"
        " AND NOT EXISTS (SELECT 1 FROM entries t, json_each(t.fields) f"
        " WHERE t.key = target AND t.scope = meant AND f.key = target_field)",
        [GLOBAL],
    ).fetchall()
    missing: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for row, *words in rows:
        missing[row].append((words[0], words[1], words[2]))
    for stored in _stored(catalog, missing):
        for name, target, target_field in missing[stored.row]:
            yield diagnostic(
                "dangling-reference",
                f"`{name}` names the field `{target_field}`, which `{target}` does not have",
                field_span(stored.entry, name),
                subject=stored.entry.key,
            )


def _colliding_paths(_layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    """Paths that are one file on a system that ignores case or Unicode form."""
    seen: dict[str, str] = {}
    for (path,) in catalog.db.execute("SELECT path FROM files ORDER BY path"):
        folded = unicodedata.normalize("NFC", path).casefold()
        if folded in seen:
            yield diagnostic(
                "case-collision",
                f"`{path}` and `{seen[folded]}` are one file on macOS and Windows",
                Span(path),
                hint="rename one of the two",
                related=(Related(Span(seen[folded]), "the other file"),),
            )
        seen.setdefault(folded, path)


def _spaces(layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    """Folders under `spaces/` that no setting declares: nobody outside sees what is in them."""
    if layout.workspace:
        return
    rows = catalog.db.execute("SELECT scope, min(path) FROM files WHERE scope IS NOT NULL GROUP BY scope").fetchall()
    for scope, path in rows:
        if scope != GLOBAL and scope not in layout.settings.spaces:
            valid = is_space_name(scope)
            yield diagnostic(
                "undeclared-space",
                f"the space `{scope}` is not declared in vault.yaml, so it is kept private",
                Span(path),
                hint=f"`vault spaces add {scope}` declares it"
                if valid
                else "rename the folder: a space name is made of a-z, 0-9, `_` and `-`",
            )


def _unique(_layout: Layout, catalog: Catalog) -> Iterator[Diagnostic]:
    """Values of fields marked `unique` that two entries of one scope share."""
    for schema in catalog.schemas():
        for spec in schema.fields:
            if not spec.unique:
                continue
            seen: dict[tuple[str, str], Stored] = {}
            for stored in catalog.select("e.type = ?", [schema.name], "ORDER BY e.path, e.id"):
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


RULES: list[Callable[[Layout, Catalog], Iterator[Diagnostic]]] = [
    _duplicate_entries,
    _duplicate_schemas,
    _references,
    _colliding_paths,
    _spaces,
    _unique,
]
