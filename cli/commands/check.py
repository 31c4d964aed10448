"""`vault check`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common
from cli.paths import shown_from, vault_paths
from cli.shared import asked_commit, note_misplaced, show_landed
from vault import wire
from vault.errors import UsageError

if TYPE_CHECKING:
    from vault.service.arguments.commit_options import CommitOptions
    from vault.service.runtime.validation import Validation
    from vault.service.vault import Vault
    from vault.service.write.autofix import Fixed

EXAMPLES = """
\b
Examples:
  vault check
  vault check --format line global/actor/ada.firm
  vault check --fix
  vault check --staged                     in a pre-commit hook
  vault check --from origin/main --to HEAD   what a branch brings
  vault check --firm-compatible            what plain Firm would not read
"""


@click.command(short_help="Validate entries.", epilog=EXAMPLES)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--staged", is_flag=True, help="Validate what is staged for the next commit.")
@click.option("--from", "start", metavar="REV", help="Validate the files that changed since this revision.")
@click.option("--to", "end", metavar="REV", help="With --from: the revision to validate (default: HEAD).")
@click.option("--fix", is_flag=True, help="Apply safe fixes, then report what remains.")
@click.option("--firm-compatible", is_flag=True, help="Also report what plain Firm cannot read or reads differently.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["full", "line", "json", "github"]),
    default="full",
    show_default=True,
    help="Output format.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@commit_options
@common
@pass_context
def command(
    context: Context,
    files: tuple[Path, ...],
    staged: bool,
    start: str | None,
    end: str | None,
    fix: bool,
    firm_compatible: bool,
    style: str,
    strict: bool,
    do_commit: bool,
    message: str | None,
) -> int:
    """Validate the vault, or only FILES, and report every finding in file order.

    All spaces are checked, including private ones. The exit code is 1 if there is an error. `vault explain CODE`
    describes a finding. `--fix` converts values to the type that their schema declares, removes repeated fields, and
    moves entries into files named after their ids.
    """
    _make_sure_one(files, staged=staged, ranged=start is not None or end is not None, fix=fix)
    if (do_commit or message) and not fix:
        raise UsageError(
            "`--commit` goes with `--fix`: a check alone writes nothing", hint="add --fix, or leave it out"
        )
    if end is not None and start is None:
        raise UsageError("`--to` needs the revision to start from", hint="add `--from REV`")
    vault = context.open()
    paths = vault_paths(vault, files, context.directory) if files else None
    fixed = _fix(vault, paths, asked_commit(wanted=do_commit, message=message)) if fix else None
    if paths is not None and fixed:
        paths += [one.home for one in fixed.fixes if one.home]
    judged = _judge(vault, paths, staged=staged, start=start, end=end, firm_compatible=firm_compatible)
    if context.json or style == "json":
        output.data({**wire.diagnostics(judged.found), **(wire.fixed(fixed) if fixed else {})})
    else:
        if fixed:
            _show_fixed(fixed)
        _show(vault, judged, style)
    if not (files or staged or start):
        note_misplaced(vault)
    bad = [item for item in judged.found if item.severity == "error" or (strict and item.severity == "warning")]
    return 1 if bad else 0


def _make_sure_one(files: Sequence[Path], *, staged: bool, ranged: bool, fix: bool) -> None:
    """Raise `UsageError` for two answers to what is to be checked."""
    if staged and files:
        raise UsageError("`--staged` checks what is staged, whatever it is", hint="leave the files out")
    if ranged and (staged or files):
        raise UsageError("`--from` checks what changed between revisions", hint="leave out the files and --staged")
    if fix and (staged or ranged):
        raise UsageError(
            "`--fix` changes files, not what is staged or committed", hint="fix the files, then stage them again"
        )


def _judge(
    vault: "Vault",
    paths: Sequence[str] | None,
    *,
    staged: bool,
    start: str | None,
    end: str | None,
    firm_compatible: bool,
) -> "Validation":

    if staged:
        return vault.check_staged(firm_compatible=firm_compatible)
    if start is not None:
        return vault.check_range(start, end or "HEAD", firm_compatible=firm_compatible)
    return vault.check_files(paths, firm_compatible=firm_compatible)


def _fix(vault: "Vault", paths: Sequence[str] | None, options: "CommitOptions | None") -> "Fixed":

    return vault.fix(paths, options)


def _show_fixed(fixed: "Fixed") -> None:
    for one in fixed.fixes:
        output.text(f"fixed {output.flat(one.path)}: {one.message}")
    if fixed.hidden:
        files = f"{fixed.hidden} file{'s' * (fixed.hidden != 1)}"
        output.note(f"{files} of private spaces left unchanged: `vault --space SPACE check --fix` fixes those")
    show_landed(fixed.landed)


def _show(vault: "Vault", judged: "Validation", style: str) -> None:
    from vault import render

    named = shown_from(Path.cwd(), vault.root)
    # annotations name files from the top of the repository
    above = vault.repository.prefix if style == "github" and vault.repository else ""
    for number, item in enumerate(judged.found):
        if style == "full":
            output.text(("\n" if number else "") + _coloured(render.full(item, judged.excerpt, named)))
        else:
            output.text(render.github(item, above) if style == "github" else render.line(item, named))
    output.note(f"{judged.files} file{'s' * (judged.files != 1)}: {render.summary(judged.found)}")


def _coloured(text: str) -> str:
    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    head, colon, rest = text.partition("]")
    return output.style(head + colon, fg=colours[head.partition("[")[0]], bold=True) + rest
