"""`vault doctor`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import directory_option, json_option

COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


@click.command(
    short_help="Look for trouble, with a next step for each.",
    epilog="\b\nExamples:\n  vault doctor\n  vault doctor --json",
)
@directory_option
@json_option
@pass_context
def command(context: Context) -> int:
    """Look at versions, git, the vault and its derived data; the exit code is 1 if something is wrong."""
    from vault.service.doctor import doctor  # noqa: PLC0415

    found = doctor(context.directory, context.environ, space=context.chosen_space)
    if context.json:
        output.data(
            {
                "items": [
                    {
                        "name": item.name,
                        "state": item.state,
                        "message": item.message,
                        "next": item.next or None,
                    }
                    for item in found
                ],
                "total": len(found),
            }
        )
    else:
        output.table(
            (
                output.style(item.state, fg=COLOURS[item.state]),
                item.name,
                item.message + (f"  → {item.next}" if item.next else ""),
            )
            for item in found
        )
    return 1 if any(item.state == "error" for item in found) else 0
