"""`vault consent`."""

import json

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.shared import ask
from vault import wire

EXAMPLES = """
\b
Examples:
  vault consent
  vault consent e074f69e609e
"""


@click.command(short_help="Agree to what an agent has asked for.", epilog=EXAMPLES)
@click.argument("digest", required=False, metavar="[DIGEST]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@pass_context
def command(context: Context, digest: str | None, yes: bool) -> None:
    """List the calls that wait for a person's consent, or agree to one.

    A consent covers one call with exactly this content, once, within an hour.
    """
    from vault.service.consents import agree, find, waiting

    vault = context.open()
    if digest is None:
        found = waiting(vault)
        if context.json:
            output.data(wire.listing([wire.consent(one) for one in found]))
            return
        output.table((output.style(one.digest, fg="yellow"), one.tool, json.dumps(one.arguments)) for one in found)
        if not found:
            output.note("nothing waits for consent")
        return
    asked = find(vault, digest)
    if not context.json:
        where = f" in the space {asked.space}" if asked.space else ""
        output.text(f"{output.style(asked.tool, bold=True)}, by {asked.agent or 'an agent without a name'}{where}")
        output.text(json.dumps(asked.arguments, ensure_ascii=False, indent=2))
        if asked.about:
            output.text(f"\nit is about\n{asked.about.rstrip()}\n")
    ask(context, "May it be called with this, once?", f"consent to {asked.tool}", yes=yes)
    agree(vault, digest)
    if context.json:
        output.data(wire.consent(asked))
    else:
        output.text("agreed: the call may be repeated now")
