"""A vault to run commands in, in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import invoke
from tests.service.conftest import ENVIRON, new_vault


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output, read as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def root(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new vault with the spaces `work` (open) and `diary` (private), and the current folder."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    for name in ("FIRM_VAULT_SPACE", "FIRM_VAULT_LOCK_TOKEN", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    folder = new_vault(tmp_path / "vault", tmp_path_factory)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(root: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `vault` with these words."""
    assert root.exists()

    def running(*words: str) -> Ended:
        capfd.readouterr()
        code = invoke(list(words))
        out, err = capfd.readouterr()
        return Ended(code, out, err)

    return running
