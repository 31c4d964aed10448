"""The `vault` command: its commands are loaded when they are run."""

import importlib
import keyword
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click

from cli.context import Context
from cli.options import directory_option, global_option, json_option, space_option
from vault import __version__
from vault.errors import VaultError

#: Command → what `vault --help` says of it. A test keeps these equal to the commands' own words.
COMMANDS = {
    "init": "Make a vault of a folder.",
    "tour": "See a sample vault at work.",
    "add": "Write a new entry.",
    "get": "Show an entry in full.",
    "list": "List entries.",
    "set": "Change fields of an entry.",
    "rm": "Remove an entry.",
    "edit": "Open an entry in your editor, then check it.",
    "search": "Find entries by words.",
    "check": "Check entries against their schemas and each other.",
    "fmt": "Put files into the canonical layout.",
    "status": "Show what is not committed.",
    "commit": "Commit entries.",
    "log": "Show the history of the vault or of an entry.",
    "import": "Bring in notes and records from elsewhere.",
    "spaces": "List, add and change spaces.",
    "schema": "List, show and add schemas.",
    "index": "Bring the search index up to date.",
    "doctor": "Look for trouble, with a next step for each.",
    "completion": "Print the shell completion script.",
}

EXAMPLES = """
\b
Examples:
  vault init                                 make a vault here
  vault add actor --field name="Ada Lovelace"
  vault search "who wrote the first program"
  vault set ada summary="Mathematician"
  vault commit                               keep it in history
"""


class LazyGroup(click.Group):
    """A group whose commands are modules of `cli.commands`, imported when one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List the commands in the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"cli.commands.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one gets a suggestion."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            ctx.fail(f"No such command `{name}`.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
@click.version_option(__version__, "-V", "--version", prog_name="vault")
@directory_option
@space_option
@global_option
@json_option
def main() -> None:
    """Git for what you know: typed plain-text entries, checked, searched, and kept in history."""


def run() -> NoReturn:
    """Run the command line and exit: the one place where errors become exit codes."""
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: list[str]) -> int:
    """Run the command line and return the exit code.

    0 done · 1 findings, or refused · 2 usage · 3 a fault of the program · 130 interrupted.
    """
    context = Context()
    try:
        result = main.main(arguments, prog_name=_program(), standalone_mode=False, obj=context)
    except VaultError as error:
        return _failed(context, error)
    except click.ClickException as error:
        return _misused(context, error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("\ninterrupted", err=True)
        return 130
    except BrokenPipeError:
        _quiet_pipe()
        return 1
    except Exception as error:  # noqa: BLE001  the boundary: whatever else happens is ours, and is logged
        return _broken(error)
    return result if isinstance(result, int) else 0


def _program() -> str:
    """The name the command was called by: `vault`, or `fv` where that is someone else's."""
    name = Path(sys.argv[0]).name
    return name if name == "fv" else "vault"


def _failed(context: Context, error: VaultError) -> int:
    from cli.output import data, error_line  # noqa: PLC0415

    if context.json:
        from vault.wire import error as shape  # noqa: PLC0415

        data(shape(error))
    elif error.status == 0:
        click.echo(error.message, err=True)
    else:
        error_line(error.code, error.message, error.hint)
    return error.status


def _misused(context: Context, error: click.ClickException) -> int:
    if context.json:
        from cli.output import data  # noqa: PLC0415

        data({"error": {"code": "usage", "message": error.format_message(), "hint": "see --help"}})
    else:
        error.show()
    return 2 if isinstance(error, click.UsageError) else 1


def _quiet_pipe() -> None:
    """Keep Python from complaining at exit that nobody reads any more."""
    import os  # noqa: PLC0415

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _broken(error: Exception) -> int:
    """Write what happened to a log file and say where it is."""
    import tempfile  # noqa: PLC0415

    report = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile("w", prefix="firm-vault-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.write(f"firm-vault {__version__}\n{sys.argv}\n{report}")
    click.echo(f"error[internal]: {type(error).__name__}: {error}", err=True)
    click.echo(f"help: this is a fault of the program; what happened is in {Path(log.name)}", err=True)
    return 3
