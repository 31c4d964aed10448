"""`vault list`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_types
from cli.remote import WarmCommand
from cli.shared import note_left_out, note_undeclared, show_conflicts
from vault import wire


@click.command(
    cls=WarmCommand,
    short_help="List entries.",
    epilog="\b\nExamples:\n  vault list\n  vault list actor --tag maths\n  vault list --all-spaces --json\n"
    "  vault list --bundled",
)
@click.argument("type", required=False, shell_complete=complete_types)
@click.option("--tag", metavar="TAG", help="Only entries with this tag.")
@click.option("--bundled", is_flag=True, help="List the bundled entries about firm-vault instead.")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Maximum number of entries.")
@click.option("--ids", is_flag=True, help="Print only keys, one per line.")
@at_option
@common
@pass_context
def command(
    context: Context,
    type: str | None,  # noqa: A002  the word people know
    tag: str | None,
    bundled: bool,
    all_spaces: bool,
    limit: int | None,
    ids: bool,
    at: str | None,
) -> None:
    """List the entries you can see, or only those of one TYPE, by key."""
    vault = context.open(all_spaces=all_spaces, at=at)
    found = vault.entries(kind=type, tag=tag, bundled=bundled)
    shown = found[:limit]
    note_left_out(vault)
    note_undeclared(vault)
    show_conflicts(vault.conflicts([stored.entry.path for stored in shown]))
    if context.json:
        output.data(wire.listing([wire.heading(stored) for stored in shown], len(found)))
        return
    if ids:
        for stored in shown:
            output.text(stored.entry.key)
        return
    output.table(
        (
            output.style(stored.entry.key, bold=True),
            output.cut(stored.entry.name, 60),
            output.style(stored.entry.path, dim=True),
        )
        for stored in shown
    )
    left = len(found) - len(shown)
    output.note(f"{len(found)} entr{'y' if len(found) == 1 else 'ies'}" + (f", {left} not shown" if left else ""))
