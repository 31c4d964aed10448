"""`vault file`."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common, complete_entries
from cli.shared import ask, asked_commit, show_findings, show_landed
from vault import wire

if TYPE_CHECKING:
    from vault.service.write.files import Rewritten

EXAMPLES = """
\b
Examples:
  vault file tree
  vault file find person.john                  also: find schema person
  vault file show schemas/person.firm
  vault file grep "two spaces"
  vault file write notes/new.firm --from draft.firm
  vault file replace people.firm "Jon" "John" --all
  vault file rm notes/old.firm --yes
"""


@click.group(short_help="List, show and change whole .firm files.", epilog=EXAMPLES)
def command() -> None:
    """List, show, search and change whole .firm files: entries and schemas.

    PATH is relative to the vault's folder, as in `vault file tree`. A text with syntax errors is never written; one
    that causes new errors in the vault is written only with `--force`.
    """


@command.command("tree", epilog="\b\nExamples:\n  vault file tree\n  vault file tree --json")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@common
@pass_context
def tree(context: Context, all_spaces: bool) -> None:
    """List the .firm files you can see, by folder."""
    paths = context.open(all_spaces=all_spaces).file_tree()
    if context.json:
        output.data(wire.listing([{"path": path} for path in paths]))
        return
    folders: dict[str, list[str]] = {}
    for path in paths:
        place = PurePosixPath(path)
        folders.setdefault(str(place.parent), []).append(place.name)
    for folder, names in sorted(folders.items()):
        if folder != ".":
            output.text(output.style(f"{output.flat(folder)}/", bold=True))
        for name in names:
            output.text(f"{'' if folder == '.' else '  '}{output.flat(name)}")
    output.note(f"{len(paths)} file{'s' * (len(paths) != 1)}")


@command.command("find", epilog="\b\nExamples:\n  vault file find person.john\n  vault file find schema person")
@click.argument("words", metavar="ENTRY | schema NAME", nargs=-1, required=True, shell_complete=complete_entries)
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@common
@pass_context
def find(context: Context, words: tuple[str, ...], all_spaces: bool) -> None:
    """Print the file and line where an entry or a schema is declared."""
    found = context.open(all_spaces=all_spaces).find_declaration(" ".join(words))
    if context.json:
        output.data({"key": found.key, "path": found.path, "line": found.line})
        return
    output.text(f"{output.flat(found.path)}:{found.line}")


@command.command("show", epilog="\b\nExamples:\n  vault file show schemas/person.firm")
@click.argument("path", metavar="PATH")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@common
@pass_context
def show(context: Context, path: str, all_spaces: bool) -> None:
    """Print a file."""
    place, data = context.open(all_spaces=all_spaces).read_file(path)
    if context.json:
        output.data({"path": place, "text": data.decode("utf-8", "replace")})
    else:
        output.raw(data)


@command.command("grep", epilog='\b\nExamples:\n  vault file grep smith\n  vault file grep "TODO" --case')
@click.argument("text", metavar="TEXT")
@click.option("--case", is_flag=True, help="Match upper and lower case exactly.")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@common
@pass_context
def grep(context: Context, text: str, case: bool, all_spaces: bool) -> None:
    """Print the lines that contain TEXT, literally."""
    found = context.open(all_spaces=all_spaces).grep(text, case=case)
    if context.json:
        output.data(wire.listing([{"path": match.path, "line": match.line, "text": match.text} for match in found]))
        return
    for match in found:
        output.text(f"{output.style(f'{output.flat(match.path)}:{match.line}', dim=True)}: {match.text}")
    output.note(f"{len(found)} line{'s' * (len(found) != 1)}")


force_option = click.option(
    "--force", is_flag=True, help="Write it even where that makes something in the vault wrong."
)


@command.command("write", epilog="\b\nExamples:\n  vault file write schemas/person.firm < person.firm")
@click.argument("path", metavar="PATH")
@click.option(
    "--from", "source", metavar="FILE", default="-", help="Read the text from FILE instead of standard input."
)
@force_option
@commit_options
@common
@pass_context
def write(context: Context, path: str, source: str, force: bool, do_commit: bool, message: str | None) -> None:
    """Write a whole file, or create it."""
    from vault import Vault

    vault = context.open()
    text = (
        Vault.read_source(context.read_input(), "standard input")
        if source == "-"
        else Vault.read_source(None, str(context.directory / source))
    )
    options = asked_commit(wanted=do_commit, message=message)
    result = vault.write_file(path, text, force=force, options=options)
    rewritten = "rewrote" if result.paths else "nothing to change in"
    _said(context, result, rewritten if result.existed else "made")


@command.command("replace", epilog="\b\nExamples:\n  vault file replace people.firm Jon John --all --commit")
@click.argument("path", metavar="PATH")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--all", "every", is_flag=True, help="Replace every occurrence of OLD.")
@force_option
@commit_options
@common
@pass_context
def replace(
    context: Context,
    path: str,
    old: str,
    new: str,
    every: bool,
    force: bool,
    do_commit: bool,
    message: str | None,
) -> None:
    """Replace OLD with NEW in a file."""
    options = asked_commit(wanted=do_commit, message=message)
    result = context.open().replace_in_file(path, old, new, every=every, force=force, options=options)
    _said(context, result, f"replaced {result.count} place{'s' * (result.count != 1)} in")


@command.command("rm", epilog="\b\nExamples:\n  vault file rm notes/old.firm --yes")
@click.argument("path", metavar="PATH")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@force_option
@commit_options
@common
@pass_context
def rm(context: Context, path: str, yes: bool, force: bool, do_commit: bool, message: str | None) -> None:
    """Remove a file and everything in it. It stays in git history."""
    vault = context.open()
    place = vault.removable_file(path)  # what cannot be done is not asked about
    ask(context, f"Remove {output.flat(place)}?", f"removing {place}", yes=yes)
    result = vault.delete_file(path, force=force, options=asked_commit(wanted=do_commit, message=message))
    _said(context, result, "removed")


def _said(context: Context, result: "Rewritten", verb: str) -> None:
    if context.json:
        output.data(wire.rewritten(result))
        return
    output.text(f"{verb} {output.flat(result.path)}")
    show_findings(result.findings)
    if not show_landed(result.landed) and result.paths:
        output.note(f"next: vault commit {output.flat(result.path)}")
