"""`vault index`."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import directory_option, json_option
from cli.shared import note_left_out
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.admin.reindex import Indexed
    from vault.service.vault import Vault

EXAMPLES = """
\b
Examples:
  vault index
  vault index --detach
  vault index --rebuild
  vault index --check
"""


@click.command(short_help="Bring the search index up to date.", epilog=EXAMPLES)
@click.option("--rebuild", is_flag=True, help="Make all derived data anew; vectors are kept by content.")
@click.option("--check", "only_check", is_flag=True, help="Prove that it equals a rebuild; exit code 1 if not.")
@click.option("--detach", is_flag=True, help="Do it in the background, and return at once.")
@directory_option
@json_option
@pass_context
def command(context: Context, rebuild: bool, only_check: bool, detach: bool) -> int:
    """Bring the catalog, the text index and the vectors of passages up to date.

    Every command that reads does the first two by itself; here all is done at once, private spaces too,
    and shows how far it is. Vectors take the longest, the newest entries first: what is done stays done
    when this is interrupted.
    """
    vault = context.open()
    if sum((rebuild, only_check, detach)) > 1:
        raise UsageError("--rebuild, --check and --detach do not go together", hint="choose one")
    if only_check:
        return _check(context, vault.index_differences())
    if detach:
        return _detach(context, vault)
    state = vault.index(rebuild=rebuild)
    if context.json:
        output.data(wire.indexed(state))
    else:
        _show(state)
    note_left_out(vault)
    if state.problem:
        output.warn(state.problem)
    return 1 if vault.refreshed.unread or state.problem else 0


def _check(context: Context, found: list[str]) -> int:
    if context.json:
        output.data({"equal": not found, "differences": found})
    else:
        for row in found:
            output.text(row)
        output.note(
            "derived data differs from a rebuild; next: vault index --rebuild" if found else "equal to a rebuild"
        )
    return 1 if found else 0


def _show(state: "Indexed") -> None:
    embedded = f", {state.share.passages} embedded" if state.share.of else ""
    output.text(f"{state.files} files, {state.entries} entries, {state.passages} passages{embedded}")
    made = f", {state.embedded.made} vectors made" if state.embedded.made else ""
    output.note(f"{state.changed} files read, {state.removed} gone{made}")
    if state.embedded.refused:
        output.warn(f"the model gives no vector that can be used for {state.embedded.refused} texts")


def _detach(context: Context, vault: "Vault") -> int:
    """Start this command anew, apart from the shell; what it says goes to a log."""
    if vault.derived is None:
        raise UsageError("the vault cannot be written to, so there is nothing to index", hint="give yourself access")
    log = vault.derived / "index.log"
    words = [sys.executable, "-m", "cli", "-C", str(vault.root), "index"]
    with log.open("wb") as file:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd=os.sep,  # else it would keep the folder this runs in
            start_new_session=True,
        )
    child.returncode = 0  # nobody waits for it, and Python would warn of that
    if context.json:
        output.data({"process": child.pid, "log": str(log)})
    else:
        output.text(f"indexing in the background, as process {child.pid}")
        output.note(f"what it says is in {log}")
    return 0
