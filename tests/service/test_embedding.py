"""Making vectors: nothing twice, in order, by several processes, through interruptions and full disks."""

import hashlib
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.conftest import ENVIRON, Git, Open, Write
from tests.service.rights import forbid_writing, without_rights
from vault.model.access import Reader
from vault.search.embedding import DIMENSION, FastEmbedder
from vault.search.find import Share
from vault.search.vectors.store import RECORD_BYTES
from vault.service.admin import init, reindex
from vault.service.runtime.embed_job import READ_BUDGET, STEP, Embedded
from vault.service.vault import Vault

#: More texts than three steps, so that an interruption in the second leaves something to do.
MANY = STEP * 3 + 4


class Counting:
    """A model that gives a text numbers drawn by its digest, and remembers what it was asked."""

    name = "counting"

    def __init__(self, dimension: int = DIMENSION) -> None:
        self.dimension = dimension
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> Iterator[bytes]:
        """Yield the vector of each text, and note that it was asked for."""
        for text in texts:
            self.asked.append(text)
            yield self.query(text)

    def query(self, text: str) -> bytes:
        """The vector of a text, the same each time."""
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).normal(size=self.dimension)
        return bytes((vector / math.sqrt(float(vector @ vector))).astype("<f4").tobytes())


Counted = Callable[..., tuple[Vault, Counting]]


@pytest.fixture(autouse=True)
def own_alone(root: Path, git: Git) -> None:
    """Leave out the bundled entries, so that what is counted are the vault's own passages."""
    with (root / "vault.yaml").open("a", encoding="utf-8") as settings:
        settings.write("bundled: false\n")
    git("commit", "-qam", "Without bundled entries")


@pytest.fixture
def counted(open_vault: Open) -> Counted:
    """Open the vault with a model that counts."""

    def opening(space: str | None = None) -> tuple[Vault, Counting]:
        vault, model = open_vault(space), Counting()
        vault.meanings._embedder = model
        return vault, model

    return opening


@pytest.fixture
def filled(write: Write) -> None:
    """Many entries, each of one passage."""
    for number in range(MANY):
        write(f"global/note/n{number}.firm", note(f"n{number}", f"garden {number}"))


def note(ident: str, text: str, **fields: str) -> str:
    more = "".join(f" {name} = {value}" for name, value in fields.items())
    return f'note {ident} {{ text = "{text}"{more} }}\n'


def vectors(vault: Vault) -> dict[bytes, bytes | None]:
    """What the stores of all the vault hold, by the digest of each passage; none is missing."""
    tables = vault.meanings.tables(vault.snapshot(Reader(owner=True)))
    assert not any(table.missing() for table in tables)
    return {digest: table.store.get(digest) for table in tables for digest in table.digests if digest}


def child(root: Path, body: str) -> "subprocess.Popen[str]":
    """Start a process with `vault` and the `model` it embeds with, which can be told to wait."""
    program = f"""
import os, sys
from tests.service.test_embedding import *
class Waiting(Counting):
    after = 0
    def passages(self, texts):
        for text, vector in zip(texts, super().passages(texts)):
            if self.after and len(self.asked) > self.after:
                self.after = 0
                print("waits", flush=True)
                sys.stdin.readline()
            yield vector
with Vault.open(sys.argv[1], environ=os.environ, max_age=0) as vault:
    model = vault.meanings._embedder = Waiting()
    vault.say = lambda text: print("said", text, flush=True)
{body}"""
    return subprocess.Popen(
        [sys.executable, "-c", program, str(root)],
        env={**os.environ, **ENVIRON, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_index_embeds_every_passage_once(filled: None, counted: Counted) -> None:
    vault, model = counted()
    seen: list[tuple[int, int]] = []
    vault.progress = lambda label: lambda done, of: seen.append((done, of)) if label == "embedding" else None
    result = reindex.index(vault)
    assert result.embedded == Embedded(made=MANY)
    assert (result.share, result.problem) == (Share(MANY, MANY), "")
    assert sorted(model.asked) == sorted(f"garden {number}" for number in range(MANY))
    assert seen[0] == (STEP, MANY)
    assert seen[-1] == (MANY, MANY)
    assert reindex.index(vault).embedded == Embedded()
    again, fresh = counted()
    assert reindex.index(again).share == Share(MANY, MANY)
    assert fresh.asked == []


def move(root: Path) -> None:
    (root / "global/other").mkdir()
    (root / "global/note/a.firm").rename(root / "global/other/a.firm")


def rename(root: Path) -> None:
    (root / "global/note/a.firm").rename(root / "global/note/z.firm")


def change_id(root: Path) -> None:
    (root / "global/note/a.firm").write_text(note("changed", "apples grow"))


def lose_catalog(root: Path) -> None:
    for place in (root / ".vault").glob("catalog.db*"):
        place.unlink()


def into_open_space(root: Path) -> None:
    shutil.move(root / "global/note/a.firm", root / "spaces/work/a.firm")


def into_private_space(root: Path) -> None:
    shutil.move(root / "global/note/a.firm", root / "spaces/diary/a.firm")


def out_of_private_space(root: Path) -> None:
    shutil.move(root / "spaces/diary/d.firm", root / "global/note/d.firm")


def hide_space(root: Path) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text().replace("work: {}", "work: {private: true}"))


@pytest.mark.parametrize(
    "change",
    [
        move,
        rename,
        change_id,
        lose_catalog,
        into_open_space,
        into_private_space,
        hide_space,
    ],
)
def test_a_text_that_is_known_is_never_embedded_again(
    root: Path, write: Write, counted: Counted, change: Callable[[Path], None]
) -> None:
    write("global/note/a.firm", note("a", "apples grow"))
    write("spaces/work/note/w.firm", note("w", "weeds grow"))
    write("spaces/diary/d.firm", note("d", "dahlias grow"))
    vault, _ = counted()
    reindex.index(vault)
    before = vectors(vault)
    vault.close()
    change(root)
    vault, model = counted()
    assert reindex.index(vault).share == Share(3, 3)
    assert model.asked == []
    assert vectors(vault) == before


def test_no_vector_leaves_a_private_space(root: Path, write: Write, counted: Counted) -> None:
    write("spaces/diary/d.firm", note("d", "dahlias grow"))
    vault, _ = counted()
    reindex.index(vault)
    vault.close()
    (root / "global/note").mkdir(parents=True)
    out_of_private_space(root)
    vault, model = counted()
    assert reindex.index(vault).share == Share(1, 1)
    assert model.asked == ["dahlias grow"]


def test_there_and_back_through_a_private_space_asks_nothing(root: Path, write: Write, counted: Counted) -> None:
    path = write("global/note/a.firm", note("a", "apples grow"))
    vault, model = counted()
    reindex.index(vault)
    hidden = root / "spaces/diary/a.firm"
    hidden.parent.mkdir(parents=True, exist_ok=True)
    path.rename(hidden)
    assert reindex.index(vault).embedded == Embedded(copied=1)
    hidden.rename(path)
    assert reindex.index(vault).embedded == Embedded()
    assert model.asked == ["apples grow"]


def test_a_rebuild_embeds_nothing(filled: None, counted: Counted) -> None:
    vault, model = counted()
    reindex.index(vault)
    del model.asked[:]
    assert reindex.index(vault, rebuild=True).share == Share(MANY, MANY)
    assert model.asked == []


def test_a_branch_switch_and_back_embeds_only_what_is_new(write: Write, git: Git, counted: Counted) -> None:
    write("global/note/a.firm", note("a", "apples grow"))
    git("add", "-A")
    git("commit", "-m", "one")
    vault, model = counted()
    reindex.index(vault)
    git("checkout", "-b", "other")
    write("global/note/a.firm", note("a", "pears grow"))
    git("commit", "-am", "two")
    reindex.index(vault)
    git("checkout", "-")
    reindex.index(vault)
    git("checkout", "other")
    reindex.index(vault)
    assert model.asked == ["apples grow", "pears grow"]


def test_names_and_first_passages_of_the_newest_come_first(write: Write, counted: Counted) -> None:
    long = "\\n\\n".join(f"part {part} {'word ' * 150}" for part in range(20))
    for year in (2001, 2003, 2002):
        created = f"{year}-01-01 at 10:00 UTC"
        write(f"global/note/y{year}.firm", note(f"y{year}", long, name=f'"Year {year}"', created_at=created))
    for number in range(READ_BUDGET):
        write(f"global/note/x{number}.firm", note(f"x{number}", f"plain {number}"))
    vault, model = counted()
    vault.search("part", mode="semantic")
    assert len(model.asked) == READ_BUDGET
    (table,) = vault.meanings.tables(vault.snapshot())
    keys = [(int(table.rows[place]), int(table.ordinals[place])) for place in table.missing()]
    leading = sorted({text.partition("\n")[0] for text in model.asked if text.startswith("Year")})
    assert leading == ["Year 2001", "Year 2002", "Year 2003"]
    assert len([text for text in model.asked if text.startswith("Year")]) == 6  # three names, three first passages
    firsts = [ordinal <= 0 for _, ordinal in keys]
    assert firsts == sorted(firsts, reverse=True)
    del model.asked[:]
    vault.search("part", mode="semantic")
    assert {text.partition("\n")[0] for text in model.asked if text.startswith("Year")} == {"Year 2003"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_is_done_stays_done_when_it_is_interrupted(
    root: Path, filled: None, counted: Counted, how: signal.Signals
) -> None:
    with child(root, f"    model.after = {STEP + 8}\n    reindex.index(vault)") as process:
        assert line(process) == "waits"
        process.send_signal(how)
        assert process.wait() != 0
    vault, model = counted()
    assert reindex.index(vault).share == Share(MANY, MANY)
    assert len(model.asked) == MANY - STEP
    assert set(vectors(vault).values()) == {model.query(f"garden {number}") for number in range(MANY)}


def test_two_processes_share_the_work(root: Path, filled: None, counted: Counted) -> None:
    told = "    print(len(model.asked), reindex.index(vault).share.passages, len(model.asked), flush=True)"
    with child(root, f"    model.after = {STEP + 8}\n{told}") as first:
        assert line(first) == "waits"
        with child(root, told) as second:
            assert line(second) == "said another process makes vectors; waiting for it"
            assert first.stdin
            first.stdin.write("\n")
            first.stdin.flush()
            assert line(first) == f"0 {MANY} {MANY}"
            assert line(second) == f"0 {MANY} 0"
    assert (first.returncode, second.returncode) == (0, 0)
    vault, model = counted()
    assert set(vectors(vault).values()) == {model.query(f"garden {number}") for number in range(MANY)}


def test_a_read_embeds_nothing_while_another_process_does(root: Path, filled: None, counted: Counted) -> None:
    with child(root, f"    model.after = {STEP + 8}\n    reindex.index(vault)") as first:
        assert line(first) == "waits"
        vault, model = counted()
        assert vault.search("garden").embedded == Share(STEP, MANY)
        assert model.asked == []
        assert first.stdin
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.wait() == 0


def test_a_disk_that_is_full_loses_no_vector_and_no_answer(root: Path, filled: None, counted: Counted) -> None:
    body = f"""
    import resource
    from vault.service.runtime.embed_job import embed_all
    from vault.errors import VaultError
    vault.search("garden", mode="keyword")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, ({STEP * DIMENSION * 4 + 1000},) * 2)
    try:
        embed_all(vault.meanings, vault.view(Reader(owner=True)))
    except VaultError as error:
        print(error.code, len(model.asked))
    answer = vault.search("garden")
    print(len(answer), answer.embedded)
"""
    with child(root, body) as process:
        out, errors = process.communicate()
    assert process.returncode == 0, errors
    failed, said, answered = out.splitlines()
    assert failed == f"vectors-failed {STEP * 2}"
    assert said.startswith("said vectors could not be written: File too large; free some space")
    assert answered == f"10 {Share(STEP, MANY)}"
    vault, model = counted()
    reindex.index(vault)
    assert len(model.asked) == MANY - STEP
    assert set(vectors(vault).values()) == {model.query(f"garden {number}") for number in range(MANY)}


def test_vectors_that_cannot_be_written_are_told_and_words_answer(write: Write, counted: Counted) -> None:
    write("global/note/n.firm", note("n", "garden"))
    vault, _ = counted()
    vault.max_age = 3600  # what is known is written, and no file is looked at again
    vault.search("garden", mode="keyword")
    said: list[str] = []
    vault.say = said.append
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # Python ignores the signal
    try:
        answer = vault.search("garden")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert ([each.stored.entry.key for each in answer], answer.embedded) == (["note.n"], Share(0, 1))
    assert [line.partition(";")[0] for line in said] == ["vectors could not be written: File too large"]
    assert reindex.index(vault).share == Share(1, 1)


def test_a_vault_that_cannot_be_written_is_read_by_words(root: Path, filled: None, vault: Vault) -> None:
    vault.snapshot()
    vault.close()
    with without_rights(root):
        forbid_writing(root)
        with Vault.open(root) as opened:
            answer = opened.search("garden")
            assert (len(answer), answer.problem, opened.meanings.loaded) == (10, "", False)
            indexed = reindex.index(opened)
            assert (indexed.embedded.made, "cannot be written" in indexed.problem) == (0, True)


def truncate(name: str, size: int) -> Callable[[Path], None]:
    def cutting(folder: Path) -> None:
        os.truncate(folder / name, size)

    return cutting


def put(name: str, data: bytes) -> Callable[[Path], None]:
    def putting(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return putting


def file_for_store(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("in the way")


def file_for_vectors(folder: Path) -> None:
    vectors = folder.parents[1]
    shutil.rmtree(vectors)
    vectors.write_text("in the way")


def folder_for_lock(folder: Path) -> None:
    (folder.parent / "vectors.lock").unlink(missing_ok=True)
    (folder.parent / "vectors.lock").mkdir()
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("damage", "left"),
    [
        (truncate("vectors.f32", 3 * DIMENSION * 4 + 5), 3),
        (truncate("keys.bin", 2 * RECORD_BYTES + 7), 2),
        (truncate("keys.bin", 0), 0),
        (put("store.json", b'{"format": 1, "dimension": 8}'), 0),
        (put("store.json", b'{"format": 999, "dimension": 384}'), 0),
        (put("store.json", b"[]"), 0),
        (put("store.json", b"\xff"), 0),
        (file_for_store, 0),
        (file_for_vectors, 0),
        (folder_for_lock, 0),
    ],
)
def test_a_damaged_store_is_searched_as_far_as_it_goes_and_completed(
    write: Write, counted: Counted, damage: Callable[[Path], None], left: int
) -> None:
    for number in range(5):
        write(f"global/note/n{number}.firm", note(f"n{number}", f"garden {number}"))
    vault, _ = counted()
    reindex.index(vault)
    (table,) = vault.meanings.tables(vault.snapshot())
    vault.close()
    damage(table.store.folder)
    vault, model = counted()
    assert vault.meanings.share(vault.snapshot()) == Share(left, 5)
    assert len(vault.search("garden", mode="keyword")) == 5
    assert reindex.index(vault).share == Share(5, 5)
    assert len(model.asked) == 5 - left
    assert set(vectors(vault).values()) == {model.query(f"garden {number}") for number in range(5)}


def test_a_catalog_made_anew_by_another_process_is_not_taken_for_the_old_one(write: Write, counted: Counted) -> None:
    write("global/note/b.firm", note("b", "bees"))
    ours, _ = counted()
    ours.snapshot()
    write("global/note/a.firm", note("a", "ants"))
    reindex.index(ours)
    theirs, _ = counted()
    reindex.index(theirs, rebuild=True)
    write("global/note/c.firm", note("c", "cows"))
    reindex.index(theirs)
    assert [result.stored.entry.key for result in ours.search("bees", mode="semantic")] == ["note.b"]


def test_vectors_of_another_length_are_replaced(root: Path, write: Write, open_vault: Open) -> None:
    settings = root / "vault.yaml"
    settings.write_text(f"{settings.read_text()}embedding: {{model: BAAI/bge-small-en-v1.5}}\n")
    for number in range(3):
        write(f"global/note/n{number}.firm", note(f"n{number}", f"garden {number}"))
    first = open_vault()
    first.meanings._embedder = Counting(8)
    assert reindex.index(first).embedded == Embedded(made=3)
    second, model = open_vault(), Counting(16)
    assert second.meanings.share(second.snapshot()) == Share(3, 3)  # nobody knows better yet
    second.meanings._embedder = model
    assert reindex.index(second).embedded == Embedded(made=3)
    assert set(vectors(second).values()) == {model.query(f"garden {number}") for number in range(3)}
    (best, *_) = second.search("garden 1", mode="semantic")
    assert best.stored.entry.key == "note.n1"


class Faulty:
    """What fastembed is for `FastEmbedder`: it gives no number for some texts, and none at all for a bad length."""

    def __init__(self) -> None:
        self.well = False

    def passage_embed(self, texts: Sequence[str], **_: Any) -> "Iterator[np.ndarray[Any, Any]]":
        """Yield numbers for texts, as fastembed does."""
        for text in texts:
            bad = {"nan": [math.nan] * DIMENSION, "zero": [0.0] * DIMENSION, "short": [1.0]}
            yield np.array(bad[text] if text in bad and not self.well else [1.0] * DIMENSION, np.float32)

    def query_embed(self, text: str) -> "Iterator[np.ndarray[Any, Any]]":
        """Yield numbers for one text."""
        return self.passage_embed([text])


def test_what_the_model_gives_no_number_for_is_found_by_words_and_tried_again(write: Write, vault: Vault) -> None:
    for text in ("nan", "zero", "short", "well"):
        write(f"global/note/{text}.firm", note(text, text))
    model = Faulty()
    vault.meanings._embedder = FastEmbedder("faulty", DIMENSION, model)
    result = reindex.index(vault)
    assert (result.embedded, result.share) == (Embedded(made=1, refused=3), Share(1, 4))
    answer = vault.search("nan")
    assert answer[0].stored.entry.key == "note.nan"
    assert answer.embedded == Share(1, 4)
    assert list(vault.search("short", mode="semantic")) == []
    model.well = True
    assert reindex.index(vault).embedded == Embedded(made=3)
    assert len(vault.search("well", mode="semantic")) == 4


def test_equal_texts_are_embedded_once(write: Write, counted: Counted) -> None:
    write("global/all.firm", "".join(note(f"n{number}", "the same") for number in range(10_000)))
    write("spaces/diary/d.firm", note("d", "the same"))
    vault, model = counted()
    result = reindex.index(vault)
    assert (result.embedded, result.share) == (Embedded(made=1, copied=1), Share(10_001, 10_001))
    assert model.asked == ["the same"]
    assert len(vault.search("the same", mode="semantic")) == 10


@pytest.mark.parametrize("text", ["x" * 100_000, "我" * 30_000, "🎉👍🏽❤️", "the of and", "\\u200b", "…", "\\u0000", ""])
def test_any_text_is_embedded_or_needs_no_vector(write: Write, counted: Counted, text: str) -> None:
    write("global/note/n.firm", note("n", text))
    write("global/note/m.firm", note("m", "plain", name=f'"{text[:200]}"'))
    vault, model = counted()
    result = reindex.index(vault)
    assert result.share.missing == result.embedded.refused == 0
    assert not any(table.missing() for table in vault.meanings.tables(vault.snapshot()))
    assert max(map(len, model.asked)) < 3000
    del model.asked[:]
    reindex.index(vault)
    assert model.asked == []
    assert vault.search("plain")[0].stored.entry.key == "note.m"


@settings(max_examples=15)  # each makes a vault
@given(st.lists(st.text("ab \n\t\u200b\u00ad🎉#", max_size=8), min_size=1, max_size=5))
def test_no_name_and_no_text_is_embedded_again_and_again(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    init.init(folder, ENVIRON)
    for number, text in enumerate(texts):
        written = text.replace("\n", "\\n").replace("\t", "\\t")
        path = folder / f"global/note/n{number}.firm"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note(f"n{number}", written, name=f'"{written}"', summary=f'"{"word " * 300}"'))
    with Vault.open(folder, environ=ENVIRON, max_age=0) as vault:
        vault.meanings._embedder = Counting()
        reindex.index(vault)
        assert reindex.index(vault).embedded == Embedded()


def test_a_read_inside_a_private_space_has_one_budget(write: Write, counted: Counted) -> None:
    for number in range(READ_BUDGET):
        write(f"global/note/g{number}.firm", note(f"g{number}", f"gate {number}"))
        write(f"spaces/diary/note/d{number}.firm", note(f"d{number}", f"diary {number}"))
    vault, model = counted("diary")
    vault.search("gate", mode="semantic")
    assert len(model.asked) == READ_BUDGET
    assert vault.search("gate").embedded == Share(READ_BUDGET * 2, READ_BUDGET * 2)
    assert len(model.asked) == READ_BUDGET * 2


@pytest.mark.parametrize("secret", ["rumour", "other"])
def test_no_vector_of_a_private_space_helps_outside(write: Write, counted: Counted, secret: str) -> None:
    """Else the share of what is embedded would tell who guesses which texts a private space holds."""
    write("spaces/diary/d.firm", note("d", secret))
    inside, model = counted("diary")
    inside.search("anything")
    assert model.asked == [secret]
    for number in range(READ_BUDGET):
        write(f"global/note/g{number}.firm", note(f"g{number}", f"gate {number}"))
    write("global/note/z.firm", note("z", "rumour"))
    inside.search("anything", mode="semantic")
    outside, _ = counted()
    assert outside.meanings.share(outside.snapshot()) == Share(READ_BUDGET, READ_BUDGET + 1)


def test_a_text_outside_is_not_embedded_again_for_inside(root: Path, write: Write, counted: Counted) -> None:
    path = write("global/note/a.firm", note("a", "apples grow"))
    vault, _ = counted()
    reindex.index(vault)
    (root / "spaces/diary").mkdir(parents=True, exist_ok=True)
    path.rename(root / "spaces/diary/a.firm")
    inside, model = counted("diary")
    assert inside.search("apples", mode="semantic").embedded == Share(1, 1)
    assert model.asked == []


def test_a_text_that_two_private_spaces_share_is_made_for_each(write: Write, counted: Counted) -> None:
    write("spaces/diary/note/d.firm", note("d", "dahlias grow"))
    write("spaces/stray/note/s.firm", note("s", "dahlias grow"))  # a space nobody declared is private
    vault, model = counted()
    assert reindex.index(vault).share == Share(2, 2)
    assert model.asked == ["dahlias grow", "dahlias grow"]


def test_a_reader_opens_no_store_of_a_private_space(write: Write, counted: Counted) -> None:
    write("spaces/diary/note/d.firm", note("d", "dahlias grow"))
    vault, _ = counted()
    reindex.index(vault)
    vault.close()
    write("global/note/a.firm", note("a", "apples grow"))
    vault, _ = counted()
    vault.search("apples")
    assert set(vault.meanings._stores) == {"public"}
