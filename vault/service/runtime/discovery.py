"""Finding the vault a command is about."""

import os
from collections import deque
from contextlib import suppress
from pathlib import Path

from vault.errors import VaultError
from vault.model.settings import SETTINGS_FILE, BadSettings, Settings, read_settings
from vault.store.files import Unreadable, is_file
from vault.workspace.layout import Layout

#: Folders that are looked into for `.firm` files before a place is taken for none: some ten milliseconds.
FOLDERS_LOOKED_INTO = 500


class NotAVault(VaultError):
    """No vault and no Firm workspace at a place or above it."""

    code = "not-a-vault"

    def __init__(self, start: Path) -> None:
        super().__init__(
            f"{start} is not in a vault",
            hint="`vault init` makes one here; `-C DIR` names one elsewhere; `vault tour` shows one",
            details={"path": str(start)},
        )


class NotAFolder(VaultError):
    """A place that is not a folder."""

    code = "not-a-folder"
    status = 2

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is not a folder", hint="name an existing folder", details={"path": str(path)})


class NotInGit(VaultError):
    """A vault that is in no git repository, where history is asked for."""

    code = "not-in-git"

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"{root} is in no git repository",
            hint="`vault init` makes this folder one",
            details={"path": str(root)},
        )


def find_layout(start: Path) -> Layout:
    """Find the vault a folder is in: the nearest `vault.yaml` above, else a folder of `.firm` files.

    Raises `NotAVault`, and `BadSettings` if the `vault.yaml` found cannot be used.
    """
    if not start.is_dir():
        raise NotAFolder(start)
    place = start.resolve()
    for folder in (place, *place.parents):
        if is_file(folder / SETTINGS_FILE):
            return Layout(folder, load_settings(folder))
    for folder in _workspaces(place):
        if _holds_firm(folder):
            return Layout(folder, Settings(), workspace=True)
    raise NotAVault(start)


def _workspaces(place: Path) -> list[Path]:
    """The folders that may be a workspace: this one, and those above it inside its git repository."""
    folders = [place, *place.parents]
    tops = [number for number, folder in enumerate(folders) if (folder / ".git").exists()]
    return folders[: tops[0] + 1] if tops else [place]


def _holds_firm(folder: Path) -> bool:
    """Whether a folder, or one inside that is no vault of its own, has `.firm` files; the nearest are seen first.

    A folder of any kind may be asked, so only so many folders are looked into.
    """
    waiting = deque([folder])
    for _ in range(FOLDERS_LOOKED_INTO):
        if not waiting:
            return False
        with suppress(OSError), os.scandir(waiting.popleft()) as found:
            items = list(found)
            if any(item.name.endswith(".firm") and item.is_file() for item in items):
                return True
            inside = [Path(item.path) for item in items if item.name[:1] != "." and item.is_dir(follow_symlinks=False)]
            waiting += sorted(place for place in inside if not is_file(place / SETTINGS_FILE))
    return False


def load_settings(root: Path) -> Settings:
    """Read a vault's `vault.yaml`."""
    try:
        data = (root / SETTINGS_FILE).read_bytes()
    except OSError as error:
        raise Unreadable(SETTINGS_FILE, error.strerror or str(error)) from error
    return settings_in(data)


def settings_in(data: bytes) -> Settings:
    """Read the bytes of a `vault.yaml`; raises `BadSettings`."""
    try:
        return read_settings(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadSettings("the file is not UTF-8", 1, "save it as UTF-8") from error


def space_at(layout: Layout, place: Path) -> str | None:
    """The space a folder lies in, if it lies in one."""
    try:
        parts = place.resolve().relative_to(layout.root).parts
    except ValueError:
        return None
    return parts[1] if len(parts) > 1 and parts[0] == "spaces" and not layout.workspace else None
