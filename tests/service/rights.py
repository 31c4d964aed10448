"""What a user without root's rights meets: folders and files that may not be read or written."""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import vault.service
import vault.store.git
from tests.service.conftest import ENVIRON
from vault.service.admin.doctor import doctor
from vault.service.admin.init import init
from vault.service.vault import Vault
from vault.service.write.create import add

#: The number of a user that no machine has.
NOBODY = 12345


@contextmanager
def without_rights(root: Path) -> Iterator[None]:
    """Be a user who is not root and owns the folder; afterwards the user from before.

    Everything is imported and used once before, because the code itself may lie where only root can read.
    """
    if os.getuid():
        yield
        return
    use_all_modules()
    for parent in [root, *root.parents]:
        if len(parent.parts) > 2:  # all below the folder of temporary files
            parent.chmod(0o777)
    for place in [root, *root.rglob("*")]:
        os.chown(place, NOBODY, NOBODY, follow_symlinks=False)
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


def forbid_writing(root: Path) -> None:
    """Let nobody write to a folder, or to any file and folder in it."""
    for place in [root, *root.rglob("*")]:
        place.chmod(0o555 if place.is_dir() else 0o444)


@cache
def use_all_modules() -> None:
    """Import what a vault can need, codecs and data of packages included, by using one."""
    for package in (vault.service, vault.store.git):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    for encoding in ("ascii", "latin-1", "utf-8-sig"):
        "".encode(encoding)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        init(root, ENVIRON)
        with Vault.open(root, environ={**os.environ, **ENVIRON}) as opened:
            add(opened, "note", "n", {"text": "warm"})
            opened.cited([opened.search("warm")[0].path])
            opened.check()
        doctor(root, ENVIRON)
