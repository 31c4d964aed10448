"""A note with what is known of its entry before links are looked up: type, cells and name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from vault.errors import VaultError
from vault.exchange.conventions import PLAIN, Convention
from vault.exchange.convert import Cell, cells_of
from vault.exchange.fields import Holds, by_rank, fit, is_held, texts_in, wanted
from vault.exchange.ids import Wish
from vault.exchange.mapping import ImportMapping, TypeRule
from vault.exchange.markdown import title_in
from vault.exchange.notes import INDEX_STEMS, Problem, SourceNote
from vault.exchange.resolve import Page
from vault.model.keys import loose_name
from vault.model.schema import Schema

_URL_KEYS = ("permalink", "redirect_from")


class UnknownTypeError(VaultError):
    """A mapping makes entries of a type that no schema describes."""

    code = "unknown-type"
    status = 2

    def __init__(self, name: str, known: Iterable[str]) -> None:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"add schema/{name}.firm"
        super().__init__(f"`{name}` is not an entry type of this vault", hint=hint, details={"type": name})


@dataclass(frozen=True, slots=True)
class Sheet:
    """A note, the schema of its type, its cells, its name, and the cell the name stands in.

    `file_name` is the name that the note has by its file.
    """

    note: SourceNote
    origin: str
    rule: TypeRule
    schema: Schema
    cells: tuple[Cell, ...]
    name: str
    named_by: Cell | None
    file_name: str
    addresses: tuple[str, ...] = ()

    def wish(self) -> Wish:
        """Say what id the note would like."""
        ident = self.note.data.get("id")
        texts = (self.name, self.file_name, self.note.stem)
        own = ident if isinstance(ident, str) else ""
        return Wish(self.note.path, self.origin, self.schema.name, own, texts)

    def page(self) -> Page:
        """Say what the note is linked by."""
        names = [
            text
            for cell in self.cells
            if wanted(cell, self.schema) in ("name", "aliases")
            for text in texts_in(cell.value)
        ]
        urls = [text for cell in self.cells if cell.source in _URL_KEYS for text in texts_in(cell.value)]
        urls += [name for name in names if name.startswith("/")]  # Hugo's aliases are addresses
        return Page(self.note.path, (self.name, *names), (*self.addresses, *urls), (self.file_name,))

    def file_aliases(self) -> list[str]:
        """List the names a note has by its file, as far as they are not those it has anyway."""
        known = {loose_name(self.name), *INDEX_STEMS}
        for cell in self.cells:
            if wanted(cell, self.schema) in ("name", "aliases"):
                known |= set(map(loose_name, texts_in(cell.value)))
        own = self.note.stem if self.file_name != self.note.folder else self.file_name
        names = dict.fromkeys(name for name in (self.file_name, own) if loose_name(name) not in known)
        return list(names)


def read_sheet(
    note: SourceNote,
    origin: str,
    *,
    mapping: ImportMapping,
    schemas: Mapping[str, Schema],
    types: Mapping[str, str],
    holds: Holds,
    convention: Convention = PLAIN,
) -> Sheet:
    """Find a note's type, cells and name; `types` gives the type that an origin had before.

    Raises `UnknownTypeError` for a type without a schema.
    """
    rule = mapping.rule_for(note.path)
    kind = types.get(origin, rule.type)
    if kind not in schemas:
        raise UnknownTypeError(kind, schemas)
    cells = cells_of(convention.data(note), {**convention.fields, **mapping.fields})
    file_name = convention.name_of(note)
    named_by, name = _name(note, cells, schemas[kind], holds, file_name)
    return Sheet(note, origin, rule, schemas[kind], cells, name, named_by, file_name, convention.urls(note))


def _name(
    note: SourceNote, cells: tuple[Cell, ...], schema: Schema, holds: Holds, file_name: str
) -> tuple[Cell | None, str]:
    """Name a note by its front matter, its heading or its file."""
    for cell in by_rank(cells):
        if wanted(cell, schema) == "name":
            name = fit(cell.value, "name", schema)
            if isinstance(name, str) and name.strip() and is_held(name, holds):
                return cell, name
    heading = title_in(note.body)
    return None, heading if heading and holds(heading) else file_name


def identities_of(notes: Iterable[SourceNote], key: str) -> tuple[dict[str, str], list[Problem]]:
    """Map what files call themselves to their paths; a value of two files stands for neither."""
    found: dict[str, list[SourceNote]] = {}
    for note in notes:
        value = note.data.get(key)
        if isinstance(value, str) and value.strip():
            found.setdefault(value, []).append(note)
    problems = [
        Problem(note.path, note.line_of(value), f"`{key}: {value}` is also that of {named[0].path}")
        for value, named in found.items()
        for note in named[1:]
    ]
    return {value: named[0].path for value, named in found.items() if len(named) == 1}, problems
