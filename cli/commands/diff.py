"""`vault diff`."""

from itertools import groupby
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.model.values import Value
    from vault.service.read.diff import Diff, Difference
    from vault.workspace.describe import FieldChange

#: Columns that a value before and one after take each.
SHOWN = 60
#: How much of what two texts begin with alike is shown before they part.
LEAD = 20

SIGNS = {"add": ("+", "green"), "delete": ("-", "red"), "update": ("~", "yellow"), "move": (">", "yellow")}

EXAMPLES = """
\b
Examples:
  vault diff
  vault diff HEAD~3
  vault diff v1 v2 --entry actor.ada
  vault diff '2 weeks ago' --path global/fact --json
  vault diff --exit-code
"""


@click.command(short_help="Compare two versions of the vault.", epilog=EXAMPLES)
@click.argument("states", nargs=-1, metavar="[A] [B]")
@click.option(
    "--entry", "only", multiple=True, metavar="ENTRY", help="Only this entry.", shell_complete=complete_entries
)
@click.option("--path", "below", multiple=True, metavar="PATH", help="Only files in this folder, or this file.")
@click.option("--exit-code", "telling", is_flag=True, help="Exit with 1 if there are differences.")
@common
@pass_context
def command(
    context: Context, states: tuple[str, ...], only: tuple[str, ...], below: tuple[str, ...], telling: bool
) -> int:
    """Compare two versions of the vault, A and B, by entries, fields and claims.

    A and B are commits, dates (`2025-03-01`) or times (`2 weeks ago`); `A..B` works too. With A alone, it is compared
    with the current files; without either, HEAD is. Facts are listed below the entity they are about, with their slot
    (`aspect/group/claim`); `*` marks a fact that is new, gone, or has a new version.
    """
    found = context.open().diff(*_states(states), only=only, below=below)
    if context.json:
        output.data(wire.diff(found))
    else:
        _show(found)
    return 1 if telling and (found.entries or found.files) else 0


def _states(words: tuple[str, ...]) -> tuple[str | None, str | None]:
    if len(words) == 1 and ".." in words[0]:
        begin, _, end = words[0].partition("..")
        return begin or "HEAD", end.removeprefix(".") or "HEAD"
    if len(words) > 2:  # noqa: PLR2004
        raise UsageError("a difference is between two states", hint="name an entry with --entry, a folder with --path")
    return (*words, None, None)[0], (*words, None, None)[1]


def _show(found: "Diff") -> None:
    for subject, entries in groupby(found.entries, lambda one: one.group):
        listed = list(entries)
        if all(one.key != subject for one in listed):
            output.text(output.style(subject, bold=True))
        for one in listed:
            _show_entry(one, subject)
    for path, kind in found.files:
        output.text(f"{output.style(output.flat(path), bold=True)} {kind}")
    if not found.entries and not found.files:
        output.note("nothing differs")


def _show_entry(one: "Difference", subject: str) -> None:
    sign, colour = SIGNS[one.op]
    indent = "  " if one.slot and one.key != subject else ""
    name = one.key if not indent or one.slot is None else f"{'/'.join(one.slot[2:]).rstrip('/')}  {one.key}"
    version = " *" if one.version else ""
    where = f"  {output.flat(one.old_path)} → {output.flat(one.path)}" if one.old_path else ""
    output.text(f"{indent}{output.style(sign, fg=colour)} {output.style(name, bold=True)}{version}{where}")
    for change in one.fields:
        output.text(f"{indent}    {output.style(change.name, fg='cyan')}: {_change(change, one.op)}")


def _change(change: "FieldChange", op: str) -> str:
    """A field's change on one line: of a list its items, of a text what differs."""
    items = change.items
    if op == "update" and items and any(items):
        gone, new = items
        return ", ".join([*(f"-{_flat(one)}" for one in gone), *(f"+{_flat(one)}" for one in new)])
    before, after = (None if side is None else _flat(side) for side in (change.before, change.after))
    if before is None or after is None:
        shown = output.cut(before or after or "", 2 * SHOWN)
        if op != "update":
            return shown
        return f"nothing → {shown}" if before is None else f"{shown} → nothing"
    start = _parting(before, after)
    return " → ".join(output.cut(("…" if start else "") + side[start:], SHOWN) for side in (before, after))


def _parting(before: str, after: str) -> int:
    """From where on two texts are shown: a little before they part, at a word; short ones whole."""
    if max(len(before), len(after)) <= SHOWN:
        return 0
    alike = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    return before.rfind(" ", 0, max(0, alike - LEAD)) + 1


def _flat(value: "Value") -> str:
    from vault.model.values import plain_text

    return " ".join(plain_text(value).split())
