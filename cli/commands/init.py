"""`vault init`."""

from pathlib import Path

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import directory_option, json_option


@click.command(
    short_help="Make a vault of a folder.",
    epilog="\b\nExamples:\n  vault init\n  vault init notes --space work --private-space diary",
)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--space", "spaces", metavar="NAME", multiple=True, help="Declare a space; may be repeated.")
@click.option("--private-space", "private", metavar="NAME", multiple=True, help="Declare a private space.")
@directory_option
@json_option
@pass_context
def command(context: Context, folder: Path | None, spaces: tuple[str, ...], private: tuple[str, ...]) -> None:
    """Make a vault of FOLDER (this one by default): settings, schemas, and a first commit.

    A git repository that is there is used as it is, also when FOLDER is a part of it; otherwise one is
    made. Files and schemas that are there stay.
    """
    from vault.service.setup import init  # noqa: PLC0415

    root = context.directory / folder if folder else context.directory
    wanted = {**dict.fromkeys(spaces, False), **dict.fromkeys(private, True)}
    made = init(root, context.environ, space=wanted)
    if context.json:
        output.data(
            {
                "path": str(made.root),
                "paths": list(made.paths),
                "commit": made.commit,
                "madeRepository": made.made_repository,
            }
        )
        return
    where = "a new git repository" if made.made_repository else "its git repository"
    output.text(f"made a vault in {made.root}, in {where} ({made.commit[:10]})")
    if private:
        output.note("git hides nothing: whoever has the repository can read a private space's files")
    output.note('next: vault add actor --field name="Ada Lovelace"')
