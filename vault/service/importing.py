"""Importing a folder of notes or records."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.diagnostics import has_errors
from vault.errors import UsageError, VaultError
from vault.exchange.conventions import TOOL_FILES, Convention, recognise
from vault.exchange.ids import Existing
from vault.exchange.mapping import ImportMapping, read_mapping
from vault.exchange.notes import DATA_SUFFIXES, NOTE_SUFFIXES, Problem, Skipped, SourceFile
from vault.exchange.plan import ImportPlan, LinkReport, PlannedEntry, plan_import
from vault.lang.write import fits_string, write_entry
from vault.model.codec import pack
from vault.model.entry import Entry
from vault.model.values import Value, same
from vault.model.yamltext import read_yaml
from vault.service.changing import edit_in_place
from vault.service.opening import NotAFolder
from vault.service.writing import AlreadyThere, Landing, Refused, put, with_sidecar
from vault.store.files import PRIVATE_DIR, Unreadable, ensure_private_dir, read_bytes, safe_join, write_atomic
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.store.scan import scan
from vault.workspace.ingest import check_against_schema
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.committing import Commit
    from vault.service.vault import Vault

#: An origin is `label/path@source+written`: the beginnings of the source file's blob id, and of a digest
#: of what the import wrote, by which a later import knows whether people have changed it since.
_ORIGIN = re.compile(r"(?P<place>.+)@(?P<source>[0-9a-f]{12})(?:\+(?P<written>[0-9a-f]{12}))?\Z", re.DOTALL)

#: Folders of programs, which hold no notes.
_FOREIGN_FOLDERS = frozenset(["node_modules", "__pycache__"])


class LabelTaken(VaultError):
    """A label under which another folder was imported."""

    code = "label-taken"

    def __init__(self, label: str, other: str) -> None:
        super().__init__(
            f"`{label}` is the label of what was imported from {other}",
            hint="give this folder a label of its own with `--label NAME`",
            details={"label": label, "path": other},
        )


class InsideVault(UsageError):
    """A folder that is the vault, holds it, or is one of its own."""

    code = "inside-vault"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds the vault's own files", hint="import a folder that is not part of what the vault reads"
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or with `dry` would do; keys of entries, and the report of its sources.

    `edited` changed at the source and were edited here, so they were left as they are; `gone` are not at
    the source any more.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    edited: tuple[str, ...]
    gone: tuple[str, ...]
    sidecars: tuple[str, ...]
    paths: tuple[str, ...]
    links: LinkReport
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    dry: bool
    commit: "Commit | None" = None


def import_folder(
    vault: "Vault",
    folder: Path,
    *,
    mapping: Path | None = None,
    label: str | None = None,
    dry: bool = False,
    again: bool = False,
    landing: Landing | None = None,
) -> Imported:
    """Import every note and record below a folder into the reader's scope.

    An entry whose source did not change since it was imported is left as it is, and so is one that was
    edited here; `again` brings in all. `label` (the folder's name by default) begins every origin.
    Nothing is written if any entry would have an error.
    """
    place = folder.resolve()
    if not place.is_dir():
        raise NotAFolder(folder)
    if vault.layout.workspace:
        raise UsageError(f"{vault.root} is a Firm workspace", hint="`vault init` makes it a vault to import into")
    if vault.root.is_relative_to(place) or any(place.is_relative_to(vault.root / own) for own in vault.layout.folders):
        raise InsideVault(folder)
    files, others, marks, left = _sources(place)
    if not files:
        raise UsageError(f"{folder} holds no notes", hint="notes end in .md, records in .yml or .yaml")
    rules = _mapping(mapping)
    source = _Source(label or place.name, place, files, rules, others, recognise(marks))
    if dry:
        return _run(vault, source, again=again, landing=None, token=None)
    with vault.writing() as token:
        result = _run(vault, source, again=again, landing=landing, token=token)
    return replace(result, skipped=(*result.skipped, *left))


@dataclass(frozen=True, slots=True)
class _Source:
    """What is imported: under which label, from where, its files, and the rules for them.

    `others` are the paths of the files that are no notes.
    """

    label: str
    place: Path
    files: list[SourceFile]
    rules: ImportMapping
    others: list[str]
    convention: Convention

    @property
    def versions(self) -> dict[str, str]:
        """The version of each file by its origin's place."""
        return {f"{self.label}/{file.path}": blob_of(file.data)[:12] for file in self.files}


def _run(vault: "Vault", source: _Source, *, again: bool, landing: Landing | None, token: str | None) -> Imported:
    """Plan and, unless it is dry (no `token`), carry out."""
    snapshot = vault.snapshot()
    there = list(snapshot.catalog.select("e.scope = ?", [vault.scope], "ORDER BY e.path DESC, e.id DESC"))
    held = _by_place(there, source)
    _check_label(vault, source, bool(held))
    plan = plan_import(
        source.files,
        mapping=source.rules,
        schemas=snapshot.schemas,
        existing=[
            *(Existing(stored.entry.type, stored.entry.id, place) for place, stored in held.items()),
            *(Existing(s.entry.type, s.entry.id) for s in there if s not in held.values()),
        ],
        source_label=source.label,
        holds=fits_string,
        others=source.others,
        convention=source.convention,
    )
    return _carry_out(vault, plan, held, source, again=again, landing=landing, token=token)


def _by_place(there: Sequence[Stored], source: _Source) -> dict[str, Stored]:
    """Earlier imports under this label by the place of their source; a file that moved is found by its version."""
    held = {}
    for stored in there:
        match = _ORIGIN.match(_origin(stored))
        place = match["place"] if match else _origin(stored)
        if place.startswith(f"{source.label}/"):
            held[place] = stored
    versions = source.versions
    moved = {_source_version(stored): place for place, stored in held.items() if place not in versions}
    for place, version in versions.items():
        if place not in held and version in moved:
            held[place] = held.pop(moved.pop(version))
    return held


def _check_label(vault: "Vault", source: _Source, known: bool) -> None:  # noqa: FBT001  one caller
    """Raise `LabelTaken` if what was imported under this label came from another folder of this machine."""
    other = _labels(vault).get(source.label)
    if known and other and other != str(source.place) and Path(other).is_dir():
        raise LabelTaken(source.label, other)


def _labels(vault: "Vault") -> dict[str, str]:
    """Where each label was imported from; forgotten with the other derived data."""
    try:
        labels = json.loads((vault.root / PRIVATE_DIR / "imports.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return labels if isinstance(labels, dict) else {}


def _sources(folder: Path) -> tuple[list[SourceFile], list[str], list[str], list[Skipped]]:
    """Read the notes and records below a folder; list other files, all paths, and what is left out.

    A tool's own file may also be in the folder above, which the notes are a part of.
    """
    found = scan(folder, ("",), None)
    own = [path for path in sorted(found.files) if not _is_foreign(path)]
    wanted = [path for path in own if path.lower().endswith((*NOTE_SUFFIXES, *DATA_SUFFIXES))]
    skipped = [Skipped(path, 1, "a link is not followed") for path in found.links]
    skipped += [Skipped(path, 1, "its name is not UTF-8") for path in found.misnamed]
    above = (mark for mark in TOOL_FILES if (folder.parent / mark).is_file())
    others = sorted({*own} - {*wanted})
    return [SourceFile(path, read_bytes(folder, path)) for path in wanted], others, [*found.files, *above], skipped


def _is_foreign(path: str) -> bool:
    return any(part.startswith(".") or part in _FOREIGN_FOLDERS for part in path.split("/")[:-1])


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


def _source_version(stored: Stored) -> str:
    match = _ORIGIN.match(_origin(stored))
    return match["source"] if match else ""


def _carry_out(
    vault: "Vault",
    plan: ImportPlan,
    held: Mapping[str, Stored],
    source: _Source,
    *,
    again: bool,
    landing: Landing | None,
    token: str | None,
) -> Imported:
    writes: list[FileWrite] = []
    keys: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "edited": []}
    versions = source.versions
    for planned in plan.entries:
        outcome, own = _outcome(vault, planned, versions[planned.origin], held.get(planned.origin), again=again)
        keys[outcome].append(f"{planned.type}.{planned.id}")
        writes += own
    made = None
    if token is not None:
        made = put(vault, [*writes, *_unlanded(vault, held, landing, writes)], landing, token=token)
        _remember_label(vault, source)
    return Imported(
        **{name: tuple(found) for name, found in keys.items()},
        gone=tuple(stored.entry.key for place, stored in held.items() if place not in versions),
        sidecars=tuple(write.path for write in writes if not write.path.endswith(".firm") and write.after),
        paths=tuple(write.path for write in writes),
        links=plan.links,
        problems=plan.problems,
        skipped=plan.skipped,
        dry=token is None,
        commit=made,
    )


def _unlanded(
    vault: "Vault", held: Mapping[str, Stored], landing: Landing | None, writes: Sequence[FileWrite]
) -> list[FileWrite]:
    """Files of earlier imports that were never committed: a commit of this one takes them along."""
    if landing is None or vault.repository is None:
        return []
    own = {path for stored in held.values() for path in (stored.entry.path, stored.text_file) if path}
    changed = {change.path for change in vault.repository.status()} & own - {write.path for write in writes}
    return [FileWrite(path, data, data) for path in sorted(changed) for data in [read_bytes(vault.root, path)]]


def _remember_label(vault: "Vault", source: _Source) -> None:
    labels = {**_labels(vault), source.label: str(source.place)}
    write_atomic(ensure_private_dir(vault.root) / "imports.json", json.dumps(labels).encode())


def _outcome(
    vault: "Vault", planned: PlannedEntry, version: str, stored: Stored | None, *, again: bool
) -> tuple[str, list[FileWrite]]:
    """What becomes of one planned entry, and the file writes that bring it in."""
    fields: dict[str, Value] = dict(planned.fields)
    if planned.text:
        fields["text"] = planned.text
    fields["origin"] = f"{planned.origin}@{version}+{_digest(fields)}"
    entry = Entry(planned.type, planned.id, fields)
    findings = check_against_schema(entry, vault.schemas())
    if has_errors(findings):
        raise Refused(
            [replace(item, message=f"{planned.origin}: {item.message}") for item in findings],
            vault.schemas().get(planned.type),
        )
    if stored is None:
        return "added", _new(vault, entry)
    if _source_version(stored) == version and not again:
        return _followed(vault, planned.origin, stored)
    untouched = _is_untouched(vault, stored)
    if not untouched and not again:
        return "edited", []
    writes = _update(vault, entry, stored, replacing=untouched)
    return ("changed" if writes else "unchanged"), writes


def _followed(vault: "Vault", place: str, stored: Stored) -> tuple[str, list[FileWrite]]:
    """An entry whose source says what it said: only where it is may have changed."""
    origin = _origin(stored)
    match = _ORIGIN.match(origin)
    if match is None or match["place"] == place:
        return "unchanged", []
    return "changed", edit_in_place(vault, stored, {"origin": place + origin[match.end("place") :]})


def _digest(fields: Mapping[str, Value]) -> str:
    """A digest of what an entry says, wherever its text is kept; its origin is no part of it."""
    said = {name: pack(value) for name, value in sorted(fields.items()) if name not in ("origin", "text_file")}
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _is_untouched(vault: "Vault", stored: Stored) -> bool:
    """Whether an entry still says what its import wrote."""
    match = _ORIGIN.match(_origin(stored))
    fields = dict(stored.entry.fields)
    text = vault.text_of(stored)
    if text is not None:
        fields["text"] = text.removesuffix("\n")
    return bool(match) and match["written"] == _digest(fields)  # type: ignore[index]  # a match is no None


def _new(vault: "Vault", entry: Entry) -> list[FileWrite]:
    path = vault.layout.entry_path(entry.type, entry.id, vault.scope)
    fields, sidecar = with_sidecar(entry.id, path, entry.fields)
    writes = [FileWrite(path, None, write_entry(entry.type, entry.id, fields).encode())]
    writes += [sidecar] if sidecar else []
    for write in writes:
        if safe_join(vault.root, write.path).exists():
            raise AlreadyThere(entry.key, write.path)
    return writes


def _update(vault: "Vault", entry: Entry, stored: Stored, *, replacing: bool) -> list[FileWrite]:
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
