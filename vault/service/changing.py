"""Changing and removing entries."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, has_errors
from vault.errors import VaultError
from vault.lang.edit import find_block, newline_of, remove_block, set_fields
from vault.lang.lower import read, syntax_errors
from vault.model.access import GLOBAL
from vault.model.entry import Entry
from vault.model.schema import Schema
from vault.model.values import Value
from vault.service.writing import (
    Fields,
    HasSyntaxErrors,
    Refused,
    Written,
    make_sure_free,
    put,
    rewritable,
    with_sidecar,
)
from vault.store.files import read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema, decode

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


def change(vault: "Vault", words: str, changes: Fields, *, override: bool = False) -> Written:
    """Set, or with None remove, fields of an entry; every other byte of its file stays.

    From inside a space an entry that only the global scope has is refused, or with `override` copied
    into the space and changed there.
    """
    snapshot = vault.snapshot()
    stored = snapshot.resolve(words)
    if vault.reader.space and stored.scope == GLOBAL:
        if not override:
            raise OnlyGlobal(stored.entry.key, vault.reader.space)
        return _override(vault, stored, changes)
    data = read_bytes(vault.root, stored.entry.path)
    text = rewritable(data, stored.entry.path)
    block = find_block(text, stored.entry.type, stored.entry.id)
    if block is None:
        raise _moved(stored)
    held, sidecar = _text_change(vault, stored, changes)
    edited = set_fields(text, block, held)
    findings = _judge(edited, stored.entry, snapshot.schemas)
    writes = [FileWrite(stored.entry.path, data, edited.encode()), *([sidecar] if sidecar else [])]
    put(vault, writes)
    paths = tuple(write.path for write in writes if write.before != write.after)
    return Written(stored.entry.key, stored.entry.path, paths, tuple(changes), findings=tuple(findings))


def _moved(stored: Stored) -> VaultError:
    """The error for an entry that left its file between being found and being read."""
    return VaultError(
        f"`{stored.entry.key}` is no longer in {stored.entry.path}",
        hint="repeat the command: the vault changed",
    )


def _text_change(vault: "Vault", stored: Stored, changes: Fields) -> tuple[dict[str, Value | None], FileWrite | None]:
    """Send a changed text to where the entry keeps it: its string, or its sidecar."""
    held = dict(changes)
    text = held.get("text")
    if not isinstance(text, str):
        return held, None
    if stored.text_file:
        del held["text"]
        before = read_optional(safe_join(vault.root, stored.text_file), stored.text_file)
        return held, FileWrite(stored.text_file, before, f"{text}\n".encode())
    fields, sidecar = with_sidecar(stored.entry.id, stored.entry.path, {"text": text})
    if sidecar is None:
        return held, None
    del held["text"]
    if "text" in stored.entry.fields:
        held["text"] = None
    before = read_optional(safe_join(vault.root, sidecar.path), sidecar.path)
    return {**held, **fields}, replace(sidecar, before=before)


def _judge(text: str, entry: Entry, schemas: Mapping[str, Schema]) -> list[Diagnostic]:
    """What the edited entry's schema says of it; raises `Refused` on an error that was not there before."""
    edited = next(e for e in read(text, entry.path).entries if e.key == entry.key)
    findings = check_against_schema(edited, schemas)
    old = {(item.code, item.message) for item in check_against_schema(entry, schemas)}
    new = [item for item in findings if (item.code, item.message) not in old]
    if has_errors(new):
        raise Refused(new, schemas.get(entry.type))
    return findings


def _override(vault: "Vault", stored: Stored, changes: Fields) -> Written:
    """Copy a global entry into the reader's space, changed."""
    data = read_bytes(vault.root, stored.entry.path)
    text = rewritable(data, stored.entry.path)
    block = find_block(text, stored.entry.type, stored.entry.id)
    if block is None:
        raise _moved(stored)
    own = text[block.start : block.end] + newline_of(text)
    path = vault.layout.entry_path(stored.entry.type, stored.entry.id, vault.scope)
    if stored.text_file and "text" not in changes:
        changes = {**changes, "text": vault.text_of(stored)}
    kept = {name: value for name, value in changes.items() if name != "text"}
    sidecar = None
    if isinstance(changes.get("text"), str):
        fields, sidecar = with_sidecar(stored.entry.id, path, {"text": str(changes["text"]).rstrip("\n")})
        kept |= fields
        kept |= {name: None for name in ("text", "text_file") if name not in fields and name in stored.entry.fields}
    copy = find_block(own, stored.entry.type, stored.entry.id)
    edited = set_fields(own, copy, kept) if copy else own
    findings = _judge(edited, stored.entry, vault.schemas())
    make_sure_free(vault, stored.entry.key, path)
    writes = [FileWrite(path, None, edited.encode()), *([sidecar] if sidecar else [])]
    put(vault, writes)
    return Written(stored.entry.key, path, tuple(w.path for w in writes), tuple(changes), findings=tuple(findings))


def remove(vault: "Vault", words: str) -> Written:
    """Remove an entry: its file, or its block where others share the file, and a sidecar only it names."""
    snapshot = vault.snapshot()
    stored = snapshot.resolve(words)
    if vault.reader.space and stored.scope == GLOBAL:
        raise OnlyGlobal(stored.entry.key, vault.reader.space)
    path = stored.entry.path
    data = read_bytes(vault.root, path)
    writes = [FileWrite(path, data, _without(stored, data, path))]
    if stored.text_file and _only_owner(vault, stored):
        text = read_optional(safe_join(vault.root, stored.text_file), stored.text_file)
        writes.append(FileWrite(stored.text_file, text, None))
    hidden = snapshot.hidden_by(stored)
    put(vault, writes)
    return Written(
        stored.entry.key,
        path,
        tuple(w.path for w in writes if w.before != w.after),
        reveals=hidden[0].entry.path if hidden else "",
    )


def _without(stored: Stored, data: bytes, path: str) -> bytes | None:
    """The file without the entry; None if nothing else is in it."""
    text, problems = decode(data, path)
    lowered = read(text, path)
    alone = len(lowered.entries) <= 1 and not lowered.schemas
    if alone:
        return None
    wrong = [*problems, *syntax_errors(lowered.diagnostics)]
    if wrong:
        raise HasSyntaxErrors(wrong)
    block = find_block(text, stored.entry.type, stored.entry.id)
    if block is None:
        raise _moved(stored)
    return remove_block(text, block).encode()


def _only_owner(vault: "Vault", stored: Stored) -> bool:
    rows = vault.catalog.db.execute("SELECT count(*) FROM entries WHERE text_file = ?", [stored.text_file]).fetchone()
    return int(rows[0]) == 1


def edited(stored: Stored, path: str, found: Sequence[Diagnostic], *, changed: bool) -> Written:
    """What an edit in an editor did."""
    paths = (path,) if changed else ()
    return Written(stored.entry.key, stored.entry.path, paths, findings=tuple(found))
