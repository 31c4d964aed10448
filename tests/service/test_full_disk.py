"""A disk that is full while derived data is written: reads go on where they can, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Open, Write
from tests.tables import sql

PROGRAM = """
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from vault.errors import VaultError
from vault.service.vault import Vault
with Vault.open(sys.argv[1], environ=os.environ, max_age=0) as vault:
    vault.say = lambda text: print("said", text)
    if sys.argv[2] == "index":
        vault.snapshot()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
    try:
        print(vault.snapshot().count(), len(vault.check()), vault.snapshot().count())
        vault.search("garden")
    except VaultError as error:
        print(error.code)
"""


@pytest.mark.parametrize(
    ("stage", "limit", "said"),
    [("open", 1_000, "derived data"), ("catalog", 100_000, "derived data"), ("index", 2_000, "text index")],
)
def test_reads_go_on_where_the_disk_is_full_and_nothing_is_lost(
    root: Path, write: Write, open_vault: Open, stage: str, limit: int, said: str
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
    lines = ended.stdout.splitlines()
    assert "80 0 80" in lines
    told = [line for line in lines if line.startswith("said")]
    assert len(told) == len({*told})
    assert any(said in line for line in told)
    assert set(lines) - {"80 0 80", *told} <= {"index-failed", "damaged-index", "write-failed"}
    vault = open_vault()
    assert vault.snapshot().count() == 80
    assert len(vault.search("garden", limit=100)) == 80


def test_a_catalog_that_cannot_grow_is_done_without(write: Write, open_vault: Open) -> None:
    vault = open_vault()
    vault.snapshot()
    said: list[str] = []
    vault.say = said.append
    sql(vault.catalog, "PRAGMA max_page_count = 1")
    for number in range(80):
        write(f"global/note/n{number}.firm", f'note n{number} {{ text = "garden {"word " * 300}" }}\n')
    assert vault.snapshot().count() == 80
    assert len(vault.search("garden", limit=100)) == 80
    assert vault.check() == []
    assert said == ["derived data could not be written: database or disk is full; the files are read again instead"]
    vault.close()
    assert open_vault().snapshot().count() == 80
