"""`vault history`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, entry_argument
from vault import wire

if TYPE_CHECKING:
    from vault.service.versions import Step


@click.command(
    short_help="Show what was made of an entry, commit by commit.",
    epilog="\b\nExamples:\n  vault history ada\n  vault history fact.bob_role --json\n  vault get ada --at HEAD~3",
)
@entry_argument()
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N changes.")
@common
@pass_context
def command(context: Context, entry: str, limit: int | None) -> None:
    """Show each change of ENTRY, newest first: who made it, when and why, and what the fields said before.

    An entry that is gone is named by its key. A mark `*` begins another version of a fact; changes of tags or
    texts around it begin none. What is not committed is no history yet.
    """
    from vault.service.versions import history

    steps = history(context.open(), entry, limit=limit)
    if context.json:
        output.data(wire.listing([wire.step(step) for step in steps]))
        return
    for step in steps:
        _show(step)
    if not steps:
        output.note("nothing of it is committed yet; next: vault commit")


def _show(step: "Step") -> None:
    from vault.model.values import plain_text

    when = step.time.astimezone().strftime("%Y-%m-%d %H:%M")
    mark = "*" if step.version else " "
    output.text(
        f"{output.style(step.commit[:10], fg='yellow')} {when} {mark} {output.style(step.op, bold=True)}"
        f"  {output.style(step.author, dim=True)}  {output.cut(step.subject, 100)}"
    )
    for name, before, after in step.fields if step.op == "update" else ():
        old, new = (
            "nothing" if value is None else output.cut(" ".join(plain_text(value).split()), 60)
            for value in (before, after)
        )
        output.text(f"    {output.style(name, fg='cyan')}: {old} → {new}")
    if step.op == "move":
        output.text(f"    to {output.flat(step.path)}")
