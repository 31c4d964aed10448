"""`vault doctor`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from vault import wire

COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


@click.command(
    short_help="Find problems and suggest fixes.",
    epilog="\b\nExamples:\n  vault doctor\n  vault doctor --json",
)
@common
@pass_context
def command(context: Context) -> int:
    """Check versions, git, the vault and its derived data; the exit code is 1 if there is a problem."""
    from vault import Vault

    found = Vault.doctor(context.directory, context.environ, space=context.chosen_space, outside=context.outside)
    if context.json:
        output.data(wire.listing([wire.finding(item) for item in found]))
    else:
        output.table(
            (
                output.style(item.state, fg=COLOURS[item.state]),
                item.name,
                item.message + (f"  → {item.next}" if item.next else ""),
            )
            for item in found
        )
    return 1 if any(item.state == "error" for item in found) else 0
