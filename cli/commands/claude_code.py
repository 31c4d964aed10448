"""`vault hooks claude-code`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import output
from cli.context import AGENT, Context, pass_context
from cli.options import Command, common
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.admin.claude_code import Entries, Files


@click.group(
    "claude-code",
    short_help="Hydrate prompts of Claude Code, and give it the tools.",
    epilog="\b\nExamples:\n  vault hooks claude-code install\n"
    "  vault -C ~/notes hooks claude-code install --project ~/app\n"
    "  vault -C ~/notes --space work hooks claude-code install --user --agent planner\n"
    "  vault hooks claude-code status",
)
def claude_code() -> None:
    """Connect Claude Code to this vault.

    Adds two entries to Claude Code's settings: a hook that runs `vault hydrate --event` for each prompt and adds the
    result to the conversation, and an MCP server that runs `vault mcp`. Nothing else in these files changes.
    """


def _where(command: Command) -> Command:
    user = click.option("--user", is_flag=True, help="For all projects of this user, in ~/.claude and ~/.claude.json.")
    project = click.option(
        "--project",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="For the project in DIR, not the vault's own folder.",
    )
    return project(user(command))


@claude_code.command(
    "install",
    epilog="\b\nExamples:\n  vault hooks claude-code install\n  vault hooks claude-code install --user --meaning",
)
@_where
@click.option("--name", default="vault", show_default=True, help="Name of the MCP server.")
@click.option("--agent", metavar="AGENT", help="Agent identity of Claude Code; it also sees its own entries.")
@click.option("--meaning", is_flag=True, help="Also match prompts by meaning; fast while a server runs.")
@common
@pass_context
def install(context: Context, project: Path | None, user: bool, name: str, agent: str | None, meaning: bool) -> None:
    """Add or update the hook and the server.

    Claude Code sees what a reader in `--space` sees. Restart it afterwards.
    """
    from cli.programs import programs
    from vault.service.admin import claude_code as client

    vault = context.open()
    program = vault.usable_program(programs(vault.environ.get("PATH")), vault.environ)
    known = agent or context.environ.get(AGENT) or None
    wanted = client.Wanted(program, vault.root, name, vault.reader.space, known, meaning)
    files = _files(context, project, user=user)
    changed = client.install(files, wanted)
    _show(context, files, client.look(files, vault.root), changed)
    if changed and not context.json:
        output.note("next: restart Claude Code; it asks once whether it may use the server")


@claude_code.command("uninstall", epilog="\b\nExamples:\n  vault hooks claude-code uninstall --user")
@_where
@common
@pass_context
def uninstall(context: Context, project: Path | None, user: bool) -> None:
    """Remove the hook and the server of this vault."""
    from vault.service.admin import claude_code as client

    root = context.open().root
    files = _files(context, project, user=user)
    changed = client.uninstall(files, root)
    _show(context, files, client.look(files, root), changed)


@claude_code.command("status", epilog="\b\nExamples:\n  vault hooks claude-code status --json")
@_where
@common
@pass_context
def status(context: Context, project: Path | None, user: bool) -> None:
    """Show the entries for this vault in Claude Code's settings."""
    from vault.service.admin import claude_code as client

    files = _files(context, project, user=user)
    _show(context, files, client.look(files, context.open().root), None)


def _files(context: Context, project: Path | None, *, user: bool) -> "Files":
    from vault.service.admin.claude_code import Files

    if user and project:
        raise UsageError("--user is for all projects", hint="leave --project out, or --user")
    if user:
        return Files.of_user(context.home)
    return Files.of_project((context.start / project).resolve() if project else context.open().root)


def _show(context: Context, files: "Files", found: "Entries", changed: "list[Path] | None") -> None:
    if context.json:
        told: dict[str, Any] = {} if changed is None else {"changed": [str(path) for path in changed]}
        hook = {"path": str(files.settings), "command": found.hook}
        server = {"path": str(files.servers), "name": found.name, "command": list(found.server)}
        output.data({**told, "hook": hook, "server": server})
        return
    for path in changed or ():
        output.text(f"wrote {path}")
    if changed == []:
        output.text("nothing to do")
    output.text(f"hook: {found.hook or 'not installed'}")
    output.text(f"server: {found.name}: {' '.join(found.server)}" if found.name else "server: not installed")
