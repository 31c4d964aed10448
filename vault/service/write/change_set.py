"""The files that one write changes, as they will be: several entries of a file are changed one after another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, has_errors
from vault.lang.edit import find_block, newline_of, remove_block, set_fields
from vault.lang.lower import read
from vault.lang.order import in_order
from vault.lang.parse import parse
from vault.lang.syntax import BlockNode
from vault.lang.write import Layout, write_entry
from vault.model.access import BUNDLED
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.values import Value
from vault.service.write.result import Refused
from vault.service.write.sidecars import Fields, rewritable, sidecar_data, sidecar_stem, with_sidecar
from vault.store.bundled import read_any
from vault.store.files import StaleWrite, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


def order_of(vault: "VaultHandle", kind: str) -> list[str] | None:
    """The order of the fields of a type in this vault; None in a Firm workspace, which is written as Firm writes."""
    if vault.layout.workspace:
        return None
    schema = vault.schemas().get(kind)
    return [spec.name for spec in schema.fields] if schema else []


def new_text(vault: "VaultHandle", entry: Entry) -> str:
    """The text of a new entry, in canonical layout; in a Firm workspace as Firm writes it."""
    if vault.layout.workspace:
        return write_entry(entry.type, entry.id, entry.fields)
    ordered = in_order(entry.fields, vault.schemas().get(entry.type))
    return write_entry(entry.type, entry.id, ordered, Layout(rows=True))


class ChangeSet:
    """What a write has changed so far; nothing of it is on disk yet. Call it with the writer lock held.

    `findings` is what schemas say of the entries as they will be.
    """

    def __init__(self, vault: "VaultHandle") -> None:
        self.vault = vault
        self.findings: list[Diagnostic] = []
        self._writes: dict[str, FileWrite] = {}

    @property
    def writes(self) -> list[FileWrite]:
        """The files, each once, in the order in which they were first changed."""
        return list(self._writes.values())

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that will hold something else than now."""
        return tuple(write.path for write in self.writes if write.before != write.after)

    def change(self, stored: Stored, changes: Fields) -> None:
        """Set, or with None remove, fields of an entry where it stands. Raises `Refused`, `HasSyntaxErrors`."""
        text, block = self.found(stored)
        held, sidecar = self._text_change(stored, changes)
        edited = set_fields(text, block, held, order_of(self.vault, stored.entry.type))
        self.findings += judge(edited, stored.entry, self.vault.schemas())
        self.write(stored.entry.path, edited.encode())
        if sidecar:
            self.write(*sidecar)

    def add(self, entry: Entry, path: str) -> None:
        """Write a new entry, and a sidecar for a text no string holds."""
        fields, sidecar = with_sidecar(sidecar_stem(self.vault, entry.type, entry.id), path, entry.fields)
        if sidecar:
            self.write(sidecar.path, sidecar.after)
        self.append(new_text(self.vault, replace(entry, fields=fields)), path)

    def append(self, text: str, path: str) -> None:
        """Put an entry's text into a file of its own, or behind what a workspace's file holds."""
        self.write(path, _appended(self.data(path), text, path))

    def remove(self, stored: Stored) -> None:
        """Take an entry out: its file, or its block where others share the file, and a sidecar only it names."""
        text, block = self.found(stored)
        rest = remove_block(text, block)
        # a file with nothing left but comments goes: they were about the entry
        self.write(stored.entry.path, rest.encode() if parse(rest).blocks else None)
        if sidecar := self._dropped(stored):
            self.write(*sidecar)

    def entry(self, stored: Stored) -> Entry:
        """An entry as it will be."""
        text, _ = self.found(stored)
        return next(entry for entry in read(text, stored.entry.path).entries if entry.key == stored.entry.key)

    def data(self, path: str) -> bytes | None:
        """What a file will hold so far."""
        if path in self._writes:
            return self._writes[path].after
        return read_optional(safe_join(self.vault.root, path), path)

    def write(self, path: str, after: bytes | None) -> None:
        """Let a file hold these bytes, or with None be gone."""
        held = self._writes.get(path)
        before = held.before if held else read_optional(safe_join(self.vault.root, path), path)
        self._writes[path] = FileWrite(path, before, after)

    def found(self, stored: Stored) -> tuple[str, BlockNode]:
        """The text of an entry's file, and its block in it; raises where it may not or cannot be rewritten."""
        path = stored.entry.path
        data = read_any(self.vault.root, path) if stored.scope == BUNDLED else self.data(path)
        if data is None:
            raise StaleWrite(stored.entry.path)
        text = rewritable(data, stored.entry.path)
        block = find_block(text, stored.entry.type, stored.entry.id)
        if block is None:
            raise StaleWrite(stored.entry.path)
        return text, block

    def _text_change(
        self, stored: Stored, changes: Fields
    ) -> tuple[dict[str, Value | None], tuple[str, bytes | None] | None]:
        """Send a changed text to where the entry keeps it: its string, or its sidecar."""
        held = dict(changes)
        if stored.text_file and (held.get("text", "") is None or held.get("text_file", "") is None):
            return {**held, "text_file": None, "text": None}, self._dropped(stored)
        text = held.get("text")
        if not isinstance(text, str):
            return held, None
        if stored.text_file:
            del held["text"]
            return held, (stored.text_file, sidecar_data(text, self.data(stored.text_file) or b""))
        stem = sidecar_stem(self.vault, stored.entry.type, stored.entry.id)
        fields, sidecar = with_sidecar(stem, stored.entry.path, {"text": text})
        if sidecar is None:
            return held, None
        del held["text"]
        if "text" in stored.entry.fields:
            held["text"] = None
        return {**held, **fields}, (sidecar.path, sidecar.after)

    def _dropped(self, stored: Stored) -> tuple[str, None] | None:
        """The sidecar that goes with an entry; None where another entry names it too."""
        if stored.text_file is None or len(self.vault.catalog.owners_of(stored.text_file)) > 1:
            return None
        return stored.text_file, None


def judge(text: str, entry: Entry, schemas: Mapping[str, Schema]) -> list[Diagnostic]:
    """What the edited entry's schema says of it; raises `Refused` on an error that was not there before."""
    edited = next(e for e in read(text, entry.path).entries if e.key == entry.key)
    findings = check_against_schema(edited, schemas)
    old = {(item.code, item.message) for item in check_against_schema(entry, schemas)}
    new = [item for item in findings if (item.code, item.message) not in old]
    if has_errors(new):
        raise Refused(new, schemas.get(entry.type))
    return findings


def _appended(before: bytes | None, text: str, path: str) -> bytes:
    """The bytes of a file with an entry's text behind what it held; raises `HasSyntaxErrors`.

    Several entries share a file in a workspace alone.
    """
    if before is None:
        return text.encode()
    held = rewritable(before, path)
    newline = newline_of(held)
    gap = newline if held.endswith("\n") else 2 * newline
    gap = gap if held.strip("\ufeff") else ""
    return (held + gap + _with_line_ends(text, newline)).encode()


def _with_line_ends(text: str, newline: str) -> str:
    """The text with the line ends of the file it goes to, unless one is part of a value."""
    made = text.replace("\r\n", "\n").replace("\n", newline)
    said = ([repr(dict(entry.fields)) for entry in read(each, "").entries] for each in (text, made))
    return made if next(said) == next(said) else text
