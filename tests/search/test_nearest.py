"""The passages nearest to a query, and the vectors of queries that are kept."""

import math
import shutil
from pathlib import Path

import pytest

from tests.search.conftest import DIMENSION, digest, unit, vector
from tests.search.test_vectors import WORDS, filled
from vault.search.vectors import queries
from vault.search.vectors.near import Near, by_entry
from vault.search.vectors.nearest import Table
from vault.search.vectors.queries import QueryVectors
from vault.search.vectors.store import VectorStore
from vault.store.tables.passages import NAME


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store is made."""
    return tmp_path / "derived" / "vectors"


def table(store: VectorStore, *passages: tuple[int, int, str, int]) -> Table:
    """A table of passages: row, ordinal, scope, and the number of the text (below 0: there is none)."""
    rows = ((row, at, scope, digest(text) if text >= 0 else b"", "", "") for row, at, scope, text in passages)
    return Table(rows, store)


# -- the nearest passages ----------------------------------------------------------------------------


def test_visible_by_scope_row_and_choice(folder: Path) -> None:
    found = table(filled(folder), (1, 0, "global", 0), (1, 1, "global", 1), (2, 0, "work", 2), (3, 0, "home", 3))
    assert found.visible(["global", "work"], [], None).tolist() == [True, True, True, False]
    assert found.visible(["global", "nowhere"], [1], None).tolist() == [False, False, False, False]
    assert found.visible(["work", "home"], [3], None).tolist() == [False, False, True, False]
    assert found.visible(["global", "home"], [], frozenset([1])).tolist() == [True, True, False, False]
    assert found.visible(["global", "home"], [], frozenset()).tolist() == [False] * 4
    assert found.visible([], [], None).tolist() == [False] * 4


def test_missing_are_told_in_order_and_equal_texts_once(folder: Path) -> None:
    store = filled(folder, WORDS[:1])
    found = table(
        store,
        (1, 0, "global", 8),
        (2, 0, "global", 0),
        (3, 0, "global", 7),
        (4, 0, "work", 8),
        (5, 0, "work", -1),
        (6, NAME, "work", 9),
    )
    assert found.missing() == [0, 2, 5]
    store.append([(digest(8), vector("new"))])
    assert found.missing() == [2, 5]


def test_vectors_another_process_made_are_no_longer_missing(folder: Path) -> None:
    found = table(VectorStore(folder, DIMENSION), (1, 0, "global", 0), (2, 0, "global", 1))
    assert found.missing() == [0, 1]
    filled(folder, WORDS[:2])
    assert found.missing() == []
    shutil.rmtree(folder)
    assert found.missing() == [0, 1]


def test_share_counts_passages_with_text_and_no_names(folder: Path) -> None:
    found = table(
        filled(folder, WORDS[:2]),
        (1, NAME, "global", 0),
        (1, 0, "global", 1),
        (1, 1, "global", 7),
        (2, 0, "work", -1),
        (3, 0, "home", 0),
    )
    assert found.share(found.visible(["global", "work"], [], None)) == (1, 2)
    assert found.share(found.visible(["global", "work", "home"], [], None)) == (2, 3)
    assert found.share(found.visible([], [], None)) == (0, 0)


def test_nearest_are_the_best_in_order(folder: Path) -> None:
    store = VectorStore(folder, 2)
    store.append((digest(number), unit(10 - number, number)) for number in range(5))
    found = table(store, *((number, 0, "global", number) for number in (3, 1, 4, 0, 2, 9)))
    compared = found.compared(unit(1.0, 0.0), found.visible(["global"], [3], None))
    assert [near.row for near in compared.nearest(2)] == [0, 1]
    assert [near.row for near in compared.nearest(99)] == [0, 1, 2, 4]
    assert compared.nearest(1) == [Near(0, 0, compared.cosines.max())]
    assert compared.nearest(0) == []


def test_of_equal_cosines_the_order_is_that_of_the_table(folder: Path) -> None:
    store = VectorStore(folder, 2)
    store.append([(digest(0), unit(1.0, 0.0))])
    found = table(store, (2, 1, "global", 0), (2, 0, "global", 0), (1, 0, "global", 0), (1, NAME, "global", 0))
    near = found.compared(unit(1.0, 0.0), found.visible(["global"], [], None)).nearest(9)
    assert [(each.row, each.ordinal) for each in near] == [(1, NAME), (1, 0), (2, 0), (2, 1)]


def test_of_rows_are_all_passages_of_some_entries(folder: Path) -> None:
    store = VectorStore(folder, 2)
    store.append([(digest(0), unit(1.0, 0.0)), (digest(1), unit(0.0, -1.0))])
    found = table(store, (1, 0, "global", 0), (1, 1, "global", 1), (1, 2, "global", 9), (2, 0, "global", 0))
    compared = found.compared(unit(1.0, 1.0), found.visible(["global"], [], None))
    assert [(near.row, near.ordinal) for near in compared.of_rows({1, 7})] == [(1, 0), (1, 1)]
    assert [near.score for near in compared.of_rows({1})] == pytest.approx([math.sqrt(0.5), -math.sqrt(0.5)])
    assert compared.of_rows(set()) == []


def test_an_empty_table(folder: Path) -> None:
    for store in (VectorStore(folder, DIMENSION), filled(folder)):
        found = table(store)
        compared = found.compared(vector("garden"), found.visible(["global"], [1], frozenset([1])))
        assert compared.nearest(5) == compared.of_rows([1]) == []
        assert found.missing() == []
        assert found.share(found.visible(["global"], [], None)) == (0, 0)


def test_nothing_is_near_where_there_are_no_vectors(folder: Path) -> None:
    found = table(VectorStore(folder, DIMENSION), (1, 0, "global", 0))
    compared = found.compared(vector("garden"), found.visible(["global"], [], None))
    assert (compared.nearest(5), compared.of_rows([1])) == ([], [])


def test_by_entry_keeps_the_nearest_passage() -> None:
    found = by_entry([Near(1, 0, 0.2), Near(2, 0, 0.1), Near(1, 3, 0.5), Near(1, 4, 0.5)])
    assert found == {1: Near(1, 3, 0.5), 2: Near(2, 0, 0.1)}
    assert by_entry([]) == {}


# -- vectors of questions ------------------------------------------------------------------------------


@pytest.fixture
def asked(tmp_path: Path) -> QueryVectors:
    """The vectors of questions, of which none is there."""
    return QueryVectors(tmp_path / "derived" / "model" / "queries")


def test_the_vector_of_a_question_is_kept(asked: QueryVectors) -> None:
    asked.folder.parents[1].mkdir()
    assert asked.get(digest(1)) is None
    asked.put(digest(1), vector("garden"))
    asked.put(digest(2), vector("gate"))
    asked.put(digest(1), vector("river"))
    again = QueryVectors(asked.folder)
    assert [again.get(digest(number)) for number in range(3)] == [None, vector("river"), vector("gate")]
    assert len(list(asked.folder.iterdir())) == 2


def test_with_too_many_questions_all_are_forgotten(asked: QueryVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "AT_MOST", 3)
    for number in range(4):
        asked.put(digest(number), vector("garden"))
        assert len(list(asked.folder.iterdir())) <= 3
    assert [asked.get(digest(number)) is not None for number in range(4)] == [False, False, False, True]


def test_a_file_in_the_way_of_questions_is_replaced(asked: QueryVectors) -> None:
    asked.folder.parents[1].mkdir()
    asked.folder.parent.write_bytes(b"in the way")
    asked.put(digest(1), vector("garden"))
    assert asked.get(digest(1)) == vector("garden")


def test_a_folder_in_the_way_of_a_question_is_left(asked: QueryVectors) -> None:
    asked.put(digest(2), vector("gate"))
    (asked.folder / digest(1).hex()).mkdir()
    asked.put(digest(1), vector("garden"))
    assert (asked.get(digest(1)), asked.get(digest(2))) == (None, vector("gate"))
