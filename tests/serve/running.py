"""Servers that run, as their users start them."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.service.conftest import ENVIRON


def environ() -> dict[str, str]:
    """The environment of programs that are not ours: what of the code runs is not to be measured there."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


@contextmanager
def serving(
    root: Path, log: Path, *words: str, more: Mapping[str, str] | None = None, descriptors: int | None = None
) -> Iterator[str]:
    """Run `vault serve` and yield its address; its log is in a file. It ends with the block."""

    def limit() -> None:
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    command = [sys.executable, "-m", "cli", "-C", str(root), "serve", "--port", "0", *words]
    with (
        log.open("w") as file,
        subprocess.Popen(
            command,
            env={**environ(), **ENVIRON, **(more or {})},
            stderr=file,
            stdin=subprocess.DEVNULL,
            preexec_fn=limit,  # noqa: PLW1509  it calls the system alone
        ) as child,
    ):
        try:
            yield address(log, child)
        finally:
            child.terminate()


def address(log: Path, child: "subprocess.Popen[bytes]") -> str:
    """Where a server says that it listens."""
    while child.poll() is None:
        first = log.read_text().partition("\n")
        if first[1]:
            return first[0].split()[-1]
        time.sleep(0.02)
    raise AssertionError(log.read_text())
