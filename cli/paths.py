"""Files as people name them → paths of the vault."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.vault import Vault


def vault_paths(vault: "Vault", files: Iterable[Path], directory: Path) -> list[str]:
    """Turn named files and folders into the vault's `.firm` files; sidecars stand for their entries.

    Raises `UsageError` for a file that is not there or lies outside the vault.
    """
    vault.refresh()
    known = vault.catalog.blobs()
    owners = {path: owner for owner, path, _ in vault.catalog.sidecars()}
    found: list[str] = []
    for file in files:
        path = vault.known_path(_relative(vault.root, directory / file, file))
        if path in known:
            found.append(path)
        elif path in owners:
            found.append(owners[path])
        else:
            inside = [one for one in known if path == "." or one.startswith(f"{path}/")]
            if not inside and not (vault.root / path).exists():
                raise UsageError(f"{file} is not there", hint="name files or folders of the vault")
            found += inside
    return list(dict.fromkeys(found))


def _relative(root: Path, place: Path, named: Path) -> str:
    try:
        return (
            (place.parent.resolve() / place.name if place.name != ".." else place.resolve())
            .relative_to(root)
            .as_posix()
        )
    except ValueError as error:
        raise UsageError(f"{named} lies outside the vault {root}", hint="name files of the vault, or use -C") from error


def shown_from(place: Path, root: Path) -> "Callable[[str], str]":
    """Make the function that names a vault's file as a person at a place would: one they can open.

    Far away, where that would be a way up and down again, the vault's own paths stay.
    """
    here = place.resolve()
    if here != root and (root.is_relative_to(here) or here.is_relative_to(root)):
        return lambda path: os.path.relpath(root / path, here)
    return lambda path: path


def stored(root: Path, directory: Path, file: str, text: str) -> tuple[str, Path | None]:
    """A path typed in a folder, as an entry's file stores it, and the place it names; a URL stays as it is."""
    if "://" in text:
        return text, None
    place = Path(os.path.normpath(directory.resolve() / text))
    if Path(text).is_absolute() and not place.is_relative_to(root):
        return text, place
    return Path(os.path.relpath(place, (root / file).parent)).as_posix(), place
