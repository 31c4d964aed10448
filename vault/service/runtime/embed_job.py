"""Making the vectors that are missing: first passages first, newest first, in small steps that are kept."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.search.embedding import Embedder
from vault.search.passages import digest_of, embedded_text, name_text
from vault.search.vectors.nearest import Table
from vault.search.vectors.store import VectorStore
from vault.service.runtime.embedding_index import EmbeddingIndex
from vault.store.files import VaultLocked, file_lock
from vault.store.tables.passages import NAME
from vault.workspace.refresh import Progress
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.store.catalog import Catalog

#: Passages a read embeds by itself where the model is loaded anyway: a good second at the longest.
READ_BUDGET = 16
#: Passages read from the catalog at once, and sorted by length; texts of one length make a batch without padding.
WINDOW = 512
#: Vectors written at once: the most an interruption loses.
STEP = 32
#: How long one process waits for another that embeds.
PATIENCE_SECONDS = 24 * 3600.0


@dataclass(slots=True)
class Embedded:
    """What was done: vectors made, those another part of the vault had, and passages the model gives none for."""

    made: int = 0
    copied: int = 0
    refused: int = 0


def embed_all(meanings: EmbeddingIndex, snapshot: Snapshot, progress: Progress | None = None) -> Embedded:
    """Make every vector that is missing for what the owner's snapshot sees; waits for another process that does.

    What is done stays done when it is interrupted. Raises `ModelUnavailable` and `VectorsFailed`.
    """
    if not _missing(meanings.tables(snapshot)):
        return Embedded()
    try:
        with file_lock(meanings.lock_file, timeout=0):
            return _embed(meanings, snapshot, None, progress)
    except VaultLocked:
        meanings.vault.say("another process makes vectors; waiting for it")
    with file_lock(meanings.lock_file, timeout=PATIENCE_SECONDS):
        return _embed(meanings, snapshot, None, progress)


def embed_some(meanings: EmbeddingIndex, snapshot: Snapshot) -> Embedded:
    """Make a few of the missing vectors, unless another process is at it."""
    with suppress(VaultLocked), file_lock(meanings.lock_file, timeout=0):
        return _embed(meanings, snapshot, READ_BUDGET, None)
    return Embedded()


def _missing(tables: Sequence[Table]) -> bool:
    return any(table.missing() for table in tables)


def _embed(meanings: EmbeddingIndex, snapshot: Snapshot, budget: int | None, progress: Progress | None) -> Embedded:
    """Fill the tables a snapshot sees, first with what other parts of the vault have.

    The first table is that of all that is not private. No vector goes from a private space into another part: the
    share seen outside would tell which texts the space holds. The owner, whose budget is None, also takes vectors
    from what was a private space and is none any more.
    """
    tables = meanings.tables(snapshot)
    held = [table.store for table in tables]
    former = [store for store in meanings.stores() if store not in held] if budget is None else []
    done = Embedded(copied=_share_out(tables, [tables[0].store, *former]))
    if not _missing(tables):
        return done
    embedder = meanings.embedder(download=budget is None)
    tables = meanings.tables(snapshot)  # the model may say that what is there is of another length
    wanted = _wanted(tables, budget)
    total = sum(len(places) for _, places in wanted)
    for table, places in wanted:
        for start in range(0, len(places), WINDOW):
            for made, refused in _window(snapshot.catalog, table, places[start : start + WINDOW], embedder):
                done.made += made
                done.refused += refused
                if progress:
                    progress(done.made + done.refused, total)
    done.copied += _share_out(tables, [tables[0].store])
    return done


def _wanted(tables: Sequence[Table], budget: int | None) -> list[tuple[Table, list[int]]]:
    """What is to be made for each table: what the first, which others copy, misses too once; one budget for all."""
    wanted: list[tuple[Table, list[int]]] = []
    first: set[bytes] = set()
    number = 0
    for table in tables:
        left = None if budget is None else budget - number
        places = [place for place in table.missing() if table.digests[place] not in first][:left]
        first = first or {table.digests[place] for place in places if table is tables[0]}
        number += len(places)
        wanted.append((table, places))
    return wanted


def _share_out(tables: Sequence[Table], sources: Sequence[VectorStore]) -> int:
    """Copy to each table what the sources have; returns how many vectors."""
    return sum(_copy(table, [source for source in sources if source is not table.store]) for table in tables)


def _copy(table: Table, sources: Sequence[VectorStore]) -> int:
    """Take the vectors that other parts have of the same texts."""
    held = []
    for place in table.missing() if sources else []:
        key = table.digests[place]
        vector = next(filter(None, (source.get(key) for source in sources)), None)
        if vector is not None:
            held.append((key, vector))
    table.store.append(held)
    return len(held)


def _window(catalog: "Catalog", table: Table, places: Sequence[int], embedder: Embedder) -> Iterator[tuple[int, int]]:
    """Embed some passages, shortest first; yields how many were made and how many refused, step by step."""
    wanted = [(int(table.rows[place]), int(table.ordinals[place])) for place in places]
    texts = sorted(_texts(catalog, wanted), key=len)
    for start in range(0, len(texts), STEP):
        step = texts[start : start + STEP]
        vectors = list(zip(map(digest_of, step), embedder.passages(step), strict=True))
        kept = [(key, vector) for key, vector in vectors if vector]
        table.store.append(kept)
        yield len(kept), len(step) - len(kept)


def _texts(catalog: "Catalog", wanted: Sequence[tuple[int, int]]) -> list[str]:
    """What the model sees of passages, by entry row and ordinal."""
    rows = list({row for row, _ in wanted})
    names = catalog.names(rows)
    passages = catalog.passages(rows)
    texts = [name_text(names[row]) for row, ordinal in wanted if ordinal == NAME and row in names]
    return texts + [embedded_text(names.get(place[0], ""), passages[place]) for place in wanted if place in passages]
