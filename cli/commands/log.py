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


@click.command(short_help="List commits, of the vault or of one entry.", epilog=EXAMPLES)
@click.argument("entry", required=False, metavar="[ENTRY|SLOT]", shell_complete=complete_entries)
@click.option("--in-space", "scope", metavar="NAME", help="Only commits that changed this space, or `global`.")
@click.option("--agent", metavar="AGENT", help="Only commits by this agent.")
@click.option("--op", type=click.Choice(OPS), help="Only commits with this operation.")
@click.option("--since", metavar="DATE", help="Only commits since this date: `2025-03-01`, `2 weeks ago`.")
@click.option("--until", metavar="DATE", help="Only commits until this date.")
@click.option("--author", metavar="TEXT", help="Only commits whose author contains TEXT.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Maximum number of commits."
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
    """List the commits that changed the vault, one entry or one slot, newest first.

    Conditions are combined. `--space` sets where you work, `--in-space` filters commits. The operation of a commit is
    its `Vault-Op` trailer, or is derived from its content.
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
