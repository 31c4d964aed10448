"""What several commands do: commit what was written, show findings, ask."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli import output, paths
from cli.context import Context
from vault import wire
from vault.errors import UsageError, VaultError

if TYPE_CHECKING:
    from vault.diagnostics import Diagnostic
    from vault.model.values import Value
    from vault.service.arguments.cli_values import Surroundings
    from vault.service.arguments.commit_options import CommitOptions
    from vault.service.read.chats import Excerpt
    from vault.service.read.entry_detail import Detail
    from vault.service.runtime.commit_result import Landed
    from vault.service.vault import Vault
    from vault.service.write.result import Placed, Written


class NeedsConsent(VaultError):
    """A command that asks first, where nobody can be asked."""

    code = "consent-required"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs confirmation, and there is no terminal to ask on", hint="repeat it with --yes")


class Declined(VaultError):
    """A question answered with no."""

    code = "declined"

    def __init__(self) -> None:
        super().__init__("nothing was done")


def ask(context: Context, question: str, what: str, *, yes: bool) -> None:
    """Ask for consent; raises `NeedsConsent` without a terminal, `Declined` on a no."""
    if yes:
        return
    if not context.interactive:
        raise NeedsConsent(what)
    if not click.confirm(question, err=True):
        raise Declined


#: Files that a note names; the others are counted.
NAMED = 3


def note_left_out(vault: "Vault") -> None:
    """Say which files hold entries that were not read."""
    found = vault.unread_files()
    if found:
        shown = "; ".join(output.flat(item.why) for item in found[:NAMED])
        more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
        output.note(f"not read: {shown}{more}. `vault check` shows each in full")


def note_misplaced(vault: "Vault") -> None:
    """Say which `.firm` files stand where no command reads them, and which folders are repositories of their own."""
    found = vault.misplaced_files()
    if found:
        shown = ", ".join(map(output.flat, found[:NAMED])) + (f" and {len(found) - NAMED} more" * (len(found) > NAMED))
        output.note(f"in no scope, so no command reads it: {shown}; move it below global/ or spaces/SPACE/")
    for folder in vault.scanned().repositories:
        if vault.shows(f"{folder}/x"):
            output.note(f"{output.flat(folder)} is a git repository of its own, so nothing in it belongs to this vault")


def note_undeclared(vault: "Vault") -> None:
    """Say that there are folders of spaces which no setting declares."""
    if vault.undeclared_spaces():
        output.note("a folder in spaces/ is not declared in vault.yaml, so it is private; `vault check` names it")


def asked_commit(*, wanted: bool, message: str | None) -> "CommitOptions | None":
    """What `--commit` and `--message` ask for."""
    from vault.service.arguments.commit_options import CommitOptions

    return CommitOptions(message) if wanted or message else None


def show_written(context: Context, result: "Written", *, verb: str, follow_up: str = "") -> None:
    """Say what a write did, what it warns of, and what to run next."""
    if context.json:
        output.data(wire.written(result))
        return
    placed = result.placed
    if placed and placed.op in _SAID:
        verb = _SAID[placed.op]
    if placed and placed.done:
        output.text(f"done already, in {placed.done[:10]}: {result.key}")
        return
    output.text(f"{verb} {output.style(result.key, bold=True)} in {result.path}")
    if placed:
        _show_replaced(placed)
    for path in result.shadows:
        output.text(f"  now hidden here: {path}")
    if result.reveals:
        output.text(f"  now showing again: {result.reveals}")
    for text in result.notes:
        output.note(text)
    show_findings(result.findings)
    if show_landed(result.landed):
        return
    if follow_up and not (placed and placed.op == "none"):
        output.note(f"next: {follow_up}")


#: What a write did that placed an entry, where that is not what its command is called.
_SAID = {
    "supersede": "superseded",
    "update": "added sources to",
    "none": "nothing to change; already recorded in",
    "retract": "retracted",
    "restore": "restored",
}


def _show_replaced(placed: "Placed") -> None:
    """Say what stood where a fact went, and which keys are spelt otherwise there."""
    if placed.replaced:
        fields = placed.replaced.entry.fields
        told = next((fields[name] for name in ("statement", "text", "summary") if name in fields), "")
        told = told or placed.replaced.entry.name
        output.text(f"  before: {output.cut(str(told), 100)}")
    for name in placed.respelt:
        spelt = placed.replaced.entry.fields.get(name, "general") if placed.replaced else ""
        output.note(f"kept the existing spelling `{spelt}` for the {name}")


def surroundings(context: Context, vault: "Vault", file: str) -> "Surroundings":
    """How words typed here are read for an entry in a file of the vault."""
    from vault.service.arguments.cli_values import Surroundings

    def stored_path(name: str, text: str) -> str:
        stored, place = paths.stored(vault.root, context.directory, file, text)
        if place is not None and not place.exists():
            around.notes.append(f"`{name}`: there is no file {text}")
        return stored

    around = Surroundings(lambda key: bool(vault.snapshot().by_key(key)), stored_path)
    return around


def show_detail_json(found: "Detail", more: "Mapping[str, Any] | None" = None) -> None:
    """Print an entry with all around it, and `more`, as JSON."""
    shape = wire.entry(
        found.stored, text=found.text, commit=found.commit, referrers=found.referrers, shadows=found.shadows
    )
    show_conflicts(found.conflicts)
    output.data({**shape, "conflicted": bool(found.conflicts), **(more or {})})


def show_conflicts(found: "Sequence[Diagnostic]") -> None:
    """Warn of files in which a merge left two sides, of which one is shown."""
    for path in dict.fromkeys(item.span.path for item in found):
        output.warn(f"{output.flat(path)} is in conflict: only the first side (`ours`) is shown")


def show_turns(found: "Excerpt") -> None:
    """Show turns of a chat, each with its number, who spoke, and where it stands."""
    for number, turn in enumerate(found.turns, found.first):
        who = f"{turn.name} ({turn.role})" if turn.name else turn.role
        head = f"{number}  {output.flat(who)}{f'  {output.flat(turn.at)}' if turn.at else ''}"
        output.text(
            output.style(f"{head}  {found.chat.path}:{turn.line}@{found.chat.commit}", bold=number == found.turn)
        )
        output.text("\n".join(f"  {line}" for line in turn.content.rstrip().splitlines()))


def show_landed(landed: "Landed") -> bool:
    """Say which commit was made, or that none was needed; returns False if there is neither to tell."""
    if landed.commit:
        output.text(f"committed {landed.commit.commit[:10]}: {landed.commit.subject}")
    elif landed.already_in:
        output.text(f"no commit was needed: {landed.already_in[:10]}, the last one, already holds this")
    return bool(landed.commit or landed.already_in)


def show_findings(found: "Sequence[Diagnostic]") -> None:
    """Show findings beside a result, one line each."""
    from vault.render import line

    for item in found:
        output.note(line(item))


def told(vault: "Vault", options: "Mapping[str, Any]") -> "dict[str, Value]":
    """The fields that options of `fact_options` give a fact, each by the schema's kind."""
    from vault.model.slots import FACT
    from vault.service.arguments.cli_values import read_fields

    vault.refresh()
    pairs = [
        (name, text)
        for name, given in options.items()
        for text in (given if isinstance(given, tuple) else (given,))
        if text is not None
    ]
    return read_fields(vault.schemas().get(FACT), pairs)


def typed(context: Context, pair: tuple[str, str, str]) -> tuple[str, str, str]:
    """Take `-` for standard input and `@FILE` for the text of an existing file, as the value of a field.

    Raises `UsageError` for a file that is not UTF-8.
    """
    name, operator, value = pair
    place = context.start / value[1:]
    if operator != ":" and value == "-":
        data = context.read_input()
    elif operator != ":" and value.startswith("@") and len(value) > 1 and place.is_file():
        data = place.read_bytes()
    else:
        return pair
    try:
        return name, operator, data.decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{value} is not UTF-8", hint="save it as UTF-8, then repeat the command") from error


def assignment(text: str) -> tuple[str, str, str]:
    """Split `name=value`, `name:=value`, `name+=value` or `name-=value` into name, operator and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"`{text}` sets nothing", hint="write `field=value`, `list+=item` or `list-=item`")
    operator = name[-1:] if name[-1:] in ("+", "-", ":") else ""
    from vault.model.keys import is_identifier

    field = name.removesuffix(operator).strip() if operator else name.strip()
    if not is_identifier(field):
        raise UsageError(f"`{field}` cannot be a field name", hint="field names are ASCII letters, digits and `_`")
    return field, operator, value
