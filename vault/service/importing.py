"""Importing a folder of notes or records."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.diagnostics import has_errors
from vault.errors import UsageError
from vault.exchange.ids import Existing
from vault.exchange.mapping import ImportMapping, read_mapping
from vault.exchange.notes import DATA_SUFFIXES, NOTE_SUFFIXES, Problem, Skipped, SourceFile
from vault.exchange.plan import ImportPlan, LinkReport, PlannedEntry, plan_import
from vault.lang.edit import find_block, set_fields
from vault.lang.write import fits_string, write_entry
from vault.model.entry import Entry
from vault.model.values import PathValue, Value, same
from vault.model.yamltext import read_yaml
from vault.service.opening import NotAFolder
from vault.service.writing import AlreadyThere, Refused, put, rewritable, with_sidecar
from vault.store.files import Unreadable, read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.store.scan import scan
from vault.workspace.ingest import check_against_schema
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.vault import Vault

#: An origin is `folder/path@version`: the version is the beginning of the source file's blob id.
_ORIGIN = re.compile(r"(?P<place>.+)@(?P<version>[0-9a-f]{12})\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or with `dry` would do; keys of entries, and the report of its sources."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    sidecars: tuple[str, ...]
    paths: tuple[str, ...]
    links: LinkReport
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    dry: bool


def import_folder(
    vault: "Vault", folder: Path, *, mapping: Path | None = None, dry: bool = False, again: bool = False
) -> Imported:
    """Import every note and record below a folder into the reader's scope.

    An entry whose source did not change since it was imported is left as it is, with what people made
    of it; `again` brings in all. Nothing is written if any entry would have an error.
    """
    if not folder.is_dir():
        raise NotAFolder(folder)
    if vault.layout.workspace:
        raise UsageError(f"{vault.root} is a Firm workspace", hint="`vault init` makes it a vault to import into")
    files = _sources(folder)
    if not files:
        raise UsageError(f"{folder} holds no notes", hint="notes end in .md, records in .yml or .yaml")
    rules = _mapping(mapping)
    snapshot = vault.snapshot()
    there = list(snapshot.catalog.select("e.scope = ?", [vault.scope], "ORDER BY e.path DESC, e.id DESC"))
    held = {_place(_origin(stored)): stored for stored in there if _origin(stored)}
    plan = plan_import(
        files,
        mapping=rules,
        schemas=snapshot.schemas,
        existing=[Existing(s.entry.type, s.entry.id, _place(_origin(s))) for s in there],
        source_label=folder.resolve().name,
        holds=fits_string,
    )
    versions = {f"{folder.resolve().name}/{file.path}": blob_of(file.data)[:12] for file in files}
    return _carry_out(vault, plan, held, versions, dry=dry, again=again)


def _sources(folder: Path) -> list[SourceFile]:
    found = scan(folder.resolve(), ("",), None)
    wanted = [path for path in sorted(found.files) if path.lower().endswith((*NOTE_SUFFIXES, *DATA_SUFFIXES))]
    return [SourceFile(path, read_bytes(folder.resolve(), path)) for path in wanted]


def _mapping(path: Path | None) -> ImportMapping:
    if path is None:
        return ImportMapping()
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(path), str(error)) from error
    return read_mapping(read_yaml(text, path), str(path))


def _origin(stored: Stored) -> str:
    origin = stored.entry.fields.get("origin")
    return origin if isinstance(origin, str) else ""


def _place(origin: str) -> str:
    match = _ORIGIN.match(origin)
    return match["place"] if match else origin


def _carry_out(
    vault: "Vault",
    plan: ImportPlan,
    held: Mapping[str, Stored],
    versions: Mapping[str, str],
    *,
    dry: bool,
    again: bool,
) -> Imported:
    writes: list[FileWrite] = []
    keys: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    sidecars: list[str] = []
    for planned in plan.entries:
        origin = f"{planned.origin}@{versions[planned.origin]}"
        stored = held.get(planned.origin)
        own = _writes(vault, planned, origin, stored, again=again)
        kind = "added" if stored is None else "changed" if own else "unchanged"
        keys[kind].append(f"{planned.type}.{planned.id}")
        writes += own
        sidecars += [write.path for write in own if not write.path.endswith(".firm")]
    if not dry:
        put(vault, writes)
    return Imported(
        tuple(keys["added"]),
        tuple(keys["changed"]),
        tuple(keys["unchanged"]),
        tuple(sidecars),
        tuple(write.path for write in writes),
        plan.links,
        plan.problems,
        plan.skipped,
        dry,
    )


def _writes(
    vault: "Vault", planned: PlannedEntry, origin: str, stored: Stored | None, *, again: bool
) -> list[FileWrite]:
    """The file writes that bring one planned entry in."""
    fields: dict[str, Value] = dict(planned.fields)
    if planned.text:
        fields["text"] = planned.text
    fields["origin"] = origin
    entry = Entry(planned.type, planned.id, fields)
    findings = check_against_schema(entry, vault.schemas())
    if has_errors(findings):
        raise Refused(
            [replace(item, message=f"{planned.origin}: {item.message}") for item in findings],
            vault.schemas().get(planned.type),
        )
    if stored is None:
        return _new(vault, entry)
    if _origin(stored) == origin and not again:
        return []
    return _update(vault, entry, stored)


def _new(vault: "Vault", entry: Entry) -> list[FileWrite]:
    path = vault.layout.entry_path(entry.type, entry.id, vault.scope)
    fields, sidecar = with_sidecar(entry.id, path, entry.fields)
    writes = [FileWrite(path, None, write_entry(entry.type, entry.id, fields).encode())]
    writes += [sidecar] if sidecar else []
    for write in writes:
        if safe_join(vault.root, write.path).exists():
            raise AlreadyThere(entry.key, write.path)
    return writes


def _update(vault: "Vault", entry: Entry, stored: Stored) -> list[FileWrite]:
    """Set the fields that differ; what the entry has beside them stays."""
    path = stored.entry.path
    data = read_bytes(vault.root, path)
    text = rewritable(data, path)
    block = find_block(text, stored.entry.type, stored.entry.id)
    if block is None:
        return []
    fields, sidecar = with_sidecar(entry.id, path, entry.fields)
    if stored.text_file and "text" in fields:
        sidecar = FileWrite(stored.text_file, None, f"{fields.pop('text')}\n".encode())
        fields["text_file"] = stored.entry.fields["text_file"]
    changes: dict[str, Value | None] = {
        name: value
        for name, value in fields.items()
        if name not in stored.entry.fields or not same(stored.entry.fields[name], value)
    }
    if isinstance(fields.get("text_file"), PathValue) and "text" in stored.entry.fields:
        changes["text"] = None
    writes = [FileWrite(path, data, set_fields(text, block, changes).encode())]
    if sidecar:
        before = read_optional(safe_join(vault.root, sidecar.path), sidecar.path)
        writes.append(replace(sidecar, before=before))
    return [write for write in writes if write.before != write.after]
