r"""Whole vaults with the diagnostics each has; `--update` rewrites the expectations.

A vault is one text: `-- path --` begins a file, `-- path -> target --` is a link, and `-- path (unreadable) --` a
file that nobody may read. A path may hold `\xe9` for a byte and `\u0308` for a character.
"""

import json
import os
import re
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.corpus.test_corpus import INVALID, compare
from tests.service.rights import without_rights
from vault.diagnostics import CODES, Diagnostic
from vault.explain import explanations
from vault.service.runtime.validation import check_files
from vault.service.vault import Vault

VAULTS = sorted(Path(__file__).parent.joinpath("vaults").glob("*.txt"))
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)

_FILE = re.compile(r"^-- (?P<path>\S+)(?: -> (?P<target>\S+)| (?P<unreadable>\(unreadable\)))? --\n", re.MULTILINE)


def path_of(written: str) -> str:
    """The path a file of the vault has, bytes that are no UTF-8 included."""
    text = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), written)
    return os.fsdecode(re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode()))


def unpack(text: str, root: Path) -> list[str]:
    """Write the files of a vault; returns those that are not to be read."""
    unreadable = []
    for header, following in zip(headers := list(_FILE.finditer(text)), [*headers[1:], None], strict=True):
        place = root / path_of(header["path"])
        place.parent.mkdir(parents=True, exist_ok=True)
        if header["target"]:
            place.symlink_to(header["target"])
        else:
            place.write_text(text[header.end() : following.start() if following else len(text)], "utf-8")
        if header["unreadable"]:
            unreadable.append(header["path"])
    return unreadable


def row(item: Diagnostic) -> list[object]:
    """A diagnostic as the corpus keeps it: code, path and range, then the second places."""
    span = item.span
    where = [item.code, span.path, span.line, span.column, span.end_line, span.end_column]
    others = [[other.span.path, other.span.line, other.span.column] for other in item.related]
    return [*where, others] if others else [*where]


def found_in(name: str, root: Path, unreadable: list[str]) -> list[list[object]]:
    """The diagnostics of a vault, asked by one who may not read some of its files.

    The names of those that are to be read by plain Firm as well hold `firm`.
    """
    with without_rights(root) if unreadable else nullcontext():
        for path in unreadable:
            (root / path).chmod(0)
        with Vault.open(root) as vault:
            vault.clock = lambda: NOW
            return [row(item) for item in check_files(vault, firm_compatible="firm" in name).found]


@pytest.mark.parametrize("file", VAULTS, ids=lambda file: file.stem)
def test_vault_has_its_diagnostics(file: Path, tmp_path: Path, *, update: bool) -> None:
    root = tmp_path / "vault"
    found = found_in(file.stem, root, unpack(file.read_text("utf-8"), root))
    assert found
    rows = ",\n".join(f" {json.dumps(item)}" for item in found)
    compare(file.with_suffix(".json"), f"[\n{rows}\n]\n", update=update)


def test_every_code_has_a_case_and_a_paragraph() -> None:
    cases = [file.with_suffix(".json") for file in (*INVALID, *VAULTS)]
    held = {item[0] for file in cases for item in json.loads(file.read_text("utf-8"))}
    assert held == set(CODES)
    assert set(explanations()) == set(CODES)
    assert list(explanations()) == sorted(CODES)
