"""The command in a process of its own, as a shell runs it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

REPOSITORY = Path(__file__).resolve().parents[2]


def vault_process(
    root: Path, *words: str | bytes, stdout: int | BinaryIO = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Run the program on its own."""
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    program = [sys.executable, "-m", "cli", *words]
    return subprocess.run(program, cwd=root, env=environ, stdout=stdout, stderr=subprocess.PIPE, check=False)
