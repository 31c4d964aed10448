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


@click.command(short_help="Update the search index.", epilog=EXAMPLES)
@click.option("--rebuild", is_flag=True, help="Rebuild all derived data; embeddings of unchanged text are kept.")
@click.option("--check", "only_check", is_flag=True, help="Compare with a rebuild; exit with 1 if it differs.")
@click.option("--detach", is_flag=True, help="Run in the background.")
@directory_option
@json_option
@pass_context
def command(context: Context, rebuild: bool, only_check: bool, detach: bool) -> int:
    """Update the catalog, the text index and the embeddings.

    Commands that read update the first two themselves. `vault index` does everything in one go, private spaces
    included, and shows progress. Embeddings take the longest and start with the newest entries; if interrupted, the
    finished ones are kept.
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
    made = f", {state.embedded.made} embedded" if state.embedded.made else ""
    output.note(f"{state.changed} read, {state.removed} removed{made}")
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
