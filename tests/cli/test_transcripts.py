"""Every transcript runs and prints what it says; `--update` rewrites them."""

import os
from pathlib import Path

import pytest

from tests.cli.sessions import Shell, fits, read_session, rewritten

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


#: The transcript that runs as a person's shell would run it, each command in a process of its own.
IN_PROCESSES = "misuse"

CASES = [(path, False) for path in TRANSCRIPTS] + [(path, True) for path in TRANSCRIPTS if path.stem == IN_PROCESSES]


@pytest.mark.parametrize(("path", "processes"), CASES, ids=lambda case: getattr(case, "stem", str(case)))
def test_transcript_prints_what_it_says(
    path: Path, processes: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = path.read_text("utf-8")
    folder = tmp_path / "session"
    folder.mkdir()
    shell = Shell(folder, os.environ, processes=processes)
    exchanges = read_session(text)
    outputs = [shell.run(exchange.command) for exchange in exchanges]
    if request.config.getoption("--update"):
        path.write_text(rewritten(text, outputs), "utf-8")
        return
    for exchange, printed in zip(exchanges, outputs, strict=True):
        assert fits(printed, exchange.expected), (
            f"$ {exchange.command}\n{printed}\n--- expected ---\n{exchange.expected}"
        )


def test_transcripts_exist() -> None:
    assert TRANSCRIPTS
