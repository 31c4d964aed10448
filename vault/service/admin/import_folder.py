"""Importing a folder of notes or records."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.diagnostics import has_errors
from vault.exchange.ids import Existing
from vault.exchange.notes import Problem
from vault.exchange.plan import ImportPlan, PlannedEntry, plan_import
from vault.lang.write import fits_string
from vault.model.codec import pack
from vault.model.entry import Entry
from vault.model.values import Value, same
from vault.service.admin.import_attachments import FIELD, OTHER_FIELD, Attachments, place_attachments
from vault.service.admin.import_report import Imported, find_imports, is_whole, report_data, unchanged
from vault.service.admin.import_sources import Label, Origin, Source, check_label, read_label, read_source, write_label
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import UNCOMMITTED
from vault.service.write.atomic_write import put
from vault.service.write.change_set import ChangeSet, new_text
from vault.service.write.new_entry import PathTaken, entries_in
from vault.service.write.result import Refused
from vault.service.write.sidecars import with_sidecar
from vault.service.write.update import edit_in_place
from vault.store.files import read_bytes, safe_join
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: Raised when an import makes something else of the same files.
FORMAT = 1


def import_folder(
    vault: "VaultHandle",
    folder: Path,
    *,
    mapping: Path | None = None,
    label: str | None = None,
    dry: bool = False,
    again: bool = False,
    attachments: bool = False,
    options: CommitOptions | None = None,
) -> Imported:
    """Import every note and record below a folder into the reader's scope.

    An entry that nobody edited here follows its source and the mapping; one that was edited here is left as
    it is, unless `again` brings in all. `label` (the folder's name by default) begins every origin.
    `attachments` copies the files that notes link to; without it they are linked where they are, if the vault
    reaches them. Nothing is written if any entry would have an error.
    """
    source = read_source(vault, folder, mapping, label)
    wanted = _Wanted(again, attachments, options)
    if dry:
        return _run(vault, source, replace(wanted, options=None), token=None)
    with vault.writing() as token:
        result = _run(vault, source, wanted, token=token)
    vault.refresh()  # else the first look at the vault pays for reading all of it
    return result


@dataclass(frozen=True, slots=True)
class _Wanted:
    again: bool
    attachments: bool
    options: CommitOptions | None


def _run(vault: "VaultHandle", source: Source, wanted: _Wanted, *, token: str | None) -> Imported:
    """Plan and, unless it is dry (no `token`), carry out; a folder that did not change since is not planned again."""
    again, options = wanted.again, wanted.options
    snapshot = vault.snapshot()
    label = read_label(vault, source.label)
    imports = find_imports(snapshot, vault.scope, source.label)
    check_label(label, source, [one.origin for one in imports], again=again)
    state = source.digest(FORMAT, vault.scope, wanted.attachments, sorted(snapshot.schemas.items()))
    if not again and label.state == state and is_whole(imports, source, label):
        result = unchanged(label, source, imports, dry=token is None)
        unlanded = _unlanded(vault, [path for one in imports for path in one.paths], options)
        if token is None or not unlanded:
            return result
        return replace(result, landed=put(vault, unlanded, options, token=token))
    there = list(snapshot.catalog.entries_in_scope(vault.scope))
    held = _by_place(there, source)
    retyped, problems = _retyped(vault, held, source, again=again)
    places = {stored.row: place for place, stored in held.items() if place not in retyped}
    plan = plan_import(
        source.files,
        mapping=source.rules,
        schemas=snapshot.schemas,
        existing=[Existing(s.entry.type, s.entry.id, places.get(s.row, "")) for s in there],
        source_label=source.label,
        holds=fits_string,
        others=source.others,
        convention=source.convention,
    )
    plan = replace(plan, problems=(*plan.problems, *problems), skipped=(*plan.skipped, *source.skipped))
    result = _carry_out(vault, plan, held, source, wanted, token=token)
    if token is not None:
        write_label(vault, source.label, Label(str(source.folder), state, report_data(result)))
    return result


def _by_place(there: Sequence[Stored], source: Source) -> dict[str, Stored]:
    """Earlier imports under this label by the place of their source; a file that moved is found by its version."""
    held = {}
    for stored in there:
        place = _origin(stored).place
        if place.startswith(f"{source.label}/"):
            held[place] = stored
    versions = source.versions
    moved = {_origin(stored).source: place for place, stored in held.items() if place not in versions}
    for place, version in versions.items():
        if place not in held and version in moved:
            held[place] = held.pop(moved.pop(version))
    return held


def _origin(stored: Stored) -> Origin:
    return Origin.read(stored.entry.fields.get("origin"))


def _retyped(
    vault: "VaultHandle", held: Mapping[str, Stored], source: Source, *, again: bool
) -> tuple[set[str], list[Problem]]:
    """Find the entries that the mapping makes of another type: those that get it, and what keeps the others."""
    retyped, problems = set[str](), list[Problem]()
    own = {stored.entry.key for stored in held.values()}
    for file in source.files:
        place = f"{source.label}/{file.path}"
        stored, kind = held.get(place), source.rules.rule_for(file.path).type
        if stored is None or stored.entry.type == kind:
            continue
        key = stored.entry.key
        others = sorted({other.entry.key for _, other in vault.snapshot().referrers(key)} - own)
        why = "--again changes its type" if not again else ""
        why = why or ("it was edited here" if not _is_untouched(vault, stored) else "")
        why = why or (f"{others[0]} refers to it" if others else "")
        if why:
            problems.append(Problem(file.path, 1, f"the map makes it a {kind}, and it stays `{key}`: {why}"))
        else:
            retyped.add(place)
    return retyped, problems


def _carry_out(
    vault: "VaultHandle",
    plan: ImportPlan,
    held: Mapping[str, Stored],
    source: Source,
    wanted: _Wanted,
    *,
    token: str | None,
) -> Imported:
    linked = (path for planned in plan.entries for path in planned.attachments)
    files = place_attachments(vault, source, linked, copy=wanted.attachments)
    writes = list(files.writes)
    keys: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "edited": []}
    versions = source.versions
    for bare in plan.entries:
        stored = held.get(bare.origin)
        planned = _with_attachments(vault, bare, stored, files)
        outcome, own = _outcome(vault, planned, versions[planned.origin], stored, again=wanted.again)
        keys[outcome].append(f"{planned.type}.{planned.id}")
        writes += own
    landed = UNCOMMITTED
    if token is not None:
        earlier = [path for stored in held.values() for path in (stored.entry.path, stored.text_file) if path]
        paths = {write.path for write in writes}
        unlanded = [write for write in _unlanded(vault, earlier, wanted.options) if write.path not in paths]
        landed = put(vault, [*writes, *unlanded], wanted.options, token=token)
    return Imported(
        **{name: tuple(found) for name, found in keys.items()},
        gone=tuple(stored.entry.key for place, stored in held.items() if place not in versions),
        sidecars=tuple(write.path for write in writes if _is_sidecar(write, files)),
        paths=tuple(write.path for write in writes if write.before != write.after),
        links=plan.links,
        problems=plan.problems,
        skipped=(*plan.skipped, *files.skipped),
        dry=token is None,
        landed=landed,
        attachments=tuple(write.path for write in files.writes),
        left=files.left,
    )


def _is_sidecar(write: FileWrite, files: Attachments) -> bool:
    return write not in files.writes and write.after is not None and not write.path.endswith(".firm")


def _with_attachments(
    vault: "VaultHandle", planned: PlannedEntry, stored: Stored | None, files: Attachments
) -> PlannedEntry:
    """Add the field that names an entry's attachments."""
    path = vault.layout.entry_path(planned.type, planned.id, vault.scope)
    if stored is not None and stored.entry.type == planned.type:
        path = stored.entry.path
    values = files.values(planned.attachments, path)
    if not values:
        return planned
    name = OTHER_FIELD if FIELD in dict(planned.fields) else FIELD
    return replace(planned, fields=(*planned.fields, (name, values)))


def _unlanded(vault: "VaultHandle", paths: Sequence[str], options: CommitOptions | None) -> list[FileWrite]:
    """Find files of earlier imports that were never committed: a commit of this one takes them along."""
    if options is None or vault.repository is None:
        return []
    changed = {change.path for change in vault.repository.status(vault.scanned())} & {*paths}
    return [FileWrite(path, data, data) for path in sorted(changed) for data in [read_bytes(vault.root, path)]]


def _outcome(
    vault: "VaultHandle", planned: PlannedEntry, version: str, stored: Stored | None, *, again: bool
) -> tuple[str, list[FileWrite]]:
    """What becomes of one planned entry, and the file writes that bring it in."""
    fields: dict[str, Value] = dict(planned.fields)
    if planned.text:
        fields["text"] = planned.text
    digest = _digest(fields)
    fields["origin"] = str(Origin(planned.origin, version, digest))
    entry = Entry(planned.type, planned.id, fields)
    if stored is None:
        _make_sure_valid(vault, entry, planned.origin)
        return "added", _new(vault, entry)
    origin = _origin(stored)
    if stored.entry.type != planned.type:
        _make_sure_valid(vault, entry, planned.origin)
        return "changed", [*_removed(vault, stored), *_new(vault, entry)]
    if origin.source == version and not again and origin.written in ("", digest):
        return _followed(vault, planned.origin, stored)
    untouched = _is_untouched(vault, stored)
    if not untouched and not again:
        return "edited", []
    _make_sure_valid(vault, entry, planned.origin)
    writes = _update(vault, entry, stored, replacing=untouched)
    return ("changed" if writes else "unchanged"), writes


def _make_sure_valid(vault: "VaultHandle", entry: Entry, place: str) -> None:
    """Raise `Refused` for an entry that would have errors."""
    findings = check_against_schema(entry, vault.schemas())
    if has_errors(findings):
        raise Refused(
            [replace(item, message=f"{place}: {item.message}") for item in findings],
            vault.schemas().get(entry.type),
        )


def _removed(vault: "VaultHandle", stored: Stored) -> list[FileWrite]:
    edits = ChangeSet(vault)
    edits.remove(stored)
    return edits.writes


def _followed(vault: "VaultHandle", place: str, stored: Stored) -> tuple[str, list[FileWrite]]:
    """Follow a source that says what it said: only its place may have changed."""
    origin = _origin(stored)
    if origin.place == place:
        return "unchanged", []
    return "changed", edit_in_place(vault, stored, {"origin": str(replace(origin, place=place))})


def _digest(fields: Mapping[str, Value]) -> str:
    """A digest of what an entry says, wherever its text is kept; its origin is no part of it."""
    said = {name: pack(value) for name, value in sorted(fields.items()) if name not in ("origin", "text_file")}
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _is_untouched(vault: "VaultHandle", stored: Stored) -> bool:
    """Say whether an entry still says what its import wrote."""
    fields = dict(stored.entry.fields)
    text = vault.text_of(stored)
    if text is not None:
        fields["text"] = text.removesuffix("\n")
    return _origin(stored).written == _digest(fields)


def _new(vault: "VaultHandle", entry: Entry) -> list[FileWrite]:
    path = vault.layout.entry_path(entry.type, entry.id, vault.scope)
    fields, sidecar = with_sidecar(entry.id, path, entry.fields)
    writes = [FileWrite(path, None, new_text(vault, replace(entry, fields=fields)).encode())]
    writes += [sidecar] if sidecar else []
    for write in writes:
        if safe_join(vault.root, write.path).exists():
            raise PathTaken(write.path, entries_in(vault, write.path))
    return writes


def _update(vault: "VaultHandle", entry: Entry, stored: Stored, *, replacing: bool) -> list[FileWrite]:
    """Bring an entry to what its source says now; with `replacing` what the source has dropped goes too."""
    wanted: dict[str, Value | None] = dict(entry.fields)
    if replacing:
        dropped = [name for name in stored.entry.fields if name not in wanted and name != "text_file"]
        wanted |= dict.fromkeys(dropped)
        if stored.text_file and "text" not in wanted:
            wanted["text"] = None
    text = vault.text_of(stored)
    held = {**stored.entry.fields, **({"text": text.removesuffix("\n")} if text is not None else {})}
    changes = {name: value for name, value in wanted.items() if not _is_held(held.get(name), value)}
    return [write for write in edit_in_place(vault, stored, changes) if write.before != write.after]


def _is_held(held: Value | None, wanted: Value | None) -> bool:
    return held is None if wanted is None else held is not None and same(held, wanted)
