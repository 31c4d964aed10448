"""`vault edit`."""

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common, entry_argument
from cli.shared import asked_commit, show_written
from vault.diagnostics import has_errors
from vault.errors import VaultError


class NoEditor(VaultError):
    """No editor is known."""

    code = "no-editor"

    def __init__(self) -> None:
        super().__init__("no editor is chosen", hint="set EDITOR, as in `export EDITOR=nano`")


class EditorFailed(VaultError):
    """The editor could not be run, or ended with an error."""

    code = "editor-failed"

    def __init__(self, editor: str, why: str) -> None:
        super().__init__(f"the editor `{editor}` {why}", hint="check VISUAL and EDITOR; your file is as it was saved")


@click.command(
    short_help="Edit an entry in your editor.",
    epilog="\b\nExamples:\n  vault edit ada\n  EDITOR='code --wait' vault edit ada --commit",
)
@entry_argument()
@click.option("--override", is_flag=True, help="Edit a copy of a global or bundled entry in your space.")
@commit_options
@common
@pass_context
def command(context: Context, entry: str, override: bool, do_commit: bool, message: str | None) -> None:
    """Open an entry's file in VISUAL or EDITOR, then validate it and offer to edit again.

    Your changes are always kept, even if they have errors.
    """
    from vault.render import full

    editor = (context.editor or "").strip()
    if not editor:
        raise NoEditor
    vault = context.open()
    if override:
        vault.change_entry(entry, {}, override=True)
    stored = vault.get(entry)
    vault.check_changeable(stored)
    path = stored.text_file or stored.entry.path
    before = vault.blob(path)
    while True:
        _run(editor, str(vault.root / path))
        vault.refresh(anew=True)
        found = vault.check([stored.entry.path])
        if not has_errors(found):
            break
        for item in found:
            output.note(full(item, vault.excerpt))
        if not (context.interactive and click.confirm("Open it again?", default=True, err=True)):
            break
    options = asked_commit(wanted=do_commit, message=message)
    result = vault.accept_edit(stored, path, found, before=before, options=options)
    verb = "edited" if result.paths else "nothing changed in"
    show_written(context, result, verb=verb, follow_up=f"vault commit {result.path}" if result.paths else "")
    if has_errors(found):
        click.get_current_context().exit(1)


def _run(editor: str, path: str) -> None:
    import shlex
    import subprocess

    try:
        ended = subprocess.run([*shlex.split(editor), path], check=False)
    except (OSError, ValueError) as error:
        raise EditorFailed(editor, f"could not be run: {error}") from error
    if ended.returncode:
        raise EditorFailed(editor, f"ended with the code {ended.returncode}")
