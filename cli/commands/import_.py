"""`vault import`."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common
from cli.shared import asked_commit, show_landed
from vault import wire

if TYPE_CHECKING:
    from vault.exchange.plan import Unresolved
    from vault.service.admin.import_report import Imported

EXAMPLES = """
\b
Examples:
  vault import markdown ~/notes --dry-run
  vault import markdown handbook/pages --commit
  vault --space work import markdown people --map people.yaml

\b
A map says what the keys of front matter and records become:
  identity: id                     # the key by which other files name this one
  types:                           # the first that fits; `note` otherwise
    - match: "committees/**"
      type: actor
      set: {kind: enum(team)}
  fields:                          # key → field; `skip` leaves it out
    other_names[].name: aliases
    members[].person_id: relates_to
    topics: {to: relates_to, in: "topics/**"}   # its values name files there
"""

SHOWN = 10


@click.group(
    short_help="Import notes and records.",
    epilog="\b\nExamples:\n  vault import markdown ~/notes --dry-run\n  vault import markdown people --map people.yaml",
)
def command() -> None:
    """Import notes and records."""


@command.command("markdown", epilog=EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--map",
    "mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file that maps front matter keys to fields.",
)
@click.option("--label", metavar="NAME", help="Name of the source; default: the folder name.")
@click.option("--dry-run", is_flag=True, help="Only report what would be done.")
@click.option("--again", is_flag=True, help="Import every file again, replacing edits made here.")
@click.option("--attachments", is_flag=True, help="Copy linked files into the vault.")
@commit_options
@common
@pass_context
def markdown(
    context: Context,
    folder: Path,
    mapping: Path | None,
    label: str | None,
    dry_run: bool,
    again: bool,
    attachments: bool,
    do_commit: bool,
    message: str | None,
) -> None:
    """Import Markdown notes and YAML records from DIR.

    Entries are added to the scope you work in. Front matter becomes fields, links and `[[wikilinks]]` become references
    if their target exists, and tags become tags. The text is not changed. The file name becomes an alias. Hugo, Jekyll,
    Dendron, Foam and Obsidian folders are recognised and read by the rules of those tools. Ambiguous links are
    reported, not resolved. A text that does not fit into a string is kept in a file next to its entry. Linked files are
    listed in the field `attachments`: copied with `--attachments`, else linked if they are inside the vault, else
    reported.

    Importing again updates the entries whose source, mapping or links changed. Entries that you edited here are kept
    and reported, unless you pass `--again`.
    """
    vault = context.open()
    source = context.directory / folder
    subject = message or f"Import from {label or source.resolve().name}"
    result = vault.import_folder(
        source,
        mapping=context.directory / mapping if mapping else None,
        label=label,
        dry=dry_run,
        again=again,
        attachments=attachments,
        options=asked_commit(wanted=do_commit, message=subject) if do_commit or message else None,
    )
    if context.json:
        output.data(wire.imported(result))
        return
    _show(result)
    if not show_landed(result.landed) and result.paths and not dry_run:
        output.note("next: vault check && vault commit")


def _show(result: "Imported") -> None:
    verb = "would add" if result.dry else "added"
    output.text(f"{verb} {len(result.added)}, changed {len(result.changed)}, unchanged {len(result.unchanged)}")
    _some("edited here, so left as they are (--again brings in the source)", list(result.edited))
    _some("not at the source any more", list(result.gone))
    links = result.links
    if links.total:
        share = 100 * links.resolved / links.total
        counted = f"{links.resolved} of {links.total} resolved ({share:.1f} %)"
        output.text(f"links: {counted}, {links.attachments} to attachments")
    if result.sidecars:
        output.text(f"texts kept in a file of their own: {len(result.sidecars)}")
    if result.attachments:
        output.text(f"attachments in the vault: {len(result.attachments)}")
    _some("attachments left behind (--attachments copies them)", list(result.left))
    _some("unresolved", [f"{link.origin}:{link.line}: {_target(link)}" for link in links.unresolved])
    _some("problems", [f"{problem.path}:{problem.line}: {problem.message}" for problem in result.losses])
    _some("skipped", [f"{skip.path}: {skip.reason}" for skip in result.skipped])
    for message, number in Counter(note.message for note in result.notes).items():
        output.note(f"note, {number} files: {message} (--json lists them)")


def _target(link: "Unresolved") -> str:
    return f"{link.target} (claimed by {', '.join(link.claims)})" if link.claims else link.target


def _some(title: str, rows: list[str]) -> None:
    if rows:
        output.note(f"{title}: {len(rows)}")
    for row in rows[:SHOWN]:
        output.note(f"  {row}")
    if len(rows) > SHOWN:
        output.note(f"  … and {len(rows) - SHOWN} more; --json lists all")
