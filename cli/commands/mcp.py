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


@click.command(short_help="Serve an agent over MCP.", epilog=EXAMPLES)
@click.option("--agent", metavar="AGENT", help="The agent that is served: it sees what is its own and everyone's.")
@click.option("--chat", metavar="ID", help="The chat that what it writes comes from.")
@common
@pass_context
def command(context: Context, agent: str | None, chat: str | None) -> None:
    """Serve one agent over standard input and output, until its input ends.

    It sees what a reader from `--space` sees, and can only narrow that. `permissions:` in vault.yaml say what
    it may do.
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
    runner = Runner(vault.root, desk.models)
    with answering(vault.root, runner.answer, runner.close):  # a prompt hook need not load the model then
        run_stdio(desk)
