"""Meaning: the embedding model of a vault, the vectors of its passages, and the query's."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.settings import DEFAULT_MODEL, NO_MODEL
from vault.search.embedding import DIMENSION, Embedder, ModelUnavailable, slug
from vault.search.find import Share
from vault.search.passages import digest_of
from vault.search.rank import Meaning
from vault.search.sync import PRIVATE, PUBLIC, Part
from vault.search.vectors.nearest import Table
from vault.search.vectors.queries import QueryVectors
from vault.search.vectors.store import VectorStore
from vault.service.runtime.models import load_model
from vault.store.files import PRIVATE_DIR
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.derived import Derived
    from vault.service.runtime.opened import OpenedVault
    from vault.service.runtime.text_index import TextIndexes

#: Query vectors a process remembers.
REMEMBERED = 256
#: Latin letters come before this one.
LATIN_END = "\u0250"


@dataclass(slots=True)
class EmbeddingIndex:
    """The model and the vectors of one vault: a store for all that is not private, one for each private space."""

    vault: "OpenedVault"
    derived: "Derived"
    indexes: "TextIndexes"
    _embedder: Embedder | None = None
    _problem: VaultError | None = None
    _tables: dict[str, tuple[tuple[str, int], Table]] = field(default_factory=dict)
    _stores: dict[str, VectorStore] = field(default_factory=dict)
    _asked: dict[tuple[str, bytes], bytes] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The name of the model the settings choose."""
        return self.vault.layout.settings.finding.model

    @property
    def wanted(self) -> bool:
        """Whether a model is chosen, and there is a place for its vectors."""
        return self.model != NO_MODEL and self.derived.folder is not None

    def understands(self, text: str) -> bool:
        """Whether the model can make anything of a text: the default one was taught English, in Latin letters."""
        letters = [char for char in text if char.isalpha()]
        latin = sum(char < LATIN_END for char in letters)
        return self.model != DEFAULT_MODEL or latin * 2 > len(letters)

    @property
    def loaded(self) -> bool:
        """Whether the model is at hand, so that a few texts more cost little."""
        return self._embedder is not None

    def embedder(self, *, download: bool = False) -> Embedder:
        """Load the model, once. Raises `ModelUnavailable`, at once where it has failed before."""
        if self._embedder is None:
            if self._problem and not download:
                raise self._problem
            if self.model == NO_MODEL:
                hint = "`embedding: {model: …}` in vault.yaml chooses one"
                raise ModelUnavailable(NO_MODEL, "the settings choose to do without", hint)
            if download and self.model != DEFAULT_MODEL:
                self.vault.say(f"loading {self.model}; it is fetched if it is not here yet")
            try:
                self._embedder = load_model(self.model, cache=self.vault.cache / "models", download=download)
            except ModelUnavailable as error:
                self._problem = error
                raise
        return self._embedder

    def of(self, snapshot: Snapshot, text: str) -> Meaning:
        """The vectors a question is compared with, and its own. Raises `ModelUnavailable`."""
        # the last part is a private space's where the reader is inside one: outside, nothing tells what was asked there
        place = self.indexes.parts(snapshot)[-1].name
        vector = self._query(text, QueryVectors(self.folder() / "queries" / place))
        return Meaning(self.tables(snapshot), vector)  # the model, loaded or not, says what vectors count

    def _query(self, text: str, kept: QueryVectors) -> bytes:
        """The vector of a query, kept for the next time it is asked; b"" where the model gives none."""
        key = digest_of(text)
        asked = (str(kept.folder), key)
        held = self._asked.get(asked) or self._kept(key, kept)
        if held is None:
            held = self.embedder().query(text)
            if held and self.wanted:
                kept.put(key, held)
        if len(self._asked) >= REMEMBERED:
            del self._asked[next(iter(self._asked))]
        self._asked[asked] = held
        return held

    def _kept(self, key: bytes, kept: QueryVectors) -> bytes | None:
        """The vector of a query asked before, perhaps by another process, if it is as long as those of passages."""
        if not self.wanted:
            return None
        dimension = self._dimension() or self._store(PUBLIC).dimension
        held = kept.get(key)
        return held if held and len(held) == 4 * dimension else None

    def tables(self, snapshot: Snapshot) -> list[Table]:
        """The passages of every part of the vault that a snapshot sees."""
        return [self._table(part) for part in self.indexes.parts(snapshot)]

    def _table(self, part: Part) -> Table:
        catalog, store = self.derived.catalog, self._store(part.name)
        state = (catalog.meta("identity"), catalog.revision)  # a catalog made anew counts revisions anew
        known = self._tables.get(part.name)
        if known is None or known[0] != state or known[1].store is not store:
            known = self._tables[part.name] = (state, Table(catalog.digests(part.scopes), store))
        return known[1]

    def _store(self, name: str) -> VectorStore:
        dimension = self._dimension()
        store = self._stores.get(name)
        if store is None or dimension not in (None, store.dimension):
            store = self._stores[name] = VectorStore(self.folder() / name, dimension)
        return store

    def stores(self) -> list[VectorStore]:
        """Every store there is of the model, also of parts that the vault no longer has; for the owner."""
        private = self.folder() / PRIVATE
        names = [f"{PRIVATE}/{place.name}" for place in private.iterdir()] if private.is_dir() else []
        return [self._store(name) for name in (PUBLIC, *sorted(names))]

    def _dimension(self) -> int | None:
        """The length of the model's vectors; None as long as only a model that is not loaded could say."""
        if self._embedder:
            return self._embedder.dimension
        return DIMENSION if self.model == DEFAULT_MODEL else None

    def folder(self) -> Path:
        """Where the vectors of the model are."""
        return (self.derived.folder or self._read_only() or self.derived.temporary()) / "vectors" / slug(self.model)

    def _read_only(self) -> Path | None:
        """The folder of derived data of a vault that cannot be written to, if it has vectors."""
        held = self.vault.root / PRIVATE_DIR
        return held if os.access(held / "vectors", os.R_OK | os.X_OK) else None

    @property
    def lock_file(self) -> Path:
        """The lock of whoever writes vectors."""
        return self.folder().with_name("vectors.lock")

    def share(self, snapshot: Snapshot) -> Share:
        """How many of the passages a snapshot sees have a vector."""
        shadowed = snapshot.hidden()
        shares = [table.share(table.visible(snapshot.scopes, shadowed, None)) for table in self.tables(snapshot)]
        return Share(sum(have for have, _ in shares), sum(of for _, of in shares))
