"""The embedding models of a process."""

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from vault.model.settings import DEFAULT_MODEL

if TYPE_CHECKING:
    from vault.search.embedding import Embedder

_lock = Lock()
_loaded: dict[tuple[str, Path | None], "Embedder"] = {}


def load_model(model: str, *, cache: Path, download: bool) -> "Embedder":
    """Load a model once, for every vault and thread of the process. Raises `ModelUnavailable`."""
    from vault.search.embedding import load

    key = (model, None if model == DEFAULT_MODEL else cache)  # the default model is in no cache: packages hold it
    with _lock:
        if key not in _loaded:
            _loaded[key] = load(model, cache=cache, download=download)
        return _loaded[key]
