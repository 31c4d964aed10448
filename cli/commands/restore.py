"""`vault restore`."""

import click

from cli.context import Context, pass_context
from cli.options import common, complete_entries, intent_options
from cli.shared import show_written

EXAMPLES = """
\b
Examples:
  vault restore fact.bob_role@HEAD~1
  vault restore "actor.ada@2 weeks ago" --reason "The new summary was of someone else"
"""


@click.command(short_help="Restore an entry to an earlier version.", epilog=EXAMPLES)
@click.argument("entry", metavar="ENTRY@REV", shell_complete=complete_entries)
@intent_options
@common
@pass_context
def command(context: Context, entry: str, message: str | None, reason: str | None, key: str | None) -> None:
    """Restore ENTRY to its version at REV (a commit, a date or `2 weeks ago`), and commit that.

    The current version remains in history. A fact goes back into its slot and replaces the current statement.
    """
    from vault.service.arguments.commit_options import CommitDetails

    show_written(context, context.open().restore(entry, told=CommitDetails(message, key, reason)), verb="restored")
