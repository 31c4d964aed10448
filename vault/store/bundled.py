"""What ships with the package: the schemas a new vault starts from, and those of internal records."""

from functools import cache
from pathlib import Path

import vault

INTERNAL = "internal"


def schema_folder() -> Path:
    """The folder of the shipped schemas: inside the installed package, or beside it in a source tree."""
    package = Path(vault.__file__).parent
    installed = package / "schema"
    return installed if installed.is_dir() else package.parent / "schema"


@cache
def schema_texts(kind: str = "") -> dict[str, str]:
    """The texts of the shipped schemas by type name; `kind` is "" or `internal`."""
    folder = schema_folder() / kind
    return {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.firm"))}
