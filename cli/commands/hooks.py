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
    short_help="Install git hooks that validate commits.",
    epilog="\b\nExamples:\n  vault hooks install\n  vault hooks status\n  vault hooks uninstall\n"
    "  vault hooks claude-code install",
)
def command() -> None:
    """Install git hooks that validate commits.

    The hooks run `vault check --staged` before a commit and before a merge commit; errors abort it. Git runs no such
    hook for `git cherry-pick`, `git rebase`, `git am`, with `--no-verify`, or for a fast-forward merge: run
    `vault check` after these. If you use the pre-commit program, use the hooks that this project provides for it.
    """


command.add_command(claude_code)


@command.command("install", epilog="\b\nExamples:\n  vault hooks install\n  vault -C kb hooks install")
@click.option("--shared", is_flag=True, help="Install into a hooks folder shared by other repositories.")
@common
@pass_context
def install(context: Context, shared: bool) -> None:
    """Install the hooks for this vault.

    They are `pre-commit` and `pre-merge-commit`. An existing hook is kept and runs first; if it fails, the commit
    fails. Other vaults in the repository stay checked. Installing again is safe and repairs the hooks.
    """
    vault = context.open()
    program = vault.usable_program(programs(vault.environ.get("PATH")), vault.environ)
    written = vault.install_hooks(program, shared=shared)
    _said(context, vault.hooks(), written=written, verb="installed")


@command.command("uninstall", epilog="\b\nExamples:\n  vault hooks uninstall\n  vault hooks uninstall --all")
@click.option("--all", "everything", is_flag=True, help="Remove all vaults of this repository, even moved ones.")
@common
@pass_context
def uninstall(context: Context, everything: bool) -> None:
    """Remove this vault from the hooks.

    With the last vault the hooks are removed, and the hooks that were there before are restored.
    """
    vault = context.open()
    written = vault.uninstall_hooks(everything=everything)
    _said(context, vault.hooks(), written=written, verb="uninstalled")


@command.command("status", epilog="\b\nExamples:\n  vault hooks status\n  vault hooks status --json")
@common
@pass_context
def status(context: Context) -> int:
    """Show whether the hooks work.

    Prints where they are, what they run, and how to repair them. The exit code is 1 if the hooks are installed but do
    not work for this vault.
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
        output.text(f"{verb} the hook" if whole else "this vault is no longer validated by the hook")
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
            output.note(f"  {output.flat(one.program)} is gone; the program found on PATH is used instead")
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
