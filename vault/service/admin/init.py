"""Making a vault, and the settings, spaces and schemas of one."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.lang.lower import read
from vault.lang.write import write_schema
from vault.model.access import Reader, UnknownSpace, checked_space
from vault.model.keys import is_identifier, is_reserved, is_space_name
from vault.model.schema import FieldSpec, Schema
from vault.model.settings import SETTINGS_FILE, Settings, Space, with_space, write_settings
from vault.service.runtime.discovery import NotAFolder, load_settings
from vault.service.runtime.handle import VaultHandle
from vault.service.write import commits
from vault.service.write.atomic_write import put
from vault.store import bundled
from vault.store.exclusions import Exclusions
from vault.store.files import WriteFailed, ensure_private_dir, read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.scan import scan
from vault.workspace.ingest import decode
from vault.workspace.layout import Layout

if TYPE_CHECKING:
    from vault.store.git import Repository


class AlreadyAVault(VaultError):
    """`vault init` where a vault is already."""

    code = "already-a-vault"

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"{root} is a vault already", hint="`vault status` shows how it is", details={"path": str(root)}
        )


class SchemaExists(VaultError):
    """A schema of this name is there already."""

    code = "already-there"

    def __init__(self, name: str, path: str) -> None:
        super().__init__(f"the schema `{name}` is declared in {path}", hint=f"edit {path}", details={"path": path})


class InsideVault(VaultError):
    """`vault init` in a folder of a vault."""

    code = "inside-a-vault"

    def __init__(self, root: Path, outer: Path) -> None:
        super().__init__(
            f"{root} lies in the vault {outer}",
            hint="`vault spaces add NAME` makes room for entries of their own; a vault of its own goes elsewhere",
            details={"path": str(outer)},
        )


@dataclass(frozen=True, slots=True)
class Outside:
    """Entries in files of a vault's folder that are not part of it."""

    entries: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A vault that was made: its folder, what was written, and its first commit.

    `adopted` says that it was a vault before, and got a repository alone. Without a
    commit HEAD already held its files.
    """

    root: Path
    paths: tuple[str, ...]
    commit: str | None
    made_repository: bool
    adopted: bool = False
    outside: Outside = Outside(0, ())


def init(root: Path, environ: Mapping[str, str], *, space: Mapping[str, bool] | None = None) -> Made:
    """Make a vault of a folder, in the repository it is in or in a new one, and commit its first files.

    Schemas that are there already stay. Folders below `spaces/` are declared; `space` declares more, by
    name with whether they are private. A vault that lost its repository gets a new one.
    Raises `AlreadyAVault`, `InsideVault` and git's errors before anything is made.
    """
    from vault.store.git import Repository

    if root.exists() and not root.is_dir():
        raise NotAFolder(root)
    held = _settings_there(root.resolve())
    found = Repository.discover(root)
    if held and (found or space):
        raise AlreadyAVault(root.resolve())
    spaces = {name: Space(name) for name in _space_folders(root)}
    spaces |= {checked_space(name): Space(name, private) for name, private in (space or {}).items()}
    created = _make_folder(root)
    repository = found or Repository.init(root)
    try:
        repository.identity(environ)
        layout = Layout(root.resolve(), held or Settings(spaces))
        return _first_commit(layout, repository, environ, made=found is None, adopted=held is not None)
    except BaseException:
        _take_back(root, created, made_repository=found is None, adopted=held is not None)
        raise


def _settings_there(root: Path) -> Settings | None:
    """The settings of a folder that is a vault; raises `InsideVault` below one."""
    outer = next((folder for folder in root.parents if (folder / SETTINGS_FILE).is_file()), None)
    if outer:
        raise InsideVault(root, outer)
    return load_settings(root) if (root / SETTINGS_FILE).exists() else None


def has_identity(environ: Mapping[str, str]) -> bool:
    """Say whether git knows who commits, wherever that is set."""
    from vault.store.git import MissingIdentity, default_identity

    try:
        default_identity(environ)
    except MissingIdentity:
        return False
    return True


def _make_folder(root: Path) -> bool:
    try:
        if root.is_dir():
            return False
        root.mkdir(parents=True)
    except OSError as error:
        raise WriteFailed(str(root), error.strerror or str(error)) from error
    return True


def _take_back(root: Path, created: bool, *, made_repository: bool, adopted: bool) -> None:  # noqa: FBT001
    """Leave nothing behind of a vault that could not be made."""
    import shutil

    if made_repository and (adopted or not (root / SETTINGS_FILE).exists()):
        shutil.rmtree(root / ".git", ignore_errors=True)
        shutil.rmtree(root / ".vault", ignore_errors=True)
    if created and not any(root.iterdir()):
        root.rmdir()


def _space_folders(root: Path) -> list[str]:
    folder = root / "spaces"
    if not folder.is_dir():
        return []
    return sorted(place.name for place in folder.iterdir() if place.is_dir() and is_space_name(place.name))


def _first_commit(
    layout: Layout, repository: "Repository", environ: Mapping[str, str], *, made: bool, adopted: bool
) -> Made:
    root = layout.root
    ensure_private_dir(root)
    vault = VaultHandle(layout, environ=environ)
    if adopted:
        paths = [SETTINGS_FILE, *sorted(f"schema/{place.name}" for place in (root / "schema").glob("*.firm"))]
        contents = {path: read_bytes(root, path) for path in paths}
        commit = commits.make(vault, repository, contents, "Keep the vault in git")
    else:
        writes = _first_files(root, layout.settings)
        contents = {write.path: write.after for write in writes if write.after is not None}
        commit = commits.make(vault, repository, contents, "Make a vault", writes)
    return Made(root, tuple(contents), commit, made, adopted, _outside(layout))


def _first_files(root: Path, settings: Settings) -> list[FileWrite]:
    texts = {f"schema/{name}.firm": text for name, text in bundled.schema_texts().items()}
    writes = [FileWrite(SETTINGS_FILE, None, write_settings(settings).encode())]
    return writes + [FileWrite(path, None, text.encode()) for path, text in texts.items() if not (root / path).exists()]


def _outside(layout: Layout) -> Outside:
    """The entries below a vault's folder that its scopes do not hold."""
    places = {}
    for path in scan(layout.root, [""], Exclusions(layout.root)).files:
        if path.endswith(".firm") and layout.kind(path) is None and not path.startswith("schema/"):
            text, _ = decode(read_bytes(layout.root, path), path)
            places[path] = len(read(text, path).entries)
    return Outside(sum(places.values()), tuple(path for path, count in sorted(places.items()) if count))


# -- spaces


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """A space with how many entries it holds."""

    space: Space
    declared: bool
    entries: int


def spaces(vault: VaultHandle) -> list[SpaceInfo]:
    """The spaces a reader may know of: the declared ones that are not private, and their own."""
    snapshot = vault.snapshot(Reader(owner=True))
    settings = vault.layout.settings
    names = {scope for scope in vault.present_scopes() if scope != "global"}
    shown = [name for name in sorted(names) if not settings.is_private(name) or name == vault.reader.space]
    return [
        SpaceInfo(
            settings.spaces.get(name, Space(name, private=True)),
            name in settings.spaces,
            snapshot.count(scope=name),
        )
        for name in shown
    ]


def add_space(vault: VaultHandle, name: str, *, private: bool, description: str = "") -> Space:
    """Declare a space in vault.yaml."""
    checked_space(name)
    if name in vault.layout.settings.spaces:
        raise UsageError(f"the space `{name}` is declared already", hint=f"`vault spaces set {name}` changes it")
    space = Space(name, private, description)
    _save(vault, space)
    return space


def set_space(vault: VaultHandle, name: str, *, private: bool | None, description: str | None) -> Space:
    """Change what vault.yaml says of a space."""
    held = vault.layout.settings.spaces.get(name)
    if held is None:
        raise UnknownSpace(name, vault.layout.settings.public_spaces())
    space = replace(
        held,
        private=held.private if private is None else private,
        description=held.description if description is None else description,
    )
    _save(vault, space)
    return space


def _save(vault: VaultHandle, space: Space) -> None:
    """Write a space into vault.yaml."""
    if vault.layout.workspace:
        raise UsageError("a Firm workspace has no spaces", hint="`vault init` makes it a vault")
    before = read_optional(safe_join(vault.root, SETTINGS_FILE)) or b""
    text = before.decode("utf-8-sig")
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    put(vault, [FileWrite(SETTINGS_FILE, before, mark + with_space(text, space).encode())])
    settings = vault.layout.settings
    vault.layout = replace(vault.layout, settings=replace(settings, spaces={**settings.spaces, space.name: space}))


# -- schemas


def add_schema(vault: VaultHandle, name: str, fields: list[FieldSpec], *, closed: bool, description: str) -> str:
    """Write a new schema into `schema/<name>.firm`; returns the path."""
    if not is_identifier(name):
        raise UsageError(f"`{name}` cannot be a type", hint="use ASCII letters, digits and `_`")
    if is_reserved(name):
        raise UsageError(f"`{name}` cannot be a type: Windows keeps this name for itself", hint=f"use `{name}_`")
    if name == "schema":
        raise UsageError("`schema` cannot be a type: the word begins a schema", hint="use another word, as `scheme`")
    vault.refresh()
    taken = next((schema for schema in vault.catalog.schemas() if schema.name == name), None)
    path = f"schema/{name}.firm"
    if taken or (vault.root / path).exists():
        raise SchemaExists(name, taken.path if taken else path)
    text = write_schema(
        Schema(name, tuple(fields), closed=closed, description=description), rows=not vault.layout.workspace
    )
    put(vault, [FileWrite(path, None, text.encode())])
    return path
