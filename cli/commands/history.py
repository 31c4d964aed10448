"""`vault history`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from cli.remote import WarmCommand
from vault import wire

if TYPE_CHECKING:
    from vault.service.read.entry_history import Step
    from vault.service.read.slot_history import Named, SlotVersion
    from vault.service.vault import Vault


@click.command(
    cls=WarmCommand,
    short_help="Show the history of an entry or a slot.",
    epilog="\b\nExamples:\n  vault history ada\n  vault history fact.bob_role --json\n"
    "  vault history bob/work/role\n  vault history 'actor.bob/work/general/role@planner'\n  vault get ada --at HEAD~3",
)
@click.argument("entry", metavar="ENTRY|SLOT", shell_complete=complete_entries)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Maximum number of changes or versions.")
@common
@pass_context
def command(context: Context, entry: str, limit: int | None) -> None:
    """Show each change of ENTRY, newest first: who, when, why, and the previous values.

    Use the key (`actor.ada`) for an entry that has been deleted. `*` marks a new version of a fact; edits to tags or
    surrounding text do not create one. Uncommitted changes are not shown.

    SLOT is ENTITY/ASPECT/CLAIM or ENTITY/ASPECT/GROUP/CLAIM, with `@AGENT` for one agent's facts. For a slot, every
    statement it held is shown, with what replaced it and why; `*` marks the current one.
    """
    vault = context.open()
    slot = vault.slot(entry)
    if slot is not None:
        _slot(context, vault, slot, limit)
        return
    steps = vault.entry_history(entry, limit=limit)
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
        f"{output.commit(step.commit, cut=step.boundary)} {when} {mark} {output.style(step.op, bold=True)}"
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


def _slot(context: Context, vault: "Vault", slot: "Named", limit: int | None) -> None:

    found = vault.slot_history(slot, limit=limit)
    if context.json:
        output.data({"slot": slot.path, **wire.listing([wire.stand(one) for one in found])})
        return
    for one in found:
        _show_version(one)
    if not found:
        output.note("nothing of it is committed yet; next: vault commit")


def _show_version(one: "SlotVersion") -> None:
    from vault.model.values import plain_text

    fields = one.fact.fields
    when = one.time.astimezone().strftime("%Y-%m-%d %H:%M")
    mark = "*" if one.status == "active" else " "
    output.text(
        f"{output.commit(one.commit, cut=one.boundary)} {when} {mark} {output.style(one.fact.key, bold=True)}"
        f"  {output.style(one.author, dim=True)}  {output.cut(one.fact.name, 100)}"
    )
    for name in ("value", "agent", "valid_from", "valid_until"):
        if name in fields:
            output.text(f"    {output.style(name, fg='cyan')}: {output.cut(plain_text(fields[name]), 100)}")
    if one.ended and one.ended_at:
        status = f"moved to {one.moved_to}" if one.moved_to else one.status
        by = f" by {output.cut(one.successor.name, 60)}" if one.successor and not one.moved_to else ""
        reason = f": {output.cut(one.reason, 100)}" if one.reason else ""
        day = one.ended_at.astimezone().strftime("%Y-%m-%d")
        output.text(output.style(f"    {status}{by} in {one.ended[:10]} on {day}{reason}", dim=True))
