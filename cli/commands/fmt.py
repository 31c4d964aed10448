"""`vault fmt`."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import commit_options, common
from cli.paths import vault_paths
from cli.shared import asked_commit, show_landed
from vault import wire

if TYPE_CHECKING:
    from vault.service.write.formatter import Formatted

#: The file that forges read, too, for commits that `git blame` passes over.
IGNORED_REVISIONS = ".git-blame-ignore-revs"


@click.command(
    short_help="Format files.",
    epilog="\b\nExamples:\n  vault fmt\n  vault fmt --check\n  vault fmt --diff global/actor/ada.firm\n"
    "  vault fmt --check --firm-compatible",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Only check; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Only print the changes.")
@click.option("--firm-compatible", is_flag=True, help="Also report what plain Firm cannot read or reads differently.")
@commit_options
@common
@pass_context
def command(
    context: Context,
    files: tuple[Path, ...],
    only_check: bool,
    diff: bool,
    firm_compatible: bool,
    do_commit: bool,
    message: str | None,
) -> int:
    """Format the vault's files, or only FILES.

    Each field gets a line of its own, in the order of its schema, then by name; each item of a list of two or
    more gets a line of its own. Empty lines between fields keep groups apart. Comments and values stay as they are.
    Files with syntax errors are reported and left unchanged.
    """
    from vault.diagnostics import has_errors
    from vault.render import line
    from vault.service.runtime.commit_result import UNCOMMITTED

    vault = context.open()
    paths = vault_paths(vault, files, context.directory) if files else vault.firm_paths()
    hidden = sum(not vault.shows(path) for path in paths)
    paths = [path for path in paths if vault.shows(path)]
    found, problems = vault.unformatted(paths)
    writes = not (only_check or diff)
    options = asked_commit(wanted=do_commit, message=message or "Format files") if do_commit or message else None
    landed = vault.rewrite(found, options) if writes else UNCOMMITTED
    if firm_compatible:
        judged = vault.check_files(paths, firm_compatible=True)
        problems += [item for item in vault.tellable(judged.found) if item.code == "firm-incompatible"]
    if context.json:
        output.data(
            {
                "changed" if writes else "wouldChange": [file.path for file in found],
                "problems": wire.diagnostics(problems)["items"],
                **wire.landed(landed),
                **({"diff": [_diff(file) for file in found]} if diff else {}),
            }
        )
    else:
        _show(found, diff=diff, verb="formatted" if writes else "would format")
        for item in problems:
            output.note(line(item))
        if show_landed(landed) and landed.commit:
            skip = f"echo {landed.commit.commit} >> {IGNORED_REVISIONS}"
            output.note(f"next: {skip}, so that `git blame --ignore-revs-file {IGNORED_REVISIONS}` skips it")
        many = f"{len(paths)} file{'s' * (len(paths) != 1)}"
        output.note(f"{many}, {len(found)} {'changed' if writes else 'not in the canonical layout'}")
        if hidden:
            output.note("files of private spaces are left as they are: `vault --space SPACE fmt` formats those")
    return 1 if has_errors(problems) or (found and not writes) else 0


def _show(found: "Sequence[Formatted]", *, diff: bool, verb: str) -> None:
    for file in found:
        if not diff:
            output.text(f"{verb} {file.path}")
            continue
        for row in _diff(file).split("\n")[:-1]:
            colour = {"+": "green", "-": "red", "@": "cyan"}.get(row[:1])
            output.text(output.style(row, fg=colour) if colour else row)


def _diff(file: "Formatted") -> str:
    """What would change in a file, as `git apply` takes it."""
    before, after = ([f"{row}\n" for row in text.split("\n")] for text in (file.before, file.after))
    rows = difflib.unified_diff(_last_row_told(before), _last_row_told(after), f"a/{file.path}", f"b/{file.path}")
    return "".join(rows)


def _last_row_told(rows: list[str]) -> list[str]:
    """Lines with their ends; of one that has none, that is said, as git says it."""
    *whole, last = rows
    return whole if last == "\n" else [*whole, f"{last}\\ No newline at end of file\n"]
