"""The README's `console` blocks that show `$ ` commands are one session; `--update` rewrites them."""

import os
import re
from pathlib import Path

from tests.cli.sessions import Shell, fits, read_session, rewritten

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"(?<=^```console\n)\$ .*?(?=^```$)", re.MULTILINE | re.DOTALL)


def test_readme_prints_what_it_says(tmp_path: Path, update: bool) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    shell = Shell(folder, os.environ)
    text = README.read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert blocks
    outputs = [[shell.run(exchange.command) for exchange in read_session(block)] for block in blocks]
    if update:
        left = iter(outputs)
        README.write_text(BLOCK.sub(lambda block: rewritten(block[0], next(left)), text), "utf-8")
        return
    for block, printed in zip(blocks, outputs, strict=True):
        for exchange, output in zip(read_session(block), printed, strict=True):
            told = f"$ {exchange.command}\n{output}\n--- README.md says ---\n{exchange.expected}"
            assert fits(output, exchange.expected), told


def test_readme_has_one_test_command() -> None:
    found = re.findall(r"<!-- test-command -->\s*```\w*\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert len(found) == 1
    assert found[0].count("\n") == 1
    assert found[0].rstrip().endswith('pip install -e ".[dev]" && pytest -n auto')
