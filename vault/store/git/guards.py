"""Reasons not to commit now."""

from pathlib import Path

from vault.errors import VaultError
from vault.store.git.gitindex import GitIndex

#: What git leaves in its folder while an operation waits for the person, and the command it belongs to.
_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


class UnfinishedOperation(VaultError):
    """A merge, rebase, cherry-pick or revert is under way."""

    code = "unfinished-operation"

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"a {operation} is under way in this repository; nothing was changed",
            hint=f"end it with `git {operation} --continue` or `git {operation} --abort`",
            details={"operation": operation},
        )


class UnmergedPaths(VaultError):
    """The index holds paths whose conflict is not resolved."""

    code = "unmerged-paths"

    def __init__(self, paths: list[str]) -> None:
        shown = ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")  # noqa: PLR2004  a line's worth
        super().__init__(
            f"git holds unresolved conflicts: {shown}",
            hint="resolve them, then `git add` the files",
            details={"paths": paths},
        )


def unfinished(git_dir: Path) -> str | None:
    """The operation that waits for the person, as `merge`; None without one."""
    return next((operation for name, operation in _UNFINISHED.items() if (git_dir / name).exists()), None)


def check_idle(git_dir: Path) -> None:
    """Raise `UnfinishedOperation` while git waits for the person."""
    operation = unfinished(git_dir)
    if operation:
        raise UnfinishedOperation(operation)


def check_merged(index: GitIndex) -> None:
    """Raise `UnmergedPaths` if a conflict is left in the index."""
    conflicted = sorted(index.conflicted())
    if conflicted:
        raise UnmergedPaths([path.decode("utf-8", "replace") for path in conflicted])
