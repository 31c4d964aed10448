"""Making a vault, and the settings, spaces and schemas of one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import UsageError, VaultError
from vault.lang.write import write_schema
from vault.model.access import Reader, UnknownSpace, checked_space
from vault.model.keys import is_identifier, is_space_name
from vault.model.schema import FieldSpec, Schema
from vault.model.settings import SETTINGS_FILE, Settings, Space, write_settings
from vault.service import committing
from vault.service.opening import NotAFolder, load_settings
from vault.service.vault import Vault
from vault.service.writing import put
from vault.store import bundled
from vault.store.files import WriteFailed, ensure_private_dir, read_optional, safe_join
from vault.store.journal import FileWrite
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


@dataclass(frozen=True, slots=True)
class Made:
    """A vault that was made: its folder, what was written, and the commit it begins with."""

    root: Path
    paths: tuple[str, ...]
    commit: str
    made_repository: bool


def init(root: Path, environ: Mapping[str, str], *, space: Mapping[str, bool] | None = None) -> Made:
    """Make a vault of a folder, in the repository it is in or in a new one, and commit its first files.

    Schemas that are there already stay. Folders below `spaces/` are declared; `space` declares more, by
    name with whether they are private. Raises `AlreadyAVault` and git's errors before anything is made.
    """
    from vault.store.git import Repository  # noqa: PLC0415

    if root.exists() and not root.is_dir():
        raise NotAFolder(root)
    if (root / SETTINGS_FILE).exists():
        load_settings(root)
        raise AlreadyAVault(root.resolve())
    spaces = {name: Space(name) for name in _space_folders(root)}
    spaces |= {checked_space(name): Space(name, private) for name, private in (space or {}).items()}
    created = _make_folder(root)
    found = Repository.discover(root)
    repository = found or Repository.init(root)
    try:
        repository.identity(environ)
        return _first_commit(root.resolve(), repository, Settings(spaces), environ, made=found is None)
    except BaseException:
        _take_back(root, created, made_repository=found is None)
        raise


def has_identity(environ: Mapping[str, str]) -> bool:
    """Say whether git knows who commits, wherever that is set."""
    from vault.store.git import MissingIdentity, default_identity  # noqa: PLC0415

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


def _take_back(root: Path, created: bool, *, made_repository: bool) -> None:  # noqa: FBT001
    """Leave nothing behind of a vault that could not be made."""
    import shutil  # noqa: PLC0415

    if made_repository and not (root / SETTINGS_FILE).exists():
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
    root: Path, repository: "Repository", settings: Settings, environ: Mapping[str, str], *, made: bool
) -> Made:
    texts = {f"schema/{name}.firm": text for name, text in bundled.schema_texts().items()}
    writes = [FileWrite(SETTINGS_FILE, None, write_settings(settings).encode())]
    writes += [FileWrite(path, None, text.encode()) for path, text in texts.items() if not (root / path).exists()]
    ensure_private_dir(root)
    vault = Vault(Layout(root, settings), environ=environ)
    contents = {write.path: write.after for write in writes}
    commit = committing.make(vault, repository, contents, "Make a vault", writes)
    return Made(root, tuple(contents), commit, made)


# -- spaces


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """A space with how many entries it holds."""

    space: Space
    declared: bool
    entries: int


def spaces(vault: Vault) -> list[SpaceInfo]:
    """The spaces a reader may know of: the declared ones that are not private, and their own."""
    snapshot = vault.snapshot(Reader(owner=True))
    settings = vault.layout.settings
    names = {scope for scope in vault.present_scopes() if scope != "global"}
    shown = [name for name in sorted(names) if not settings.is_private(name) or name == vault.reader.space]
    return [
        SpaceInfo(
            settings.spaces.get(name, Space(name, private=True)),
            name in settings.spaces,
            snapshot.count("e.scope = ?", [name]),
        )
        for name in shown
    ]


def add_space(vault: Vault, name: str, *, private: bool, description: str = "") -> Space:
    """Declare a space in vault.yaml."""
    checked_space(name)
    if name in vault.layout.settings.spaces:
        raise UsageError(f"the space `{name}` is declared already", hint=f"`vault spaces set {name}` changes it")
    space = Space(name, private, description)
    _save(vault, replace(vault.layout.settings, spaces={**vault.layout.settings.spaces, name: space}))
    return space


def set_space(vault: Vault, name: str, *, private: bool | None, description: str | None) -> Space:
    """Change what vault.yaml says of a space."""
    held = vault.layout.settings.spaces.get(name)
    if held is None:
        raise UnknownSpace(name, vault.layout.settings.public_spaces())
    space = replace(
        held,
        private=held.private if private is None else private,
        description=held.description if description is None else description,
    )
    _save(vault, replace(vault.layout.settings, spaces={**vault.layout.settings.spaces, name: space}))
    return space


def _save(vault: Vault, settings: Settings) -> None:
    """Rewrite vault.yaml; the comments that begin it are kept."""
    if vault.layout.workspace:
        raise UsageError("a Firm workspace has no spaces", hint="`vault init` makes it a vault")
    before = read_optional(safe_join(vault.root, SETTINGS_FILE))
    comments = []
    for row in (before or b"").decode("utf-8-sig").splitlines():
        if row.strip() and not row.startswith("#"):
            break
        comments.append(row)
    lead = "".join(f"{row}\n" for row in comments)
    put(vault, [FileWrite(SETTINGS_FILE, before, (lead + write_settings(settings)).encode())])
    vault.layout = replace(vault.layout, settings=settings)


# -- schemas


def add_schema(vault: Vault, name: str, fields: list[FieldSpec], *, closed: bool, description: str) -> str:
    """Write a new schema into `schema/<name>.firm`; returns the path."""
    if not is_identifier(name):
        raise UsageError(f"`{name}` cannot be a type", hint="a type is made of ASCII letters, digits and `_`")
    vault.refresh()
    taken = next((schema for schema in vault.catalog.schemas() if schema.name == name), None)
    path = f"schema/{name}.firm"
    if taken or (vault.root / path).exists():
        raise SchemaExists(name, taken.path if taken else path)
    text = write_schema(Schema(name, tuple(fields), closed=closed, description=description))
    put(vault, [FileWrite(path, None, text.encode())])
    return path
