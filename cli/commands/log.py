"""`vault log`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from vault import wire

if TYPE_CHECKING:
    from vault.store.git import LogRecord


@click.command(
    short_help="Show the history of the vault or of an entry.",
    epilog="\b\nExamples:\n  vault log\n  vault log fact.bob_role\n  vault log --limit 100 --json",
)
@click.argument("entry", required=False, metavar="[ENTRY]", shell_complete=complete_entries)
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N commits."
)
@common
@pass_context
def command(context: Context, entry: str | None, limit: int) -> None:
    """Show the commits that changed the vault, or one entry of it, newest first."""
    vault = context.open()
    records = vault.log(entry, limit=limit)
    if context.json:
        output.data(wire.listing([wire.record(record) for record in records]))
        return
    for record in records:
        _show(record)
    if not records:
        output.note(
            "no commit of it can be shown from here; one that touches a private space is shown inside that space"
            if entry
            else "no commits yet; next: vault commit"
        )


def _show(record: "LogRecord") -> None:
    when = record.commit_time.astimezone().strftime("%Y-%m-%d %H:%M")
    output.text(
        f"{output.style(record.commit[:10], fg='yellow')} {when} {output.style(record.author_name, dim=True)}"
        f"  {output.cut(record.subject, 160)}"
    )
