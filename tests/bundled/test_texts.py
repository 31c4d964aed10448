"""The bundled entries are true: every example in them runs, and each command has an entry that says what it does."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from cli.main import COMMANDS, invoke
from tests.cli.sessions import Shell
from vault.model.entry import Entry
from vault.search.passages import divide
from vault.service.vault import Vault
from vault.store import bundled
from vault.workspace import bundled_entries

ENTRIES = {record.entries[0].entry.key: record.entries[0].entry for record in bundled_entries.records(divide)}


def examples(entry: Entry) -> list[str]:
    return [line[2:] for text in entry.texts("text") for line in text.splitlines() if line.startswith("$ ")]


def test_bundled_texts_are_sound() -> None:
    records = bundled_entries.records(divide)
    assert [found for record in records for found in record.diagnostics] == []
    assert all(len(record.entries) == 1 for record in records)
    assert {entry.type for entry in ENTRIES.values()} == {"thing", "note"}


def test_bundled_references_lead_somewhere() -> None:
    named = {reference.key for entry in ENTRIES.values() for _, reference in entry.references()}
    assert named - {*ENTRIES} == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_an_entry_that_says_what_it_does(command: str) -> None:
    entry = ENTRIES[f"thing.vault_{command}"]
    assert (entry.name, entry.texts("summary")) == (f"vault {command}", [COMMANDS[command]])
    assert any(line.partition("vault ")[2].startswith(command) for line in examples(entry))


def test_each_command_that_is_named_is_one() -> None:
    known = {f"thing.vault_{command}" for command in COMMANDS}
    assert {key for key in ENTRIES if key.startswith("thing.")} == {*known, "thing.firm_vault"}


def test_passages_are_what_a_model_reads_at_once() -> None:
    for record in bundled_entries.records(divide):
        assert len(record.entries[0].divided.passages) == 1, record.path


def test_names_are_no_words_of_everyday() -> None:
    for entry in ENTRIES.values():
        for name in (entry.name, entry.id.replace("_", " "), *entry.texts("aliases")):
            words = name.replace("-", " ").lower().split()
            assert {"vault", "firm", "how", "what", "howto", "bundled"} & {*words[:2]}, name


@pytest.mark.parametrize("key", [key for key in ENTRIES if key != "thing.vault_tour"])  # see tests/cli/test_terminal.py
def test_examples_run(key: str, copied: Path) -> None:
    told = examples(ENTRIES[key])
    assert told
    shell = Shell(copied, os.environ)
    (copied.parent / "bin" / "python3").symlink_to(sys.executable)
    for command in told:
        words = shlex.split(command)
        if words[0] == "vault" and "||" not in words:  # in this process, which is ten times as fast
            assert invoke(words[1:]) == 0, command
        else:
            printed = shell.run(command)
            assert "[exit" not in printed, f"{command}\n{printed}"


def test_check_is_silent_about_them(copied: Path) -> None:
    with Vault.open(copied, max_age=0) as vault:
        assert vault.check() == []
    assert invoke(["check", "--strict"]) == 0
    assert bundled.entry_files().keys() == {entry.path for entry in ENTRIES.values()}
