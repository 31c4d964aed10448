"""A disk that is full while derived data is written: a typed error, and nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Open, Write

PROGRAM = """
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from vault.errors import VaultError
from vault.service.vault import Vault
with Vault.open(sys.argv[1], environ=os.environ) as vault:
    if sys.argv[2] == "index":
        vault.snapshot()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
    try:
        vault.search("garden")
    except VaultError as error:
        print(error.code)
"""


@pytest.mark.parametrize(
    ("stage", "limit", "codes"),
    [("catalog", 100_000, {"catalog-failed"}), ("index", 2_000, {"index-failed", "damaged-index", "write-failed"})],
)
def test_a_full_disk_stops_a_refresh_and_the_next_goes_on(
    root: Path, write: Write, open_vault: Open, stage: str, limit: int, codes: set[str]
) -> None:
    for number in range(80):
        write(f"global/note/n{number}.firm", f'note n{number} {{ text = "garden {"word " * 300}" }}\n')
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), stage, str(limit)],
        env={**os.environ, **ENVIRON, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() in codes
    vault = open_vault()
    assert vault.snapshot().count() == 80
    assert len(vault.search("garden", limit=100)) == 80
