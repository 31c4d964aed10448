"""A store of vectors by content: two files that only grow.

`vectors.f32` holds little-endian float32, `keys.bin` for each row the 16-byte digest of the text behind it and the sum
of all 32-bit words of key and vector, by which a damaged row is known: it counts as nothing, and is made again.
Vectors are written first: what a crash leaves of them without a key does not count, and the next
writer cuts it off. Nothing is taken out, because a branch switch may bring the text back.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vault.search.vectors.near import VectorsFailed
from vault.store.files import WriteFailed, make_derived_path, remove, remove_unless_file, write_atomic

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BYTES = 16
#: A key and its sum.
RECORD_BYTES = KEY_BYTES + 8
FORMAT = 2
STATE, KEYS, VECTORS = "store.json", "keys.bin", "vectors.f32"
NOTHING: "NDArray[np.float32]" = np.empty((0, 0), "<f4")
#: No cosine of whole vectors comes to this, however it is rounded.
LARGEST = 1.01


class VectorStore:
    """The vectors of one model in one folder; `dimension` is their length (None: that of what is there).

    What is there of another length, or cannot be read, counts as nothing and is replaced by the first write.
    """

    def __init__(self, folder: Path, dimension: int | None) -> None:
        self.folder = folder
        self.dimension = dimension or 0
        self._size: tuple[int, int] = (-1, -1)
        self.count = 0
        self.reload()

    def reload(self) -> None:
        """Look at what is on disk now; another process may have added to it."""
        size = self._sizes()
        if size == self._size:
            return
        self._size = size
        self.count = min(size[0] // RECORD_BYTES, size[1] // (self._row_bytes or 1))
        try:
            self._read()
        except (OSError, ValueError):  # not ours to read, not a file, or replaced since it was looked at
            self._size, self.count = (-1, -1), 0
            self._read()

    def _read(self) -> None:
        content = (self.folder / KEYS).read_bytes()[: self.count * RECORD_BYTES] if self.count else b""
        self._vectors = self._mapped()
        records = np.frombuffer(content, np.dtype([("key", "V16"), ("sum", "<u8")]))
        keys = records["key"].tobytes()
        sums = _sums(keys, self._vectors) if self.count else np.empty(0, "<u8")
        self._positions = {
            keys[row * KEY_BYTES : (row + 1) * KEY_BYTES]: row
            for row in np.flatnonzero(sums == records["sum"]).tolist()
        }

    def _mapped(self) -> "NDArray[np.float32]":
        if not self.count:
            return NOTHING
        return np.memmap(self.folder / VECTORS, "<f4", "r", shape=(self.count, self.dimension))

    @property
    def _row_bytes(self) -> int:
        return 4 * self.dimension

    def _sizes(self) -> tuple[int, int]:
        """The sizes of the two files; nothing where they do not hold vectors of this length."""
        held = self._held()
        if held and not self.dimension:
            self.dimension = held
        if held != self.dimension or not held:
            return (0, 0)
        try:
            return ((self.folder / KEYS).stat().st_size, (self.folder / VECTORS).stat().st_size)
        except OSError:
            return (0, 0)

    def _held(self) -> int:
        """The length of the vectors that are there; 0 where none can be read."""
        try:
            state = json.loads((self.folder / STATE).read_bytes())
        except (OSError, ValueError):
            return 0
        known = isinstance(state, dict) and state.get("format") == FORMAT
        dimension = state.get("dimension") if known else 0
        return dimension if isinstance(dimension, int) and dimension > 0 else 0

    def __contains__(self, key: bytes) -> bool:
        """Whether a text's vector is there."""
        return key in self._positions

    def positions(self, keys: Sequence[bytes]) -> "NDArray[np.int64]":
        """The row of each key; -1 for one that has none."""
        return np.fromiter((self._positions.get(key, -1) for key in keys), np.int64, len(keys))

    def scores(self, query: bytes) -> "NDArray[np.float32]":
        """The cosine of every row with a query's vector (both are of unit length), shape (count,)."""
        if len(query) != self._row_bytes or not self.count:
            return np.zeros(self.count, np.float32)
        with np.errstate(all="ignore"):
            scores: NDArray[np.float32] = self._vectors @ np.frombuffer(query, "<f4")
        return np.where(np.abs(scores) < LARGEST, scores, np.float32(-1.0))  # a damaged row is near to nothing

    def get(self, key: bytes) -> bytes | None:
        """The vector of a text."""
        at = self._positions.get(key)
        return None if at is None else self._vectors[at].tobytes()

    def append(self, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Add vectors (key, vector); the caller holds the lock of writers. Raises `VectorsFailed`."""
        given = dict(items)
        length = len(next(iter(given.values()), b""))
        # one row of another length would shift all that follow
        new = {key: vector for key, vector in given.items() if len(key) == KEY_BYTES and len(vector) == length}
        if not new:
            return
        try:
            self._prepare(length // 4)
            self.reload()
            new = {key: vector for key, vector in new.items() if key not in self._positions}
            if not new:
                return
            self._write(VECTORS, self.count * self._row_bytes, b"".join(new.values()))
            self._write(KEYS, self.count * RECORD_BYTES, _records(new))
            self._grow(new)
        except OSError as error:
            raise VectorsFailed(error.strerror or str(error)) from error
        except WriteFailed as error:
            raise VectorsFailed(error.message) from error

    def _grow(self, keys: Iterable[bytes]) -> None:
        """Know of the rows just written, without reading all that was there before."""
        self._positions.update((key, row) for row, key in enumerate(keys, self.count))
        self._size = self._sizes()
        self.count = self._size[0] // RECORD_BYTES
        self._vectors = self._mapped()

    def _prepare(self, dimension: int) -> None:
        """Make the folder, in place of one whose vectors are of another length."""
        if self._held() == dimension:
            self.dimension = dimension
            for name in (KEYS, VECTORS):
                remove_unless_file(self.folder / name)
            return
        self._vectors = NOTHING  # lets go of the file
        self._size, self.dimension = (-1, -1), dimension
        remove(self.folder)
        make_derived_path(self.folder)
        state = {"format": FORMAT, "dimension": dimension}
        write_atomic(self.folder / STATE, json.dumps(state).encode(), root=self.folder)

    def _write(self, name: str, at: int, data: bytes) -> None:
        """Write at a place and end the file there; on disk before the next file is touched."""
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            file.truncate(at)
            file.seek(at)
            file.write(data)
            file.flush()
            os.fsync(descriptor)


def _sums(keys: bytes, vectors: "NDArray[np.float32]") -> "NDArray[np.uint64]":
    """The sum of the 32-bit words of each key and vector."""
    words = np.frombuffer(keys, "<u4").reshape(len(vectors), KEY_BYTES // 4)
    sums: NDArray[np.uint64] = words.sum(1, "<u8") + np.asarray(vectors).view("<u4").sum(1, "<u8")
    return sums


def _records(items: Mapping[bytes, bytes]) -> bytes:
    """The keys of some vectors, each with its sum."""
    records = np.empty(len(items), np.dtype([("key", "V16"), ("sum", "<u8")]))
    records["key"] = np.frombuffer(b"".join(items), "V16")
    vectors = np.frombuffer(b"".join(items.values()), "<f4").reshape(len(items), -1)
    records["sum"] = _sums(b"".join(items), vectors)
    return records.tobytes()
