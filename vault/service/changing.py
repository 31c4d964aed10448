"""Changing and removing entries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, diagnostic, has_errors
from vault.errors import VaultError
from vault.lang.edit import find_block, newline_of, remove_block, set_fields
from vault.lang.lower import read
from vault.lang.parse import parse
from vault.lang.syntax import BlockNode
from vault.model.access import GLOBAL
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.values import Value
from vault.service.writing import (
    Fields,
    Landing,
    Refused,
    Written,
    make_sure_free,
    put,
    rewritable,
    sidecar_stem,
    with_sidecar,
)
from vault.store.files import StaleWrite, read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema, field_span

if TYPE_CHECKING:
    from vault.service.vault import Vault


class OnlyGlobal(VaultError):
    """A write from inside a space to an entry that only the global scope holds."""

    code = "only-global"

    def __init__(self, key: str, space: str) -> None:
        super().__init__(
            f"`{key}` is a global entry, and you are in the space {space}",
            hint="`--global` changes it for everyone; `--override` makes a version of its own for this space",
            details={"key": key, "space": space},
        )


def make_sure_own(vault: "Vault", stored: Stored) -> None:
    """Raise `OnlyGlobal` for an entry that the reader, from inside a space, sees but does not own."""
    if vault.reader.space and stored.scope == GLOBAL:
        raise OnlyGlobal(stored.entry.key, vault.reader.space)


#: Changes of fields, or what makes them of the entry as it is once nobody else can write.
Changes = Fields | Callable[[Entry, Schema | None], Fields]


def change(
    vault: "Vault", words: str, changes: Changes, *, override: bool = False, landing: Landing | None = None
) -> Written:
    """Set, or with None remove, fields of an entry; every other byte of its file stays.

    From inside a space an entry that only the global scope has is refused, or with `override` copied
    into the space and changed there.
    """
    with vault.writing() as token:
        snapshot = vault.snapshot()
        stored = snapshot.resolve(words)
        fields = changes(stored.entry, snapshot.schemas.get(stored.entry.type)) if callable(changes) else changes
        if override and vault.reader.space and stored.scope == GLOBAL:
            edit = _override(vault, stored, fields)
        else:
            make_sure_own(vault, stored)
            edit = _edit(vault, stored, fields)
        made = put(vault, edit.writes, landing, token=token)
    paths = tuple(write.path for write in edit.writes if write.before != write.after)
    return Written(
        stored.entry.key, edit.writes[0].path, paths, tuple(fields), findings=tuple(edit.findings), commit=made
    )


@dataclass(frozen=True, slots=True)
class _Edit:
    """The files a change writes, the entry's own first, and what its schema says of the result."""

    writes: list[FileWrite]
    findings: list[Diagnostic]


def _edit(vault: "Vault", stored: Stored, changes: Fields) -> _Edit:
    """Change an entry in its own file."""
    data, text, block = _found(vault, stored)
    held, sidecar = _text_change(vault, stored, changes)
    edited = set_fields(text, block, held)
    findings = _judge(edited, stored.entry, vault.schemas())
    own = FileWrite(stored.entry.path, data, edited.encode())
    return _Edit([own, *([sidecar] if sidecar else [])], findings)


def edit_in_place(vault: "Vault", stored: Stored, changes: Fields) -> list[FileWrite]:
    """The writes that change an entry's fields where they stand; none for no changes."""
    return _edit(vault, stored, changes).writes if changes else []


def _found(vault: "Vault", stored: Stored) -> tuple[bytes, str, BlockNode]:
    """An entry's file as it is, and its block in it; raises where it may not or cannot be rewritten."""
    data = read_bytes(vault.root, stored.entry.path)
    text = rewritable(data, stored.entry.path)
    block = find_block(text, stored.entry.type, stored.entry.id)
    if block is None:
        raise StaleWrite(stored.entry.path)
    return data, text, block


def _text_change(vault: "Vault", stored: Stored, changes: Fields) -> tuple[dict[str, Value | None], FileWrite | None]:
    """Send a changed text to where the entry keeps it: its string, or its sidecar."""
    held = dict(changes)
    if stored.text_file and (held.get("text", "") is None or held.get("text_file", "") is None):
        return {**held, "text_file": None, "text": None}, _dropped(vault, stored)
    text = held.get("text")
    if not isinstance(text, str):
        return held, None
    if stored.text_file:
        del held["text"]
        return held, _rewritten(vault, stored.text_file, text)
    stem = sidecar_stem(vault, stored.entry.type, stored.entry.id)
    fields, sidecar = with_sidecar(stem, stored.entry.path, {"text": text})
    if sidecar is None:
        return held, None
    del held["text"]
    if "text" in stored.entry.fields:
        held["text"] = None
    return {**held, **fields}, _rewritten(vault, sidecar.path, text)


def _rewritten(vault: "Vault", path: str, text: str) -> FileWrite:
    """The write that puts a text into a sidecar."""
    return FileWrite(path, read_optional(safe_join(vault.root, path), path), f"{text}\n".encode())


def _dropped(vault: "Vault", stored: Stored) -> FileWrite | None:
    """The write that removes an entry's sidecar; None where another entry names it too."""
    if stored.text_file is None or len(vault.catalog.owners_of(stored.text_file)) > 1:
        return None
    return FileWrite(stored.text_file, read_optional(safe_join(vault.root, stored.text_file)), None)


def _judge(text: str, entry: Entry, schemas: Mapping[str, Schema]) -> list[Diagnostic]:
    """What the edited entry's schema says of it; raises `Refused` on an error that was not there before."""
    edited = next(e for e in read(text, entry.path).entries if e.key == entry.key)
    findings = check_against_schema(edited, schemas)
    old = {(item.code, item.message) for item in check_against_schema(entry, schemas)}
    new = [item for item in findings if (item.code, item.message) not in old]
    if has_errors(new):
        raise Refused(new, schemas.get(entry.type))
    return findings


def _override(vault: "Vault", stored: Stored, changes: Fields) -> _Edit:
    """Copy a global entry into the reader's space, changed."""
    _, text, block = _found(vault, stored)
    own = text[block.start : block.end] + newline_of(text)
    path = vault.layout.entry_path(stored.entry.type, stored.entry.id, vault.scope)
    make_sure_free(vault, stored.entry.key, path)
    if stored.text_file and "text" not in changes:
        changes = {**changes, "text": (vault.text_of(stored) or "").rstrip("\n")}
    kept = {name: value for name, value in changes.items() if name != "text"}
    sidecar = None
    if isinstance(changes.get("text"), str):
        fields, sidecar = with_sidecar(stored.entry.id, path, {"text": str(changes["text"])})
        kept |= fields
        kept |= {name: None for name in ("text", "text_file") if name not in fields and name in stored.entry.fields}
    copy = find_block(own, stored.entry.type, stored.entry.id)
    edited = set_fields(own, copy, kept) if copy else own
    findings = _judge(edited, stored.entry, vault.schemas())
    return _Edit([FileWrite(path, None, edited.encode()), *([sidecar] if sidecar else [])], findings)


def remove(vault: "Vault", words: str, landing: Landing | None = None) -> Written:
    """Remove an entry: its file, or its block where others share the file, and a sidecar only it names."""
    with vault.writing() as token:
        snapshot = vault.snapshot()
        stored = snapshot.resolve(words)
        make_sure_own(vault, stored)
        data, text, block = _found(vault, stored)
        rest = remove_block(text, block)
        # a file with nothing left but comments goes: they were about the entry
        after = rest.encode() if parse(rest).blocks else None
        sidecar = _dropped(vault, stored)
        writes = [FileWrite(stored.entry.path, data, after), *([sidecar] if sidecar else [])]
        hidden = snapshot.hidden_by(stored)
        key = stored.entry.key
        left = [] if hidden else [_left(key, name, other) for name, other in snapshot.referrers(key)]
        made = put(vault, writes, landing, token=token)
    paths = tuple(write.path for write in writes)
    reveals = hidden[0].entry.path if hidden else ""
    findings = tuple(item for item in left if item.subject != stored.entry.key)
    return Written(stored.entry.key, stored.entry.path, paths, reveals=reveals, findings=findings, commit=made)


def _left(key: str, name: str, other: Stored) -> Diagnostic:
    message = f"`{name}` names `{key}`, which does not exist any more"
    return diagnostic("dangling-reference", message, field_span(other.entry, name), subject=other.entry.key)


def edited(
    vault: "Vault", stored: Stored, path: str, found: Sequence[Diagnostic], *, before: str, landing: Landing | None
) -> Written:
    """What an edit in an editor did, committed where that is asked for and nothing is wrong.

    `before` is the blob the file had.
    """
    paths = (path,) if vault.blob(path) != before else ()
    made = None
    if landing and not has_errors(found):
        data = read_bytes(vault.root, path)
        made = put(vault, [FileWrite(path, data, data)], landing)
    return Written(stored.entry.key, stored.entry.path, paths, findings=tuple(found), commit=made)
