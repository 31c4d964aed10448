"""`vault commit`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common, complete_entries
from vault import wire
from vault.errors import UsageError, VaultError

EXAMPLES = """
\b
Examples:
  vault commit
  vault commit actor.ada fact.bob_role
  vault commit -m "After the interview"
  git add -p && vault commit --staged
"""


@click.command(short_help="Commit changes.", epilog=EXAMPLES)
@click.argument("entries", nargs=-1, metavar="[ENTRY]...", shell_complete=complete_entries)
@click.option("-m", "--message", metavar="TEXT", help="Commit message; default: what changed.")
@click.option("--staged", is_flag=True, help="Commit what is staged, like `git commit`.")
@common
@pass_context
def command(context: Context, entries: tuple[str, ...], message: str | None, staged: bool) -> None:
    """Commit the named entries, or every changed file of the vault.

    Changes are validated first; errors abort the commit. Other staged changes are left alone. Files of a private space
    get a commit of their own, whose message reveals nothing about them.
    """
    if staged and entries:
        raise UsageError("`--staged` commits what is staged, whatever it is", hint="leave the entries out")
    vault = context.open()
    try:
        made = vault.commit(entries, message=message, staged=staged)
    except VaultError as nothing:
        if not context.json or nothing.code != "nothing-to-commit":
            raise
        output.data({**wire.listing([]), "message": nothing.message})
        return
    if context.json:
        output.data(wire.listing([wire.commit(one) for one in made]))
        return
    for one in made:
        told = f"{one.files} file{'s' * (one.files != 1)}"
        output.text(f"{output.style(one.commit[:10], fg='yellow')} {one.subject} ({told})")
