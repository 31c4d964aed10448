"""`vault tour`."""

import os
import shlex
import sys
from pathlib import Path

import click

from cli import output
from cli.context import SPACE, Context, pass_context
from cli.options import directory_option, json_option
from cli.sample import ENTRIES, SAMPLES, STEPS, Step
from vault.errors import VaultError

GUIDE = {
    "GIT_AUTHOR_NAME": "Tour",
    "GIT_AUTHOR_EMAIL": "tour@example.invalid",
    "GIT_COMMITTER_NAME": "Tour",
    "GIT_COMMITTER_EMAIL": "tour@example.invalid",
}


class NotEmpty(VaultError):
    """A folder that holds something already."""

    code = "not-empty"

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} is not empty", hint="name a folder that is not there yet")


@click.command(
    short_help="Walk through a sample vault.",
    epilog="\b\nExamples:\n  vault tour\n  vault tour ~/sample-vault",
)
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@directory_option
@json_option
@pass_context
def command(context: Context, folder: Path | None) -> int:
    """Make a sample vault in DIR and walk through it: validate, search, change a fact, look back.

    Every command is printed with its output. If DIR is omitted, the vault is made in a temporary folder, which is
    kept for you to try things out.
    """
    root = _folder(context, folder)
    told: list[dict[str, object]] = []
    for step in STEPS:
        if not context.json:
            output.text(f"\n{output.style(f'# {step.why}', dim=True)}")
            output.text(output.style(f"$ {step.shown(root)}", bold=True))
        code, printed = _run(context, root, step)
        told.append({"why": step.why, "command": step.shown(root), "exitCode": code, "output": printed})
        if not context.json:
            output.text(printed, newline=False)
        if code != step.expected:
            raise TourFailed(step.shown(root), code)
        if step is STEPS[0]:
            told.append(_enter(context, root))
        if SAMPLES in step.words:
            told.append(_leave(context, root))
    if context.json:
        output.data({"path": str(root), "steps": told})
    else:
        output.text(f"\nThe sample vault stays in {root}. Try:\n  cd {shlex.quote(str(root))} && vault search")
    return 0


class TourFailed(VaultError):
    """A step of the tour that went another way than it should."""

    code = "tour-failed"

    def __init__(self, shown: str, code: int) -> None:
        super().__init__(f"`{shown}` ended with the code {code}", hint="`vault doctor` looks for what is wrong")


def _folder(context: Context, folder: Path | None) -> Path:
    if folder is None:
        import tempfile

        return Path(tempfile.mkdtemp(prefix="vault-tour-")).resolve()
    root = (context.directory / folder).resolve()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise NotEmpty(root)
    return root


def _enter(context: Context, root: Path) -> dict[str, object]:
    """Put the file of samples into the new vault, and go there."""
    why, shown = f"The samples are in {SAMPLES}, beside the vault's own files.", f"cd {shlex.quote(str(root))}"
    (root / SAMPLES).write_text(ENTRIES, "utf-8")
    return _told(context, why, shown)


def _leave(context: Context, root: Path) -> dict[str, object]:
    """Remove the file of samples, once its entries are in the vault."""
    (root / SAMPLES).unlink()
    return _told(context, "Each entry has a file of its own now, so the file of samples can go.", f"rm {SAMPLES}")


def _told(context: Context, why: str, shown: str) -> dict[str, object]:
    """Show a command of the shell, which has no output."""
    if not context.json:
        output.text(f"\n{output.style(f'# {why}', dim=True)}")
        output.text(output.style(f"$ {shown}", bold=True))
    return {"why": why, "command": shown, "exitCode": 0, "output": ""}


def _run(context: Context, root: Path, step: Step) -> tuple[int, str]:
    """Run one command as the person would, and catch what it prints."""
    import subprocess

    arguments = [str(root) if word == "DIR" else word for word in step.words]
    ended = subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        cwd=root if root.exists() else root.parent,
        env=_environ(context),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return ended.returncode, ended.stdout.decode("utf-8", "replace")


def _environ(context: Context) -> dict[str, str]:
    """The environment, with a name for commits where the person has not given git theirs."""
    from vault import Vault

    inherited = {name: value for name, value in context.environ.items() if name != SPACE}
    known = Vault.has_identity(inherited)
    return {
        **inherited,
        **({} if known else GUIDE),
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": _import_path(context),
    }


def _import_path(context: Context) -> str:
    """Where the commands of the tour find this very program."""
    here = str(Path(__file__).resolve().parents[2])
    inherited = context.environ.get("PYTHONPATH")
    return os.pathsep.join([here, inherited] if inherited else [here])
