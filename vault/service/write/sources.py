"""Texts that callers hand over, from a file or standard input."""

from pathlib import Path

from vault.service.write.result import Refused
from vault.store.files import Unreadable
from vault.workspace.ingest import decode


def read_source(data: bytes | None, source: str) -> str:
    """The text entries are taken from: the bytes given, or those of a file."""
    if data is None:
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise Unreadable(source, error.strerror or str(error)) from error
    text, problems = decode(data, source)
    if problems:
        raise Refused(problems)
    return text
