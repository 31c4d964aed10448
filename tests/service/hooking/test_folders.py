"""Hooks folders that cannot be what they should be."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.hooking.conftest import Yard
from tests.service.rights import without_rights
from vault.errors import VaultError
from vault.service.admin import git_hooks
from vault.service.vault import Vault
from vault.store.files import WriteFailed

# -- hooks of others


def test_folder_that_cannot_be_made(yard: Yard) -> None:
    (yard.top / "file").write_text("")
    yard.git("config", "core.hooksPath", "file/hooks")
    with pytest.raises(WriteFailed):
        yard.install()


def test_folder_that_may_not_be_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = root / ".git/hooks"
    folder.mkdir(exist_ok=True)
    hook = folder / "pre-commit"
    hook.write_text("#!/bin/sh\n")
    with without_rights(root), Vault.open(root, environ=os.environ) as vault:

        def refused(act: Callable[..., object], *words: str) -> None:
            before = hook.read_text()
            folder.chmod(0o555)
            with pytest.raises(WriteFailed):
                act(vault, *words)
            folder.chmod(0o755)
            assert (hook.read_text(), [*folder.glob("*~")]) == (before, [])

        refused(git_hooks.install, sys.executable)
        git_hooks.install(vault, sys.executable)
        refused(git_hooks.uninstall)


def test_hook_that_is_a_folder(yard: Yard) -> None:
    yard.hook.mkdir(parents=True)
    with pytest.raises(VaultError):
        yard.install()
    assert yard.hook.is_dir()
