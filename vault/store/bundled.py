"""What ships with the package: the schemas a new vault starts from, those of internal records, and entries."""

import hashlib
from functools import cache
from pathlib import Path

from vault.model.access import BUNDLED_PATHS
from vault.store.files import Unreadable, read_bytes
from vault.version import __version__

INTERNAL = "internal"
#: The folder of the installed package.
PACKAGE = Path(__file__).parents[1]


def schema_folder() -> Path:
    """The folder of the shipped schemas: inside the installed package, or beside it in a source tree."""
    installed = PACKAGE / "schema"
    return installed if installed.is_dir() else PACKAGE.parent / "schema"


@cache
def schema_texts(kind: str = "") -> dict[str, str]:
    """The texts of the shipped schemas by type name; `kind` is "" or `internal`."""
    folder = schema_folder() / kind
    return {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.firm"))}


def entry_folder() -> Path:
    """The folder of the bundled entries."""
    return PACKAGE / "bundled"


@cache
def entry_files() -> dict[str, bytes]:
    """The files of the bundled entries, by the paths that they go by in a vault."""
    folder = entry_folder()
    places = sorted(folder.glob("*/*.firm"))
    return {f"{BUNDLED_PATHS}{place.relative_to(folder).as_posix()}": place.read_bytes() for place in places}


@cache
def entry_digest() -> str:
    """What tells these bundled entries from those of another version. Reading all of them takes a few milliseconds."""
    told = [__version__, *(part for path, data in entry_files().items() for part in (path, data.hex()))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def version() -> str:
    """The version of the package, which bundled entries are cited at."""
    return __version__


def read_any(root: Path, path: str) -> bytes:
    """The bytes of a vault's file, or of a bundled one. Raises `Unreadable`."""
    if not path.startswith(BUNDLED_PATHS):
        return read_bytes(root, path)
    if path not in entry_files():
        raise Unreadable(path, "is not bundled with this version")
    return entry_files()[path]
