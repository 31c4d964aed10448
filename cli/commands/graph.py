"""`vault graph`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, complete_entries, complete_types
from cli.remote import WarmCommand
from vault import wire

EXAMPLES = """
\b
Examples:
  vault graph | dot -Tsvg > vault.svg
  vault graph ada --depth 2 --format mermaid
  vault graph --type thing --field belongs_to
  vault graph --json
"""


@click.command(cls=WarmCommand, short_help="Draw the links between entries.", epilog=EXAMPLES)
@click.argument("entry", metavar="[ENTRY]", required=False, shell_complete=complete_entries)
@click.option(
    "--depth", type=click.IntRange(min=1), default=1, show_default=True, help="Number of links to follow from ENTRY."
)
@click.option("--type", "kind", metavar="TYPE", help="Only entries of this type.", shell_complete=complete_types)
@click.option("--field", metavar="FIELD", help="Only references in this field.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["dot", "mermaid", "json"]),
    default="dot",
    show_default=True,
    help="Output format.",
)
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@at_option
@common
@pass_context
def command(
    context: Context,
    entry: str | None,
    depth: int,
    kind: str | None,
    field: str | None,
    style: str,
    all_spaces: bool,
    at: str | None,
) -> None:
    """Print the graph of the entries you can see, or of those around ENTRY, for Graphviz, Mermaid or as JSON.

    Links to entries that do not exist, or that you cannot see, are left out.
    """
    from vault.drawing import WRITERS

    found = context.open(all_spaces=all_spaces, at=at).graph(entry, depth=depth, kind=kind, field=field)
    if context.json or style == "json":
        output.data(wire.graph(found))
    else:
        output.text(WRITERS[style](found))
