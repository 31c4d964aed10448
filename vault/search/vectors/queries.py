"""Query vectors, each in a file of its own: a question asked again needs no model, and no lock.

Losing one costs a few milliseconds, so nothing is forced to disk.
"""

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vault.store.files import WriteFailed, make_derived_path

#: Vectors that are kept; with more, all are forgotten.
AT_MOST = 2000
#: Bytes before each vector that tell whether it is damaged.
_DIGEST = 8


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The vectors of the questions that were asked of one model, by the digest of their text."""

    folder: Path

    def get(self, key: bytes) -> bytes | None:
        """The vector of a question; None if it was not asked, or its file cannot be read or is damaged."""
        with suppress(OSError):
            content = (self.folder / key.hex()).read_bytes()
            digest, vector = content[:_DIGEST], content[_DIGEST:]
            return vector if digest == _digest(key, vector) else None
        return None

    def put(self, key: bytes, vector: bytes) -> None:
        """Keep a vector, if the disk has room for it."""
        with suppress(OSError, WriteFailed):
            make_derived_path(self.folder)
            held = list(self.folder.iterdir())
            for file in held if len(held) >= AT_MOST else ():
                file.unlink(missing_ok=True)
            temporary = self.folder / f".{secrets.token_hex(6)}"
            temporary.write_bytes(_digest(key, vector) + vector)
            temporary.replace(self.folder / key.hex())


def _digest(key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(key + vector, digest_size=_DIGEST).digest()
