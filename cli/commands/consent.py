"""`vault consent`."""

import json
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.shared import ask
from vault import wire

if TYPE_CHECKING:
    from vault.service.write.consents import Consent

#: Characters of a number that a list shows.
SHOWN = 12

EXAMPLES = """
\b
Examples:
  vault consent
  vault consent e074f69e609e5b1c
"""


@click.command(short_help="Review what agents ask to do.", epilog=EXAMPLES)
@click.argument("number", required=False, metavar="[NUMBER]")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
@pass_context
def command(context: Context, number: str | None, yes: bool) -> None:
    """List the calls of agents that need your consent, or allow one.

    NUMBER is the number of a call, or at least its first 8 characters. Consent is valid once, for this exact call, for
    one hour, and only while the entries it changes stay the same. Calls from a space are listed only inside it.
    """
    vault = context.open()
    if number is None:
        found = vault.waiting_consents()
        if context.json:
            output.data(wire.listing([wire.consent(one) for one in found]))
            return
        output.table(
            (output.style(one.number[:SHOWN], fg="yellow"), one.call.tool, json.dumps(one.call.arguments))
            for one in found
        )
        if not found:
            output.note("nothing waits for consent")
        return
    consent = vault.consent(number)
    if not context.json:
        _show(consent)
    ask(context, "May it be called with this, once?", f"consent to {consent.call.tool}", yes=yes)
    vault.agree(consent.number)
    if context.json:
        output.data(wire.consent(consent))
    else:
        output.text("agreed: the call may be repeated now")


def _show(consent: "Consent") -> None:
    """Show who wants to call what, and what the call replaces."""
    call = consent.call
    where = f" in the space {call.space}" if call.space else ""
    token = f", with the token {call.token.partition(':')[0]}" if call.token else ""
    output.text(f"{output.style(call.tool, bold=True)}, by {call.agent or 'an agent without a name'}{token}{where}")
    output.text(json.dumps(call.arguments, ensure_ascii=False, indent=2))
    if consent.about:
        output.text(f"\nit replaces or hides\n{consent.about.rstrip()}\n")
