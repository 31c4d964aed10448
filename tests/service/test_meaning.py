"""Finding by meaning through the service: what is embedded by a read, what is said where there is no model."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import ENVIRON, Git, Open, Write
from tests.service.test_embedding import Counting, note
from tests.tables import sql
from vault.model.settings import DEFAULT_MODEL
from vault.search.embedding import DIMENSION, Embedder, ModelUnavailable, load
from vault.search.find import Answer, Share
from vault.search.rank import Mode
from vault.search.vectors import queries
from vault.service.admin import reindex
from vault.service.arguments.choices import BadChoice
from vault.service.runtime import embedding_index
from vault.service.runtime.embed_job import READ_BUDGET
from vault.service.vault import Vault
from vault.service.write import commits

MODES: tuple[Mode, ...] = ("hybrid", "semantic")
TEXTS = {
    "dog": "A puppy barked at the postman",
    "bread": "The baker kneads dough before dawn",
    "ship": "The vessel crossed the ocean in a storm",
}


@cache
def real_model() -> Embedder:
    """The default model, loaded once for all tests of this process."""
    return load(DEFAULT_MODEL, cache=Path("nowhere"), download=False)


Choose = Callable[[str], None]


@pytest.fixture
def choose(root: Path) -> Choose:
    """Choose an embedding model in `vault.yaml`."""
    settings = root / "vault.yaml"

    def choosing(model: str) -> None:
        settings.write_text(f"{settings.read_text()}embedding: {{model: {model}}}\n")

    return choosing


def keys(answer: Answer) -> list[str]:
    return [result.stored.entry.key for result in answer]


def fill(write: Write, number: int) -> None:
    for each in range(number):
        write(f"global/note/n{each}.firm", note(f"n{each}", f"garden {each}"))


def test_what_means_the_same_is_found_without_a_word_in_common(write: Write, vault: Vault) -> None:
    for ident, text in TEXTS.items():
        write(f"global/note/{ident}.firm", note(ident, text))
    assert keys(vault.search("dog", mode="keyword")) == ["note.dog"]  # its key names it
    assert keys(vault.search("canine animals", mode="keyword")) == []
    answer = vault.search("canine animals", mode="semantic")
    assert answer[0].stored.entry.key == "note.dog"
    assert answer.embedded == Share(3, 3)
    assert answer.problem == ""
    assert vault.search("sailing on the sea")[0].stored.entry.key == "note.ship"


@pytest.mark.parametrize("text", ["🎉👍🏽", "the of and", "…", "x" * 3_000, "\\u0000", "ok\\u200b"])
def test_the_model_takes_any_text_and_any_question(write: Write, vault: Vault, text: str) -> None:
    write("global/note/n.firm", note("n", text))
    write("global/note/m.firm", note("m", TEXTS["dog"]))
    vault.meanings._embedder = real_model()
    result = reindex.index(vault)
    assert result.share.missing == result.embedded.refused == 0
    for question in (text, "x" * 10_000, "🎉", " ", "the", "\0"):
        for mode in MODES:
            assert set(keys(vault.search(question, mode=mode))) <= {"note.n", "note.m"}


def test_a_few_missing_vectors_are_made_by_a_read(write: Write, vault: Vault) -> None:
    model = vault.meanings._embedder = Counting()
    fill(write, READ_BUDGET)
    assert vault.search("garden").embedded == Share(READ_BUDGET, READ_BUDGET)
    fill(write, READ_BUDGET * 2 + 3)
    assert vault.search("garden").embedded == Share(READ_BUDGET * 2, READ_BUDGET * 2 + 3)
    assert vault.search("garden").embedded == Share(READ_BUDGET * 2 + 3, READ_BUDGET * 2 + 3)
    assert len(model.asked) == READ_BUDGET * 2 + 3


def test_a_vault_where_nothing_is_embedded_is_searched_by_words(write: Write, vault: Vault) -> None:
    fill(write, READ_BUDGET + 1)
    answer = vault.search("garden 3")
    assert "note.n3" in keys(answer)
    assert answer.embedded == Share(0, READ_BUDGET + 1)
    assert answer.problem == ""
    assert not vault.meanings.loaded


@pytest.mark.parametrize("question", ["", " ", "garden"])
def test_an_empty_vault_and_an_empty_question_load_no_model(vault: Vault, write: Write, question: str) -> None:
    if question != "garden":
        fill(write, 1)
    for mode in MODES:
        assert keys(vault.search(question, mode=mode)) == []
    assert not vault.meanings.loaded


def test_words_alone_ask_no_vector(write: Write, vault: Vault) -> None:
    fill(write, 1)
    answer = vault.search("garden", mode="keyword")
    assert (answer.embedded, answer.problem, vault.meanings.loaded) == (None, "", False)


def test_words_alone_load_no_numpy(root: Path, write: Write, vault: Vault) -> None:
    write("global/note/dog.firm", note("dog", TEXTS["dog"]))
    program = """
import sys
from vault.service.vault import Vault
with Vault.open(sys.argv[1]) as vault:
    vault.search("dog", mode="keyword")
    print("tantivy" in sys.modules, "numpy" in sys.modules)
"""
    words = [sys.executable, "-c", program, str(root)]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    ended = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    assert ended.stdout == "True False\n"


def test_a_question_asked_again_loads_no_model(root: Path, write: Write, vault: Vault) -> None:
    write("global/note/dog.firm", note("dog", TEXTS["dog"]))
    vault.meanings._embedder = real_model()
    reindex.index(vault)
    answer = vault.search("canine animals")
    program = """
import os, sys
from vault.service.vault import Vault
with Vault.open(sys.argv[1], environ=os.environ) as vault:
    answer = vault.search("canine animals")
    print([(each.stored.entry.key, each.score) for each in answer], answer.embedded)
    print("fastembed" in sys.modules, "onnxruntime" in sys.modules)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(root)],
        env={**os.environ, **ENVIRON, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [(each.stored.entry.key, each.score) for each in answer]
    assert ended.stdout.splitlines() == [f"{expected} {Share(1, 1)}", "False False"]


def test_questions_are_remembered_up_to_a_number(write: Write, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_index, "REMEMBERED", 2)
    monkeypatch.setattr(queries, "AT_MOST", 3)
    fill(write, 1)
    vault.meanings._embedder = Counting()
    for number in range(5):
        vault.search(f"question {number}")
    assert len(vault.meanings._asked) == 2
    assert len(list((vault.meanings.folder() / "queries" / "public").iterdir())) == 2
    assert vault.meanings.of(vault.snapshot(), "question 0").vector == Counting().query("question 0")


def test_a_model_nobody_knows_is_told_and_words_answer(write: Write, open_vault: Open, choose: Choose) -> None:
    choose("BAAI/bge-smal-en-v1.5")
    fill(write, 3)
    vault = open_vault()
    answer = vault.search("garden 1")
    assert "note.n1" in keys(answer)
    assert answer.embedded is None
    assert "fastembed knows no model of this name; did you mean `BAAI/bge-small-en-v1.5`?" in answer.problem
    with pytest.raises(ModelUnavailable) as caught:
        vault.search("garden", mode="semantic")
    assert caught.value.details == {"model": "BAAI/bge-smal-en-v1.5"}
    indexed = reindex.index(vault)
    assert (indexed.entries, indexed.embedded.made, indexed.share) == (3, 0, Share(0, 3))
    assert "did you mean" in indexed.problem
    assert len(vault.search("garden", mode="keyword")) == 3


def test_a_model_that_is_not_fetched_is_told_without_the_network(
    write: Write, open_vault: Open, choose: Choose, tmp_path: Path
) -> None:
    choose("BAAI/bge-small-en-v1.5")
    fill(write, 3)
    vault = open_vault()
    vault.cache = tmp_path / "cache"
    answer = vault.search("garden 1")
    assert "note.n1" in keys(answer)
    assert "it is not on this machine yet; `vault index` fetches it" in answer.problem
    assert vault.search("garden 2").problem == answer.problem


@pytest.mark.parametrize("number", [3, READ_BUDGET + 5])
def test_who_chooses_no_model_hears_nothing_of_it(write: Write, open_vault: Open, choose: Choose, number: int) -> None:
    choose("none")
    fill(write, number)
    vault = open_vault()
    answer = vault.search("garden 1")
    assert "note.n1" in keys(answer)
    assert (answer.embedded, answer.problem) == (None, "")
    indexed = reindex.index(vault)
    assert (indexed.share, indexed.problem) == (Share(0, 0), "")
    with pytest.raises(ModelUnavailable) as caught:
        vault.search("garden", mode="semantic")
    assert "vault.yaml chooses one" in caught.value.hint
    assert not (vault.root / ".vault" / "vectors").exists()


def test_each_model_has_vectors_of_its_own(root: Path, write: Write, open_vault: Open, choose: Choose) -> None:
    fill(write, 2)
    first = open_vault()
    first.meanings._embedder = Counting()
    reindex.index(first)
    held = (root / "vault.yaml").read_text()
    choose("BAAI/bge-small-en-v1.5")
    second = open_vault()
    assert second.meanings.share(second.snapshot()) == Share(0, 2)
    second.meanings._embedder = Counting(8)
    assert reindex.index(second).share == Share(2, 2)
    (root / "vault.yaml").write_text(held)
    third = open_vault()
    assert third.meanings.share(third.snapshot()) == Share(2, 2)


def test_a_shadowed_entry_is_not_counted_and_not_found(write: Write, open_vault: Open) -> None:
    write("global/note/n.firm", note("n", "garden old"))
    write("spaces/work/note/n.firm", note("n", "garden new"))
    vault = open_vault("work")
    vault.meanings._embedder = Counting()
    answer = vault.search("garden old", mode="semantic")
    assert answer.embedded == Share(1, 1)
    assert {result.stored.scope for result in vault.search("garden new", mode="semantic")} == {"work"}
    assert "global" not in {result.stored.scope for result in answer}


def test_a_vector_that_is_damaged_is_made_again(write: Write, open_vault: Open) -> None:
    fill(write, 3)
    vault = open_vault()
    vault.meanings._embedder = Counting()
    reindex.index(vault)
    (table,) = vault.meanings.tables(vault.snapshot())
    vault.close()
    with (table.store.folder / "vectors.f32").open("r+b") as file:
        file.write(b"\xff" * 4 * DIMENSION)  # not a number, each
        file.write(b"\0" * 4 * DIMENSION)
    vault = open_vault()
    vault.meanings._embedder = Counting()
    assert vault.meanings.share(vault.snapshot()) == Share(1, 3)
    assert reindex.index(vault).embedded.made == 2
    found = [each for number in range(3) for each in vault.search(f"garden {number}", mode="semantic")]
    assert sum(each.score > 0.99 for each in found) == 3


def test_a_catalog_that_fails_after_the_text_index_is_done_without(write: Write, open_vault: Open) -> None:
    vault = open_vault()
    vault.indexes._beside = True  # as after a text index that could not be written
    assert keys(vault.search("garden", mode="keyword")) == []
    sql(vault.catalog, "PRAGMA max_page_count = 1")
    for number in range(80):
        write(f"global/note/n{number}.firm", note(f"n{number}", f"garden {'word ' * 300}"))
    assert len(vault.search("garden", mode="keyword", limit=100)) == 80


def test_what_was_taken_out_makes_no_word_common(write: Write, vault: Vault) -> None:
    fill(write, 3)
    assert len(vault.search("garden", mode="keyword")) == 3
    for number in range(2):
        (vault.root / f"global/note/n{number}.firm").unlink()
    assert keys(vault.search("garden", mode="keyword")) == ["note.n2"]


# -- approved references


def neighbours(vault: Vault, query: str) -> dict[str, str]:
    """The results that are there for a reference: by key, whose it is."""
    return {found.stored.entry.key: found.via.source for found in vault.search(query) if found.via}


@pytest.fixture
def by_words(choose: Choose, vault: Vault) -> None:
    """No model, so that the results of a question are those with its words."""
    choose("none")


def linked(ident: str, text: str, *targets: str) -> str:
    return note(ident, text, relates_to=f"[{', '.join(f'note.{target}' for target in targets)}]")


def test_a_committed_reference_brings_a_neighbour(by_words: None, write: Write, open_vault: Open) -> None:
    write("global/note/a.firm", linked("a", "apples", "x"))
    write("global/note/x.firm", note("x", "xylophones"))
    vault = open_vault()
    assert neighbours(vault, "apples") == {}
    commits.commit(vault)
    assert neighbours(vault, "apples") == {"note.x": "note.a"}
    assert neighbours(vault, "xylophones") == {"note.a": "note.x"}


def test_a_reference_in_an_edit_brings_none_until_it_is_committed(
    by_words: None, write: Write, open_vault: Open
) -> None:
    write("global/note/a.firm", linked("a", "apples", "x"))
    for ident in ("x", "y"):
        write(f"global/note/{ident}.firm", note(ident, f"{ident} alone"))
    vault = open_vault()
    commits.commit(vault)
    write("global/note/a.firm", linked("a", "apples again", "x", "y"))
    assert neighbours(vault, "apples") == {"note.x": "note.a"}
    write("global/note/a.firm", linked("a", "apples again", "y"))
    assert neighbours(vault, "apples") == {}
    commits.commit(vault)
    assert neighbours(vault, "apples") == {"note.y": "note.a"}


def test_each_entry_of_a_file_has_its_own_references(by_words: None, write: Write, open_vault: Open) -> None:
    both = linked("a", "apples", "x") + linked("b", "apples bananas", "y")
    path = write("global/note/a.firm", both)
    for ident in ("x", "y"):
        write(f"global/note/{ident}.firm", note(ident, f"{ident} alone"))
    vault = open_vault()
    commits.commit(vault)
    expected = {"note.x": "note.a", "note.y": "note.b"}
    assert neighbours(vault, "apples") == expected
    path.write_text(f"{both}\n// edited\n")
    assert neighbours(vault, "apples") == expected


def test_a_reference_that_is_only_staged_or_ignored_brings_none(
    by_words: None, write: Write, open_vault: Open, git: Git
) -> None:
    write("global/note/a.firm", linked("a", "apples", "x"))
    write("global/note/x.firm", note("x", "xylophones"))
    git("add", "-A")
    vault = open_vault()
    assert neighbours(vault, "apples") == {}
    git("commit", "-m", "all")
    assert neighbours(vault, "apples") == {"note.x": "note.a"}


def test_a_file_that_was_no_text_at_head_brings_none(by_words: None, write: Write, open_vault: Open, git: Git) -> None:
    path = write("global/note/a.firm", "")
    path.write_bytes(b"\xff\xfe\x00{{{")
    write("global/note/x.firm", note("x", "xylophones"))
    git("add", "-A")
    git("commit", "-m", "all")
    path.write_text(linked("a", "apples", "x"))
    assert neighbours(open_vault(), "apples") == {}


def test_a_vault_without_git_has_no_neighbours(tmp_path: Path) -> None:
    (tmp_path / "a.firm").write_text(linked("a", "apples", "x"))
    (tmp_path / "x.firm").write_text(note("x", "xylophones"))
    with Vault.open(tmp_path, environ=os.environ, max_age=0) as vault:
        vault.meanings._embedder = Counting()
        assert "note.a" in keys(vault.search("apples"))
        assert neighbours(vault, "apples") == {}


def test_what_is_new_is_embedded_though_the_question_is_known(write: Write, open_vault: Open) -> None:
    write("global/note/whale.firm", note("whale", "the whale sings in the ocean"))
    vault = open_vault()
    vault.meanings._embedder = real_model()
    vault.search("ocean")
    vault.close()
    write("global/note/dog.firm", note("dog", TEXTS["dog"]))
    vault = open_vault()
    assert not vault.meanings.loaded
    assert vault.search("ocean").embedded == Share(2, 2)


def test_a_question_in_a_script_the_model_was_not_taught_is_one_of_words(write: Write, vault: Vault) -> None:
    write("global/note/n.firm", note("n", "garden"))
    vault.meanings._embedder = Counting()
    for question in ("ทะเล", "🎉", "الإيجار"):
        assert list(vault.search(question)) == []
    assert vault.meanings._asked == {}


@pytest.mark.parametrize("options", [{"mode": "zz"}, {"fusion": "zz"}])
def test_a_choice_there_is_not_is_named(vault: Vault, options: dict[str, Any]) -> None:
    with pytest.raises(BadChoice, match="`zz` is no"):
        vault.search("garden", **options)


@pytest.mark.parametrize("limit", [-1, 0, 10**10])
def test_any_limit_is_one(write: Write, vault: Vault, limit: int) -> None:
    fill(write, 2)
    vault.meanings._embedder = Counting()
    assert len(vault.search("garden", limit=limit)) == (2 if limit > 0 else 0)
