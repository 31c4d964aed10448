"""The examples of the README and of the pages in docs/ run and print what they show; `--update` rewrites them.

The `console` blocks of a page that show `$ ` commands are one session, which starts in an empty folder. A `python`
block is saved there as `example.py`.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.sessions import Shell, fits, read_session, rewritten
from vault.model.settings import BadSettings, read_settings

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, ROOT / "CONTRIBUTING.md", *DOCS]

BLOCK = re.compile(
    r"(?<=^```console\n)\$ .*?(?=^```$)"
    r"|(?<=^````console\n)\$ .*?(?=^````$)"  # for output that has fences of its own
    r"|(?<=^```python\n).*?(?=^```$)",
    re.MULTILINE | re.DOTALL,
)
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]*)\)")

#: Pages that show no commands.
SILENT = {"architecture.md"}
SESSIONS = [README, *(page for page in DOCS if page.name not in SILENT)]


def named(path: Path) -> str:
    return path.name


def run_page(text: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Run the blocks of a page in a folder; yield each block of commands with their outputs."""
    shell = Shell(folder, os.environ)
    python = folder.parent / "bin" / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    Path.home().joinpath(".gitconfig").write_text("[user]\n\tname = Ada Example\n\temail = ada@example.org\n")
    for block in BLOCK.findall(text):
        if block.startswith("$ "):
            yield block, [shell.run(exchange.command) for exchange in read_session(block)]
        else:
            (shell.folder / "example.py").write_text(block, "utf-8")


@pytest.mark.parametrize("page", SESSIONS, ids=named)
def test_page_prints_what_it_shows(page: Path, tmp_path: Path, update: bool) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    text = page.read_text("utf-8")
    ran = list(run_page(text, folder))
    assert ran
    if update:
        outputs = iter(ran)
        page.write_text(
            BLOCK.sub(lambda at: rewritten(*next(outputs)) if at[0].startswith("$ ") else at[0], text), "utf-8"
        )
        return
    for block, printed in ran:
        for exchange, output in zip(read_session(block), printed, strict=True):
            assert fits(output, exchange.expected), (
                f"$ {exchange.command}\n{output}\n--- {page.name} shows ---\n{exchange.expected}"
            )


def test_a_wrong_output_does_not_pass(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    text = "```console\n$ vault tags\nno such line\n```\n"
    [(block, printed)] = run_page(text, folder)
    assert not fits(printed[0], read_session(block)[0].expected)


@pytest.mark.parametrize("page", SESSIONS, ids=named)
def test_settings_that_a_page_shows_are_read(page: Path) -> None:
    for block in YAML.findall(page.read_text("utf-8")):
        if block.startswith("repos:"):  # of the pre-commit program
            continue
        try:
            read_settings(block)
        except BadSettings as error:
            pytest.fail(f"{page.name}: {error.message}\n{block}")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in LINK.findall(prose):
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_readme_links_to_every_page() -> None:
    links = LINK.findall(README.read_text("utf-8"))
    assert {f"docs/{page.name}" for page in DOCS} <= {*links}


def test_readme_has_one_test_command() -> None:
    found = re.findall(r"<!-- test-command -->\s*```\w*\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert len(found) == 1
    assert found[0].count("\n") == 1
    assert found[0].rstrip().endswith('pip install -e ".[dev]" && pytest -n auto')
