"""Connections over HTTP: how many there may be, and how long a request may take to arrive."""

import json
from dataclasses import dataclass

from vault import wire
from vault.serve.auth import Rejected

#: Seconds that the head of a request has to arrive, and its body.
HEAD_SECONDS, BODY_SECONDS = 10.0, 60.0
#: Connections that are worth serving at one time, and those that always are.
MOST, LEAST = 1_000, 16


@dataclass(frozen=True, slots=True)
class Patience:
    """What a server bears: `connections` at one time, `waiting` ones that are not accepted yet, and seconds."""

    connections: int = MOST
    waiting: int = MOST
    head: float = HEAD_SECONDS
    body: float = BODY_SECONDS


def patience(descriptors: int) -> Patience:
    """What a process with so many file descriptors bears: the vault's own files need them too."""
    return Patience(
        connections=min(MOST, max(LEAST, descriptors // 2)),
        waiting=min(MOST, max(LEAST, descriptors // 8)),
    )


def refusal(error: Rejected) -> bytes:
    """A whole answer for a connection that is closed behind it."""
    reason = {408: "Request Timeout", 503: "Service Unavailable"}[error.http]
    body = json.dumps(wire.error(error)).encode()
    lines = [
        f"HTTP/1.1 {error.http} {reason}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(["Retry-After: 1"] if error.http == 503 else []),  # noqa: PLR2004
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def busy() -> bytes:
    """The answer to one connection too many."""
    return refusal(Rejected(503, "too-many-connections", "the server has too many connections", "try again later"))


def too_slow(part: str) -> bytes:
    """The answer to a request whose `part` did not arrive in time."""
    return refusal(Rejected(408, "too-slow", f"the {part} of the request took too long", "send it in one go"))
