"""`vault knowledge hygiene`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from vault import wire

EXAMPLES = """
\b
Examples:
  vault knowledge hygiene
  vault knowledge hygiene --fail-on warning
  vault knowledge hygiene --all --json
"""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command("hygiene", epilog=EXAMPLES)
@click.option("--all", "everything", is_flag=True, help="Include all scopes, also private ones; for the vault's owner.")
@click.option("--fail-on", metavar="error|warning|info", help="Exit with 1 if there is a finding of this severity.")
@click.option("--agent", metavar="NAME", help="Include what only this agent may see.")
@common
@pass_context
def hygiene(context: Context, everything: bool, fail_on: str | None, agent: str | None) -> int:
    """Report what to tidy up.

    Findings are about names, facts and references, each with a command that fixes it. Nothing is changed. `hygiene:
    {allow: [NAME]}` in vault.yaml lists names that need no entry.
    """
    from vault.service.arguments.severities import fails

    report = context.open().hygiene(everything=everything, agent_id=agent)
    failed = fails(report, fail_on)
    if context.json:
        output.data(wire.hygiene(report))
        return int(failed)
    for finding in report.findings:
        first = finding.entries[0].entry
        head = output.style(f"{finding.severity}[{finding.code}]", fg=_COLOURS[finding.severity], bold=True)
        output.text(f"{head}: {finding.message}")
        output.text(f"  {output.flat(first.path)}:{first.place.line}  fix: {finding.command}")
    counts = ", ".join(
        f"{number} {name}{'s' * (number != 1)}"
        for name in ("error", "warning", "info")
        if (number := report.number(name))
    )
    output.note(f"{report.entries} entr{'y' if report.entries == 1 else 'ies'}: {counts or 'no findings'}")
    return int(failed)
