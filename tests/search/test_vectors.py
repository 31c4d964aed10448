"""Vectors on disk: whole, half written, and where the system refuses."""

import json
import math
import os
import resource
import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.conftest import DIMENSION, digest, unit, vector
from vault.search.vectors.near import VectorsFailed
from vault.search.vectors.store import FORMAT, KEYS, RECORD_BYTES, STATE, VECTORS, VectorStore

WORDS = ["garden", "gate", "river", "stone", "cloud"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store is made."""
    return tmp_path / "derived" / "vectors"


def filled(folder: Path, words: Iterable[str] = WORDS) -> VectorStore:
    """A store of the vectors of some words, under the digests 0, 1, …."""
    store = VectorStore(folder, DIMENSION)
    store.append((digest(number), vector(word)) for number, word in enumerate(words))
    return store


def held(store: VectorStore, words: Iterable[str] = WORDS) -> list[bool]:
    """Whether the store has the right vector of each word."""
    return [store.get(digest(number)) == vector(word) for number, word in enumerate(words)]


# -- the store ------------------------------------------------------------------------------------


def test_a_store_that_is_not_there_is_empty_and_leaves_no_trace(folder: Path) -> None:
    store = VectorStore(folder, DIMENSION)
    store.append([])
    assert (store.count, store.get(digest(0)), digest(0) in store) == (0, None, False)
    assert store.positions([digest(0)]).tolist() == [-1]
    assert store.scores(vector("garden")).tolist() == []
    assert not folder.parent.exists()


def test_vectors_are_there_again_when_reopened(folder: Path) -> None:
    store = filled(folder)
    for each in (store, VectorStore(folder, DIMENSION), VectorStore(folder, None)):
        assert (each.count, each.dimension) == (5, DIMENSION)
        assert all(held(each))
        assert each.positions([digest(3), digest(9), digest(0)]).tolist() == [3, -1, 0]
        assert digest(4) in each
        assert digest(5) not in each


def test_scores_are_cosines(folder: Path) -> None:
    scores = filled(folder).scores(vector("garden gate")).tolist()
    expected = [
        sum(a * b for a, b in zip(_numbers(vector(word)), _numbers(vector("garden gate")), strict=True))
        for word in WORDS
    ]
    assert scores == pytest.approx(expected, abs=1e-6)


def _numbers(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


@pytest.mark.parametrize("query", [b"", unit(1.0, 2.0)])
def test_a_query_of_another_length_is_like_nothing(folder: Path, query: bytes) -> None:
    assert filled(folder).scores(query).tolist() == [0.0] * 5


def test_a_text_is_held_once(folder: Path) -> None:
    store = filled(folder)
    sizes = [(folder / name).stat().st_size for name in (KEYS, VECTORS)]
    store.append([(digest(0), vector("other")), (digest(1), vector("other"))])
    store.append([(digest(7), vector("new")), (digest(7), vector("new"))])
    assert all(held(store))
    assert store.count == 6
    assert [(folder / name).stat().st_size for name in (KEYS, VECTORS)] == [
        sizes[0] + RECORD_BYTES,
        sizes[1] + 4 * DIMENSION,
    ]


def test_disk_use_is_little_more_than_the_numbers(folder: Path) -> None:
    dimension, count = 384, 50
    store = VectorStore(folder, dimension)
    store.append((digest(number), unit(*([0.0] * number), 1.0, *([0.5] * (383 - number)))) for number in range(count))
    used = sum(place.stat().st_size for place in folder.iterdir())
    assert store.count == count
    assert used <= 1.1 * 4 * dimension * count


def test_another_process_that_appends_is_seen_after_a_reload(folder: Path) -> None:
    reader = VectorStore(folder, DIMENSION)
    writer = filled(folder, WORDS[:2])
    assert reader.count == 0
    reader.reload()
    assert held(reader, WORDS[:2]) == [True, True]
    writer.append([(digest(2), vector(WORDS[2]))])
    assert held(reader, WORDS[:2]) == [True, True]
    reader.reload()
    assert held(reader, WORDS[:3]) == [True, True, True]


def test_two_writers_in_turn_lose_nothing(folder: Path) -> None:
    one, other = VectorStore(folder, DIMENSION), VectorStore(folder, DIMENSION)
    for number, word in enumerate(WORDS):
        (one if number % 2 else other).append([(digest(number), vector(word))])
    assert all(held(VectorStore(folder, DIMENSION)))


@given(st.lists(st.dictionaries(st.integers(0, 30), st.sampled_from(WORDS), max_size=5), max_size=6))
def test_whatever_is_appended_first_is_held(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[int, str]]
) -> None:
    place = tmp_path_factory.mktemp("store") / "vectors"
    store, first = VectorStore(place, DIMENSION), dict[int, str]()
    for step in steps:
        store.append((digest(number), vector(word)) for number, word in step.items())
        first = {**step, **first}
    for each in (store, VectorStore(place, DIMENSION)):
        assert each.count == len(first)
        assert all(each.get(digest(number)) == vector(word) for number, word in first.items())


# -- what a crash or a person leaves ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cut", "left"),
    [
        (KEYS, RECORD_BYTES, 4),
        (KEYS, RECORD_BYTES - 1, 4),
        (KEYS, RECORD_BYTES + 1, 3),
        (KEYS, 5 * RECORD_BYTES, 0),
        (VECTORS, 4 * DIMENSION, 4),
        (VECTORS, 1, 4),
        (VECTORS, 4 * DIMENSION + 4, 3),
        (VECTORS, 5 * 4 * DIMENSION, 0),
    ],
)
def test_a_half_written_row_does_not_count_and_is_replaced(folder: Path, name: str, cut: int, left: int) -> None:
    filled(folder)
    file = folder / name
    file.write_bytes(file.read_bytes()[:-cut])
    store = VectorStore(folder, DIMENSION)
    assert store.count == left
    assert held(store) == [number < left for number in range(5)]
    store.append([(digest(left), vector(WORDS[left]))])
    again = VectorStore(folder, DIMENSION)
    assert again.count == left + 1
    assert all(held(again, WORDS[: left + 1]))


@pytest.mark.parametrize("name", [KEYS, VECTORS])
def test_one_file_without_the_other_counts_as_nothing(folder: Path, name: str) -> None:
    filled(folder)
    (folder / name).unlink()
    assert VectorStore(folder, DIMENSION).count == 0
    assert all(held(filled(folder)))


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b'{"format": 0, "dimension": 16}',
        b'{"format": 2}',
        b'{"format": 2, "dimension": "16"}',
        b'{"format": 2, "dimension": -16}',
        b'{"format": 2, "dimension": 0}',
        b'{"format": 2, "dimension": 16.0}',
        b'{"format": 2, "dimension": 1000000000000000000000000000000}',
    ],
)
def test_a_store_whose_state_says_nothing_is_made_anew(folder: Path, state: bytes) -> None:
    filled(folder)
    (folder / STATE).write_bytes(state)
    assert VectorStore(folder, None).count == 0
    store = VectorStore(folder, DIMENSION)
    assert (store.count, held(store)) == (0, [False] * 5)
    store.append([(digest(1), vector(WORDS[1]))])
    assert VectorStore(folder, DIMENSION).count == 1
    assert json.loads((folder / STATE).read_bytes()) == {"format": FORMAT, "dimension": DIMENSION}


@pytest.mark.parametrize("name", [STATE, KEYS, VECTORS])
def test_a_folder_where_a_file_belongs_is_replaced(folder: Path, name: str) -> None:
    filled(folder)
    (folder / name).unlink()
    (folder / name).mkdir()
    for number in range(99):  # a folder has a size too
        (folder / name / f"{number}").touch()
    assert VectorStore(folder, DIMENSION).count == 0
    assert all(held(filled(folder)))
    assert all(held(VectorStore(folder, DIMENSION)))


@pytest.mark.parametrize("depth", [0, 1])
def test_a_file_where_a_folder_belongs_is_replaced(folder: Path, depth: int) -> None:
    place = [folder, folder.parent][depth]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"in the way")
    assert VectorStore(folder, DIMENSION).count == 0
    assert all(held(filled(folder)))


def test_vectors_of_another_length_are_replaced_by_the_first_write(folder: Path) -> None:
    filled(folder)
    store = VectorStore(folder, 2)
    assert store.count == 0
    assert VectorStore(folder, DIMENSION).count == 5
    store.append([(digest(1), unit(3.0, 4.0))])
    assert (store.count, store.get(digest(1))) == (1, unit(3.0, 4.0))
    old = VectorStore(folder, DIMENSION)
    assert (old.count, old.scores(vector("garden")).tolist()) == (0, [])
    assert (VectorStore(folder, None).dimension, VectorStore(folder, None).count) == (2, 1)


def test_a_store_without_a_length_takes_that_of_the_first_vector(folder: Path) -> None:
    store = VectorStore(folder, None)
    store.append([(digest(1), unit(3.0, 4.0))])
    assert (store.dimension, store.count, store.get(digest(1))) == (2, 1, unit(3.0, 4.0))


def test_a_store_replaced_while_another_reads_it(folder: Path) -> None:
    reader = filled(folder)
    VectorStore(folder, 2).append([(digest(1), unit(3.0, 4.0))])
    assert all(held(reader))
    reader.reload()
    assert (reader.count, held(reader)) == (0, [False] * 5)


@pytest.mark.parametrize("damage", [math.nan, math.inf, -math.inf, 3.4e38, -3.4e38, 7.0])
def test_a_damaged_row_is_near_to_nothing(folder: Path, damage: float) -> None:
    filled(folder)
    file, row = folder / VECTORS, 4 * DIMENSION
    data = bytearray(file.read_bytes())
    data[row : 2 * row] = struct.pack("<f", damage) * DIMENSION
    file.write_bytes(data)
    scores = VectorStore(folder, DIMENSION).scores(unit(*[1.0] * DIMENSION)).tolist()
    assert scores[1] == -1.0
    assert all(0 < score < 1 for score in scores[:1] + scores[2:])


# -- what the system refuses ------------------------------------------------------------------------

CHILD = """
import os, resource, signal, sys
from pathlib import Path
from tests.search.conftest import DIMENSION, digest, vector
from vault.search.vectors.near import VectorsFailed
from vault.search.vectors.store import VectorStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
place = Path("derived/vectors")
store = VectorStore(place, DIMENSION)
{body}
try:
    store.append((digest(number), vector(f"word{{number}}")) for number in range(100, 200))
except VectorsFailed as error:
    print(error.code, store.count, VectorStore(place, DIMENSION).count, "space" in error.hint)
    print(error.message)
"""


def child(folder: Path, body: str) -> list[str]:
    """Append a hundred vectors in a process of its own, after `body`, and return what it says."""
    folder.parents[1].chmod(0o755)  # for a process that gives up its rights
    measured_elsewhere = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run(
        [sys.executable, "-c", CHILD.format(body=body)],
        cwd=folder.parents[1],
        env={**measured_elsewhere, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.mark.parametrize("limit", [10, 400, 1000])
def test_where_no_space_is_left_what_is_there_stays(folder: Path, limit: int) -> None:
    filled(folder)
    code, message = child(folder, f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit},) * 2)")
    assert code == "vectors-failed 5 5 True"
    assert message.startswith("vectors could not be written: ")
    store = VectorStore(folder, DIMENSION)
    assert all(held(store))
    store.append([(digest(5), vector("on it goes"))])
    assert VectorStore(folder, DIMENSION).get(digest(5)) == vector("on it goes")


def test_where_no_space_is_left_a_store_is_not_begun(folder: Path) -> None:
    folder.parent.mkdir()
    code, message = child(folder, "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))")
    assert code == "vectors-failed 0 0 True"
    assert "could not be written" in message
    assert all(held(filled(folder)))


@pytest.mark.parametrize("begun", [True, False])
def test_a_store_goes_on_in_the_process_that_was_refused(folder: Path, *, begun: bool) -> None:
    words = WORDS if begun else []
    store = filled(folder, words)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(VectorsFailed):
            store.append([(digest(7), vector("new"))])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert all(held(store, words))
    store.append([(digest(7), vector("new"))])
    assert (store.count, store.get(digest(7))) == (len(words) + 1, vector("new"))


def test_in_a_read_only_folder_vectors_are_read_and_writing_is_refused(folder: Path) -> None:
    filled(folder)
    for place in (folder, folder.parent):
        place.chmod(0o555)
    for file in folder.iterdir():
        file.chmod(0o444)
    try:
        code, message = child(folder, "os.getuid() or os.setuid(12345)")
    finally:
        for place in (folder.parent, folder):
            place.chmod(0o755)
    assert code == "vectors-failed 5 5 True"
    assert "denied" in message


@pytest.mark.parametrize("name", [STATE, KEYS, VECTORS])
def test_files_that_cannot_be_read_count_as_nothing(folder: Path, name: str) -> None:
    filled(folder)
    for file in folder.iterdir():
        file.chmod(0o444)
    (folder / name).chmod(0o000)
    code, *_ = child(folder, "os.getuid() or os.setuid(12345)\nstore = VectorStore(place, DIMENSION)")
    assert code == "vectors-failed 0 0 True"


# -- errors --------------------------------------------------------------------------------------------


def test_a_failure_names_the_reason_and_the_next_step() -> None:
    error = VectorsFailed("No space left on device")
    assert (error.code, error.message) == (
        "vectors-failed",
        "vectors could not be written: No space left on device",
    )
    assert "vault index" in error.hint


def test_a_key_that_is_none_is_left_out(folder: Path) -> None:
    store = VectorStore(folder, None)
    store.append([(b"", vector("a")), (digest(1), vector("b")), (digest(2), vector("c")[:-4])])
    assert (store.count, store.get(digest(1))) == (1, vector("b"))
