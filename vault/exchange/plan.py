"""The plan of an import: which entries the files of a folder become, and what their links lead to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vault.exchange.draft import Draft, Lookup
from vault.exchange.fields import Holds, by_rank, fit, is_held, ordered, texts_in, wanted
from vault.exchange.ids import Existing, assign_keys
from vault.exchange.mapping import ImportMapping
from vault.exchange.markdown import WIKILINK, Link, links_in, tags_in, wiki_target
from vault.exchange.notes import Problem, Skipped, SourceFile, SourceNote, read_note, trim_blank_lines
from vault.exchange.resolve import build_targets, is_attachment
from vault.exchange.sheets import Sheet, identities_of, read_sheet
from vault.model.schema import Schema
from vault.model.values import Reference, Value, references_in


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """An entry as it is to be written. `fields` are in display order, without `origin` and the text.

    `text` is the text of the note without outer blank lines; None where there is none.
    """

    type: str
    id: str
    fields: tuple[tuple[str, Value], ...]
    text: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A link that leads to no file of the folder."""

    origin: str
    line: int
    target: str


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What became of the links inside a folder: `total` = resolved + unresolved, attachments apart."""

    total: int = 0
    resolved: int = 0
    attachments: int = 0
    unresolved: tuple[Unresolved, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do, ordered by path; the same for the same files in any order."""

    entries: tuple[PlannedEntry, ...]
    links: LinkReport
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One entry, its links with what they lead to, and its problems."""

    entry: PlannedEntry
    links: tuple[tuple[Link, Reference | None], ...]
    problems: tuple[Problem, ...]


def plan_import(
    files: Iterable[SourceFile],
    *,
    mapping: ImportMapping,
    schemas: Mapping[str, Schema],
    existing: Sequence[Existing],
    source_label: str,
    holds: Holds,
) -> ImportPlan:
    """Plan the import of a folder.

    `existing` are the entries of the scope it goes to; `holds` says whether a string field can hold a
    text exactly. Raises `UnknownTypeError` for a type without a schema.
    """
    read = [read_note(file) for file in sorted(files, key=lambda file: file.path)]
    existing = sorted(existing, key=lambda entry: (entry.type, entry.id))
    types = {entry.origin: entry.type for entry in existing if entry.origin}
    notes = [item for item in read if isinstance(item, SourceNote)]
    sheets = [
        read_sheet(note, f"{source_label}/{note.path}", mapping=mapping, schemas=schemas, types=types, holds=holds)
        for note in notes
    ]
    identities, doubled = identities_of(notes, mapping.identity)
    keys = assign_keys((sheet.wish() for sheet in sheets), existing)
    targets = build_targets(sheet.page() for sheet in sheets)
    lookup = Lookup(targets, keys, identities)
    outcomes = [_plan_entry(sheet, lookup, holds) for sheet in sheets]
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    return ImportPlan(
        tuple(outcome.entry for outcome in outcomes),
        _report(outcomes),
        tuple(sorted([*problems, *doubled], key=lambda problem: (problem.path, problem.line))),
        tuple(item for item in read if isinstance(item, Skipped)),
    )


def _plan_entry(sheet: Sheet, lookup: Lookup, holds: Holds) -> _Outcome:
    note, key = sheet.note, lookup.keys[sheet.note.path]
    draft = _draft(sheet, lookup, key)
    links = [*_links_of_fields(draft, note), *links_in(note.body, note.line_at(note.start))]
    outcomes = [(link, lookup.follow(link, note.path)) for link in links]
    outcomes += [(Link(text, note.line_of(text), wiki=True), None) for text in draft.missing]
    for value in draft.fields.values():
        outcomes += [(Link(str(found), 1, wiki=True), found) for found in references_in(value)]
    related = tuple(found for _, found in outcomes[: len(links)] if found is not None and found != key)
    draft.put("relates_to", related or None)
    lost = [name for name, value in draft.fields.items() if not is_held(value, holds)]
    fields = {name: value for name, value in draft.fields.items() if name not in lost}
    text = trim_blank_lines(note.source if lost else note.body)
    entry = PlannedEntry(key.type, key.id, ordered(fields, sheet.schema), text or None, sheet.origin)
    return _Outcome(entry, tuple(outcomes), note.problems + _losses(note, lost))


def _draft(sheet: Sheet, lookup: Lookup, key: Reference) -> Draft:
    """Place the constants, the name, every cell, and the tags of the text."""
    draft = Draft(sheet.note.path, sheet.schema, lookup, {"name": sheet.name})
    for name, constant in sheet.rule.constants.items():
        fitted = fit(constant, name, sheet.schema)
        draft.fields[name] = constant if fitted is None else fitted
    for cell in by_rank(sheet.cells):
        is_id = cell.source == "id" and cell.value == key.id and not cell.target
        if cell is not sheet.named_by and not is_id:
            draft.place(cell, wanted(cell, sheet.schema))
    draft.put("tags", tags_in(sheet.note.body) or None)
    return draft


def _links_of_fields(draft: Draft, note: SourceNote) -> list[Link]:
    """List the links within strings that stayed strings, each with its line in the front matter."""
    return [
        Link(target, note.line_of(found[0]), wiki=True)
        for value in draft.fields.values()
        for text in texts_in(value)
        for found in WIKILINK.finditer(text)
        if (target := wiki_target(found["inner"]))
    ]


def _losses(note: SourceNote, lost: list[str]) -> tuple[Problem, ...]:
    """Say which fields no string holds exactly; the file as a whole becomes the text then."""
    return tuple(
        Problem(note.path, 1, f"no string holds `{name}` exactly: all of the file is kept as text") for name in lost
    )


def _report(outcomes: list[_Outcome]) -> LinkReport:
    resolved = attachments = 0
    unresolved: list[Unresolved] = []
    for outcome in outcomes:
        for link, found in outcome.links:
            if found is not None:
                resolved += 1
            elif is_attachment(link.target):
                attachments += 1
            else:
                unresolved.append(Unresolved(outcome.entry.origin, link.line, link.target))
    return LinkReport(resolved + len(unresolved), resolved, attachments, tuple(unresolved))
