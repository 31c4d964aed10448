"""`vault status`."""

from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common
from cli.shared import note_misplaced
from vault import wire

if TYPE_CHECKING:
    from vault.service.read.entry_detail import Status
    from vault.store.git import Change


@click.command(short_help="Show uncommitted changes.", epilog="\b\nExamples:\n  vault status\n  vault status --json")
@common
@pass_context
def command(context: Context) -> None:
    """Show the current space, uncommitted changes, and the number of findings of `vault check`."""
    vault = context.open()
    seen = vault.status()
    if context.json:
        output.data(wire.status(seen, vault.root, vault.reader.space))
        return
    where = f"in the space {vault.reader.space}" if vault.reader.space else "outside every space"
    output.text(f"{vault.root}, {where}")
    counts = (
        (seen.entries, "entry", "entries"),
        (seen.errors, "error", "errors"),
        (seen.warnings, "warning", "warnings"),
    )
    output.text(", ".join(f"{number} {one if number == 1 else many}" for number, one, many in counts))
    if seen.branch is None and seen.head is None:
        output.note("in no git repository: nothing is kept in history; `vault init` makes one")
        return
    output.text(
        f"on {seen.branch or 'a detached HEAD'}" + (f" at {seen.head[:10]}" if seen.head else ", no commits yet")
    )
    if seen.unseen:
        output.warn(f"uncommitted changes are unknown: {seen.unseen}")
        return
    if seen.changes:
        output.text()
        output.table((f"  {_word(item)}", item.path) for item in seen.changes)
    else:
        output.text("all is committed")
    note_misplaced(vault)
    if following := _next(seen):
        output.note(f"next: {following}")


def _next(seen: "Status") -> str:
    """What to do next; "" for nothing."""
    git = f"git {seen.operation} --continue" if seen.operation else ""
    if seen.conflicted:
        paths = ", ".join(output.flat(path) for path in seen.conflicted)
        finish = f", and finish with `{git}`" if git else ""
        return f"settle the conflict in {paths}, `git add` it{finish}"
    if git:
        return f"{git} (or --abort): a {seen.operation} is under way"
    if seen.changes and seen.errors:
        return "vault check, and correct the errors; then vault commit"
    return "vault commit" if seen.changes else ""


def _word(item: "Change") -> str:
    if item.conflicted:
        return output.style("in conflict", fg="red")
    words = []
    if item.staged:
        words.append(output.style(f"{item.staged} (staged)", fg="green"))
    if item.unstaged:
        words.append(output.style("new" if item.unstaged == "untracked" else item.unstaged, fg="yellow"))
    return ", ".join(words)
