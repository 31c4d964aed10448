"""One file → what the catalog keeps of it: entries, passages, labels, and its own diagnostics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import PurePosixPath

from vault.diagnostics import Diagnostic, Span, diagnostic
from vault.lang.conflicts import Conflict, find_conflicts
from vault.lang.lower import Lowered, read
from vault.model.codec import iso
from vault.model.entry import Entry, Place
from vault.model.keys import fold_name, is_identifier, is_reserved
from vault.model.schema import Finding, Schema, validate
from vault.model.slots import FACT, unusable_keys, validity_of
from vault.model.values import Moment, PathValue
from vault.store.records import Divided, EntryRecord, FileRecord
from vault.store.scan import SKIPPED, Stamp
from vault.workspace.layout import Layout


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The text of the file an entry's `text_file` names."""

    path: str
    text: str


Divide = Callable[[Entry, str, Sidecar | None, Schema | None], Divided]
ReadSidecar = Callable[[str], tuple[bytes | None, Stamp]]


@dataclass(frozen=True, slots=True)
class Context:
    """What reading a file needs beside its bytes.

    `read_sidecar` returns a file's bytes (None if it cannot be read) and stamp; `divide` makes an entry's passages.
    """

    layout: Layout
    schemas: Mapping[str, Schema]
    read_sidecar: ReadSidecar
    divide: Divide


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The bytes of one file, with its blob id and stamp."""

    path: str
    data: bytes
    blob: str
    stamp: Stamp
    fresh: bool = True


def decode(data: bytes, path: str) -> tuple[str, list[Diagnostic]]:
    """Decode a file's bytes; what is not UTF-8 is replaced for reading and reported."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8-sig")) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        span = Span(path, line, column, line, column + 1)
        found = diagnostic("bad-encoding", message, span, hint="save the file as UTF-8 without changing its text")
        return data.decode("utf-8", "replace"), [found]
    if "\0" in text:
        before = text[: text.index("\0")]
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        span = Span(path, line, column, line, column + 1)
        return text, [diagnostic("bad-encoding", "the file holds a NUL byte", span, hint="remove it")]
    return text, []


def ingest(source: SourceFile, context: Context) -> FileRecord:
    """Read a `.firm` file into a record; nothing in it can make this raise."""
    layout = context.layout
    scope = layout.scope(source.path)
    record = FileRecord(
        source.path, scope, layout.kind(source.path) or "firm", source.blob, source.stamp, fresh=source.fresh
    )
    limit = layout.settings.file_limit
    if len(source.data) > limit:
        message = f"the file has {len(source.data):,} bytes; at most {limit:,} are read"
        hint = "split it, or raise `file_limit` in vault.yaml"
        record.diagnostics.append(diagnostic("too-large", message, Span(source.path), hint=hint))
        return record
    text, problems = decode(source.data, source.path)
    lowered = read(text, source.path)
    record.diagnostics = [*problems, *lowered.diagnostics]
    record.schemas = lowered.schemas
    if scope is None:
        record.diagnostics += _entries_among_schemas(lowered)
        return record
    if not layout.workspace:
        record.diagnostics += [*_schemas_among_entries(lowered), *_naming(lowered)]
        record.schemas = []
    for entry in lowered.entries:
        _take(entry, text, record, context)
    return record


def _entries_among_schemas(lowered: Lowered) -> list[Diagnostic]:
    return [
        diagnostic(
            "schema-error",
            f"`{entry.key}` is in the schema folder, where entries are not read",
            heading_span(entry),
            hint=f"move it to `global/{entry.type}/{entry.id}.firm`",
            subject=entry.key,
        )
        for entry in lowered.entries
    ]


def _schemas_among_entries(lowered: Lowered) -> list[Diagnostic]:
    """Schemas that are not in force: a scope's could change what other scopes' entries may say."""
    lines = lowered.document.lines
    return [
        diagnostic(
            "schema-error",
            f"the schema `{block.id}` is in a folder for entries, where schemas are not read",
            lines.span(lowered.path, block.start, block.start + len(f"schema {block.id}")),
            hint=f"move it to `schema/{block.id}.firm`",
            subject=block.id,
        )
        for block in lowered.document.blocks
        if block.type == "schema"
    ]


def span_of(path: str, place: Place, width: int) -> Span:
    """The span of the first `width` columns of a place."""
    return Span(path, place.line, place.column, place.line, place.column + width)


def heading_span(entry: Entry) -> Span:
    """The span of an entry's `type id`."""
    return span_of(entry.path, entry.place, len(entry.type) + 1 + len(entry.id))


def field_span(entry: Entry, name: str) -> Span:
    """The span of a field's name, or of the entry's heading if the field is not there."""
    place = (entry.places or {}).get(name)
    return span_of(entry.path, place, len(name)) if place else heading_span(entry)


def _naming(lowered: Lowered) -> list[Diagnostic]:
    """What an entry's file is called, and how many entries it holds."""
    found = []
    stem = PurePosixPath(lowered.path).stem
    entries = lowered.entries
    if len(entries) > 1:
        found.append(
            diagnostic(
                "several-entries",
                f"{len(entries)} entries share this file",
                heading_span(entries[1]),
                hint="one entry a file keeps histories apart",
                subject=entries[1].key,
            )
        )
    elif entries and entries[0].id != stem and is_identifier(entries[0].id):
        found.append(
            diagnostic(
                "file-name-mismatch",
                f"the entry `{entries[0].key}` is in a file named `{stem}.firm`",
                heading_span(entries[0]),
                hint=f"rename the file to `{entries[0].id}.firm`",
                subject=entries[0].key,
            )
        )
    if is_reserved(stem):
        message = f"`{stem}.firm` is not a valid file name on Windows"
        found.append(diagnostic("reserved-name", message, Span(lowered.path), hint="choose another id"))
    return found


def _take(entry: Entry, text: str, record: FileRecord, context: Context) -> None:
    """Add an entry with all that is derived from it, and what its schema says of it."""
    record.diagnostics += check_against_schema(entry, context.schemas)
    sidecar = None
    text_file = entry.fields.get("text_file")
    if isinstance(text_file, PathValue):
        path = text_file.from_root(entry.path).removeprefix("./")
        sidecar, problem = _sidecar(entry, path, record, context)
        if problem:
            record.diagnostics.append(problem)
    created = entry.fields.get("created_at")
    record.entries.append(
        EntryRecord(
            entry,
            _labels(entry),
            context.divide(entry, text, sidecar, context.schemas.get(entry.type)),
            iso(created) if isinstance(created, Moment) else "",
            sidecar.path if sidecar else None,
        )
    )


def check_against_schema(entry: Entry, schemas: Mapping[str, Schema]) -> list[Diagnostic]:
    """What an entry's schema says of it; a type without a schema is an error."""
    schema = schemas.get(entry.type)
    if schema is None:
        known = ", ".join(sorted(schemas))
        hint = f"known types: {known}; `vault schema add {entry.type}` makes a new one"
        span = span_of(entry.path, entry.place, len(entry.type))
        return [
            diagnostic(
                "unknown-type",
                f"there is no schema for the type `{entry.type}`",
                span,
                hint=hint,
                subject=entry.key,
            )
        ]
    written = entry.places or {}
    note = f"fields of {schema.name} are declared in {schema.path}" if schema.path else ""
    findings = [
        finding
        for finding in [*validate(entry, schema), *map(_no_key, unusable_keys(entry)), *_reversed(entry)]
        if not (finding.code == "missing-field" and (entry.broken or finding.field in written))
    ]
    return [
        diagnostic(
            finding.code,
            finding.message,
            field_span(entry, finding.field),
            hint=finding.hint,
            note=note,
            subject=entry.key,
        )
        for finding in findings
    ]


def _reversed(entry: Entry) -> list[Finding]:
    """A fact that is never valid, because it ends before it begins or at the same moment."""
    validity = validity_of(entry, UTC)
    if entry.type != FACT or not validity.is_reversed():
        return []
    when = "at the moment" if validity.begins == validity.ends else "before"
    hint = "`valid_until` is the first moment at which the fact is no longer valid: correct one of the two"
    return [Finding("bad-value", "valid_until", f"the fact ends {when} it begins", hint)]


def _no_key(name: str) -> Finding:
    return Finding("bad-value", name, f"`{name}` names nothing: it holds no letter or digit", "give it a word")


def _sidecar(entry: Entry, path: str, record: FileRecord, context: Context) -> tuple[Sidecar | None, Diagnostic | None]:
    """Read the file an entry's text is in; one that cannot be read is reported."""

    def wrong(message: str, hint: str) -> tuple[None, Diagnostic]:
        span = field_span(entry, "text_file")
        return None, diagnostic("sidecar", message, span, hint=hint, subject=entry.key)

    if "\0" in path or path.startswith(("/", "..")) or SKIPPED & set(path.split("/")):
        return wrong(f"{path!r} is not a file of the vault", "keep the text in a file next to the entry")
    if context.layout.scope(path) != record.scope:
        # else a text would be found, and shown, where its own scope is hidden
        return wrong(f"`{path}` lies outside the entry's scope", "keep the text in a file next to the entry")
    data, stamp = context.read_sidecar(path)
    record.sidecars.append((path, stamp))
    if data is None:
        return wrong(f"the file `{path}` is not there", "bring the file itself here (no link), or remove `text_file`")
    if len(data) > context.layout.settings.file_limit:
        return wrong(f"the file `{path}` is too large to read", "raise `file_limit` in vault.yaml")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return wrong(f"the file `{path}` is not UTF-8", "save it as UTF-8")
    record.diagnostics += [_conflict(path, text, conflict, entry) for conflict in find_conflicts(text)]
    return Sidecar(path, text), None


def _conflict(path: str, text: str, conflict: Conflict, entry: Entry) -> Diagnostic:
    """A merge conflict in the file an entry's text is in."""
    line = text.count("\n", 0, conflict.start) + 1
    return diagnostic(
        "conflict-marker",
        f"a merge left both sides in the text of `{entry.key}`",
        Span(path, line, 1, line, 8),
        hint="keep one side (or both, edited) and delete the lines that begin with <<<<<<<, ======= and >>>>>>>",
        subject=entry.key,
    )


def _labels(entry: Entry) -> list[tuple[str, str, str]]:
    """The names, aliases and tags an entry is found by, with how they are written."""
    labels = [("name", fold_name(name), name) for name in entry.texts("name")[:1]]
    labels += [("alias", fold_name(alias), alias) for alias in entry.texts("aliases")]
    labels += [("tag", fold_name(tag.removeprefix("#")), tag) for tag in entry.texts("tags")]
    return [label for label in labels if label[1]]
