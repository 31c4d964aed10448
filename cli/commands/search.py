"""`vault search`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_types
from vault import wire

if TYPE_CHECKING:
    from vault.search.find import Found, Overview

EXAMPLES = """
\b
Examples:
  vault search "time off for a new baby"
  vault search privacy --type fact --limit 3
  vault search --tag maths --json
  vault search
"""


@click.command(short_help="Find entries by words.", epilog=EXAMPLES)
@click.argument("query", nargs=-1)
@click.option("--type", "kind", metavar="TYPE", help="Only entries of this type.", shell_complete=complete_types)
@click.option("--tag", metavar="TAG", help="Only entries with this tag.")
@click.option("--all-spaces", is_flag=True, help="Add every space that is not private.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, metavar="N", help="At most N results."
)
@common
@pass_context
def command(
    context: Context, query: tuple[str, ...], kind: str | None, tag: str | None, all_spaces: bool, limit: int
) -> None:
    """Find the entries that fit the words of QUERY best; without one, show what the vault holds.

    Any text is a legal query; quotes, brackets and signs mean nothing special. Each result cites
    `path:line@commit`: the commit that holds this text, or `worktree` if none does yet.
    """
    vault = context.open(all_spaces=all_spaces)
    words = " ".join(query)
    if not words.strip():
        seen = vault.overview(kind=kind, tag=tag)
        if context.json:
            output.data(wire.overview(seen))
        else:
            _show_overview(seen)
        return
    results = vault.search(words, kind=kind, tag=tag, limit=limit)
    cited = vault.cited([result.path for result in results])
    if context.json:
        output.data(wire.found(words, results, cited))
    else:
        _show(results, cited)


def _show(results: "list[Found]", cited: Mapping[str, str]) -> None:
    if not results:
        output.note("nothing fits these words")
    for number, result in enumerate(results):
        entry = result.stored.entry
        if number:
            output.text()
        name = f"  {output.cut(entry.name, 80)}" if entry.name != entry.id else ""
        output.text(f"{output.style(entry.key, bold=True)}{name}")
        lead = f"{output.style(result.heading, dim=True)}: " if result.heading else ""
        if result.snippet:
            output.text(f"  {lead}{_highlighted(result)}")
        output.text(output.style(f"  {result.path}:{result.line}@{cited[result.path]}", dim=True))


def _highlighted(result: "Found") -> str:
    pieces, position = [], 0
    for start, end in result.marks:
        pieces += [
            result.snippet[position:start],
            output.style(result.snippet[start:end], fg="yellow", bold=True),
        ]
        position = end
    return "".join([*pieces, result.snippet[position:]])


def _show_overview(seen: "Overview") -> None:
    output.text(f"{seen.total} entr{'y' if seen.total == 1 else 'ies'}")
    if seen.total == 0:
        output.note('next: vault add note --field text="Something worth remembering"')
        return
    output.table((f"  {name}", str(count)) for name, count in seen.types.items())
    if len(seen.scopes) > 1 or "global" not in seen.scopes:
        output.text("\nspaces")
        output.table((f"  {name}", str(count)) for name, count in seen.scopes.items())
    if seen.newest:
        output.text("\nnewest")
        output.table((f"  {s.entry.key}", s.created[:10], output.cut(s.entry.name, 60)) for s in seen.newest)
    if seen.connected:
        output.text("\nmost connected")
        output.table((f"  {s.entry.key}", str(count), output.cut(s.entry.name, 60)) for s, count in seen.connected)
