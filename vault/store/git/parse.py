"""A commit object, read."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_SIGNED_BY = re.compile(rb"(.*?) ?<([^>]*)> ?(-?\d+)? ?([+-]\d{4})?")


@dataclass(frozen=True, slots=True)
class Signature:
    """Who, and when: an aware datetime in the zone it was written in."""

    name: str
    email: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit says."""

    ident: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


def parse_commit(ident: str, data: bytes) -> Commit:
    """Read a commit object's bytes."""
    head, _, message = data.partition(b"\n\n")
    headers: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        headers.setdefault(name, []).append(value)
    encoding = headers.get(b"encoding", [b"utf-8"])[0]
    return Commit(
        ident,
        headers[b"tree"][0].decode(),
        tuple(parent.decode() for parent in headers.get(b"parent", ())),
        _signature(headers.get(b"author", [b""])[0], encoding),
        _signature(headers.get(b"committer", [b""])[0], encoding),
        _text(message, encoding),
    )


def _signature(line: bytes, encoding: bytes) -> Signature:
    match = _SIGNED_BY.match(line)
    if match is None:
        return Signature(_text(line, encoding), "", datetime.fromtimestamp(0, UTC))
    name, email, seconds, offset = match.groups()
    return Signature(_text(name, encoding), _text(email, encoding), _time(seconds, offset))


def _time(seconds: bytes | None, offset: bytes | None) -> datetime:
    digits = (offset or b"+0000").decode()
    minutes = int(digits[1:3]) * 60 + int(digits[3:5])
    shift = timedelta(minutes=-minutes if digits[0] == "-" else minutes)
    try:
        return datetime.fromtimestamp(int(seconds or 0), timezone(shift))
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _text(data: bytes, encoding: bytes) -> str:
    try:
        return data.decode(encoding.decode("ascii", "replace"))
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")
