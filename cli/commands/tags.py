"""`vault tags`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_types
from cli.remote import WarmCommand
from vault import wire


@click.command(
    cls=WarmCommand,
    short_help="List tags and how many entries have them.",
    epilog="\b\nExamples:\n  vault tags\n  vault tags note --json\n  vault list --tag maths",
)
@click.argument("type", required=False, shell_complete=complete_types)
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@at_option
@common
@pass_context
def command(context: Context, type: str | None, all_spaces: bool, at: str | None) -> None:  # noqa: A002  the word people know
    """List the tags of the entries you can see, or of one TYPE, the most used first."""
    found = context.open(all_spaces=all_spaces, at=at).tags(kind=type)
    if context.json:
        output.data(wire.listing([{"tag": tag, "entries": number} for tag, number in found]))
        return
    output.table((output.style(tag, bold=True), str(number)) for tag, number in found)
    output.note(f"{len(found)} tag{'s' * (len(found) != 1)}")
