"""The fixes of diagnostics that are safe: what is said stays the same, only its form or its file changes."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.lang.edit import find_block, remove_field, set_fields
from vault.lang.literal import BadLiteral, read_literal
from vault.lang.lower import BadValue, lower_value, read
from vault.lang.parse import parse
from vault.lang.syntax import BlockNode, FieldNode
from vault.lang.write import Unwritable
from vault.model.entry import Entry
from vault.model.schema import FieldSpec, Schema, validate
from vault.model.values import Value, kind_of, same
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.service.runtime.validation import check_worktree
from vault.service.write.atomic_write import commit_prepared, put
from vault.service.write.settle_due import settle_due
from vault.service.write.sidecars import HasSyntaxErrors, rewritable
from vault.store.files import read_bytes, safe_join
from vault.store.journal import FileWrite

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.records import Stored

#: The codes of what may be mended here.
FIXABLE = frozenset(["duplicate-field", "file-name-mismatch", "several-entries", "wrong-type"])


#: The kinds whose text says all that the value does; a float's does not say how it was written.
EXACT_AS_TEXT = frozenset(["currency", "datetime", "enum", "integer", "path", "reference"])


@dataclass(frozen=True, slots=True)
class Fix:
    """What was mended in a file, in words; `home` is the file an entry was moved to."""

    code: str
    path: str
    message: str
    home: str | None = None


@dataclass(slots=True)
class Fixed:
    """All that was mended, and where that landed.

    `hidden` counts files of private spaces that were passed over: those are mended from inside.
    """

    fixes: list[Fix] = field(default_factory=list)
    hidden: int = 0
    landed: Landed = UNCOMMITTED

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


def fix(vault: "VaultHandle", paths: Collection[str] | None = None, options: CommitOptions | None = None) -> Fixed:
    """Mend what can be mended safely, in the whole vault or some files of it: all in one write, or nothing.

    Slots in which a later fact is due are settled first, each in a commit of its own. A file with syntax errors is left
    as it is.
    """
    made = Fixed()
    with vault.writing() as token:
        for successor, occupant in settle_due(vault, lambda one: _is_wanted(vault, one, paths), token):
            message = f"moved `{successor.entry.key}` into `{occupant.entry.key}`"
            made.fixes.append(Fix("slot-due", successor.entry.path, message, occupant.entry.path))
        if made.fixes:
            commit_prepared(vault)
        found = check_worktree(vault, paths)
        wanted = {item.span.path for item in found if item.code in FIXABLE}
        hidden = {path for path in wanted if not vault.shows(path)}
        wanted -= hidden
        made.hidden = len(hidden)
        writes: list[FileWrite] = []
        taken = {path.casefold() for path in vault.catalog.blobs()}
        for path in sorted(wanted if paths is None else wanted & set(paths)):
            with suppress(HasSyntaxErrors):
                writes += _fix_file(vault, path, made.fixes, taken)
        if writes:
            made.landed = put(vault, writes, options, token=token)
    return made


def _is_wanted(vault: "VaultHandle", stored: "Stored", paths: Collection[str] | None) -> bool:
    """Say whether a fact is to be settled: one that the reader may know of, in the files that are mended."""
    return vault.shows(stored.entry.path) and (paths is None or stored.entry.path in paths)


def _fix_file(vault: "VaultHandle", path: str, fixes: list[Fix], taken: set[str]) -> list[FileWrite]:
    """The writes that mend one file; what they mend is added to `fixes`, and the places they fill to `taken`."""
    data = read_bytes(vault.root, path)
    before = rewritable(data, path)
    text = _in_right_form(_without_repeats(before, path, fixes), path, vault.schemas(), fixes)
    if vault.layout.workspace or vault.layout.kind(path) != "firm":
        homes: dict[str, str] = {}
    else:
        homes = _homes(vault, text, path, taken)
    code = "several-entries" if len(homes) > 1 else "file-name-mismatch"
    fixes += [Fix(code, path, f"moved `{key}` to {home}", home) for key, home in homes.items() if home != path]
    if not homes:
        return [FileWrite(path, data, text.encode())] if text != before else []
    return _moves(data, text, path, homes)


def _without_repeats(text: str, path: str, fixes: list[Fix]) -> str:
    """Take out fields that are set again, further down, to the same value."""
    repeats = [(block, node) for block in parse(text).blocks for node in _repeated(text, block)]
    for block, node in reversed(repeats):
        text = remove_field(text, node)
        fixes.append(Fix("duplicate-field", path, f"removed the first `{node.name}` of `{block.type}.{block.id}`"))
    return text


def _repeated(text: str, block: BlockNode) -> Iterator[FieldNode]:
    """The fields of a block that a later one of the same name and value makes needless."""
    nodes = list(block.fields())
    last = {node.name: node for node in nodes}
    for node in nodes:
        if last[node.name] is not node and not _is_commented(text, node):
            with suppress(BadValue):
                if same(lower_value(text, node.value), lower_value(text, last[node.name].value)):
                    yield node


def _is_commented(text: str, node: FieldNode) -> bool:
    """Say whether a comment on a field's line may be about it: that is for a person to move."""
    line = text[text.rfind("\n", 0, node.start) + 1 : text.find("\n", node.end) if "\n" in text[node.end :] else None]
    return "//" in line or "/*" in line


def _in_right_form(text: str, path: str, schemas: Mapping[str, Schema], fixes: list[Fix]) -> str:
    """Write values of the wrong kind as the kind their schema asks for, where they say the same.

    Each entry is edited by itself: editing a file reads it whole, and a file may hold many.
    """
    made: list[str] = []
    position = 0
    for entry in read(text, path).entries:
        own = text[entry.place.start : entry.place.end]
        made += [text[position : entry.place.start], _entry_in_form(own, entry, schemas.get(entry.type), fixes)]
        position = entry.place.end
    return "".join([*made, text[position:]])


def _entry_in_form(own: str, entry: Entry, schema: Schema | None, fixes: list[Fix]) -> str:
    """The text of one entry with its values in the form that is asked for."""
    if schema is None:
        return own
    for name in dict.fromkeys(found.field for found in validate(entry, schema) if found.code == "wrong-type"):
        value = converted(entry.fields[name], schema.by_name[name])
        block = find_block(own, entry.type, entry.id)
        if value is not None and block is not None and not _is_wrong(entry, name, value, schema):
            with suppress(Unwritable):
                own = set_fields(own, block, {name: value})
                told = f"wrote `{name}` of `{entry.key}` as {schema.by_name[name].type}"
                fixes.append(Fix("wrong-type", entry.path, told))
    return own


def _is_wrong(entry: Entry, name: str, value: Value, schema: Schema) -> bool:
    """Say whether the schema has anything against a value of a field."""
    held = Entry(entry.type, entry.id, {name: value})
    return any(found.field == name for found in validate(held, schema))


def converted(value: Value, spec: FieldSpec) -> Value | None:
    """The value in the kind its field asks for; None where it would not say exactly the same."""
    if spec.type != "list":
        return _scalar(value, spec)
    item = FieldSpec(spec.name, spec.item_type) if spec.item_type else None
    items = value if isinstance(value, tuple) else (value,)
    made = [one if item is None or kind_of(one) == item.type else _scalar(one, item) for one in items]
    return None if None in made else tuple(one for one in made if one is not None)


def _scalar(value: Value, spec: FieldSpec) -> Value | None:
    if spec.type == "string":
        return str(value) if kind_of(value) in EXACT_AS_TEXT else None
    if spec.type == "float" and isinstance(value, int):
        return float(value) if kind_of(value) == "integer" and float(value) == value else None
    return _read(value, spec)


def _read(value: Value, spec: FieldSpec) -> Value | None:
    """Read a string as the value it spells."""
    lossy = spec.type == "datetime" and isinstance(value, str) and "." in value  # parts of seconds
    if not isinstance(value, str) or lossy:
        return None
    with suppress(BadLiteral):
        return read_literal(value, spec.name, spec)
    return None


def _homes(vault: "VaultHandle", text: str, path: str, taken: set[str]) -> dict[str, str]:
    """For each entry of a file the file it should stand in; nothing where all is well or a place is taken.

    Places are compared without case: two that differ in it alone are one file elsewhere.
    """
    blocks = parse(text).blocks
    place = PurePosixPath(path)
    homes = {f"{block.type}.{block.id}": str(place.with_name(f"{block.id}.firm")) for block in blocks}
    folded = {home.casefold() for home in homes.values()}
    if len(folded) < len(blocks) or any(block.type == "schema" for block in blocks) or set(homes.values()) == {path}:
        return {}
    new = {home for home in homes.values() if home != path}
    if any(home.casefold() in taken or os.path.lexists(safe_join(vault.root, home)) for home in new):
        return {}
    taken |= folded
    return homes


def _moves(data: bytes, text: str, path: str, homes: Mapping[str, str]) -> list[FileWrite]:
    """The writes that give each entry of a file one of its own, with the comments above it."""
    blocks = parse(text).blocks
    ends = [*(block.end for block in blocks[:-1]), len(text)]
    pieces = [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    newline = "\r\n" if "\r\n" in text else "\n"
    kept = {
        home: piece if len(pieces) == 1 else piece.strip("\r\n") + newline
        for home, piece in zip(homes.values(), pieces, strict=True)
    }
    writes = [FileWrite(path, data, kept[path].encode() if path in kept else None)]
    return [*writes, *(FileWrite(home, None, piece.encode()) for home, piece in kept.items() if home != path)]
