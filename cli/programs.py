"""Where the program that runs now is found again."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path


def programs(search: str | None) -> Iterator[str]:
    """Where the program that runs now may be found again: as it was called, beside its Python, on PATH."""
    called = Path(sys.argv[0]).absolute()  # links stay: they outlive the version they lead to
    if called.name in ("vault", "fv"):
        yield str(called)
    yield str(Path(sys.executable).with_name("vault"))
    yield from (found for name in ("vault", "fv") if (found := shutil.which(name, path=search)))
