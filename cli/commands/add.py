"""`vault add`."""

import sys
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common, complete_types
from cli.shared import assignment, commit_written, show_written
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.model.schema import Schema

EXAMPLES = """
\b
Examples:
  vault add actor --field name="Ada Lovelace" --field kind=person
  vault add note idea --field text="Numbers may stand for anything" --field tags=maths
  vault add --from entry.firm --commit
  echo 'note hi { text = "Hello" }' | vault add --from -
"""


@click.command(short_help="Write a new entry.", epilog=EXAMPLES)
@click.argument("type", required=False, metavar="[TYPE]", shell_complete=complete_types)
@click.argument("id", required=False, metavar="[ID]")
@click.option("-f", "--field", "fields", metavar="NAME=VALUE", multiple=True, help="Set a field; lists take several.")
@click.option("--from", "source", metavar="FILE", help="Take entries from a Firm file; `-` is standard input.")
@commit_options
@common
@pass_context
def command(
    context: Context,
    type: str | None,  # noqa: A002  the word people know
    id: str | None,  # noqa: A002
    fields: tuple[str, ...],
    source: str | None,
    do_commit: bool,
    message: str | None,
) -> None:
    """Write a new entry of TYPE into its own file.

    Without ID one is made of the name. On a terminal, required fields that were not given are asked
    for. From inside a space the entry belongs to it; `--global` writes it for everyone.
    """
    from vault.service import adding, literals  # noqa: PLC0415

    vault = context.open()
    if source:
        if type or fields:
            raise UsageError("`--from` brings its own types and fields", hint="leave TYPE and --field out")
        results = adding.add_text(vault, _read(source), "standard input" if source == "-" else source)
    else:
        if type is None:
            raise UsageError("what should be added?", hint="name a TYPE, as in `vault add note`, or use --from")
        vault.refresh()
        schema = vault.schemas().get(type)
        pairs = [assignment(text)[::2] for text in fields]
        if schema and context.interactive and not context.json:
            pairs += _prompted(schema, {name for name, _ in pairs})
        results = [adding.add(vault, type, id, literals.read_fields(schema, pairs))]
    made = commit_written(vault, results, wanted=do_commit, message=message)
    for result in results[:-1]:
        show_written(context, result, None, verb="added")
    last = results[-1]
    show_written(
        context, last, made, verb="added", follow_up="vault commit" if len(results) > 1 else f"vault commit {last.key}"
    )


def _read(source: str) -> str:
    from vault.service.adding import read_source  # noqa: PLC0415

    return read_source(sys.stdin.buffer.read() if source == "-" else None, source)


def _prompted(schema: "Schema", given: set[str]) -> list[tuple[str, str]]:
    """Ask for the required fields, and a summary, that were not given; an empty answer leaves one out."""
    answers = []
    for spec in schema.fields:
        if spec.name in given or not (spec.required or spec.name in ("kind", "text", "summary")):
            continue
        if spec.description:
            output.note(spec.description)
        choices = f" ({', '.join(spec.allowed_values)})" if spec.allowed_values else ""
        answer = click.prompt(
            f"{spec.name}{choices}", default=None if spec.required else "", show_default=False, err=True
        )
        if answer:
            answers.append((spec.name, answer))
    return answers
