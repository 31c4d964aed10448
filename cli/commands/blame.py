"""`vault blame`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, entry_argument
from cli.remote import WarmCommand
from vault import wire


@click.command(
    cls=WarmCommand,
    short_help="Show where each field of an entry comes from.",
    epilog="\b\nExamples:\n  vault blame ada\n  vault blame fact.bob_role --json",
)
@entry_argument()
@common
@pass_context
def command(context: Context, entry: str) -> None:
    """Show for each field of ENTRY the commit that last changed it: who, when and why."""
    from vault.model.values import plain_text

    stored, found = context.open().blame(entry)
    if context.json:
        output.data({**wire.heading(stored), "fields": [wire.origin(one) for one in found]})
        return
    rows = []
    for one in found:
        value = output.cut(" ".join(plain_text(one.value).split()), 40)
        if one.step is None:
            rows.append((output.style(one.field, fg="cyan"), value, "not committed", "", "", ""))
        else:
            when = one.step.time.astimezone().strftime("%Y-%m-%d")
            commit = output.commit(one.step.commit, cut=one.step.boundary)
            subject = output.cut(one.step.subject, 60)
            rows.append((output.style(one.field, fg="cyan"), value, commit, when, one.step.author, subject))
    output.table(rows)
