"""Options that commands share, and the completion of what people type."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from cli.context import Context

if TYPE_CHECKING:
    from vault.workspace.snapshot import Snapshot

Command = TypeVar("Command", bound=Callable[..., Any])


def _store(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Make the callback that puts an option's value into the command's `Context`."""

    def callback(context: click.Context, _: click.Parameter, value: Any) -> None:
        held = context.ensure_object(Context)
        if value not in (None, False):  # an empty word is one: it says nothing, and is refused where it is read
            # for another process: from where that one stands
            setattr(held, name, held.start / value if name == "directory" and held.shelf else value)

    return callback


def _complete(wanted: Callable[["Snapshot"], list[tuple[str, str]]]) -> Any:
    """Complete from what the vault holds; trouble completes nothing."""

    def complete(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
        from vault.errors import VaultError

        try:
            with context.ensure_object(Context).open() as vault:
                pairs = wanted(vault.snapshot())
        except (VaultError, OSError):
            return []
        return [CompletionItem(word, help=about) for word, about in pairs if word.startswith(begun)]

    return complete


def _entry_words(snapshot: "Snapshot") -> list[tuple[str, str]]:
    """The keys of the entries, and their aliases: behind the keys, and without those that hold blanks."""
    entries = [stored.entry for stored in snapshot.entries()]
    aliases = [(alias, entry.key) for entry in entries for alias in entry.texts("aliases") if len(alias.split()) == 1]
    return [*((entry.key, entry.name) for entry in entries), *aliases]


def _space_words(snapshot: "Snapshot") -> list[tuple[str, str]]:
    settings = snapshot.layout.settings
    return [(name, settings.spaces[name].description) for name in settings.public_spaces()]


def _type_words(snapshot: "Snapshot") -> list[tuple[str, str]]:
    own = (item for item in sorted(snapshot.schemas.items()) if item[1].path)
    return [(name, schema.description) for name, schema in own]


complete_entries = _complete(_entry_words)
complete_spaces = _complete(_space_words)
complete_types = _complete(_type_words)

directory_option = click.option(
    "-C",
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Run as if started in DIR.",
    callback=_store("directory"),
    expose_value=False,
    is_eager=True,
)
space_option = click.option(
    "--space",
    metavar="SPACE",
    help="Work in this space (default: FIRM_VAULT_SPACE, else the folder's space).",
    callback=_store("space"),
    expose_value=False,
    shell_complete=complete_spaces,
)
global_option = click.option(
    "--global",
    "outside",
    is_flag=True,
    help="Work outside all spaces.",
    callback=_store("outside"),
    expose_value=False,
)
json_option = click.option(
    "--json", "json", is_flag=True, help="Print JSON.", callback=_store("json"), expose_value=False
)


def common(command: Command) -> Command:
    """Add the options every command takes: `-C`, `--space`, `--global`, `--json`."""
    for option in (json_option, global_option, space_option, directory_option):
        command = option(command)
    return command


def commit_options(command: Command) -> Command:
    """Add `--commit` and `--message` to a command that writes files."""
    command = click.option("-m", "--message", metavar="TEXT", help="Commit message; implies --commit.")(command)
    return click.option("--commit", "do_commit", is_flag=True, help="Commit the change.")(command)


def fact_options(command: Command) -> Command:
    """Add what a statement may say besides its sentence; `told` in `cli.shared` reads them."""
    options = [
        click.option("--value", metavar="TEXT", help="Bare value of the statement, such as CTO."),
        click.option("--valid-from", metavar="DATE", help="First day or moment it is valid."),
        click.option("--valid-until", metavar="DATE", help="First day or moment it is no longer valid."),
        click.option("--observed-at", metavar="DATE", help="When it was observed."),
        click.option(
            "--source", "sources", metavar="TEXT", multiple=True, help="Source: a URL, path or citation (repeatable)."
        ),
        click.option("--quote", metavar="TEXT", help="Quote from the source."),
        click.option("--confidence", metavar="0..1", help="Confidence."),
        click.option("--importance", metavar="0..1", help="Importance."),
        click.option("--hint", "hints", metavar="TEXT", multiple=True, help="Search terms for it (repeatable)."),
        click.option("--tag", "tags", metavar="TAG", multiple=True, help="Tag (repeatable)."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def chat_options(command: Command) -> Command:
    """Add `--chat` and `--turn`, which say where an entry is written, as `Vault.written_in` takes them."""
    command = click.option(
        "--turn", "chat_turn", type=click.IntRange(min=0), metavar="N", help="With --chat: the turn, counted from 0."
    )(command)
    return click.option("--chat", "chat", metavar="ID", help="Chat ID recorded with the entry.")(command)


def intent_options(command: Command) -> Command:
    """Add what the commit of a write says besides: `--message`, `--reason`, `--key`."""
    for option in (
        click.option("--key", metavar="KEY", help="Idempotency key; repeating the command changes nothing."),
        click.option("--reason", metavar="TEXT", help="Reason, kept in the commit message."),
        click.option("-m", "--message", metavar="TEXT", help="Commit message; default: what changed."),
    ):
        command = option(command)
    return command


def at_option(command: Command) -> Command:
    """Add `--at`, which reads what was known, and `--valid-at`, which reads what held."""
    command = click.option(
        "--valid-at",
        metavar="DATE",
        help="Only facts valid on this date (as known now, or at `--at`).",
        callback=_store("valid_at"),
        expose_value=False,
    )(command)
    return click.option(
        "--at", metavar="REV|DATE", help="Read the vault as of a commit, a date (`2025-03-01`) or `2 weeks ago`."
    )(command)


def entry_argument(name: str = "entry", **settings: Any) -> Callable[[Command], Command]:
    """Declare an argument that names an entry: key, id, path, name or alias."""
    return click.argument(name, metavar=name.upper(), shell_complete=complete_entries, **settings)
