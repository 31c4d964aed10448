"""Whatever clients send in a row: each call is answered, and the vault is as whole as before."""

import json
import os
import shlex
import sys
from collections import Counter
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.endurance import amount
from tests.serve.conftest import Json
from tests.serve.random_calls import calls
from tests.serve.running import environ, serving
from tests.service.conftest import ENVIRON, Git
from vault.service.admin import reindex
from vault.service.vault import Vault

#: Calls over standard input and output, and over HTTP, where the protocol is all that differs.
OVER_STDIO, OVER_HTTP = amount(80, 5_000), amount(25, 500)


async def sent(client: Client, seed: int, number: int) -> Counter[str]:
    """Make calls; returns how many were answered with what: `done`, or a code."""
    told: Counter[str] = Counter()
    for tool, given in calls(seed, number):
        found = await client.call_tool(tool, given, read_timeout_seconds=60)
        answer: Json = found.structured_content
        told[answer["error"]["code"] if found.is_error else "done"] += 1
    assert not (await client.call_tool("get_knowledge", {"id": "actor.bob"})).is_error
    return told


def answered_well(told: Counter[str], number: int) -> None:
    """Every call has an answer, many of them each of what is refused and what is done, and none is a fault of ours."""
    assert sum(told.values()) == number
    assert told["done"] > number / 3
    assert told["invalid-parameter"] > number / 30
    assert "internal" not in told


def whole(root: Path, git: Git) -> None:
    """Nothing is wrong with what the vault holds, nor with what is derived from it."""
    git("fsck", "--strict")
    assert git("status", "--porcelain") == ""
    with Vault.open(root, environ={**os.environ, **ENVIRON}) as vault:
        assert [item for item in vault.check() if item.severity == "error"] == []
        assert reindex.differences(vault) == []


@pytest.mark.endurance
def test_random_calls_leave_protocol_and_vault_whole(bob: Vault, root: Path, git: Git, tmp_path: Path) -> None:
    wire, log = tmp_path / "stdout", tmp_path / "stderr"
    served = shlex.join([sys.executable, "-m", "cli", "-C", str(root), "mcp"])
    script = f"{served} 2> {shlex.quote(str(log))} | tee {shlex.quote(str(wire))}"

    async def running() -> Counter[str]:
        server = StdioServerParameters(command="sh", args=["-c", script], env={**environ(), **ENVIRON})
        async with Client(server) as client:
            return await sent(client, 1, OVER_STDIO)

    answered_well(anyio.run(running), OVER_STDIO)
    lines = wire.read_bytes().splitlines()
    assert len(lines) > OVER_STDIO
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)
    assert log.read_text() == ""
    whole(root, git)


def test_calls_over_http_leave_server_and_vault_whole(bob: Vault, root: Path, git: Git, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(root, log) as address:

        async def running() -> Counter[str]:
            async with Client(f"{address}/mcp") as client:
                return await sent(client, 2, OVER_HTTP)

        answered_well(anyio.run(running), OVER_HTTP)
    assert len(log.read_text().splitlines()) == 1  # where it serves
    whole(root, git)
