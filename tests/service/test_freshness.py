"""A process that lives long: what others write is seen within the age it allows, without a scan at every call."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import ENVIRON, Write
from tests.service.test_embedding import Counting, note
from vault.service.admin import reindex
from vault.service.vault import Vault
from vault.service.write import create


class Watch:
    """A clock that stands until it is moved on, and the number of folders that were listed."""

    def __init__(self) -> None:
        self.time = 100.0
        self.listed = 0

    def monotonic(self) -> float:
        """The time in seconds, from some point on."""
        return self.time


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch, scandir = Watch(), os.scandir

    def counting(*given: Any) -> Any:
        watch.listed += 1
        return scandir(*given)

    monkeypatch.setattr("vault.service.runtime.derived.monotonic", watch.monotonic)
    monkeypatch.setattr(os, "scandir", counting)
    return watch


@pytest.fixture
def living(root: Path, watch: Watch) -> Iterator[Vault]:
    """A vault that may be a second behind."""
    with Vault.open(root, environ={**os.environ, **ENVIRON}, max_age=1) as vault:
        vault.meanings._embedder = Counting()
        yield vault


def found(vault: Vault, query: str) -> set[str]:
    return {result.stored.entry.key for result in vault.search(query, mode="keyword")}


def test_calls_close_together_scan_once(living: Vault, write: Write, watch: Watch) -> None:
    write("global/note/n.firm", note("n", "garden"))
    assert found(living, "garden") == {"note.n"}
    before = watch.listed
    assert before > 0
    living.search("garden")
    living.overview()
    living.get("note.n")
    living.entries()
    living.check()
    assert watch.listed == before
    watch.time += 1
    living.search("garden")
    assert watch.listed > before


def test_an_edit_of_others_is_seen_after_the_age(living: Vault, write: Write, watch: Watch) -> None:
    path = write("global/note/n.firm", note("n", "garden"))
    for number in range(5):
        write(f"global/note/x{number}.firm", note(f"x{number}", "nothing of it"))
    assert found(living, "garden") == {"note.n"}
    write("global/note/n.firm", note("n", "meadow"))
    write("global/note/m.firm", note("m", "meadow"))
    watch.time += 0.99
    assert found(living, "garden") == {"note.n"}
    assert found(living, "meadow") == set()
    watch.time += 0.02
    assert found(living, "meadow") == {"note.n", "note.m"}
    path.unlink()
    watch.time += 1
    assert found(living, "meadow") == {"note.m"}


def test_a_scan_that_took_long_counts_from_its_start(living: Vault, write: Write, watch: Watch) -> None:
    def slowly(done: int, of: int) -> None:
        watch.time += 5

    living.progress = lambda _label: slowly
    write("global/note/n.firm", note("n", "garden"))
    assert found(living, "garden") == {"note.n"}
    write("global/note/m.firm", note("m", "garden"))
    assert found(living, "garden") == {"note.n", "note.m"}


def test_its_own_write_is_seen_at_once(living: Vault) -> None:
    assert found(living, "garden") == set()
    create.add(living, "note", "n", {"text": "garden"})
    assert found(living, "garden") == {"note.n"}
    assert living.search("garden", mode="semantic").embedded
    create.add(living, "note", "m", {"text": "garden"})
    assert found(living, "garden") == {"note.n", "note.m"}


def test_a_write_that_fails_lets_look_again(living: Vault, write: Write) -> None:
    assert found(living, "garden") == set()
    write("global/note/n.firm", note("n", "garden"))
    with pytest.raises(RuntimeError), living.writing():
        raise RuntimeError
    assert found(living, "garden") == {"note.n"}


def test_an_index_and_an_age_of_nothing_look_every_time(living: Vault, write: Write, root: Path) -> None:
    assert found(living, "garden") == set()
    write("global/note/n.firm", note("n", "garden"))
    assert reindex.index(living).entries == 1
    assert found(living, "garden") == {"note.n"}
    with Vault.open(root, environ=ENVIRON, max_age=0) as impatient:
        assert found(impatient, "meadow") == set()
        write("global/note/m.firm", note("m", "meadow"))
        assert found(impatient, "meadow") == {"note.m"}


def test_what_another_process_indexed_is_seen_after_the_age(living: Vault, write: Write, watch: Watch) -> None:
    write("global/note/n.firm", note("n", "garden"))
    assert living.search("garden", mode="semantic").embedded
    with Vault.open(living.root, environ=ENVIRON, max_age=0) as other:
        other.meanings._embedder = Counting()
        write("global/note/m.firm", note("m", "meadow"))
        reindex.index(other)
    assert {result.stored.entry.key for result in living.search("meadow", mode="semantic")} <= {"note.n", "note.m"}
    watch.time += 1
    best, *_ = living.search("meadow", mode="semantic")
    assert best.stored.entry.key == "note.m"
    assert isinstance(living.meanings._embedder, Counting)
    assert "meadow" not in living.meanings._embedder.asked
