"""`vault fact`."""

from typing import Any

import click

from cli.context import Context, pass_context
from cli.options import chat_options, common, entry_argument, fact_options, intent_options
from cli.shared import show_written, told

EXAMPLES = """
\b
Examples:
  vault fact bob work/role "Bob is CTO" --value CTO
  vault fact bob work/role "Bob is CEO" --value CEO --source minutes.md
  vault fact bob work/team "Bob leads the team" --chat standup --turn 12
  vault fact bob food/diet/shellfish "Bob must not eat shellfish" --constraint
  vault fact bob work/role "Bob was an engineer" --valid-from 2019-01-01 --valid-until 2021-06-30
"""


@click.command(short_help="Record a fact about an entity.", epilog=EXAMPLES)
@entry_argument("entity")
@click.argument("slot", metavar="ASPECT[/GROUP]/CLAIM")
@click.argument("statement")
@fact_options
@click.option("--constraint", is_flag=True, help="Record a requirement, not a current state.")
@click.option("--agent", metavar="AGENT", help="Agent that alone may see it.")
@click.option("--id", "ident", metavar="ID", help="ID of a new fact; default: derived from the slot.")
@chat_options
@intent_options
@common
@pass_context
def command(
    context: Context,
    /,
    entity: str,
    slot: str,
    statement: str,
    ident: str | None,
    constraint: bool,
    message: str | None,
    reason: str | None,
    key: str | None,
    chat: str | None,
    chat_turn: int | None,
    **options: Any,
) -> None:
    """Record STATEMENT about ENTITY in the slot ASPECT[/GROUP]/CLAIM, and commit it.

    A slot holds one current statement. The previous statement leaves the file but stays in git history; the fact keeps
    its id and file. Facts about the past (`--valid-until`) or the future (`--valid-from`), and constraints, are kept
    next to the current statement.
    """
    from vault.model.values import EnumValue
    from vault.service.arguments import commit_options

    vault = context.open()
    fields = told(vault, options)
    if constraint:
        fields["kind"] = EnumValue("constraint")
    words = commit_options.CommitDetails(message, key, reason)
    with vault.written_in(chat, chat_turn):
        result = vault.record(entity, slot, statement, fields, ident=ident, words=words)
    show_written(context, result, verb="added")
