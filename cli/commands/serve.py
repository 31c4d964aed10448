"""`vault serve`."""

from pathlib import Path

import click

from cli import output
from cli.context import AGENT, Context, pass_context
from cli.options import common
from cli.served import Runner
from vault import wire
from vault.errors import UsageError

EXAMPLES = """
\b
Examples:
  vault serve
  vault --space work serve --agent planner --port 8300
  vault serve token add laptop --in-space work --agent planner
  vault serve --host 0.0.0.0
"""

#: The names of this machine for itself.
LOOPBACK = ("localhost", "127.0.0.1", "::1")

tokens_option = click.option(
    "--tokens",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file of tokens, if not the usual one.",
)


@click.group(short_help="Start an HTTP server.", epilog=EXAMPLES, invoke_without_command=True)
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(0, 65535),
    default=8300,
    show_default=True,
    help="Port to listen on; use 0 to pick a free port.",
)
@click.option("--agent", metavar="AGENT", help="Agent identity for clients without a token.")
@click.option(
    "--rate",
    metavar="N",
    type=click.FloatRange(min=1),
    default=50.0,
    show_default=True,
    help="Requests per second per client, after an initial burst of 200.",
)
@click.option("--public-url", "public", metavar="URL", help="URL that browsers use, if there is a proxy.")
@click.option(
    "--allow-origin",
    "origins",
    metavar="ORIGIN",
    multiple=True,
    help="Allow requests from pages of this origin, such as `https://notes.example.org`; repeatable.",
)
@tokens_option
@common
@pass_context
@click.pass_context
def command(
    invoked: click.Context,
    context: Context,
    host: str,
    port: int,
    agent: str | None,
    rate: float,
    public: str | None,
    origins: tuple[str, ...],
    path: Path | None,
) -> None:
    """Start an HTTP server: the API at /api/knowledge, its description at /openapi.json, MCP at /mcp.

    On this machine, a client without a token sees what a reader in `--space` sees. From other machines every request
    needs a token: `vault serve token add` makes one. Ctrl-C stops the server once running requests are done. While it
    runs, commands that read (`search`, `hydrate`, `get`, …) use it through a socket in `.vault`, and are faster.
    """
    if invoked.invoked_subcommand is not None:
        return
    from vault.serve.auth import Callers
    from vault.serve.command_socket import answering
    from vault.serve.http import HttpSurface, run
    from vault.serve.limits import RateLimit
    from vault.serve.origins import Site, checked_origin
    from vault.serve.session import Binding
    from vault.serve.tokens import TokenFile

    vault = context.open()
    file = TokenFile(path or context.tokens(vault.root))
    owner = Binding(vault.root, environ=dict(context.environ))
    spaces = (vault.reader.space,) if vault.reader.space else ()
    base = Binding(vault.root, spaces, agent or context.environ.get(AGENT) or None, environ=dict(context.environ))
    vault.close()
    local = host in LOOPBACK
    if not file.tokens() and not local:
        hint = "`vault serve token add NAME` makes one"
        raise UsageError(f"{host} is open to others, and there is no token", hint=hint)
    allowed = frozenset(checked_origin("--allow-origin", origin) for origin in origins)
    site = Site(frozenset({*LOOPBACK, host.lower()}), checked_origin("--public-url", public) if public else "", allowed)
    callers = Callers(base if local else None, owner, file.tokens)
    surface = HttpSurface(callers, site, RateLimit(rate=rate))
    runner = Runner(vault.root)
    with answering(vault.root, runner.answer, runner.close):
        run(surface, host, port, ready=lambda bound: output.note(f"serving {vault.root} at http://{host}:{bound}"))


@command.group(short_help="Make, list and remove tokens.")
def token() -> None:
    """Make, list and remove tokens: who may connect, to which spaces, as which agent, with which tools."""


@token.command(
    "add", short_help="Make a token.", epilog="\b\nExamples:\n  vault serve token add laptop --in-space work"
)
@click.argument("name")
@click.option(
    "--in-space", "spaces", metavar="SPACE", multiple=True, help="Space the token gives access to; repeatable."
)
@click.option("--agent", metavar="AGENT", help="Agent identity.")
@click.option("--tool", "tools", metavar="TOOL", multiple=True, help="Tool it may call; repeatable; default: all.")
@tokens_option
@common
@pass_context
def add(
    context: Context,
    name: str,
    spaces: tuple[str, ...],
    agent: str | None,
    tools: tuple[str, ...],
    path: Path | None,
) -> None:
    """Make a token and print its secret, once."""
    from vault.serve.dispatch import UnknownTool
    from vault.serve.operations import BY_NAME
    from vault.serve.tokens import add_token

    vault = context.open()
    for space in spaces:
        vault.check_space(space)
    for tool in tools:
        if tool not in BY_NAME:
            raise UnknownTool(tool, list(BY_NAME))
    made, secret = add_token(path or context.tokens(vault.root), name, spaces, agent, tools or None)
    if context.json:
        output.data({**wire.token(made), "secret": secret})
    else:
        output.text(secret)
        output.note("keep it: it is not shown again; send it as `Authorization: Bearer …`")


@token.command("list", short_help="List the tokens.", epilog="\b\nExamples:\n  vault serve token list --json")
@tokens_option
@common
@pass_context
def list_(context: Context, path: Path | None) -> None:
    """List the tokens, without their secrets."""
    from vault.serve.tokens import read_tokens

    found = read_tokens(path or context.tokens(context.open().root)).values()
    if context.json:
        output.data(wire.listing([wire.token(one) for one in found]))
        return
    output.table(
        (one.name, ", ".join(one.spaces) or "global", one.agent or "", ", ".join(one.tools or ["all tools"]))
        for one in found
    )
    if not found:
        output.note("no tokens; next: vault serve token add NAME")


@token.command("remove", short_help="Remove a token.", epilog="\b\nExamples:\n  vault serve token remove laptop")
@click.argument("name")
@tokens_option
@common
@pass_context
def remove(context: Context, name: str, path: Path | None) -> None:
    """Remove a token; a running server rejects it at once."""
    from vault.serve.tokens import remove_token

    remove_token(path or context.tokens(context.open().root), name)
    if context.json:
        output.data({"name": name})
    else:
        output.text(f"removed {name}")
