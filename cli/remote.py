"""Reads that a process answers which has the vault open (`vault serve`, `vault mcp`): the same bytes, sooner."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import output
from cli.context import LOCK_TOKEN, Context

if TYPE_CHECKING:
    from vault.serve.command_socket import Reply

#: Variables that a command may look at: those that begin like this, and these.
PREFIXES = ("FIRM_VAULT_", "GIT_", "LC_", "XDG_")
NAMES = ("HOME", "LANG", "NO_COLOR", "TZ")


class WarmCommand(click.Command):
    """A command that reads: whoever serves the vault is asked first, and without one it does the work itself.

    `takes_input` says of the parameters whether standard input is read.
    """

    def __init__(
        self, *arguments: Any, takes_input: Callable[[Mapping[str, Any]], bool] = lambda _: False, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.takes_input = takes_input

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command here or there."""
        context = ctx.ensure_object(Context)
        reply = None if context.shelf else _asked(context, takes_input=self.takes_input(ctx.params))
        if reply is None:
            return self._run(ctx)
        output.replay(reply.printed)
        return reply.code

    def _run(self, ctx: click.Context) -> Any:
        """Run the command; derived data that turns out to be damaged is rebuilt, and read once more."""
        from vault.errors import DamagedData

        before = output.results()
        try:
            return super().invoke(ctx)
        except DamagedData as error:
            if output.results() > before:
                raise
            output.note(f"{error.message}; it is rebuilt")
            ctx.close()  # lets go of what is damaged
            return super().invoke(ctx)


class WarmGroup(click.Group):
    """A group whose commands all read."""

    command_class = WarmCommand


def _asked(context: Context, *, takes_input: bool) -> "Reply | None":
    """What whoever serves the vault answers; None where nobody does, or where it could differ from our own."""
    root = _served(context.directory)
    if root is None or LOCK_TOKEN in context.environ or (sys.stdout.encoding or "").lower() != "utf-8":
        return None
    if takes_input and sys.stdin.isatty():
        return None
    from vault.serve.command_socket import ask

    return ask(
        root,
        {
            "arguments": context.arguments,
            "folder": str(context.start),
            "environ": {k: v for k, v in context.environ.items() if k.startswith(PREFIXES) or k in NAMES},
            "input": context.read_input().decode("latin-1") if takes_input else None,
            "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
        },
    )


def _served(directory: Path) -> Path | None:
    """The vault a folder is in, if somebody may serve it."""
    place = directory.resolve()
    root = next((folder for folder in (place, *place.parents) if (folder / "vault.yaml").exists()), None)
    # `.vault` that may not be looked into has no server for us
    return root if root and os.path.exists(root / ".vault" / "serve.sock") else None  # noqa: PTH110  raises nothing
