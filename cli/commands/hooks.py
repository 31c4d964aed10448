"""`vault hooks`."""

from typing import TYPE_CHECKING, Any

import click

from cli import output
from cli.commands.claude_code import claude_code
from cli.context import Context, pass_context
from cli.options import common
from cli.programs import programs

if TYPE_CHECKING:
    from vault.service.admin.git_hooks import Guard, Hook


@click.group(
    short_help="Have git check commits, and Claude Code see what is known.",
    epilog="\b\nExamples:\n  vault hooks install\n  vault hooks status\n  vault hooks uninstall\n"
    "  vault hooks claude-code install",
)
def command() -> None:
    """Have git check what is about to be committed, with hooks of git's own.

    The hooks run `vault check --staged` for this vault before a commit and before a merge; an error refuses it.
    git runs no such hook for `git cherry-pick`, `git rebase` and `git am`, nor with `--no-verify`, and a merge that
    only moves the branch forward commits nothing: run `vault check` after these.
    With the pre-commit program, use the hooks this project offers to it instead.
    """


command.add_command(claude_code)


@command.command("install", epilog="\b\nExamples:\n  vault hooks install\n  vault -C kb hooks install")
@click.option("--shared", is_flag=True, help="Install into a hooks folder that other repositories use, too.")
@common
@pass_context
def install(context: Context, shared: bool) -> None:
    """Install the hooks `pre-commit` and `pre-merge-commit` for this vault.

    A hook that is there already is kept: it runs first, and its refusal is final.
    Other vaults of the repository stay checked. To install again changes nothing, or repairs.
    """
    vault = context.open()
    program = vault.usable_program(programs(vault.environ.get("PATH")), vault.environ)
    written = vault.install_hooks(program, shared=shared)
    _said(context, vault.hooks(), written=written, verb="installed")


@command.command("uninstall", epilog="\b\nExamples:\n  vault hooks uninstall\n  vault hooks uninstall --all")
@click.option("--all", "everything", is_flag=True, help="Take out all vaults of this repository, also moved ones.")
@common
@pass_context
def uninstall(context: Context, everything: bool) -> None:
    """Take this vault out of the hooks.

    With the last vault the hooks go, and those that were there before are put back as they were.
    """
    vault = context.open()
    written = vault.uninstall_hooks(everything=everything)
    _said(context, vault.hooks(), written=written, verb="uninstalled")


@command.command("status", epilog="\b\nExamples:\n  vault hooks status\n  vault hooks status --json")
@common
@pass_context
def status(context: Context) -> int:
    """Show where the hooks are, what they run, whether they work, and what to do if not.

    The exit code is 1 if they are installed and this vault's do not work.
    """
    guard = context.open().hooks()
    if context.json:
        output.data(_shape(guard))
    else:
        _show(guard)
        for problem in guard.problems:
            (output.note if _is_out(guard) else output.warn)(problem)
    return 0 if guard.works or _is_out(guard) else 1


def _said(context: Context, guard: "Guard", *, written: bool, verb: str) -> None:
    if context.json:
        output.data({"changed": written, **_shape(guard)})
        return
    if not written:
        output.text("nothing to do: " + ("it is installed" if verb == "installed" else "it is not installed"))
    else:
        whole = verb == "installed" or not guard.checks
        output.text(f"{verb} the hook" if whole else "this vault is no longer checked")
    _show(guard)
    for problem in () if verb == "uninstalled" and _is_out(guard) else guard.problems:
        output.warn(problem)
    if written and guard.in_tree:
        output.note("the hooks folder is in the working tree: git shows what changed there")


def _is_out(guard: "Guard") -> bool:
    """Say whether nothing of this vault is installed, as the person may want it."""
    return guard.state in ("absent", "foreign")


def _show(guard: "Guard") -> None:
    first, *others = guard.hooks
    same = {first.state, "absent"} if _is_out(guard) else {first.state}
    for hook in (first, *(other for other in others if other.state not in same)):
        output.text(f"{output.flat(str(hook.path))}: {_standing(hook, guard)}")
    when = ", before commits and merges" if guard.works else ""
    for one in guard.checks:
        output.text(f"  checks {output.flat(one.folder)} with {output.flat(one.runs or one.program)}{when}")
        if one.runs not in (None, one.program):
            output.note(f"  {output.flat(one.program)} is gone; what PATH has stands in for it")
    for hook in guard.hooks:
        if hook.chains:
            _show_chain(hook, hook.chains.name)
    if guard.shared:
        output.text("  the folder serves other repositories, too")


def _show_chain(hook: "Hook", name: str) -> None:
    is_ours = hook.state == "installed" or (hook.state == "absent" and hook.runs)  # it may be there for other vaults
    if not is_ours:
        back = ": `vault hooks uninstall` puts it back" if hook.state == "absent" else ""
        output.text(f"  {name} is kept from before{back}")
        return
    ignored = "" if hook.chain_runs else ", which is not executable: git ignored it, and so does this hook"
    output.text(f"  first runs {name}{ignored}")
    if hook.chain_named:
        output.note("  it seems to ask what it is called, which is another name now: try a commit")


def _standing(hook: "Hook", guard: "Guard") -> str:
    others = " for this vault" if guard.checks else ""
    return {
        "installed": "installed",
        "absent": f"not installed{others}",
        "foreign": "another hook, without this vault",
        "changed": "changed since it was installed",
        "moved": "ours, with another program's hook in its place",
        "replaced": "another hook, in the place of ours",
    }[hook.state]


def _shape(guard: "Guard") -> dict[str, Any]:
    return {
        "state": guard.state,
        "works": guard.works,
        "shared": guard.shared,
        "inWorkingTree": guard.in_tree,
        "hooks": [_hook_shape(hook) for hook in guard.hooks],
        "checks": [
            {
                "folder": one.folder,
                "here": one.here,
                "program": one.program,
                "runs": one.runs,
                "thisVault": one.ours,
                "problem": one.problem,
            }
            for one in guard.checks
        ],
        "problems": list(guard.problems),
    }


def _hook_shape(hook: "Hook") -> dict[str, Any]:
    return {
        "name": hook.name,
        "path": str(hook.path),
        "state": hook.state,
        "runs": hook.runs,
        "chains": str(hook.chains) if hook.chains else None,
        "chainRuns": hook.chain_runs,
        "chainNamed": hook.chain_named,
        "problem": hook.problem,
    }
