"""`vault retract`."""

import click

from cli.context import Context, pass_context
from cli.options import common, entry_argument, intent_options
from cli.shared import show_written

EXAMPLES = """
\b
Examples:
  vault retract fact.bob_role --reason "It was another Bob"
  vault restore fact.bob_role@HEAD~1
"""


@click.command(short_help="Withdraw a fact.", epilog=EXAMPLES)
@entry_argument("fact")
@intent_options
@common
@pass_context
def command(context: Context, fact: str, message: str | None, reason: str | None, key: str | None) -> None:
    """Withdraw FACT: remove its file and commit that. Its history is kept, and its slot is empty.

    `vault restore` brings it back.
    """
    from vault.service.arguments import commit_options

    words = commit_options.CommitDetails(message, key, reason)
    show_written(context, context.open().retract(fact, words=words), verb="retracted")
