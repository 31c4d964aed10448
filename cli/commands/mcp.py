"""`vault mcp`."""

import click

from cli.context import AGENT, Context, pass_context
from cli.options import common
from cli.served import Runner

EXAMPLES = """
\b
Examples:
  vault mcp
  vault --space work mcp --agent planner
  claude mcp add vault -- vault -C ~/notes mcp
"""


@click.command(short_help="Start an MCP server for an agent.", epilog=EXAMPLES)
@click.option("--agent", metavar="AGENT", help="Agent identity of the client; it also sees its own entries.")
@click.option("--chat", metavar="ID", help="Chat ID recorded with every write.")
@common
@pass_context
def command(context: Context, agent: str | None, chat: str | None) -> None:
    """Start an MCP server for one agent on standard input and output; it stops when the input ends.

    The agent sees what a reader in `--space` sees, at most. `permissions:` in vault.yaml controls what it may do.
    """
    from vault.knowledge.chats import checked_place
    from vault.serve.command_socket import answering
    from vault.serve.mcp import run_stdio
    from vault.serve.session import Binding, Desk

    vault = context.open()
    spaces = (vault.reader.space,) if vault.reader.space else ()
    known = agent or context.environ.get(AGENT) or None
    binding = Binding(vault.root, spaces, known, chat=checked_place(chat or "", None)[0], environ=dict(context.environ))
    vault.close()
    desk = Desk(binding)
    runner = Runner(vault.root)
    with answering(vault.root, runner.answer, runner.close):  # a prompt hook need not load the model then
        run_stdio(desk)
