"""Adding entries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vault.diagnostics import has_errors
from vault.errors import UsageError
from vault.lang.edit import newline_of
from vault.lang.lower import read
from vault.lang.write import write_entry
from vault.model.entry import Entry
from vault.model.keys import make_id
from vault.model.schema import Schema
from vault.model.values import Moment, Value, moment_of
from vault.service.choices import UnknownType
from vault.service.writing import (
    AlreadyThere,
    Landing,
    Refused,
    Written,
    checked_id,
    make_sure_free,
    put,
    rewritable,
    sidecar_stem,
    taken,
    with_sidecar,
)
from vault.store.files import Unreadable, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.workspace.ingest import check_against_schema, decode

if TYPE_CHECKING:
    from vault.service.vault import Vault


def add(
    vault: "Vault", kind: str, ident: str | None, fields: Mapping[str, Value], landing: Landing | None = None
) -> Written:
    """Write a new entry into the reader's scope; raises before anything is written.

    Without an id one is made of the name, statement or text. A text no string holds goes to a sidecar.
    """
    with vault.writing() as token:
        return _add(vault, kind, ident, fields, landing, token)


def _add(  # noqa: PLR0917  what `add` was given, inside the lock
    vault: "Vault", kind: str, ident: str | None, fields: Mapping[str, Value], landing: Landing | None, token: str
) -> Written:
    snapshot = vault.snapshot()
    schema = snapshot.schemas.get(kind)
    if schema is None:
        raise UnknownType(kind, snapshot.schemas)
    chosen = checked_id(ident) if ident else _free_id(vault, kind, fields)
    stamped = _stamped(vault, schema, fields)
    entry = Entry(kind, chosen, stamped)
    findings = check_against_schema(entry, snapshot.schemas)
    if has_errors(findings):
        raise Refused(findings, schema)
    path = vault.layout.entry_path(kind, chosen, vault.scope)
    make_sure_free(vault, entry.key, path)
    writes = new_entry(vault, entry, path)
    made = put(vault, writes, landing, token=token)
    return Written(
        entry.key, path, tuple(w.path for w in writes), tuple(stamped), findings=tuple(findings), commit=made
    )


def _free_id(vault: "Vault", kind: str, fields: Mapping[str, Value]) -> str:
    """Make an id of what the entry is called, with a number behind it if that is taken."""
    told = [fields.get(name) for name in ("name", "claim", "statement", "text", "summary")]
    words = next((value for value in told if isinstance(value, str) and make_id(value)), "")
    base = make_id(" ".join(words.split()[:8])) or kind
    ident, number = base, 1
    while taken(vault, f"{kind}.{ident}", vault.layout.entry_path(kind, ident, vault.scope)):
        number += 1
        ident = f"{base}_{number}"
    return ident


def _stamped(vault: "Vault", schema: Schema, fields: Mapping[str, Value]) -> dict[str, Value]:
    """The fields in the schema's order, with the time of writing where the schema has a place for it."""
    held = dict(fields)
    if "created_at" in schema.by_name:
        held.setdefault("created_at", now(vault))
    order = {spec.name: index for index, spec in enumerate(schema.fields)}
    return dict(sorted(held.items(), key=lambda item: order.get(item[0], len(order))))


def now(vault: "Vault") -> Moment:
    """The present moment, to the minute: plain Firm has no seconds."""
    return moment_of(vault.clock().replace(second=0))


def new_entry(vault: "Vault", entry: Entry, path: str) -> list[FileWrite]:
    """The files of a new entry: its own, and a sidecar for a text no string holds."""
    fields, sidecar = with_sidecar(sidecar_stem(vault, entry.type, entry.id), path, entry.fields)
    writes = [sidecar] if sidecar else []
    before = read_optional(safe_join(vault.root, path), path)
    after = appended(before, write_entry(entry.type, entry.id, fields), path)
    return [*writes, FileWrite(path, before, after)]


def appended(before: bytes | None, text: str, path: str) -> bytes:
    """The bytes of a file with an entry's text behind what it held; raises `HasSyntaxErrors`.

    Several entries share a file in a workspace alone.
    """
    if before is None:
        return text.encode()
    held = rewritable(before, path)
    newline = newline_of(held)
    gap = "" if not held.strip("\ufeff") else newline if held.endswith("\n") else 2 * newline
    return (held + gap + _with_line_ends(text, newline)).encode()


def _with_line_ends(text: str, newline: str) -> str:
    """The text with the line ends of the file it goes to, unless one is part of a value."""
    made = text.replace("\r\n", "\n").replace("\n", newline)
    said = ([repr(dict(entry.fields)) for entry in read(each, "").entries] for each in (text, made))
    return made if next(said) == next(said) else text


def add_text(vault: "Vault", text: str, source: str, landing: Landing | None = None) -> list[Written]:
    """Write the entries of a Firm text, one file each, with the text as it stands.

    Raises `Refused` if the text has an error, `AlreadyThere` if an id is taken; then nothing is written.
    """
    with vault.writing() as token:
        return _add_text(vault, text, source, landing, token)


def _add_text(vault: "Vault", text: str, source: str, landing: Landing | None, token: str) -> list[Written]:
    snapshot = vault.snapshot()
    lowered = read(text, source)
    findings = [*lowered.diagnostics]
    for entry in lowered.entries:
        findings += check_against_schema(entry, snapshot.schemas)
    if has_errors(findings):
        schemas = {entry.type for entry in lowered.entries}
        raise Refused(findings, snapshot.schemas.get(schemas.pop()) if len(schemas) == 1 else None)
    if not lowered.entries:
        raise UsageError(f"{source} holds no entry", hint='write one as in `note idea { text = "…" }`')
    for key, times in Counter(entry.key for entry in lowered.entries).items():
        if times > 1:
            raise AlreadyThere(key, source)
    writes: dict[str, FileWrite] = {}
    for entry in lowered.entries:
        path = vault.layout.entry_path(entry.type, checked_id(entry.id), vault.scope)
        make_sure_free(vault, entry.key, path)
        own = text if len(lowered.entries) == 1 else _with_comments(text, lowered.entries, entry)
        before = writes[path].before if path in writes else read_optional(safe_join(vault.root, path), path)
        held = writes[path].after if path in writes else before
        writes[path] = FileWrite(path, before, appended(held, own.strip("\r\n") + "\n", path))
    made = put(vault, list(writes.values()), landing, token=token)
    paths = [vault.layout.entry_path(entry.type, entry.id, vault.scope) for entry in lowered.entries]
    return [
        Written(entry.key, path, (path,), tuple(entry.fields), findings=tuple(findings), commit=made)
        for entry, path in zip(lowered.entries, paths, strict=True)
    ]


def _with_comments(text: str, entries: Sequence[Entry], entry: Entry) -> str:
    """An entry's text with the comments between it and the entry before it."""
    start = max((other.place.end for other in entries if other.place.end <= entry.place.start), default=0)
    return text[start : entry.place.end]


def read_source(data: bytes | None, source: str) -> str:
    """The text entries are taken from: the bytes given, or those of a file."""
    if data is None:
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise Unreadable(source, error.strerror or str(error)) from error
    text, problems = decode(data, source)
    if problems:
        raise Refused(problems)
    return text
