"""`vault log`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from vault import wire

if TYPE_CHECKING:
    from vault.store.git import LogRecord


EXAMPLES = """
\b
Examples:
  vault log
  vault log fact.bob_role
  vault log bob/work/role --json
  vault log --since '2 weeks ago' --in-space work
  vault log --op supersede --agent planner --limit 100
"""

OPS = ("add", "update", "supersede", "retract", "delete", "restore", "accept")


@click.command(short_help="Show the history of the vault, of an entry or of a slot.", epilog=EXAMPLES)
@click.argument("entry", required=False, metavar="[ENTRY|SLOT]", shell_complete=complete_entries)
@click.option("--in-space", "scope", metavar="NAME", help="Only commits that change this space, or `global`.")
@click.option("--agent", metavar="AGENT", help="Only what this agent wrote.")
@click.option("--op", type=click.Choice(OPS), help="Only what did this.")
@click.option("--since", metavar="DATE", help="From this day or moment on: `2025-03-01`, `2 weeks ago`.")
@click.option("--until", metavar="DATE", help="Up to this day or moment.")
@click.option("--author", metavar="TEXT", help="Only whose name or address has this in it.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N commits."
)
@common
@pass_context
def command(
    context: Context,
    entry: str | None,
    scope: str | None,
    agent: str | None,
    op: str | None,
    since: str | None,
    until: str | None,
    author: str | None,
    limit: int,
) -> None:
    """Show the commits that changed the vault, one entry of it or one slot, newest first.

    Conditions are all to be met. `--space` is where you stand, `--in-space` what is looked for. What a commit did is
    what it says (`Vault-Op`), else what its content does.
    """
    from vault.service.arguments.log_filter import LogFilter

    wanted = LogFilter(entry, scope, agent, op, since, until, author)
    vault = context.open()
    records = vault.log(wanted, limit=limit)
    cut = vault.boundary()
    if context.json:
        output.data(wire.listing([wire.record(record, cut=record.commit in cut) for record in records]))
        return
    for record in records:
        _show(record, cut=record.commit in cut)
    if not records:
        output.note(
            "no such commit can be shown from here; one that touches a private space is shown inside that space"
            if wanted != LogFilter()
            else "no commits yet; next: vault commit"
        )


def _show(record: "LogRecord", *, cut: bool) -> None:
    when = record.commit_time.astimezone().strftime("%Y-%m-%d %H:%M")
    output.text(
        f"{output.commit(record.commit, cut=cut)} {when} {output.style(record.author_name, dim=True)}"
        f"  {output.cut(record.subject, 160)}"
    )
