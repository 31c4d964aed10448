"""The plan of an import: which entries the files of a folder become, and what their links lead to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vault.exchange.conventions import PLAIN, Convention, is_settings
from vault.exchange.draft import Draft, Lookup, names_within
from vault.exchange.fields import Holds, by_rank, fit, is_held, ordered, texts_in, wanted
from vault.exchange.ids import Existing, assign_keys
from vault.exchange.mapping import ImportMapping
from vault.exchange.markdown import WIKILINK, Link, links_in, mentions_in, tags_in, wiki_link
from vault.exchange.notes import Problem, Skipped, SourceFile, SourceNote, read_note, trim_blank_lines
from vault.exchange.resolve import attachment, build_targets, claims, fold, meant
from vault.exchange.sheets import Sheet, identities_of, read_sheet
from vault.model.schema import Schema
from vault.model.values import Reference, Value, references_in


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """An entry as it is to be written. `fields` are in display order, without `origin` and the text.

    `text` is the text of the note without outer blank lines; None where there is none. `attachments` are
    the paths of the files it links to that are no notes.
    """

    type: str
    id: str
    fields: tuple[tuple[str, Value], ...]
    text: str | None
    origin: str
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A link that leads to no file of the folder, or to any of `claims` with the same right."""

    origin: str
    line: int
    target: str
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What became of the links inside a folder: `total` = resolved + unresolved, links to attachments apart."""

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
class _Traced:
    """A link with what it leads to: an entry, or a file that is no note, or with the same right to several entries."""

    link: Link
    entry: Reference | None = None
    attachment: str | None = None
    claims: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One entry, its links with what they lead to, and its problems."""

    entry: PlannedEntry
    links: tuple[_Traced, ...]
    problems: tuple[Problem, ...]


def plan_import(
    files: Iterable[SourceFile],
    *,
    mapping: ImportMapping,
    schemas: Mapping[str, Schema],
    existing: Sequence[Existing],
    source_label: str,
    holds: Holds,
    others: Iterable[str] = (),
    convention: Convention = PLAIN,
) -> ImportPlan:
    """Plan the import of a folder.

    `existing` are the entries of the scope it goes to; `holds` says whether a string field can hold a
    text exactly; `others` are the paths of the folder's files that are no notes. Raises `UnknownTypeError`
    for a type without a schema.
    """
    read = [_read(file, convention) for file in sorted(files, key=lambda file: file.path)]
    existing = sorted(existing, key=lambda entry: (entry.type, entry.id))
    types = {entry.origin: entry.type for entry in existing if entry.origin}
    notes = [item for item in read if isinstance(item, SourceNote)]
    sheets = [
        read_sheet(
            note,
            f"{source_label}/{note.path}",
            mapping=mapping,
            schemas=schemas,
            types=types,
            holds=holds,
            convention=convention,
        )
        for note in notes
    ]
    identities, doubled = identities_of(notes, mapping.identity)
    pages = [sheet.page() for sheet in sheets]
    lookup = Lookup(
        build_targets(pages, others, convention),
        assign_keys((sheet.wish() for sheet in sheets), existing),
        identities,
        {key: names_within(pages, pattern) for key, pattern in mapping.places.items()},
    )
    outcomes = [_plan_entry(sheet, lookup, holds) for sheet in sheets]
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    return ImportPlan(
        tuple(outcome.entry for outcome in outcomes),
        _report(outcomes, convention),
        tuple(sorted([*problems, *doubled], key=lambda problem: (problem.path, problem.line))),
        tuple(item for item in read if isinstance(item, Skipped)),
    )


def _read(file: SourceFile, convention: Convention) -> SourceNote | Skipped:
    if is_settings(file.path, convention):
        return Skipped(file.path, 1, f"it holds settings of {convention.name}, not a record")
    return read_note(file)


def _plan_entry(sheet: Sheet, lookup: Lookup, holds: Holds) -> _Outcome:
    note, key = sheet.note, lookup.keys[sheet.note.path]
    draft = _draft(sheet, lookup, key)
    links = [*_links_of_fields(draft, note), *links_in(note.body, note.line_at(note.start))]
    convention = lookup.targets.convention
    traced = [_trace(link, lookup, note.path) for link in links if meant(link, convention)]
    traced += [_Traced(link, entry) for link, entry in _convention_links(note, lookup)]
    related = tuple(one.entry for one in traced if one.entry is not None and one.entry != key)
    traced += [
        _Traced(Link(str(found), 1, wiki=True), found)
        for value in draft.fields.values()
        for found in references_in(value)
    ]
    traced += [_Traced(Link(m.text, note.line_of(m.text), wiki=True), claims=m.claims) for m in draft.missing]
    draft.put("relates_to", related or None)
    _place_below(draft, lookup)
    _add_file_names(draft, sheet, holds)
    lost = [name for name, value in draft.fields.items() if not is_held(value, holds)]
    fields = {name: value for name, value in draft.fields.items() if name not in lost}
    text = trim_blank_lines(note.source if lost else note.body)
    attachments = tuple(dict.fromkeys(one.attachment for one in traced if one.attachment))
    entry = PlannedEntry(key.type, key.id, ordered(fields, sheet.schema), text or None, sheet.origin, attachments)
    return _Outcome(entry, tuple(traced), note.problems + _losses(note, lost))


def _trace(link: Link, lookup: Lookup, source: str) -> _Traced:
    """Find what a link leads to: a note, or another file of the folder."""
    paths = claims(lookup.targets, link, source)
    if len(paths) == 1:
        return _Traced(link, lookup.keys[paths[0]])
    if not paths and (other := attachment(lookup.targets, link, source)):
        return _Traced(link, attachment=other)
    return _Traced(link, claims=tuple(lookup.keys[path] for path in paths))


def _convention_links(note: SourceNote, lookup: Lookup) -> Iterator[tuple[Link, Reference]]:
    """Yield the notes that stand for a note's tags and mentions, where the tool keeps such notes."""
    if not lookup.targets.convention.dotted:
        return
    names = [f"tags.{tag}" for tag in tags_in(note.body, dotted=True)]
    names += [f"user.{name}" for name in mentions_in(note.body)]
    for name in names:
        if entry := lookup.name(name, note.path):
            yield Link(name, 1, wiki=True), entry


def _place_below(draft: Draft, lookup: Lookup) -> None:
    """Let a note of a hierarchy belong to the nearest note above it."""
    for path in draft.above:
        if parent := lookup.targets.paths.get(fold(path)):
            draft.put("belongs_to", fit((lookup.keys[parent[0]],), "belongs_to", draft.schema))
            return


def _add_file_names(draft: Draft, sheet: Sheet, holds: Holds) -> None:
    """Add the names a note has by its file to its aliases."""
    spec = sheet.schema.by_name.get("aliases")
    if spec is not None and spec.type == "list":
        draft.put("aliases", tuple(name for name in sheet.file_aliases() if is_held(name, holds)) or None)


def _draft(sheet: Sheet, lookup: Lookup, key: Reference) -> Draft:
    """Place the constants, the name, every cell, and the tags of the text."""
    convention = lookup.targets.convention
    above = tuple(convention.ancestors(sheet.note))
    draft = Draft(sheet.note.path, sheet.schema, lookup, {"name": sheet.name}, above=above)
    for name, constant in sheet.rule.constants.items():
        fitted = fit(constant, name, sheet.schema)
        draft.fields[name] = constant if fitted is None else fitted
    for cell in by_rank(sheet.cells):
        is_id = cell.source == "id" and cell.value == key.id and not cell.target
        if cell is not sheet.named_by and not is_id:
            draft.place(cell, wanted(cell, sheet.schema))
    draft.put("tags", tags_in(sheet.note.body, dotted=convention.dotted) or None)
    return draft


def _links_of_fields(draft: Draft, note: SourceNote) -> list[Link]:
    """List the links within strings that stayed strings, each with its line in the front matter."""
    return [
        link
        for value in draft.fields.values()
        for text in texts_in(value)
        for found in WIKILINK.finditer(text)
        if (link := wiki_link(found["inner"], note.line_of(found[0])))
    ]


def _losses(note: SourceNote, lost: list[str]) -> tuple[Problem, ...]:
    """Say which fields no string holds exactly; the file as a whole becomes the text then."""
    return tuple(
        Problem(note.path, 1, f"no string holds `{name}` exactly: all of the file is kept as text") for name in lost
    )


def _report(outcomes: list[_Outcome], convention: Convention) -> LinkReport:
    resolved = attachments = 0
    unresolved: list[Unresolved] = []
    for outcome in outcomes:
        for one in outcome.links:
            if one.entry is not None:
                resolved += 1
            elif one.attachment:
                attachments += 1
            else:
                places = tuple(entry.key for entry in one.claims)
                unresolved.append(Unresolved(outcome.entry.origin, one.link.line, meant(one.link, convention), places))
    return LinkReport(resolved + len(unresolved), resolved, attachments, tuple(unresolved))
