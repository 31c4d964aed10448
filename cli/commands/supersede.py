"""`vault supersede`."""

from typing import Any

import click

from cli.context import Context, pass_context
from cli.options import common, entry_argument, fact_options, intent_options
from cli.shared import show_written, told

EXAMPLES = """
\b
Examples:
  vault supersede fact.bob_role "Bob is CEO" --value CEO
  vault supersede fact.bob_role --value CEO
  vault supersede fact.bob_role fact.bob_role_2 --reason "The second is newer"
"""


@click.command(short_help="Replace a fact's statement with a new one.", epilog=EXAMPLES)
@entry_argument("old")
@click.argument("new", required=False, metavar="[STATEMENT | FACT]")
@fact_options
@intent_options
@common
@pass_context
def command(
    context: Context,
    /,
    old: str,
    new: str | None,
    message: str | None,
    reason: str | None,
    key: str | None,
    **options: Any,
) -> None:
    """Replace the statement of the fact OLD with a new one, and commit it; its id and file stay.

    With another FACT, its statement moves into OLD and its own file is removed, so that two facts in one slot become
    one. With `--value` alone, the statement stays and only its value changes.
    """
    from vault.service.arguments import commit_options

    vault = context.open()
    words = commit_options.CommitDetails(message, key, reason)
    show_written(context, vault.supersede(old, new, told(vault, options), words=words), verb="superseded")
