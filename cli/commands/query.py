"""`vault query`."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common
from cli.remote import WarmCommand
from cli.shared import show_conflicts
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.query.run import Result

EXAMPLES = """
\b
Parts of a query:
  where FIELD OP VALUE [and|or …]    OP: == != > < >= <= contains startswith endswith in
  related, related(2), related TYPE  what is so many references away, and what was found
  order FIELD [asc|desc]             entries without the field come last
  limit N
  search "WORDS"                     what fits the words, best first
  select FIELD, …                    these columns (the last part)
  count [FIELD], sum FIELD, average FIELD, median FIELD (the last part)

\b
Examples:
  vault query 'from actor | where kind == "person" | order name'
  vault query 'from fact | where confidence >= 0.8 and @space == "work" | select statement, value'
  vault query 'from thing | search "steam engine" | related(2) actor'
  vault query 'from fact | where valid_from > 2025-01-01 | count' --json
  vault query 'from * | select @id, name, @updated' --csv
"""


@click.command(cls=WarmCommand, short_help="Run a query.", epilog=EXAMPLES)
@click.argument("query", nargs=-1, required=True)
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table as CSV.")
@at_option
@common
@pass_context
def command(context: Context, query: tuple[str, ...], all_spaces: bool, as_csv: bool, at: str | None) -> None:
    """Run QUERY, as `from TYPE | … | …`; `*` stands for every type.

    Every entry also has the fields @type, @id, @space, @path, @commit, @created and @updated. Texts are quoted, and
    compared without regard to case; a date such as 2025-01-31 matches every time on that day.
    """
    if as_csv and context.json:
        raise UsageError("--csv and --json do not go together", hint="choose one")
    vault = context.open(all_spaces=all_spaces, at=at)
    result = vault.query(" ".join(query))
    show_conflicts(vault.conflicts([stored.entry.path for stored in result.entries]))
    if context.json:
        output.data(wire.query(result))
    elif as_csv:
        output.text(_csv(result), newline=False)
    else:
        _show(result)


def _cells(result: "Result") -> tuple[list[str], list[list[str]]]:
    """The table that a result is: its headings, and its rows as text."""
    from vault.model.values import plain_text

    if result.rows is not None:
        rows = [["" if value is None else plain_text(value) for value in row] for row in result.rows]
        return list(result.columns), rows
    if result.figure is not None:
        return [result.name], [[plain_text(result.figure)]]
    return ["@id", "name", "@path"], [[s.entry.key, s.entry.name, s.entry.path] for s in result.entries]


def _csv(result: "Result") -> str:
    headings, rows = _cells(result)
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([headings, *rows])
    return written.getvalue()


def _show(result: "Result") -> None:
    headings, rows = _cells(result)
    if result.figure is not None:
        output.text(rows[0][0])
        return
    shown = [[output.cut(cell, 60) for cell in row] for row in rows]
    if result.rows is not None:
        shown.insert(0, [output.style(heading, bold=True) for heading in headings])
    output.table(_bold_keys(shown) if result.rows is None else shown)
    output.note(f"{len(rows)} entr{'y' if len(rows) == 1 else 'ies'}")


def _bold_keys(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[output.style(key, bold=True), *others] for key, *others in rows]
