"""The folder an import reads: its files, what they are called in the vault, and whose the label is."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.exchange.conventions import TOOL_FILES, Convention, recognise
from vault.exchange.mapping import ImportMapping, read_mapping
from vault.exchange.notes import DATA_SUFFIXES, NOTE_SUFFIXES, Skipped, SourceFile
from vault.model.yamltext import read_yaml
from vault.service.runtime.discovery import NotAFolder
from vault.store.files import PRIVATE_DIR, Unreadable, ensure_private_dir, read_bytes, write_atomic
from vault.store.scan import scan
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: An origin is `label/path@source+written`: the beginnings of the source file's blob id, and of a digest
#: of what the import wrote, by which a later import knows whether people have changed it since.
_ORIGIN = re.compile(r"(?P<place>.+)@(?P<source>[0-9a-f]{12})(?:\+(?P<written>[0-9a-f]{12}))?\Z", re.DOTALL)

#: Folders of programs, which hold no notes.
_FOREIGN_FOLDERS = frozenset(["node_modules", "__pycache__"])

_LABELS = "imports.json"


class LabelTaken(VaultError):
    """A label under which another folder was imported."""

    code = "label-taken"

    def __init__(self, label: str, other: str = "") -> None:
        source = other or "a folder with other files"
        hint = "give this folder a label of its own with `--label NAME`"
        super().__init__(
            f"`{label}` is the label of what was imported from {source}",
            hint=hint if other else f"{hint}; `--again` imports it in place of the other",
            details={"label": label, "path": other},
        )


class InsideVault(UsageError):
    """A folder that is the vault, contains it, or is one of its own."""

    code = "inside-vault"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds the vault's own files", hint="import a folder that is not part of what the vault reads"
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an imported entry; `source` and `written` are "" where it does not say them."""

    place: str
    source: str = ""
    written: str = ""

    @classmethod
    def read(cls, text: object) -> "Origin":
        """Read the value of a field `origin`."""
        if not isinstance(text, str):
            return cls("")
        match = _ORIGIN.match(text)
        return cls(match["place"], match["source"], match["written"] or "") if match else cls(text)

    def __str__(self) -> str:
        written = f"+{self.written}" if self.written else ""
        return f"{self.place}@{self.source}{written}"


@dataclass(frozen=True, slots=True)
class Source:
    """What is imported: under which label, from where, its files, and the rules for them.

    `others` are the files that are no notes, with their size and time of change; `versions` gives the version
    of each file by its origin's place.
    """

    label: str
    folder: Path
    files: list[SourceFile]
    rules: ImportMapping
    rules_text: str
    others: Mapping[str, tuple[int, int]]
    convention: Convention
    skipped: tuple[Skipped, ...]
    versions: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        versions = {f"{self.label}/{file.path}": blob_of(file.data)[:12] for file in self.files}
        object.__setattr__(self, "versions", versions)

    def digest(self, *circumstances: object) -> str:
        """Return a digest of all that decides what an import makes of the folder."""
        said = [sorted(self.versions.items()), self.rules_text, sorted(self.others.items()), self.convention.name]
        return hashlib.sha256(repr([*said, *circumstances]).encode("utf-8", "surrogatepass")).hexdigest()


def read_source(vault: "VaultHandle", folder: Path, mapping: Path | None, label: str | None) -> Source:
    """Read a folder to import.

    Raises `NotAFolder`, `InsideVault`, and `UsageError` for a folder without notes or a vault that takes none.
    """
    place = folder.resolve()
    if not place.is_dir():
        raise NotAFolder(folder)
    if vault.layout.workspace:
        raise UsageError(f"{vault.root} is a Firm workspace", hint="`vault init` makes it a vault to import into")
    if vault.root.is_relative_to(place) or any(place.is_relative_to(vault.root / own) for own in vault.layout.folders):
        raise InsideVault(folder)
    found = scan(place, ("",), None)
    own = {path: stamp for path, stamp in sorted(found.files.items()) if not _is_foreign(path)}
    notes = [path for path in own if path.lower().endswith((*NOTE_SUFFIXES, *DATA_SUFFIXES))]
    if not notes:
        raise UsageError(f"{folder} holds no notes", hint="notes end in .md, records in .yml or .yaml")
    skipped = [Skipped(path, 1, "a link is not followed") for path in found.links]
    skipped += [Skipped(path, 1, "its name is not UTF-8") for path in found.misnamed]
    text = _mapping_text(mapping)
    return Source(
        label or place.name,
        place,
        [SourceFile(path, read_bytes(place, path)) for path in notes],
        read_mapping(read_yaml(text, mapping), str(mapping)) if mapping else ImportMapping(),
        text,
        {path: (stamp.size, stamp.mtime_ns) for path, stamp in own.items() if path not in set(notes)},
        # a tool's own file may be in the folder above, which the notes are a part of
        recognise([*found.files, *(mark for mark in TOOL_FILES if (place.parent / mark).is_file())]),
        tuple(skipped),
    )


def _is_foreign(path: str) -> bool:
    return any(part.startswith(".") or part in _FOREIGN_FOLDERS for part in path.split("/")[:-1])


def _mapping_text(path: Path | None) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig") if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(path), str(error)) from error


@dataclass(frozen=True, slots=True)
class Label:
    """What this machine knows of a label: the folder it was imported from, and the last import's state and report."""

    folder: str = ""
    state: str = ""
    report: Mapping[str, object] = field(default_factory=dict)


def read_label(vault: "VaultHandle", name: str) -> Label:
    """Read what is known of a label; it is forgotten with the other derived data."""
    known = _read_labels(vault).get(name)
    if isinstance(known, str):
        return Label(known)
    if not isinstance(known, dict):
        return Label()
    folder, state, report = (known.get(key) for key in ("folder", "state", "report"))
    is_whole = isinstance(folder, str) and isinstance(state, str) and isinstance(report, dict)
    return Label(folder, state, report) if is_whole else Label()  # type: ignore[arg-type]  # just looked at


def write_label(vault: "VaultHandle", name: str, label: Label) -> None:
    """Keep what is known of a label."""
    known = {"folder": label.folder, "state": label.state, "report": label.report}
    labels = {**_read_labels(vault), name: known}
    write_atomic(ensure_private_dir(vault.root) / _LABELS, json.dumps(labels).encode())


def _read_labels(vault: "VaultHandle") -> dict[str, object]:
    try:
        labels = json.loads((vault.root / PRIVATE_DIR / _LABELS).read_bytes())
    except (OSError, ValueError):
        return {}
    return labels if isinstance(labels, dict) else {}


def check_label(label: Label, source: Source, origins: Collection[Origin], *, again: bool) -> None:
    """Raise `LabelTaken` if what was imported under the label came from another folder.

    Where this machine does not know the folder, as in a clone, it is the same one if at least half of the
    places that were imported are there and any file still has the version that was imported.
    """
    if not origins or label.folder == str(source.folder):
        return
    if label.folder and Path(label.folder).is_dir():
        raise LabelTaken(source.label, label.folder)
    versions = source.versions
    there = sum(origin.place in versions for origin in origins)
    has_known = bool({origin.source for origin in origins} & set(versions.values()))
    if not again and (2 * there < len(origins) or not has_known):
        raise LabelTaken(source.label)
