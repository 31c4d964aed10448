"""An imported entry while its fields are found: each cell in its place, links as references."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vault.exchange.convert import Cell
from vault.exchange.fields import fit, own_name
from vault.exchange.markdown import WIKILINK, Link, wiki_target
from vault.exchange.resolve import Targets, find, find_name
from vault.model.schema import Schema
from vault.model.values import Reference, Value, plain_text


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the strings and links of a folder can refer to.

    `keys` gives the entry a file becomes; `identities` the file that calls itself by a value.
    """

    targets: Targets
    keys: Mapping[str, Reference]
    identities: Mapping[str, str]

    def refer(self, text: str, source: str) -> Reference | None:
        """Return the entry a string stands for: a link and nothing else, or another file's identity."""
        if link := WIKILINK.fullmatch(text.strip()):
            return self.name(wiki_target(link["inner"]), source)
        path = self.identities.get(text)
        return self.keys[path] if path and path != source else None

    def name(self, name: str, source: str) -> Reference | None:
        """Return the entry that goes by a name."""
        path = find_name(self.targets, name, source) if name.strip(" ./") else None
        return self.keys[path] if path else None

    def follow(self, link: Link, source: str) -> Reference | None:
        """Return the entry a link leads to."""
        path = find(self.targets, link, source)
        return self.keys[path] if path else None


@dataclass(slots=True)
class Draft:
    """The fields found so far of the entry that the file `source` becomes.

    `missing` lists strings, not written as links, that stand where only an entry can and name none.
    """

    source: str
    schema: Schema
    lookup: Lookup
    fields: dict[str, Value] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

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
        found = {text: self._named(text) for text in texts}
        references = tuple(item for item in map(found.__getitem__, texts) if item is not None)
        is_put = self.put(name, fit(references, name, self.schema))
        rest = tuple(text for text in texts if not is_put or found[text] is None)
        self.missing += [text for text in rest if found[text] is None and not WIKILINK.search(text)]
        if rest:
            self._keep(cell, rest if isinstance(cell.value, tuple) else rest[0])

    def _named(self, text: str) -> Reference | None:
        return self.lookup.refer(text, self.source) or self.lookup.name(text, self.source)

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
