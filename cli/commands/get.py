"""`vault get`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import at_option, common, entry_argument
from cli.remote import WarmCommand
from cli.shared import show_conflicts, show_detail_json, show_turns
from vault import wire
from vault.errors import UsageError, VaultError

if TYPE_CHECKING:
    from vault.model.values import Reference
    from vault.service.read.chats import Excerpt
    from vault.service.read.entry_detail import Detail
    from vault.service.vault import Vault


@click.command(
    cls=WarmCommand,
    short_help="Show an entry with its links.",
    epilog="\b\nExamples:\n  vault get actor.ada\n  vault get 'Ada Lovelace' --json\n  vault get ada --raw\n"
    "  vault get actor.ada.kind\n  vault get note.handbook#5cb4e172\n"
    "  vault get fact.bob_role --context 2",
)
@entry_argument()
@click.option("--raw", is_flag=True, help="Print the file.")
@click.option(
    "--context", "around", type=click.IntRange(min=0), metavar="N", help="Add its chat turn with N turns on each side."
)
@at_option
@common
@pass_context
def command(context: Context, entry: str, raw: bool, around: int | None, at: str | None) -> None:
    """Show an entry: its fields, its text, and its links in both directions.

    ENTRY is a key (`actor.ada`), an id, a path, a name or an alias; `-`, `_` and spaces are equivalent. A key with a
    field (`actor.ada.kind`) prints that field's value, and follows references. `--context` adds the chat turn the entry
    was written in, with N turns on each side. A key with `#` and an address from `vault search --explain` prints one
    passage of its text.
    """
    from vault.service.arguments.entry_words import field_reference, is_address

    vault = context.open(at=at)
    try:
        found = vault.detail(entry)
    except VaultError as error:
        if error.code != "not-found":
            raise
        reference = field_reference(entry)
        if not reference and not is_address(entry):
            raise
        if raw:
            raise UsageError("--raw shows a file, and this is a part of one", hint="leave --raw out") from None
        if reference:
            _value(context, vault, reference)
        else:
            _passage(context, vault, entry)
        return
    if raw:
        output.raw(vault.read(found.stored.entry.path))
    elif context.json:
        turns = None if around is None else _context(vault, found, around)
        show_detail_json(found, {} if around is None else {"context": turns and wire.turns(turns)})
    else:
        show_conflicts(found.conflicts)
        _show(found)
        if around is not None:
            _show_context(_context(vault, found, around))


def _context(vault: "Vault", found: "Detail", around: int) -> "Excerpt | None":

    return vault.chat_context(found.stored, around)


def _show_context(turns: "Excerpt | None") -> None:
    if turns is None:
        output.note("the chat it was written in is not here")
        return
    output.text(f"\n{output.style(f'chat {turns.chat.ident}', fg='cyan')}")
    show_turns(turns)


def _value(context: Context, vault: "Vault", reference: "Reference") -> None:
    from vault.model.codec import plain
    from vault.model.values import plain_text

    value = vault.field_value(reference)
    if context.json:
        output.data({"key": reference.key, "field": reference.field, "value": plain(value)})
    else:
        output.text(plain_text(value))


def _passage(context: Context, vault: "Vault", words: str) -> None:

    found = vault.passage(words)
    if context.json:
        output.data(wire.passage(found))
        return
    lines = found.passage.lines
    output.text(output.style(found.address, bold=True))
    output.text(output.style(f"{output.flat(found.passage.path)}:{lines[0]}-{lines[-1]}@{found.commit}", dim=True))
    output.text()
    if found.passage.heading:
        output.text(output.style(found.passage.heading, dim=True))
    output.text(found.passage.text)


def _show(found: "Detail") -> None:
    from vault.model.values import plain_text

    entry = found.stored.entry
    name = f"  {entry.name}" if entry.name != entry.id else ""
    output.text(f"{output.style(entry.key, bold=True)}{name}")
    output.text(output.style(f"{output.flat(entry.path)}:{entry.place.line}@{found.commit}", dim=True))
    output.text()
    short = [(field, plain_text(value)) for field, value in entry.fields.items() if field != "text"]
    output.table((output.style(field, fg="cyan"), " ".join(text.split())) for field, text in short)
    text = found.text if found.text is not None else entry.fields.get("text")
    if isinstance(text, str):
        output.text(f"\n{text.rstrip()}")
    if found.referrers:
        output.text()
        output.text(output.style("named by", fg="cyan"))
        output.table((f"  {other.entry.key}", field, other.entry.name) for field, other in found.referrers)
    for other in found.shadows:
        output.text(f"\nshadows {other.entry.path}")
