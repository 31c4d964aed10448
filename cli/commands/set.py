"""`vault set`."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from cli.context import Context, pass_context
from cli.options import commit_options, common, entry_argument
from cli.shared import asked_commit, assignment, show_written, surroundings, typed
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.model.entry import Entry
    from vault.model.schema import Schema
    from vault.service.write.sidecars import Fields

EXAMPLES = """
\b
Examples:
  vault set ada summary="First programmer" tags+=maths
  vault set fact.bob_role value=CEO statement="Bob is CEO" --commit
  vault set ada --unset aliases
  vault --space work set ada summary="Our patron" --override
"""


@click.command(short_help="Change fields of an entry.", epilog=EXAMPLES)
@entry_argument()
@click.argument("assignments", nargs=-1, metavar="[FIELD=VALUE | LIST+=ITEM | LIST-=ITEM]...")
@click.option("--unset", metavar="FIELD", multiple=True, help="Remove a field (repeatable).")
@click.option("--override", is_flag=True, help="Change a copy of a global or bundled entry in your space.")
@commit_options
@common
@pass_context
def command(
    context: Context,
    entry: str,
    assignments: tuple[str, ...],
    unset: tuple[str, ...],
    override: bool,
    do_commit: bool,
    message: str | None,
) -> None:
    """Set fields of an entry; everything else in its file stays as it is.

    \b
    FIELD=VALUE   set a field            FIELD:=VALUE  a value in Firm's own syntax
    LIST+=ITEM    add to a list          LIST-=ITEM    remove from a list
    FIELD=-       text on standard input FIELD=@FILE   the text of a file

    Paths are relative to the current folder.
    """  # noqa: D301  the mark is for click
    from vault.service.arguments import cli_values

    if not assignments and not unset and not override:
        raise UsageError("nothing to set", hint="write `field=value`, or use --unset")
    vault = context.open()
    read = [typed(context, assignment(text)) for text in assignments]
    options = asked_commit(wanted=do_commit, message=message)

    notes: list[str] = []

    def changes(stored: "Entry", schema: "Schema | None") -> "Fields":
        around = surroundings(context, vault, stored.path)
        fields = cli_values.read_changes(stored, schema, read, unset, around)
        notes.extend(around.notes)
        return fields

    result = vault.change_entry(entry, changes, override=override, options=options)
    result = replace(result, notes=(*notes, *result.notes))
    verb = "changed" if result.paths else "nothing to change:"
    show_written(context, result, verb=verb, follow_up=f"vault commit {result.key}" if result.paths else "")
