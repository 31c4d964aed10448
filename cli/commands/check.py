"""`vault check`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.paths import vault_paths
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.diagnostics import Diagnostic
    from vault.render import Excerpt


@click.command(
    short_help="Check entries against their schemas and each other.",
    epilog="\b\nExamples:\n  vault check\n  vault check --format line global/actor/ada.firm\n  vault check --staged",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--staged", is_flag=True, help="Check what is staged for the next git commit.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["full", "line", "json", "github"]),
    default="full",
    show_default=True,
    help="How findings are shown.",
)
@click.option("--strict", is_flag=True, help="Warnings, too, make the exit code 1.")
@common
@pass_context
def command(context: Context, files: tuple[Path, ...], staged: bool, style: str, strict: bool) -> int:
    """Check the whole vault, or FILES of it, and report every finding in file order.

    All spaces are checked, private ones too, wherever you stand. The exit code is 1 if there is an error.
    """
    if staged and files:
        raise UsageError("`--staged` checks what is staged, whatever it is", hint="leave the files out")
    vault = context.open()
    excerpt: Excerpt = vault.excerpt
    if staged:
        from vault.service.staged import check_staged, staged_excerpt

        found, excerpt = check_staged(vault), staged_excerpt(vault)
    else:
        found = vault.check(vault_paths(vault, files, context.directory) if files else None)
    if context.json or style == "json":
        output.data(wire.diagnostics(found))
    else:
        _show(found, style, excerpt, vault.refreshed.files)
    bad = [item for item in found if item.severity == "error" or (strict and item.severity == "warning")]
    return 1 if bad else 0


def _show(found: "list[Diagnostic]", style: str, excerpt: "Excerpt", files: int) -> None:
    from vault import render

    for number, item in enumerate(found):
        if style == "full":
            output.text(("\n" if number else "") + _coloured(render.full(item, excerpt)))
        else:
            output.text(render.github(item) if style == "github" else render.line(item))
    output.note(f"{files} files: {render.summary(found)}")


def _coloured(text: str) -> str:
    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    head, colon, rest = text.partition("]")
    return output.style(head + colon, fg=colours[head.partition("[")[0]], bold=True) + rest
