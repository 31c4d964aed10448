"""The checks of a whole vault: what each file has by itself, and the rules about more than one."""

from collections.abc import Callable, Iterable
from datetime import datetime

from vault.diagnostics import Diagnostic, in_file_order, with_severities
from vault.store.catalog import Catalog
from vault.workspace.layout import Layout
from vault.workspace.rules import attachments, compat, names, references, slots
from vault.workspace.rules.whole import Rule, Whole

RULES: list[Rule] = [
    names.duplicate_entries,
    names.duplicate_schemas,
    references.unresolved,
    references.missing_fields,
    references.cycles,
    references.field_loops,
    slots.slot_conflicts,
    names.colliding_paths,
    names.undeclared_spaces,
    names.shared_values,
    attachments.missing_attachments,
]


def check(
    layout: Layout,
    catalog: Catalog,
    now: datetime,
    paths: Iterable[str] | None = None,
    *,
    known: Callable[[str], bool] = lambda _: True,
    has_file: Callable[[str], bool] = lambda _: True,
    firm_compatible: bool = False,
) -> list[Diagnostic]:
    """Every diagnostic of a vault in file order; of some files where given.

    A finding about two places is reported where either is asked for. `known` says of which scopes the one
    who asks may know; what is found in the others is for the caller to leave out. `has_file` says whether
    there is a file at a path. `firm_compatible` adds
    which entries plain Firm would take for one.
    """
    wanted = None if paths is None else frozenset(paths)
    found = catalog.diagnostics(wanted)
    whole = Whole(layout, catalog, now, known, has_file, wanted)
    for rule in [*RULES, *([compat.one_to_firm] if firm_compatible else [])]:
        for item in rule(whole):
            if wanted is None or item.span.path in wanted or any(r.span.path in wanted for r in item.related):
                found.append(item)
    return in_file_order(with_severities(found, layout.settings.check))
