"""Connections over HTTP: slow ones end in time, and too many do not stop the server."""

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from tests.serve.running import serving
from tests.service.conftest import ENVIRON
from vault.serve.auth import Callers
from vault.serve.connections import LEAST, MOST, Patience, patience
from vault.serve.http import HttpSurface, listening, server
from vault.serve.origins import Site
from vault.serve.routes import API
from vault.serve.session import Binding
from vault.service.vault import Vault

#: Seconds within which everything here happens, or a test fails.
SOON = 30.0

Script = Callable[[int], Awaitable[None]]

ASK = f"GET {API}/entries/bob HTTP/1.1\r\nHost: localhost\r\n".encode()
POST = f"POST {API}/hydrate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()


def served(root: Path, limits: Patience, script: Script) -> None:
    """Run a script against a server in this process."""

    async def running() -> None:
        owner = Binding(root, environ={**os.environ, **ENVIRON})
        running = server(HttpSurface(Callers(owner, owner, dict), Site(["localhost"])), "127.0.0.1", 0, limits)
        with listening("127.0.0.1", 0) as bound:
            task = asyncio.create_task(running.serve(sockets=[bound]))
            try:
                await asyncio.wait_for(script(bound.getsockname()[1]), SOON)
            finally:
                running.should_exit = True
                await asyncio.wait_for(task, SOON)

    asyncio.run(running())


async def answer(port: int, data: bytes) -> bytes:
    """Send something and read until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    await writer.drain()
    told = await reader.read()
    writer.close()
    return told


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", b"head"),
        (ASK, b"head"),
        (b"G", b"head"),
        (POST + b"Content-Length: 100\r\n\r\n{", b"body"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", b"body"),
    ],
)
def test_a_request_that_does_not_arrive_is_closed(bob: Vault, root: Path, data: bytes, part: bytes) -> None:
    async def script(port: int) -> None:
        told = await answer(port, data)
        assert told.startswith(b"HTTP/1.1 408 ")
        assert b'"too-slow"' in told
        assert b"the " + part in told

    served(root, Patience(head=0.2, body=0.2), script)


def test_a_request_in_parts_is_answered_in_time(bob: Vault, root: Path) -> None:
    async def script(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):  # the second on the same connection
            for part in (ASK[:20], ASK[20:], b"\r\n"):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
        writer.close()

    served(root, Patience(head=10, body=10), script)


def test_one_connection_too_many_is_turned_away_and_room_is_used_again(bob: Vault, root: Path) -> None:
    async def script(port: int) -> None:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        told = await answer(port, ASK + b"Connection: close\r\n\r\n")
        assert told == b"" or told.startswith(b"HTTP/1.1 503 ")
        for _, writer in held:
            writer.close()
            await writer.wait_closed()
        told = b""
        while not told.startswith(b"HTTP/1.1 200 "):  # until the server has seen them go; the script has a limit
            told = await answer(port, ASK + b"Connection: close\r\n\r\n")

    served(root, Patience(connections=3, head=20, body=20), script)


def test_limits_leave_descriptors_for_the_vault() -> None:
    assert patience(256) == Patience(connections=128, waiting=32)
    assert patience(1_000_000).connections == MOST
    assert patience(8) == Patience(connections=LEAST, waiting=LEAST)


def test_many_half_sent_requests_stop_neither_the_server_nor_its_log(bob: Vault, root: Path, tmp_path: Path) -> None:
    with serving(root, tmp_path / "log", descriptors=256) as address, ExitStack() as held:
        host, _, port = address.removeprefix("http://").partition(":")
        for _ in range(300):
            connection = held.enter_context(socket.socket())
            connection.setblocking(False)
            connection.connect_ex((host, int(port)))
            with suppress(OSError):  # not every connection is there at once
                connection.send(b"GET /")
        assert status(f"{address}{API}/entries/bob") in (0, 200, 503)
        held.close()
        until = time.monotonic() + SOON
        while status(f"{address}{API}/entries/bob") != 200:
            assert time.monotonic() < until, "the server answers no call after many connections went"
    assert len((tmp_path / "log").read_text().splitlines()) < 10


def status(address: str) -> int:
    """What a server answers; 0 where it closes the connection in the middle."""
    try:
        return httpx.get(address, timeout=SOON).status_code
    except (httpx.NetworkError, httpx.RemoteProtocolError):  # a server that hangs is a time-out, which fails the test
        return 0
