"""References: those that lead nowhere, out of sight, or back to where they began."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from vault.diagnostics import Diagnostic, Related, diagnostic
from vault.model.access import GLOBAL
from vault.model.values import Reference
from vault.store.records import Stored
from vault.workspace.ingest import field_span
from vault.workspace.rules.whole import Whole

#: Near matches are looked for this many times in one run; each compares with every id there is.
NEAR_LIMIT = 40
#: The field whose references make a tree.
PARENT = "belongs_to"


def unresolved(whole: Whole) -> Iterator[Diagnostic]:
    """References to entries that do not exist where they are written."""
    missing: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row, name, target in whole.catalog.dangling_references(whole.paths):
        missing[row].append((name, target))
    scopes = _scopes(whole) if missing else {}
    left = NEAR_LIMIT
    for stored in whole.catalog.entries_at(missing):
        for name, target in dict.fromkeys(missing[stored.row]):
            yield _unresolved(whole, stored, name, target, scopes, near=left > 0)
            left -= 1


def _scopes(whole: Whole) -> Mapping[str, set[str]]:
    """The scopes of every key."""
    found: dict[str, set[str]] = defaultdict(set)
    for key, scope in whole.catalog.all_keys():
        found[key].add(scope)
    return found


def _unresolved(
    whole: Whole, stored: Stored, name: str, target: str, scopes: Mapping[str, set[str]], *, near: bool
) -> Diagnostic:
    entry, elsewhere = stored.entry, sorted(filter(whole.known, scopes.get(target, ())))
    span = field_span(entry, name)
    open_scopes = [scope for scope in elsewhere if not whole.layout.settings.is_private(scope)]
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
            hint="everyone who reads this learns that it exists",
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


def missing_fields(whole: Whole) -> Iterator[Diagnostic]:
    """References to a field that the version the writer means, their scope's or else the global one, has not."""
    missing: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for row, *reference in whole.catalog.references_to_missing_fields(whole.paths):
        name, target, target_field = reference
        missing[row].append((name, target, target_field))
    for stored in whole.catalog.entries_at(missing):
        for name, target, target_field in missing[stored.row]:
            yield diagnostic(
                "dangling-reference",
                f"`{name}` names the field `{target_field}`, which `{target}` does not have",
                field_span(stored.entry, name),
                subject=stored.entry.key,
            )


def field_loops(whole: Whole) -> Iterator[Diagnostic]:
    """Find fields whose references lead back to them through fields of other entries: they have no value."""
    if not whole.catalog.has_field_references(whole.paths):
        return
    steps: dict[_Field, tuple[str, str]] = {}
    places: dict[_Field, tuple[str, int]] = {}
    for row, scope, key, name, target, target_field, path in whole.catalog.field_references():
        steps[scope, key, name] = target, target_field
        places[scope, key, name] = path, row
    told: set[_Field] = set()
    for start in sorted(steps, key=places.__getitem__):
        loop = [] if start in told else _loop(start, steps)
        told.update(loop)
        if loop:
            yield from _looping(whole, loop, places)


#: A field of an entry: its scope, key and name.
_Field = tuple[str, str, str]


def _loop(start: _Field, steps: Mapping[_Field, tuple[str, str]]) -> list[_Field]:
    """The fields from one back to itself; none if it leads elsewhere."""
    walked = [start]
    while True:
        scope, _, _ = walked[-1]
        target, name = steps[walked[-1]]
        following = (scope, target, name) if (scope, target, name) in steps else (GLOBAL, target, name)
        if following == start:
            return walked
        if following not in steps or following in walked:
            return []
        walked.append(following)


def _looping(whole: Whole, loop: Sequence[_Field], places: Mapping[_Field, tuple[str, int]]) -> Iterator[Diagnostic]:
    entries = {stored.row: stored.entry for stored in whole.catalog.entries_at(places[one][1] for one in loop)}
    found = [entries[places[one][1]] for one in loop]
    names = [name for _, _, name in loop]
    if any(not isinstance(entry.fields.get(name), Reference) for entry, name in zip(found, names, strict=True)):
        return  # a reference in a list is not followed
    steps = [f"{entry.key}.{name}" for entry, name in zip(found, names, strict=True)]
    chain = " → ".join([*steps, steps[0]])
    yield diagnostic(
        "reference-cycle",
        f"`{names[0]}` has no value, because its references go in a circle: {chain}",
        field_span(found[0], names[0]),
        hint="give one of these fields a value of its own",
        subject=found[0].key,
        related=tuple(
            Related(field_span(entry, name), f"the circle goes on in `{entry.key}.{name}`")
            for entry, name in zip(found[1:], names[1:], strict=True)
        ),
    )


def cycles(whole: Whole) -> Iterator[Diagnostic]:
    """Entries that belong to themselves through others of their scope.

    From the global scope no reference leads back into a space, so a cycle never spans two scopes.
    """
    found = circles(_parents(whole))
    rows = {row for circle in found for row in circle}
    entries = {stored.row: stored.entry for stored in whole.catalog.entries_at(rows)}
    for circle in found:
        start = min(range(len(circle)), key=lambda place: (entries[circle[place]].path, circle[place]))
        first, *others = (entries[row] for row in [*circle[start:], *circle[:start]])
        told = " → ".join([first.key, *(other.key for other in others), first.key])
        yield diagnostic(
            "reference-cycle",
            f"`{first.key}` belongs to itself: {told}",
            field_span(first, PARENT),
            hint=f"take one of these out of its `{PARENT}`",
            subject=first.key,
            related=tuple(
                Related(field_span(other, PARENT), f"the circle goes on in `{other.key}`") for other in others
            ),
        )


def _parents(whole: Whole) -> Mapping[int, Sequence[int]]:
    """What entries belong to, within their scope: of all, or of wanted files and of whatever is above them."""
    parents: dict[int, list[int]] = defaultdict(list)
    rows = whole.catalog.parents_in(whole.paths, PARENT)
    while rows:
        for row, parent in rows:
            parents[row].append(parent)
        above = sorted({parent for _, parent in rows} - parents.keys()) if whole.paths is not None else []
        rows = whole.catalog.parents_of(above, PARENT) if above else []
    return parents


def circles(edges: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Circles of a graph, each once, as a walk in depth meets them; every circle there is shares a node with one."""
    found: list[list[int]] = []
    done: set[int] = set()
    for start in edges:
        path: dict[int, Iterator[int]] = {} if start in done else {start: iter(edges[start])}
        while path:
            node, steps = next(reversed(path.items()))
            following = next(steps, None)
            if following is None:
                done.add(node)
                del path[node]
            elif following in path:
                walked = list(path)
                found.append(walked[walked.index(following) :])
            elif following not in done:
                path[following] = iter(edges.get(following, ()))
    return found
