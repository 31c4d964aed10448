"""`vault show`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from cli.remote import WarmCommand
from cli.shared import show_detail_json

if TYPE_CHECKING:
    from vault.service.read.entry_detail import Detail

EXAMPLES = """
\b
Examples:
  vault show ada
  vault show fact.bob_role@HEAD~2
  vault show 'ada@2 weeks ago'
  vault show ada@2025-03-01 --json
"""


@click.command(cls=WarmCommand, short_help="Print an entry as it is written.", epilog=EXAMPLES)
@click.argument("entry", metavar="ENTRY[@REV|DATE]", shell_complete=complete_entries)
@common
@pass_context
def command(context: Context, entry: str) -> None:
    """Print an entry as it is written, with comments: now, or as of a commit or date.

    ENTRY is a key (`actor.ada`), an id, a path, a name or an alias, as it is now or was then.
    """
    vault = context.open()
    words, when = vault.split_moment(entry)
    if when is not None:
        vault.go_back(when)
    found = vault.detail(words)
    if context.json:
        show_detail_json(found)
    else:
        _show(found)


def _show(found: "Detail") -> None:

    entry = found.stored.entry
    output.text(output.style(f"{output.flat(entry.path)}:{entry.place.line}@{found.commit}", dim=True))
    output.text()
    output.text(found.block)
    if found.text is not None:
        output.text(output.style(f"\n{output.flat(found.stored.text_file or '')}@{found.commit}", dim=True))
        output.text(f"\n{found.text.rstrip()}")
