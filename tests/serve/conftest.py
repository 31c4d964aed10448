"""A vault to serve, and who is served."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import ENVIRON, bob, git, open_vault, root, vault, write
from vault.serve.dispatch import call
from vault.serve.session import Binding, Desk

__all__ = ["bob", "git", "open_vault", "root", "vault", "write"]

Json = dict[str, Any]
Ask = Callable[..., Json]


@pytest.fixture
def desk(root: Path) -> Iterator[Callable[..., Desk]]:
    """Make the desk of a caller who is bound to spaces and an agent."""
    made: list[Desk] = []

    def making(*spaces: str, **bound: Any) -> Desk:
        made.append(Desk(Binding(root, spaces, **bound, environ={**os.environ, **ENVIRON})))
        return made[-1]

    yield making
    for one in made:
        one.close()


@pytest.fixture
def ask(desk: Callable[..., Desk]) -> Ask:
    """Call an operation from outside every space."""
    own = desk()

    def asking(tool: str, /, **given: Any) -> Json:
        return call(own, tool, given)

    return asking


@pytest.fixture
def locked(root: Path) -> Iterator[Callable[[], None]]:
    """Let somebody else write until this is called."""
    program = "import sys; from pathlib import Path; from vault.store.files import vault_lock\n"
    program += "with vault_lock(Path(sys.argv[1]), timeout=9, token=None): print('held', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", program, str(root)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.readline() == b"held\n"
        yield lambda: child.communicate() and None
        child.communicate()
