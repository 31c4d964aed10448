"""`vault add`."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import chat_options, commit_options, common, complete_types
from cli.shared import asked_commit, assignment, show_written, surroundings, typed
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.model.schema import Schema

EXAMPLES = """
\b
Examples:
  vault add actor --field name="Ada Lovelace" --field kind=person
  vault add note idea --field text="Numbers may stand for anything" --field tags=maths
  vault add note --field text="She may come" --chat standup --turn 12
  vault add --from entry.firm --commit
  echo 'note hi { text = "Hello" }' | vault add --from -
"""


@click.command(short_help="Add an entry.", epilog=EXAMPLES)
@click.argument("type", required=False, metavar="[TYPE]", shell_complete=complete_types)
@click.argument("id", required=False, metavar="[ID]")
@click.option("-f", "--field", "fields", metavar="NAME=VALUE", multiple=True, help="Set a field; lists take several.")
@click.option("--from", "source", metavar="FILE", help="Add the entries of a Firm file; `-` reads standard input.")
@chat_options
@commit_options
@common
@pass_context
def command(
    context: Context,
    type: str | None,  # noqa: A002  the word people know
    id: str | None,  # noqa: A002
    fields: tuple[str, ...],
    source: str | None,
    chat: str | None,
    chat_turn: int | None,
    do_commit: bool,
    message: str | None,
) -> None:
    """Add an entry of TYPE, in a file of its own.

    If ID is omitted, it is derived from the name. On a terminal, `vault add` asks for required fields, kind, text and
    summary if they are missing. Inside a space the entry belongs to that space; `--global` adds it for everyone.

    \b
    NAME=VALUE   a text, a number, or what the type's schema declares
    NAME:=VALUE  a value in Firm's own syntax
    NAME=-       the text on standard input
    NAME=@FILE   the text of a file

    Paths are relative to the current folder.
    """  # noqa: D301  the mark is for click
    from vault.service.arguments import cli_values
    from vault.service.runtime.commit_result import UNCOMMITTED

    vault = context.open()
    options = asked_commit(wanted=do_commit, message=message)
    if source:
        if type or fields or chat:
            raise UsageError("`--from` brings its own types and fields", hint="leave TYPE, --field and --chat out")
        told = "standard input" if source == "-" else source
        results = vault.add_text(_read(context, source), told, options)
    else:
        if type is None:
            raise UsageError("what should be added?", hint="name a TYPE, as in `vault add note`, or use --from")
        vault.refresh()
        schema = vault.schemas().get(type)
        words: list[tuple[str, str] | tuple[str, str, str]] = [typed(context, _pair(text)) for text in fields]
        if schema and context.interactive and not context.json:
            words += _prompted(schema, {name for name, *_ in words})
        with vault.written_in(chat, chat_turn):
            around = surroundings(context, vault, vault.layout.entry_path(type, id or type, vault.scope))
            given = cli_values.read_fields(schema, words, around)
            result = vault.add_entry(type, id, given, options)
            results = [replace(result, notes=(*around.notes, *result.notes))]
    if context.json and len(results) > 1:
        output.data(wire.listing([wire.written(result) for result in results]))
        return
    *others, last = results
    for result in others:
        show_written(context, replace(result, landed=UNCOMMITTED), verb="added")
    follow_up = "vault commit" if others else f"vault commit {last.key}"
    show_written(context, last, verb="added", follow_up=follow_up)


def _pair(text: str) -> tuple[str, str, str]:
    name, operator, value = assignment(text)
    if operator in ("+", "-"):
        raise UsageError(f"`{name}{operator}=` changes an existing value", hint=f"write `{name}={value}`")
    return name, operator, value


def _read(context: Context, source: str) -> str:
    from vault import Vault

    if source == "-":
        return Vault.read_source(context.read_input(), "standard input")
    return Vault.read_source(None, str(context.directory / source))


def _prompted(schema: "Schema", given: set[str]) -> list[tuple[str, str]]:
    """Ask for what people mostly want to say and have not said; an empty answer leaves a field out."""
    answers = []
    for spec in schema.fields:
        if spec.name in given or not (spec.required or spec.name in ("kind", "text", "summary")):
            continue
        if spec.description:
            output.note(spec.description)
        choices = click.Choice(["", *spec.allowed_values], case_sensitive=False) if spec.allowed_values else None
        shown = f"{spec.name} ({', '.join(spec.allowed_values)})" if spec.allowed_values else spec.name
        default = None if spec.required else ""
        answer = click.prompt(shown, default=default, type=choices, show_default=False, show_choices=False, err=True)
        if answer:
            answers.append((spec.name, answer))
    return answers
