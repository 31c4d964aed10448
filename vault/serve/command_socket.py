"""Commands answered by a process that has the vault open: both ends of a Unix socket in `.vault`.

A request is a line of JSON; so is the answer, behind which the bytes that were printed follow. The server first says
whether it takes the request: one that is busy, short of descriptors, of another version or in another time zone does
not, and the command does the work itself. Once the server has taken it, the command never does it a second time. Only
the user who started the server is heard.
"""

import contextlib
import errno
import json
import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO

from vault.errors import VaultError
from vault.store.files import PRIVATE_DIR, WriteFailed, ensure_private_dir
from vault.version import __version__

SOCKET = "serve.sock"
#: Failures of `accept` that pass.
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED)
#: Bytes that a request may have: a message to hydrate is the longest.
REQUEST_MAX = 8_000_000
#: Seconds that a server has to take a request, and that a request has to arrive.
PATIENCE = 0.25
#: Seconds that an answer may take, before whoever asked does the work alone; and that they have to take it.
WORK = 120.0
DELIVERY = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """How a command ended, and what it printed, in its order: whether as an error, and the bytes."""

    code: int
    printed: Sequence[tuple[bool, bytes]] = ()


#: Seconds that a server rests which can open nothing more, and descriptors that a request may need.
REST, DESCRIPTORS = 0.1, 32


class AnswerLost(VaultError):
    """A command that a server took and did not answer."""

    code = "answer-lost"

    def __init__(self) -> None:
        super().__init__(
            "the server that has the vault open took this command and did not answer",
            hint="see whether `vault serve` or `vault mcp` still runs, then repeat the command",
        )


#: What a server does with a request: run it. It is called in one thread, one request at a time.
Answer = Callable[[Mapping[str, Any]], Reply]


def _here() -> dict[str, Any]:
    """What both ends have to share so that they say the same."""
    return {"version": __version__, "python": sys.version_info[:2], "zone": [*time.tzname, time.timezone]}


# -- who asks


def ask(root: Path, request: Mapping[str, Any]) -> Reply | None:
    """Have a command of a vault answered by its server; None where none serves it, or it cannot take it now.

    Raises `AnswerLost` where the server took the command: it may have done it.
    """
    taken = False
    try:
        with _connected(root / PRIVATE_DIR) as connection, connection.makefile("rwb") as stream:
            connection.settimeout(PATIENCE)
            _send(stream, {**request, "here": _here()})
            taken = _line(stream).get("taken") is True
            if not taken:
                return None
            connection.settimeout(WORK)
            head = _line(stream)
            return Reply(int(head["code"]), [(bool(err), _exactly(stream, size)) for err, size in head["printed"]])
    except (OSError, ValueError, KeyError, TypeError) as error:  # it is gone, or not ours
        if taken:
            raise AnswerLost from error
        return None


@contextmanager
def _connected(folder: Path) -> Iterator[socket.socket]:
    """A connection with the server of a folder, if it is our own. Raises `OSError`."""
    place = folder / SOCKET
    if not stat.S_ISSOCK(place.lstat().st_mode) or place.lstat().st_uid != os.geteuid():
        raise ConnectionRefusedError
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        with contextlib.chdir(folder):  # an address may have but some hundred bytes
            connection.connect(SOCKET)
        yield connection


def _send(stream: BinaryIO | Any, told: Mapping[str, Any]) -> None:
    stream.write(json.dumps(told).encode() + b"\n")
    stream.flush()


def _line(stream: BinaryIO | Any) -> dict[str, Any]:
    """A line of JSON. Raises `ValueError`."""
    line = stream.readline(REQUEST_MAX)
    told = json.loads(line) if line.endswith(b"\n") else None
    if not isinstance(told, dict):
        raise ValueError("not a message of ours")  # noqa: TRY004  it is about the text
    return told


def _exactly(stream: BinaryIO | Any, size: int) -> bytes:
    data: bytes = stream.read(size)
    if len(data) != size:
        raise ConnectionResetError
    return data


# -- who answers


@contextmanager
def answering(root: Path, answer: Answer, done: Callable[[], None]) -> Iterator[bool]:
    """Answer commands of a vault until the end; yields whether that could be begun.

    It cannot where another process does so already, or where the folder takes no socket. `done` is called at the end,
    in the thread of `answer`.
    """
    folder = root / PRIVATE_DIR
    listener = _listener(root)
    if listener is None:
        yield False
        return
    own = (folder / SOCKET).lstat().st_ino
    thread = Thread(target=_serve, args=(listener, answer, done), name="warm", daemon=True)
    thread.start()
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):
            if (folder / SOCKET).lstat().st_ino == own:
                (folder / SOCKET).unlink()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(DELIVERY)


def _listener(root: Path) -> socket.socket | None:
    from vault.model.settings import SETTINGS_FILE  # 20 ms, which whoever asks need not wait

    try:
        with _connected(root / PRIVATE_DIR):
            return None
    except OSError:
        pass
    if not (root / SETTINGS_FILE).exists():
        return None  # a workspace is left as it is
    try:
        folder = ensure_private_dir(root)
    except WriteFailed:
        return None
    listener = socket.socket(socket.AF_UNIX)
    try:
        with contextlib.chdir(folder):
            with contextlib.suppress(FileNotFoundError):
                Path(SOCKET).unlink()  # of a server that is gone
            listener.bind(SOCKET)
            Path(SOCKET).chmod(0o600)
        listener.listen(8)
    except OSError:
        listener.close()
        return None
    return listener


def _serve(listener: socket.socket, answer: Answer, done: Callable[[], None]) -> None:
    try:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError as error:
                if error.errno not in SHORTAGES:
                    return  # the end
                time.sleep(REST)
                continue
            with connection, contextlib.suppress(OSError, ValueError):
                if _is_ours(connection):
                    _serve_one(connection, answer)
    finally:
        done()


def _serve_one(connection: socket.socket, answer: Answer) -> None:
    connection.settimeout(PATIENCE)
    with connection.makefile("rwb") as stream:
        request = _line(stream)
        taken = request.pop("here", None) == json.loads(json.dumps(_here())) and _has_room(connection)
        _send(stream, {"taken": taken})
        if not taken:
            return
        reply = answer(request)
        connection.settimeout(DELIVERY)
        _send(stream, {"code": reply.code, "printed": [(err, len(data)) for err, data in reply.printed]})
        stream.write(b"".join(data for _, data in reply.printed))
        stream.flush()


def _has_room(connection: socket.socket) -> bool:
    """Whether a request could open the files that it needs."""
    opened: list[int] = []
    try:
        opened.extend(os.dup(connection.fileno()) for _ in range(DESCRIPTORS))
    except OSError:
        return False
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return True


def _is_ours(connection: socket.socket) -> bool:
    """Whether our own user is at the other end; where the system does not say, the file's mode has to do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", told)[1] == os.geteuid())
