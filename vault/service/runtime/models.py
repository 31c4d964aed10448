"""The embedding models of a process."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vault.search.embedding import Embedder


@dataclass(eq=False)
class ModelCache:
    """The embedding models of a process: each is loaded once, for every vault and thread of it."""

    _lock: Lock = field(default_factory=Lock)
    _loaded: dict[tuple[str, Path], "Embedder"] = field(default_factory=dict)

    def load(self, model: str, *, cache: Path, download: bool) -> "Embedder":
        """Load a model, or give the one that is loaded. Raises `ModelUnavailable`."""
        from vault.search.embedding import load

        with self._lock:
            if (model, cache) not in self._loaded:
                self._loaded[model, cache] = load(model, cache=cache, download=download)
            return self._loaded[model, cache]
