"""`vault chat`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common
from cli.shared import asked_commit, show_landed, show_turns
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.read.chats import Chat

EXAMPLES = """
\b
Examples:
  vault chat import turns.jsonl --id standup
  vault chat import ~/.claude/projects/notes/4f1c.jsonl --commit
  vault chat list
  vault chat show standup --turn 12 --context 3
  vault search --in chats "who brings the cake"
  vault get fact.bob_role --context 2
"""


@click.group("chat", short_help="Import and show chats.", epilog=EXAMPLES)
def command() -> None:
    """Import and show chats, so that entries can name the conversation they come from.

    Chats are kept as JSON Lines files in the `chats/` folder of a scope.
    """


@command.command(
    "import",
    epilog="\b\nExamples:\n  vault chat import turns.jsonl --id standup --commit\n"
    '  echo \'{"role": "user", "content": "Hi"}\' | vault chat import - --id hello',
)
@click.argument("file", metavar="FILE|-")
@click.option("--id", "ident", metavar="ID", help="Chat ID; default: the transcript's, else the file name.")
@commit_options
@common
@pass_context
def import_(context: Context, file: str, ident: str | None, do_commit: bool, message: str | None) -> None:
    """Import the turns of FILE into a chat. Turns it already has are skipped.

    FILE has one JSON object per line, `{"role": "user", "content": "…"}`, with `at` (a time) and `name` if known, or
    it is the transcript of a Claude Code session.
    """
    from vault import Vault

    told = "standard input" if file == "-" else file
    data = context.read_input() if file == "-" else None
    text = Vault.read_source(data, told if file == "-" else str(context.directory / file))
    result = context.open().import_chat(
        text,
        told,
        ident=ident,
        name="" if file == "-" else Path(file).stem,
        options=asked_commit(wanted=do_commit, message=message),
    )
    if context.json:
        output.data(wire.chat_imported(result))
        return
    added = f"{result.added} turn{'s' * (result.added != 1)} added"
    output.text(f"{output.style(result.ident, bold=True)}: {added}, {result.total} in {result.path}")
    show_landed(result.landed)


@command.command("list", epilog="\b\nExamples:\n  vault chat list\n  vault chat list --all-spaces --json")
@click.option("--all-spaces", is_flag=True, help="Include all spaces that are not private.")
@common
@pass_context
def list_(context: Context, all_spaces: bool) -> None:
    """List the chats."""
    found = context.open(all_spaces=all_spaces).chats()
    if context.json:
        output.data(wire.listing([wire.chat(one) for one in found]))
        return
    output.table((output.style(one.ident, bold=True), f"{len(one.turns)} turns", _days(one), one.path) for one in found)
    for one in found:
        _warn(one)
    output.note(f"{len(found)} chat{'s' * (len(found) != 1)}")


def _days(chat: "Chat") -> str:
    told = [turn.at[:10] for turn in chat.turns if turn.at]
    return " to ".join(dict.fromkeys((told[0], told[-1]))) if told else ""


def _warn(chat: "Chat") -> None:
    """Say which lines of a chat are no turns."""
    for problem in chat.problems:
        output.warn(problem.message)


@command.command(
    "show", epilog="\b\nExamples:\n  vault chat show standup\n  vault chat show standup --turn 12 --context 3"
)
@click.argument("ident", metavar="ID")
@click.option("--turn", type=click.IntRange(min=0), metavar="N", help="Show only this turn, counted from 0.")
@click.option(
    "--context", "around", type=click.IntRange(min=0), metavar="N", help="With --turn: also N turns on each side."
)
@common
@pass_context
def show(context: Context, ident: str, turn: int | None, around: int | None) -> None:
    """Show a chat, or one turn with the turns around it."""
    if around is not None and turn is None:
        raise UsageError("`--context` shows what is around a turn", hint="say which with --turn")
    found = context.open().chat_excerpt(ident, turn, around or 0)
    if context.json:
        output.data(wire.turns(found))
        return
    show_turns(found)
    _warn(found.chat)
