"""`vault spaces`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_spaces
from cli.shared import note_undeclared
from vault import wire

if TYPE_CHECKING:
    from vault.model.settings import Space

WARNING = (
    "a private space is hidden from searches, lists and references outside it;"
    " git hides nothing: everyone with the repository has its files"
)


@click.group(
    short_help="List, add and change spaces.",
    epilog="\b\nExamples:\n  vault spaces list\n  vault spaces add work\n  vault spaces set diary --private",
)
def command() -> None:
    """List, add and change spaces.

    Entries of a space are visible inside it; global entries are visible everywhere.
    """


@command.command("list")
@common
@pass_context
def list_(context: Context) -> None:
    """List the spaces; a private one only from inside it."""
    vault = context.open()
    found = vault.spaces()
    note_undeclared(vault)
    if context.json:
        output.data(wire.listing([wire.space_info(info, vault.reader.space) for info in found]))
        return
    output.table(
        (
            ("* " if info.space.name == vault.reader.space else "  ") + info.space.name,
            f"{info.entries} entr{'y' if info.entries == 1 else 'ies'}",
            "private" if info.space.private else "",
            info.space.description,
        )
        for info in found
    )
    if not found:
        output.note("no spaces; `vault spaces add NAME` makes one")


@command.command("add", epilog="\b\nExamples:\n  vault spaces add work --description 'The day job'")
@click.argument("name", metavar="SPACE")
@click.option("--private", is_flag=True, help="Hide it from readers outside.")
@click.option("--description", default="", metavar="TEXT", help="What the space is for.")
@common
@pass_context
def add(context: Context, name: str, private: bool, description: str) -> None:
    """Declare a space in vault.yaml."""
    space = context.open().add_space(name, private=private, description=description)
    _said(context, space, "added")


@command.command("set", epilog="\b\nExamples:\n  vault spaces set diary --private")
@click.argument("name", metavar="SPACE", shell_complete=complete_spaces)
@click.option("--private/--public", default=None, help="Hide it from readers outside, or show it.")
@click.option("--description", default=None, metavar="TEXT", help="What the space is for.")
@common
@pass_context
def set_(context: Context, name: str, private: bool | None, description: str | None) -> None:
    """Change the settings of a space in vault.yaml."""
    space = context.open().set_space(name, private=private, description=description)
    _said(context, space, "changed")


def _said(context: Context, space: "Space", verb: str) -> None:
    if context.json:
        output.data(wire.space(space))
        return
    output.text(f"{verb} the {'private ' if space.private else ''}space {space.name} in vault.yaml")
    if space.private:
        output.warn(WARNING)
    output.note("next: vault commit")
