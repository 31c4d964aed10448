"""Hooks folders that cannot be what they should be."""

import sys
from pathlib import Path

import pytest

from tests.service.conftest import as_nobody
from tests.service.hooking.conftest import Yard
from vault.errors import VaultError
from vault.store.files import WriteFailed

# -- hooks of others


def test_folder_that_cannot_be_made(yard: Yard) -> None:
    (yard.top / "file").write_text("")
    yard.git("config", "core.hooksPath", "file/hooks")
    with pytest.raises(WriteFailed):
        yard.install()


def test_folder_that_may_not_be_written(root: Path) -> None:
    code, said = as_nobody(
        root,
        f"""
from vault.service import hooking
from vault.service.setup import init
os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
folder = root / ".git/hooks"
folder.mkdir(exist_ok=True)
hook = folder / "pre-commit"
hook.write_text("#!/bin/sh\\n")
def attempt(act, *words):
    folder.chmod(0o555)
    try:
        with Vault.open(root, environ=os.environ) as vault:
            act(vault, *words)
    except Exception as error:
        print(type(error).__name__, hook.read_text() == "#!/bin/sh\\n", sorted(p.name for p in folder.glob("*~")))
    folder.chmod(0o755)
attempt(hooking.install, {sys.executable!r})
with Vault.open(root, environ=os.environ) as vault:
    hooking.install(vault, {sys.executable!r})
attempt(hooking.uninstall)
""",
    )
    assert code == 0, said
    assert said == "WriteFailed True []\nWriteFailed False []\n"


def test_hook_that_is_a_folder(yard: Yard) -> None:
    yard.hook.mkdir(parents=True)
    with pytest.raises(VaultError):
        yard.install()
    assert yard.hook.is_dir()
