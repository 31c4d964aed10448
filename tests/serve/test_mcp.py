"""The operations over MCP, as the official client has them."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.serve.conftest import Json
from tests.service.conftest import ENVIRON, Git, Write
from vault.serve.mcp import McpSurface
from vault.serve.operations import BY_NAME, OPERATIONS
from vault.serve.session import Binding, Desk
from vault.service.vault import Vault

Script = Callable[[Client], Awaitable[None]]


def served(root: Path, script: Script, *, apart: bool = False, **options: Any) -> None:
    """Run a client's script against a server in this process."""

    async def running() -> None:
        surface = McpSurface(Desk(Binding(root, environ={**os.environ, **ENVIRON})), apart=apart)
        try:
            async with Client(surface.server(), **options) as client:
                await script(client)
        finally:
            await anyio.to_thread.run_sync(surface.close)

    anyio.run(running)


async def answer(client: Client, name: str, given: Json) -> Json:
    """Call a tool; the text of its answer says what its structure does."""
    result = await client.call_tool(name, given)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert json.loads(content.text) == result.structured_content
    told: Json = result.structured_content
    assert result.is_error is ("error" in told)
    return told


def test_tools_say_what_they_take_and_do(bob: Vault, root: Path) -> None:
    async def script(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [operation.name for operation in OPERATIONS]
        assert next(iter(tools)) == "knowledge_tree"
        for name, tool in tools.items():
            assert tool.annotations
            assert tool.annotations.read_only_hint is BY_NAME[name].reads
            assert tool.input_schema["type"] == "object"
            assert tool.description
        deleting = tools["delete_knowledge"].annotations
        assert deleting
        assert (deleting.read_only_hint, deleting.destructive_hint) == (False, True)

    served(root, script)


def test_a_client_reads_and_writes(bob: Vault, root: Path, git: Git) -> None:
    async def script(client: Client) -> None:
        assert (await answer(client, "knowledge_tree", {}))["total"] == 1
        said = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", "content": "Bob is CTO"}]}
        made = await answer(client, "knowledge_remember", {"structured": {"aspects": [said]}})
        assert made["facts"][0]["key"] == "fact.bob_role"
        tree = await answer(client, "knowledge_tree", {"entity": "bob"})
        assert tree["items"][0]["groups"][0]["claims"][0]["preview"] == "Bob is CTO"
        error = (await answer(client, "get_knowledge", {"id": "bobb"}))["error"]
        assert (error["code"], error["candidates"]) == ("not-found", ["actor.bob"])
        assert (await answer(client, "nothing", {}))["error"]["code"] == "unknown-tool"

    served(root, script)
    assert git("status", "--porcelain") == ""


def test_a_person_at_the_client_is_asked_where_it_can_ask(bob: Vault, root: Path) -> None:
    asked: list[str] = []

    def saying(agree: bool) -> Any:
        async def say(_: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
            asked.append(params.message)
            return types.ElicitResult(action="accept", content={"agree": agree})

        return say

    async def declined(client: Client) -> None:
        assert (await answer(client, "delete_knowledge", {"id": "bob"}))["error"]["code"] == "consent-required"

    async def agreed(client: Client) -> None:
        assert (await answer(client, "delete_knowledge", {"id": "bob"}))["key"] == "actor.bob"

    served(root, declined)
    assert not asked
    served(root, declined, elicitation_callback=saying(agree=False), mode="legacy")
    served(root, agreed, elicitation_callback=saying(agree=True), mode="legacy")
    assert [message.partition("\n")[0] for message in asked] == ["Allow this call of `delete_knowledge`?"] * 2


def test_entries_are_resources(bob: Vault, root: Path, write: Write) -> None:
    for number in range(120):
        write(f"global/note/n{number:03}.firm", f'note n{number:03} {{ text_file = path"./t.md" }}\n')
    write("global/note/t.md", "beside\n")

    async def script(client: Client) -> None:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        uris = [str(one.uri) for one in (*first.resources, *second.resources)]
        assert (len(first.resources), len(uris), uris[0], second.next_cursor) == (100, 121, "vault://actor.bob", None)
        (text,) = (await client.read_resource("vault://note.n000")).contents
        assert isinstance(text, types.TextResourceContents)
        assert text.text == 'note n000 { text_file = path"./t.md" }\n\nbeside\n'
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "vault://{key}"
        reference = types.ResourceTemplateReference(uri="vault://{key}")
        found = await client.complete(reference, {"name": "key", "value": "n00"})
        assert found.completion.values == [f"note.n00{number}" for number in range(10)]
        for wrong in ("vault://note.none", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)
        for cursor in ("soon", "²", "-1", "", "9" * 5_000):
            for paged in (client.list_resources, client.list_tools, client.list_prompts):
                with pytest.raises(MCPError) as caught:
                    await paged(cursor=cursor)
                assert caught.value.error.data["code"] == "invalid-cursor"

    served(root, script)


def test_prompts_are_for_common_jobs(bob: Vault, root: Path) -> None:
    async def script(client: Client) -> None:
        for prompt in (await client.list_prompts()).prompts:
            given = {one.name: "{question} & more" for one in prompt.arguments or ()}
            (message,) = (await client.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, types.TextContent)
            assert "{question} & more" in message.content.text
            with pytest.raises(MCPError):
                await client.get_prompt(prompt.name, {})
        with pytest.raises(MCPError):
            await client.get_prompt("none", {})

    served(root, script)


def test_of_many_clients_none_waits_for_another_to_write(bob: Vault, root: Path, locked: Callable[[], None]) -> None:
    async def script(client: Client) -> None:
        written: list[Json] = []

        async def write() -> None:
            written.append(await answer(client, "add_knowledge", {"type": "note", "fields": {"text": "x"}}))

        async with anyio.create_task_group() as group:
            group.start_soon(write)
            await anyio.sleep(0.2)
            assert (await answer(client, "get_knowledge", {"id": "bob"}))["key"] == "actor.bob"
            assert written == []
            await anyio.to_thread.run_sync(locked)
        assert written[0]["commit"]

    served(root, script, apart=True)


def test_standard_output_carries_the_protocol_alone(bob: Vault, root: Path) -> None:
    async def running() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "cli", "-C", str(root), "mcp", "--agent", "tutor"],
            env={**os.environ, **ENVIRON},
        )
        async with Client(server) as client:
            assert (await answer(client, "get_knowledge", {"id": "bob"}))["key"] == "actor.bob"
            assert (await answer(client, "add_knowledge", {"type": "note", "fields": {"text": "x"}}))["commit"]

    anyio.run(running)


@pytest.mark.parametrize("given", [b"", b"no json\n", b'{"jsonrpc": "2.0"}\n', b"\xff\xfe\n", b"[" * 10_000 + b"\n"])
def test_the_end_of_input_ends_it_cleanly(bob: Vault, root: Path, given: bytes) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "cli", "-C", str(root), "mcp"],
        input=given,
        capture_output=True,
        env={**os.environ, **ENVIRON},
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for line in ended.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"


def piped(root: Path, *lines: str) -> list[Json]:
    """What `vault mcp` answers to lines that are all there at once, with their end."""
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    said = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        *lines,
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "cli", "-C", str(root), "mcp"],
        input="".join(f"{line}\n" for line in said).encode(),
        capture_output=True,
        env={**os.environ, **ENVIRON},
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_what_was_asked_before_the_end_is_answered(bob: Vault, root: Path) -> None:
    call = {"name": "add_knowledge", "arguments": {"type": "note", "id": "n", "fields": {"text": "x"}}}
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}) for number in (2, 3)]
    found = {one["id"]: one for one in piped(root, *lines)}
    assert found[2]["result"]["structuredContent"]["key"] == "note.n"
    assert found[3]["result"]["structuredContent"]["error"]["code"] == "already-there"


def test_what_is_no_message_is_answered_too(bob: Vault, root: Path) -> None:
    broken = '{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\\ud800"}}'
    found = piped(root, "no json", "[]", broken, '{"jsonrpc": "1.0", "id": 8, "method": "ping"}', "[" * 100_000)
    errors = [(one["id"], one["error"]["code"]) for one in found if "error" in one]
    assert len(errors) == 5
    assert (7, types.INVALID_REQUEST) in errors
    assert (None, types.PARSE_ERROR) in errors


_WORDS = "bob actor.bob Zed … fact.bob_role 日本 work general role global diary".split()
_WORD = st.sampled_from([*_WORDS, "", "a" * 300])
_VALUE = st.one_of(_WORD, st.integers(-2, 300), st.booleans(), st.none(), st.lists(_WORD, max_size=2))
_NAMES = "id type fields query entity aspect group claim name of limit space at content version structured agent_id"
_FIELDS = st.dictionaries(st.sampled_from("name text statement kind aspects tags".split()), _VALUE, max_size=3)
_ARGUMENTS = st.dictionaries(st.sampled_from(_NAMES.split()), st.one_of(_VALUE, _FIELDS), max_size=5)
_CALLS = st.lists(st.tuples(st.sampled_from(sorted(BY_NAME)), _ARGUMENTS), min_size=30, max_size=60)


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(calls=_CALLS)
def test_any_calls_leave_the_vault_valid_and_are_answered(
    bob: Vault, root: Path, calls: list[tuple[str, Json]]
) -> None:
    async def script(client: Client) -> None:
        for name, arguments in calls:
            told = await answer(client, name, arguments)
            if "error" in told:
                assert told["error"]["code"]
                assert told["error"]["code"] != "internal"

    served(root, script)
    assert not [item for item in bob.check() if item.severity == "error"]
    assert not bob.git().status()
