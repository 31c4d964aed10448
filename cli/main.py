"""The `vault` command: its commands are loaded when they are run."""

import errno
import gc
import importlib
import keyword
import os
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click

from cli import output
from cli.context import Context
from cli.options import directory_option, global_option, json_option, space_option
from cli.remote import WarmCommand, WarmGroup
from vault import __version__
from vault.errors import UsageError, VaultError

#: Groups of commands, in the order `vault --help` lists them; command → its summary. A test keeps these equal to the
#: commands' own summaries and to the bundled entries.
GROUPS: dict[str, dict[str, str]] = {
    "Start": {
        "init": "Make a folder a vault.",
        "tour": "Walk through a sample vault.",
        "import": "Import notes and records.",
        "doctor": "Find problems and suggest fixes.",
    },
    "Write": {
        "add": "Add an entry.",
        "set": "Change fields of an entry.",
        "edit": "Edit an entry in your editor.",
        "rm": "Remove an entry.",
        "fact": "Record a fact about an entity.",
        "supersede": "Replace a fact's statement with a new one.",
        "retract": "Withdraw a fact.",
        "restore": "Restore an entry to an earlier version.",
        "remember": "Record facts and relations from JSON, or keep a text as a note.",
        "file": "List, show and change whole .firm files.",
    },
    "Find": {
        "search": "Search entries by keyword and by meaning.",
        "get": "Show an entry with its links.",
        "show": "Print an entry as it is written.",
        "list": "List entries.",
        "tags": "List tags and how many entries have them.",
        "query": "Run a query.",
        "knowledge": "Browse what is known about an entity.",
        "related": "List the entries linked with an entry.",
        "graph": "Draw the links between entries.",
    },
    "Look back": {
        "log": "List commits, of the vault or of one entry.",
        "history": "Show the history of an entry or a slot.",
        "diff": "Compare two versions of the vault.",
        "blame": "Show where each field of an entry comes from.",
    },
    "Check and commit": {
        "status": "Show uncommitted changes.",
        "check": "Validate entries.",
        "fmt": "Format files.",
        "commit": "Commit changes.",
        "explain": "Explain a diagnostic code.",
        "hooks": "Install git hooks that validate commits.",
    },
    "Agents": {
        "hydrate": "Print the facts relevant to a message.",
        "chat": "Import and show chats.",
        "mcp": "Start an MCP server for an agent.",
        "serve": "Start an HTTP server.",
        "consent": "Review what agents ask to do.",
    },
    "Maintenance": {
        "spaces": "List, add and change spaces.",
        "schema": "List, show and add entry types.",
        "index": "Update the search index.",
        "eval": "Measure search quality.",
        "completion": "Print a shell completion script.",
    },
}

#: Command → its summary.
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

#: Characters of a file name that a message shows: an overlong one is what is wrong with it.
SHOWN_NAME = 120

#: What a system answers that does not let a file be used, perhaps without a name: a call on an open file has none.
REFUSALS = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO),
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE),
}

EXAMPLES = """
\b
Examples:
  vault init                                  make a vault here
  vault add actor --field name="Ada Lovelace"
  vault set ada_lovelace summary="Wrote the first program"
  vault search "who wrote the first program"
  vault commit                                keep it in history
"""


class SystemRefused(VaultError):
    """A file or folder that the system would not let a command use."""

    code = "system-refused"

    def __init__(self, error: OSError) -> None:
        name = (
            os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(error.filename or "a file")
        )
        shown = name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…"
        super().__init__(f"{shown}: {error.strerror}", hint="check the name, and that you may use what it names")


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
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one gets a suggestion."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            ctx.fail(f"No such command `{name}`.{hint}")
        found = super().resolve_command(ctx, args)
        if ctx.ensure_object(Context).shelf and not isinstance(found[1], (WarmCommand, WarmGroup)):
            ctx.fail(f"`{name}` is not run for others.")
        return found


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
@click.pass_context
def main(context: click.Context) -> None:
    """Git for what you know: typed plain-text entries, checked, searched, and kept in history."""
    if context.ensure_object(Context).plain:
        context.color = False


#: New objects before Python looks for circles of them. At 700, its default, this takes a tenth of a commit's time in
#: a vault of 50,000 entries, and finds next to nothing.
_COLLECT_AFTER = 100_000


def run() -> NoReturn:
    """Run the command line and exit: the one place where errors become exit codes."""
    gc.set_threshold(_COLLECT_AFTER)
    output.never_fail()
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: list[str]) -> int:
    """Run the command line and return the exit code.

    0 done · 1 findings, or refused · 2 usage · 3 a fault of the program · 130 interrupted.
    """
    try:
        return _run(arguments)
    except OSError as error:  # what is left of them is about standard output
        output.silence()
        if not isinstance(error, BrokenPipeError):
            output.error_line("write-failed", f"standard output cannot be written: {error.strerror}", "")
        return 1


def _run(arguments: list[str]) -> int:
    try:
        context = Context()
    except FileNotFoundError:
        gone = UsageError("the folder this runs in is gone", hint="go to one that is there")
        return _failed(gone, json="--json" in arguments)
    return run_as(arguments, context)


def run_as(arguments: list[str], context: Context) -> int:
    """Run a command for whoever a context stands for, and return the exit code; what goes wrong is told."""
    asked = "--json" in arguments  # also where the words before it were not understood
    context.arguments = arguments
    try:
        _readable(arguments)
        result = main.main(arguments, prog_name=_program(), standalone_mode=False, obj=context)
    except VaultError as error:
        return _failed(error, json=context.json or asked)
    except click.ClickException as error:
        return _misused(error, json=context.json or asked)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(json=context.json or asked)
    except Exception as error:  # the boundary: whatever else happens is ours, and is logged
        if isinstance(error, OSError) and _while_printing(error):
            raise
        return _unforeseen(error, json=context.json or asked)
    code = result if isinstance(result, int) else 0
    return max(code, 1) if context.incomplete else code


def _program() -> str:
    """The name the command was called by: `vault`, or `fv` where that is someone else's."""
    name = Path(sys.argv[0]).name
    return name if name == "fv" else "vault"


def _readable(arguments: list[str]) -> None:
    """Raise `UsageError` for an argument whose bytes are not UTF-8: no entry and no message can hold it."""
    for number, argument in enumerate(arguments, 1):
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            shown = argument.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            raise UsageError(
                f"the argument `{shown}` is not UTF-8",
                hint="give it in UTF-8; a file of another name can be renamed",
                details={"argument": number},
            ) from error


def _while_printing(error: OSError) -> bool:
    """Say whether it was a result that could not be written, by us or by click."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return isinstance(error, BrokenPipeError) or frame.f_globals["__name__"] in ("click.utils", "cli.output")


def _failed(error: VaultError, *, json: bool) -> int:
    if json:
        from vault.wire import error as shape

        output.data(shape(error))
    elif error.status == 0:
        output.note(error.message)
    else:
        output.error_line(error.code, error.message, error.hint)
    return error.status


def _misused(error: click.ClickException, *, json: bool) -> int:
    if json:
        _say_json("usage", error.format_message(), "see --help")
    else:
        error.show()
    return 2 if isinstance(error, click.UsageError) else 1


def _interrupted(*, json: bool) -> int:
    if json:
        _say_json("interrupted", "interrupted", "")
    output.note("\ninterrupted")
    return 130


def _unforeseen(error: Exception, *, json: bool) -> int:
    """Tell what the system refused, which a message helps against, from a fault of the program."""
    if isinstance(error, OSError) and (error.filename is not None or error.errno in REFUSALS):
        return _failed(SystemRefused(error), json=json)
    return _broken(error, json=json)


def _broken(error: Exception, *, json: bool) -> int:
    """Write what happened to a log file and say where it is."""
    import tempfile

    report = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile(
        "w", prefix="firm-vault-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as log:
        log.write(f"firm-vault {__version__}\n{sys.argv}\n{report}")
    message = f"{type(error).__name__}: {error}"
    hint = f"this is a fault of the program; what happened is in {Path(log.name)}"
    if json:
        _say_json("internal", message, hint)
    else:
        output.error_line("internal", message, hint)
    return 3


def _say_json(code: str, message: str, hint: str) -> None:
    output.data({"error": {"code": code, "message": message, "hint": hint}})
