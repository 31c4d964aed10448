"""`vault related`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_types, entry_argument
from cli.remote import WarmCommand
from cli.shared import show_conflicts
from vault import wire

if TYPE_CHECKING:
    from vault.service.read.links import Related

EXAMPLES = """
\b
Examples:
  vault related ada
  vault related thing.engine --direction to
  vault related ada --depth 2 --type fact --json
"""


@click.command(cls=WarmCommand, short_help="List the entries linked with an entry.", epilog=EXAMPLES)
@entry_argument()
@click.option(
    "--direction",
    type=click.Choice(["to", "from"]),
    help="Only links to the entry, or only links from it.",
)
@click.option("--depth", type=click.IntRange(min=1), default=1, show_default=True, help="Number of links to follow.")
@click.option("--type", "kind", metavar="TYPE", help="Only entries of this type.", shell_complete=complete_types)
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@at_option
@common
@pass_context
def command(
    context: Context, entry: str, direction: str | None, depth: int, kind: str | None, all_spaces: bool, at: str | None
) -> None:
    """List the entries that ENTRY links to or that link to it, nearest first.

    `→ field` is a link from the entry (or from one closer to it), `← field` a link to it.
    """
    vault = context.open(all_spaces=all_spaces, at=at)
    way = {None: None, "to": "incoming", "from": "outgoing"}[direction]
    stored, found = vault.related(entry, direction=way, depth=depth, kind=kind)  # type: ignore[arg-type]
    show_conflicts(vault.conflicts([each.entry.path for each in (stored, *(one.stored for one in found))]))
    if context.json:
        output.data(wire.related(stored, found))
        return
    rows = [_row(one, far=depth > 1) for one in found]
    output.table(rows)
    output.note(f"{len(rows)} entr{'y' if len(rows) == 1 else 'ies'} linked with {stored.entry.key}")


def _row(one: "Related", *, far: bool) -> tuple[str, ...]:
    way = f"← {one.edge.field}" if one.backward else f"→ {one.edge.field}"
    neighbour = one.edge.target if one.backward else one.edge.source
    through = neighbour if one.depth > 1 else ""
    name = output.cut(one.stored.entry.name, 60)
    return (output.style(one.stored.entry.key, bold=True), way, *((through,) if far else ()), name)
