"""`vault index`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import directory_option, json_option


@click.command(
    short_help="Bring the search index up to date.",
    epilog="\b\nExamples:\n  vault index\n  vault index --rebuild\n  vault index --check",
)
@click.option("--rebuild", is_flag=True, help="Make all derived data anew.")
@click.option("--check", "only_check", is_flag=True, help="Prove that it equals a rebuild; exit code 1 if not.")
@directory_option
@json_option
@pass_context
def command(context: Context, rebuild: bool, only_check: bool) -> int:
    """Bring the catalog and the text index up to date.

    Every command that reads does this by itself; here it is done for all at once, private spaces too,
    and shows how far it is.
    """
    from vault.service import indexing

    vault = context.open()
    if only_check:
        found = indexing.differences(vault)
        if context.json:
            output.data({"equal": not found, "differences": found})
        else:
            for row in found:
                output.text(row)
            output.note(
                "derived data differs from a rebuild; next: vault index --rebuild" if found else "equal to a rebuild"
            )
        return 1 if found else 0
    state = indexing.index(vault, rebuild=rebuild)
    if context.json:
        output.data({name: getattr(state, name) for name in ("files", "entries", "passages", "changed", "removed")})
    else:
        output.text(f"{state.files} files, {state.entries} entries, {state.passages} passages")
        output.note(f"{state.changed} files read, {state.removed} gone")
    for item in vault.refreshed.unread:
        output.warn(item.message)
    return 1 if vault.refreshed.unread else 0
