"""`vault rm`."""

import click

from cli.context import Context, pass_context
from cli.options import commit_options, common, entry_argument
from cli.shared import ask, asked_commit, show_written


@click.command(
    short_help="Remove an entry.",
    epilog="\b\nExamples:\n  vault rm note.draft\n  vault rm note.draft --yes --commit",
)
@entry_argument()
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@commit_options
@common
@pass_context
def command(context: Context, entry: str, yes: bool, do_commit: bool, message: str | None) -> None:
    """Remove an entry's file; committed versions stay in git history.

    Removing a space's own version of a global entry makes the global one visible again.
    """
    vault = context.open()
    snapshot = vault.snapshot()
    stored = vault.find_to_change(entry)
    vault.check_changeable(stored)
    key = stored.entry.key
    named = len({other.entry.key for _, other in snapshot.referrers(key)})
    warning = f" {named} entr{'y names' if named == 1 else 'ies name'} it." if named else ""
    ask(context, f"Remove {key} ({stored.entry.path})?{warning}", f"removing {key}", yes=yes)
    options = asked_commit(wanted=do_commit, message=message)
    result = vault.remove_entry(entry, options)
    show_written(context, result, verb="removed", follow_up=f"vault commit {result.path}")
