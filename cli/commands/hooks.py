"""`vault hooks`."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import output
from cli.context import Context, pass_context
from cli.options import common

if TYPE_CHECKING:
    from vault.service.hooking import Hook


@click.group(
    short_help="Have git check what is about to be committed.",
    epilog="\b\nExamples:\n  vault hooks install\n  vault hooks status\n  vault hooks uninstall",
)
def command() -> None:
    """Have git check what is about to be committed, with a hook of git's own.

    The hook runs `vault check --staged` for this vault; an error in it refuses the commit.
    With the pre-commit program, use the hooks this project offers to it instead.
    """


@command.command("install", epilog="\b\nExamples:\n  vault hooks install\n  vault -C kb hooks install")
@click.option("--shared", is_flag=True, help="Install into a hooks folder that other repositories use, too.")
@common
@pass_context
def install(context: Context, shared: bool) -> None:
    """Install the hook `pre-commit` for this vault.

    A hook that is there already is kept: it runs first, and its refusal is final.
    Other vaults of the repository stay checked. To install again changes nothing, or repairs.
    """
    from vault.service import hooking

    vault = context.open()
    program = hooking.usable(_programs(vault.environ.get("PATH")), vault.environ)
    written = hooking.install(vault, program, shared=shared)
    _said(context, hooking.look(vault), written=written, verb="installed")


@command.command("uninstall", epilog="\b\nExamples:\n  vault hooks uninstall")
@common
@pass_context
def uninstall(context: Context) -> None:
    """Take this vault out of the hook.

    With the last vault the hook goes, and the one that was there before is put back as it was.
    """
    from vault.service import hooking

    vault = context.open()
    written = hooking.uninstall(vault)
    _said(context, hooking.look(vault), written=written, verb="uninstalled")


@command.command("status", epilog="\b\nExamples:\n  vault hooks status\n  vault hooks status --json")
@common
@pass_context
def status(context: Context) -> int:
    """Show where the hook is, what it runs, and whether it works.

    The exit code is 1 if it is installed and does not work.
    """
    from vault.service import hooking

    hook = hooking.look(context.open())
    if context.json:
        output.data(_shape(hook))
    else:
        _show(hook)
    return 0 if hook.works or hook.state in ("absent", "foreign") else 1


def _programs(search: str | None) -> Iterator[str]:
    """Where the program that runs now may be found again: as it was called, beside its Python, on PATH."""
    called = Path(sys.argv[0]).absolute()  # links stay: they outlive the version they lead to
    if called.name in ("vault", "fv"):
        yield str(called)
    yield str(Path(sys.executable).with_name("vault"))
    yield from (found for name in ("vault", "fv") if (found := shutil.which(name, path=search)))


def _said(context: Context, hook: "Hook", *, written: bool, verb: str) -> None:
    if context.json:
        output.data({"changed": written, **_shape(hook)})
        return
    if not written:
        output.text("nothing to do: " + ("it is installed" if verb == "installed" else "it is not installed"))
    else:
        output.text(f"{verb} the hook" if verb == "installed" or not hook.checks else "this vault is no longer checked")
    _show(hook)
    if written and hook.in_tree:
        output.note("the hooks folder is in the working tree: git shows what changed there")


def _show(hook: "Hook") -> None:
    output.text(f"{output.flat(str(hook.path))}: {_standing(hook)}")
    for one in hook.checks:
        output.text(f"  checks {output.flat(one.folder)} with {output.flat(one.runs or one.program)}")
        if one.runs not in (None, one.program):
            output.note(f"  {output.flat(one.program)} is gone; what PATH has stands in for it")
    if hook.chains:
        _show_chain(hook, hook.chains.name)
    if hook.shared:
        output.text("  the folder serves other repositories, too")
    for problem in hook.problems:
        output.warn(problem)


def _show_chain(hook: "Hook", name: str) -> None:
    if not hook.checks:
        back = ": `vault hooks uninstall` puts it back" if hook.state == "absent" else ""
        output.text(f"  {name} is kept from before{back}")
        return
    ignored = "" if hook.chain_runs else ", which is not executable: git ignored it, and so does this hook"
    output.text(f"  first runs {name}{ignored}")
    if hook.chain_named:
        output.note("  it seems to ask what it is called, which is another name now: try a commit")


def _standing(hook: "Hook") -> str:
    others = " for this vault" if hook.checks else ""
    return {
        "installed": "installed",
        "absent": f"not installed{others}",
        "foreign": "another hook, without this vault; `vault hooks install` lets it run first",
        "changed": "changed since it was installed",
        "moved": "ours, with another program's hook in its place",
    }[hook.state]


def _shape(hook: "Hook") -> dict[str, Any]:
    return {
        "path": str(hook.path),
        "state": hook.state,
        "works": hook.works,
        "shared": hook.shared,
        "inWorkingTree": hook.in_tree,
        "checks": [
            {"folder": one.folder, "program": one.program, "runs": one.runs, "thisVault": one.ours}
            for one in hook.checks
        ],
        "chains": str(hook.chains) if hook.chains else None,
        "chainRuns": hook.chain_runs,
        "chainNamed": hook.chain_named,
        "problems": list(hook.problems),
    }
