"""The operations over the Model Context Protocol, with the official SDK: tools, entries as resources, prompts."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self, TypeVar

import anyio
import anyio.abc
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from vault.errors import VaultError
from vault.serve.dispatch import agree_to, call, served
from vault.serve.hints import error_of
from vault.serve.operations import ALIASES, BY_NAME, Operation
from vault.serve.prompts import offered, prompt_text
from vault.serve.resources import MIME, InvalidCursor, completed, listed, read
from vault.serve.schemas import outline_of, parameters_of
from vault.serve.session import Desk
from vault.serve.shutdown import signals_end_input
from vault.service.write.consents import Consent
from vault.service.write.permission_gate import ConsentRequired
from vault.version import __version__

#: Seconds that what was asked has to be answered once no more is said.
GRACE = 30
#: What a client says of a request that it wants no answer to any more.
CANCELLED = "notifications/cancelled"

Context = ServerRequestContext[Any]
Result = TypeVar("Result")

INSTRUCTIONS = (
    "A knowledge vault: typed entries, facts about entities, and their full history. Start with `knowledge_tree` to see"
    " what there is, or `search_knowledge` to find something. Cite what you use by its path:line@commit. Record"
    " statements about entities with `knowledge_remember`: it replaces outdated ones."
)


@dataclass(slots=True)
class McpSurface:
    """One server: what a binding may do, over one connection or many.

    Calls run in a thread of their own, in the order they come: a vault belongs to the thread that opened it. Where many
    clients are served (`apart`) those that write have another one, so that who waits to write holds up no reader.
    """

    desk: Desk
    apart: bool = False
    _threads: dict[bool, ThreadPoolExecutor] = field(default_factory=dict)

    def server(self) -> Server[Any]:
        """The server with its handlers."""
        return Server(
            "firm-vault",
            version=__version__,
            title="firm-vault",
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_completion=self.complete,
        )

    async def run(self, work: Callable[[], Result], *, writes: bool = False) -> Result:
        """Do something with a vault."""
        thread = writes and self.apart
        if thread not in self._threads:
            self._threads[thread] = ThreadPoolExecutor(1, thread_name_prefix="write" if thread else "vault")
        future = self._threads[thread].submit(work)
        # a write that has begun is finished, whatever the client does: only the waiting is given up
        return await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True)

    def close(self) -> None:
        """Close the vaults, once what is under way is done."""
        for thread in self._threads.values():
            thread.submit(self.desk.close).result()
            thread.shutdown()

    # -- tools

    async def list_tools(self, _: Context, asked: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools of this caller."""
        _check_only_page(asked)
        names = await self._told(partial(served, self.desk))
        return types.ListToolsResult(tools=[_tool(name, BY_NAME[name]) for name in names])

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool; what goes wrong is its result, with code and hint."""
        work = partial(call, self.desk, asked.name, asked.arguments or {})
        try:
            writes = asked.name in BY_NAME and not BY_NAME[asked.name].reads
            try:
                return _result(await self.run(work, writes=writes))
            except ConsentRequired as error:
                if not await _agrees(context, asked, error.consent):
                    raise
                await self.run(partial(agree_to, self.desk, error.consent), writes=writes)
                return _result(await self.run(work, writes=writes))
        except VaultError as error:
            return _result(error_of(error), failed=True)

    # -- resources

    async def list_resources(self, _: Context, asked: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """The entries, a page at a time."""
        part = await self._told(partial(listed, self.desk, asked.cursor if asked else None))
        found = [
            types.Resource(uri=one.uri, name=one.key, title=one.name, description=one.about, mime_type=MIME)
            for one in part.items
        ]
        return types.ListResourcesResult(resources=found, next_cursor=part.next)

    async def list_templates(
        self, _: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """How the address of an entry is made."""
        _check_only_page(asked)
        template = types.ResourceTemplate(
            uri_template="vault://{key}", name="entry", title="An entry by its key", mime_type=MIME
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of an entry."""
        uri = str(asked.uri)
        text = await self._told(partial(read, self.desk, uri))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=MIME, text=text)])

    async def complete(self, _: Context, asked: types.CompleteRequestParams) -> types.CompleteResult:
        """The keys of entries that begin with what is typed."""
        found = await self._told(partial(completed, self.desk, asked.argument.value))
        return types.CompleteResult(completion=types.Completion(values=found.values, has_more=found.more))

    async def _told(self, work: Callable[[], Result]) -> Result:
        """Do something whose failure is one of the protocol."""
        try:
            return await self.run(work)
        except VaultError as error:
            raise MCPError(types.INVALID_PARAMS, error.message, error_of(error)["error"]) from error

    # -- prompts

    async def list_prompts(self, _: Context, asked: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """The prompts for common jobs."""
        _check_only_page(asked)
        prompts = await self._told(partial(offered, self.desk))
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=one.name,
                    title=one.title,
                    description=one.about,
                    arguments=[
                        types.PromptArgument(name=name, description=about, required=True) for name, about in one.takes
                    ],
                )
                for one in prompts
            ]
        )

    async def get_prompt(self, _: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A prompt with its arguments in place."""
        text = await self._told(partial(prompt_text, self.desk, asked.name, asked.arguments or {}))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[message])


def _check_only_page(asked: types.PaginatedRequestParams | None) -> None:
    """Raise for the cursor of a list that has one page: no answer gave it."""
    if asked and asked.cursor is not None:
        error = InvalidCursor(asked.cursor)
        raise MCPError(types.INVALID_PARAMS, error.message, error_of(error)["error"])


def _tool(name: str, operation: Operation) -> types.Tool:
    about = f"The same as `{operation.name}`, under the name of older clients." if name in ALIASES else operation.about
    return types.Tool(
        name=name,
        description=about,
        input_schema=parameters_of(operation.takes.model_json_schema(by_alias=True)),
        output_schema=outline_of(operation.answers),
        annotations=types.ToolAnnotations(
            read_only_hint=operation.reads,
            destructive_hint=None if operation.reads else operation.replaces,
            idempotent_hint=None if operation.reads else operation.repeats,
            open_world_hint=False,
        ),
    )


def _result(answer: Mapping[str, Any], *, failed: bool = False) -> types.CallToolResult:
    text = json.dumps(answer, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=dict(answer), is_error=failed
    )


async def _agrees(context: Context, asked: types.CallToolRequestParams, consent: Consent) -> bool:
    """Ask the person at the client, where it can ask."""
    capabilities = context.session.client_params and context.session.client_params.capabilities
    if not capabilities or capabilities.elicitation is None:
        return False
    told = json.dumps(asked.arguments or {}, ensure_ascii=False, indent=2)
    replaced = f"\nIt replaces or hides\n{consent.about}" if consent.about else ""
    answer = await context.session.elicit_form(
        f"Allow this call of `{asked.name}`?\n{told}{replaced}",
        {"type": "object", "properties": {"agree": {"type": "boolean", "title": "Yes, do it"}}, "required": ["agree"]},
        context.request_id,
    )
    return answer.action == "accept" and bool(answer.content) and (answer.content or {}).get("agree") is True


@dataclass(eq=False)
class Sessions:
    """The clients over streamable HTTP: for each desk a manager of its sessions, begun when it is first asked for."""

    _surfaces: dict[Desk, tuple[McpSurface, StreamableHTTPSessionManager]] = field(default_factory=dict)
    _group: Any = None

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._group.cancel_scope.cancel()
        await self._group.__aexit__(*raised)
        for surface, _ in self._surfaces.values():
            await anyio.to_thread.run_sync(surface.close)

    async def of(self, desk: Desk) -> StreamableHTTPSessionManager:
        """What serves the clients of a desk; who asks is checked before."""
        if desk not in self._surfaces:
            surface = McpSurface(desk, apart=True)
            self._surfaces[desk] = surface, StreamableHTTPSessionManager(surface.server())
            await self._group.start(_running, self._surfaces[desk][1])
        return self._surfaces[desk][1]


async def _running(manager: StreamableHTTPSessionManager, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()


@dataclass(slots=True)
class _Wire:
    """One client's messages on their way to a server and back: each request that arrives whole or broken is answered.

    At the end of input the server is told so once it has answered what it was asked, or asks something itself that
    nobody can answer any more.
    """

    incoming: Any
    outgoing: Any
    _open: set[types.RequestId | None] = field(default_factory=set)
    _asking: bool = False
    _answered: anyio.Event = field(default_factory=anyio.Event)

    async def inward(self, to: Any) -> None:
        """Hand on what the client says."""
        async with to:
            async for item in self.incoming:
                if isinstance(item, Exception):
                    await self.outgoing.send(SessionMessage(_refusal(item)))
                    continue
                if isinstance(item.message, types.JSONRPCRequest):
                    self._open.add(item.message.id)
                elif isinstance(item.message, types.JSONRPCNotification) and item.message.method == CANCELLED:
                    self._open.discard((item.message.params or {}).get("requestId"))
                await to.send(item)
            with anyio.move_on_after(GRACE):
                while self._open and not self._asking:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def outward(self, of: Any) -> None:
        """Hand on what the server says."""
        async with of, self.outgoing:
            async for item in of:
                await self.outgoing.send(item)
                if isinstance(item.message, types.JSONRPCRequest):
                    self._asking = True
                elif isinstance(item.message, (types.JSONRPCResponse, types.JSONRPCError)):
                    self._open.discard(item.message.id)
                    self._asking = False
                self._answered.set()


def _refusal(error: Exception) -> types.JSONRPCError:
    """The answer to what is no message; its number is told where it has one."""
    line = (
        next((one["input"] for one in error.errors() if isinstance(one["input"], str)), "")
        if isinstance(error, ValidationError)
        else ""
    )
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    ident = told.get("id") if isinstance(told, dict) else None
    code = types.PARSE_ERROR if told is None else types.INVALID_REQUEST
    why = "this is not a JSON-RPC 2.0 message on one line of UTF-8"
    usable = ident if isinstance(ident, (int, str)) and not isinstance(ident, bool) else None
    return types.JSONRPCError(jsonrpc="2.0", id=usable, error=types.ErrorData(code=code, message=why))


async def serve_stdio(desk: Desk) -> None:
    """Serve one client over standard input and output, until its end."""
    surface = McpSurface(desk)
    server = surface.server()
    try:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
            between = _Wire(incoming, outgoing)
            said, heard = anyio.create_memory_object_stream[Any](0)
            told, spoken = anyio.create_memory_object_stream[Any](0)
            group.start_soon(between.inward, said)
            group.start_soon(between.outward, spoken)
            async with told:
                await server.run(heard, told, server.create_initialization_options())
    finally:
        surface.close()


def run_stdio(desk: Desk) -> None:
    """Serve one client over standard input and output; returns at the end of its input, and when told to stop."""
    with signals_end_input():
        anyio.run(serve_stdio, desk)
