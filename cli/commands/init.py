"""`vault init`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import directory_option, json_option
from vault import wire

if TYPE_CHECKING:
    from vault.service.admin.init import Made, Outside


@click.command(
    short_help="Make a folder a vault.",
    epilog="\b\nExamples:\n  vault init\n  vault init notes --space work --private-space diary",
)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--space", "spaces", metavar="NAME", multiple=True, help="Declare a space (repeatable).")
@click.option("--private-space", "private", metavar="NAME", multiple=True, help="Declare a private space.")
@directory_option
@json_option
@pass_context
def command(context: Context, folder: Path | None, spaces: tuple[str, ...], private: tuple[str, ...]) -> None:
    """Make FOLDER (default: the current one) a vault, with settings, schemas and a first commit.

    An existing git repository is used, even if FOLDER is only a part of it; otherwise one is created. Existing files
    and schemas are kept.
    """
    from vault import Vault

    root = context.directory / folder if folder else context.directory
    wanted = {**dict.fromkeys(spaces, False), **dict.fromkeys(private, True)}
    made = Vault.init(root, context.environ, space=wanted)
    if context.json:
        output.data(wire.made(made))
    elif made.adopted:
        output.text(f"made a git repository for the vault in {made.root} ({_commit(made)})")
    else:
        where = "a new git repository" if made.made_repository else "its git repository"
        output.text(f"made a vault in {made.root}, in {where} ({_commit(made)})")
    if made.outside.entries:
        output.note(_left(made.outside))
    if context.json:
        return
    if private:
        output.note("git hides nothing: everyone with the repository can read a private space's files")
    if made.adopted:
        output.note("next: vault commit")
    else:
        output.note('next: vault add actor --field name="Ada Lovelace"')


def _left(outside: "Outside") -> str:
    count, first = outside.entries, outside.files[0]
    others = f" and {len(outside.files) - 1} more" if len(outside.files) > 1 else ""
    return (
        f"{count} entr{'y' if count == 1 else 'ies'} in {first}{others} stay{'s' * (count == 1)} outside the vault;"
        " move such files below global/ or spaces/NAME/, and schemas into schema/"
    )


def _commit(made: "Made") -> str:
    """The first commit, or why there is none."""
    return made.commit[:10] if made.commit else "no commit was needed: the last one already holds its files"
