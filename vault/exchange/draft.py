"""An imported entry while its fields are found: each cell in its place, links as references."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vault.exchange.convert import Cell
from vault.exchange.fields import fit, own_name
from vault.exchange.mapping import is_match
from vault.exchange.markdown import WIKILINK, Link, wiki_link
from vault.exchange.resolve import Page, Targets, find, find_name, name_claims
from vault.model.keys import loose_name
from vault.model.schema import Schema
from vault.model.values import Reference, Value, plain_text

Names = Mapping[str, tuple[str, ...]]


def names_within(pages: Iterable[Page], pattern: str) -> Names:
    """Map the names of the files under a pattern, folded, to their paths."""
    names: dict[str, dict[str, None]] = {}
    for page in pages:
        if is_match(page.path, pattern):
            for name in (*page.names, *page.file_names):
                names.setdefault(loose_name(name), {})[page.path] = None
    return {name: tuple(paths) for name, paths in names.items()}


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the strings and links of a folder can refer to.

    `keys` gives the entry a file becomes; `identities` the file that calls itself by a value; `within` the
    names of the files that the values of a key name, where a mapping says which.
    """

    targets: Targets
    keys: Mapping[str, Reference]
    identities: Mapping[str, str]
    within: Mapping[str, Names] = field(default_factory=dict)

    def refer(self, text: str, source: str) -> Reference | None:
        """Return the entry a string stands for: a link and nothing else, or another file's identity."""
        if wikilink := WIKILINK.fullmatch(text.strip()):
            link = wiki_link(wikilink["inner"], 1)
            return self.follow(link, source) if link else None
        path = self.identities.get(text)
        return self.keys[path] if path and path != source else None

    def named(self, text: str, cell: Cell, source: str) -> tuple[Reference, ...]:
        """List the entries that a value of a cell can name: none, one, or several with the same right."""
        if cell.source in self.within:
            paths = self.within[cell.source].get(loose_name(text), ())
            return tuple(self.keys[path] for path in paths)
        if found := self.refer(text, source):
            return (found,)
        return tuple(self.keys[path] for path in name_claims(self.targets, text, source))

    def name(self, name: str, source: str) -> Reference | None:
        """Return the only entry that goes by a name."""
        path = find_name(self.targets, name, source)
        return self.keys[path] if path else None

    def follow(self, link: Link, source: str) -> Reference | None:
        """Return the entry a link leads to."""
        path = find(self.targets, link, source)
        return self.keys[path] if path else None


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that stands where only an entry can and names none, or the several of `claims`."""

    text: str
    claims: tuple[Reference, ...] = ()


@dataclass(slots=True)
class Draft:
    """The fields found so far of the entry that the file `source` becomes.

    `missing` lists the values, not written as links, that name no entry where they should;
    `above` are the paths of the notes above this one in a hierarchy, without ending.
    """

    source: str
    schema: Schema
    lookup: Lookup
    fields: dict[str, Value] = field(default_factory=dict)
    missing: list[Missing] = field(default_factory=list)
    above: tuple[str, ...] = ()

    def place(self, cell: Cell, name: str) -> None:
        """Put a cell into the field it is meant for, else into one of its own."""
        spec = self.schema.by_name.get(name)
        if spec and "reference" in (spec.type, spec.item_type):
            self._place_references(cell, name)
        elif not name or not self.put(name, self._fitted(cell.value, name)):
            self._keep(cell, cell.value)

    def put(self, name: str, value: Value | None) -> bool:
        """Set a free field, or add to a declared list; say whether that was possible."""
        held = self.fields.get(name)
        if value is None or (held is not None and not self._is_list(name)):
            return False
        if isinstance(held, tuple) and isinstance(value, tuple):
            value = held + value
        self.fields[name] = tuple(dict.fromkeys(value)) if self._is_list(name) and isinstance(value, tuple) else value
        return True

    def _fitted(self, value: Value, name: str) -> Value | None:
        if name not in self.schema.by_name:
            return self._referring(value)
        return fit(value, name, self.schema)

    def _is_list(self, name: str) -> bool:
        spec = self.schema.by_name.get(name)
        return spec is not None and spec.type == "list"

    def _place_references(self, cell: Cell, name: str) -> None:
        """Put the strings that name entries into a field of references, and keep the others."""
        items = cell.value if isinstance(cell.value, tuple) else (cell.value,)
        texts = [plain_text(item) for item in items if item != ""]
        named = {text: self.lookup.named(text, cell, self.source) for text in texts}
        references = tuple(named[text][0] for text in texts if len(named[text]) == 1)
        is_put = self.put(name, fit(references, name, self.schema))
        lost = tuple(text for text in texts if not is_put or len(named[text]) != 1)
        self.missing += [
            Missing(text, named[text]) for text in lost if len(named[text]) != 1 and not WIKILINK.search(text)
        ]
        if lost:
            self._keep(cell, lost if isinstance(cell.value, tuple) else lost[0])

    def _keep(self, cell: Cell, value: Value) -> None:
        name = own_name(cell.name, self.schema, self.fields)
        self.fields[name] = self._referring(value)

    def _referring(self, value: Value) -> Value:
        """Put references for strings that stand for entries; in a list, for all items or for none."""
        if isinstance(value, str):
            return self.lookup.refer(value, self.source) or value
        if not isinstance(value, tuple) or not value:
            return value
        found = [self.lookup.refer(item, self.source) for item in value if isinstance(item, str)]
        references = tuple(item for item in found if item is not None)
        return references if len(references) == len(value) else value
