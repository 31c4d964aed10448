"""The hook that checks what git is about to commit: installed, taken away, looked at."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vault.errors import VaultError
from vault.service.vault import Vault

if TYPE_CHECKING:
    from vault.store.git import Repository
    from vault.store.git.installed import Guarded, Standing

State = Literal["installed", "absent", "foreign", "changed", "moved"]


class NoHooks(VaultError):
    """A repository that git is told to run no hooks in."""

    code = "no-hooks"

    def __init__(self, named: str) -> None:
        super().__init__(
            f"git runs no hooks here: core.hooksPath is {named!r}, which is no folder",
            hint="`git config --show-origin core.hooksPath` says where that is set; take it away, or name a folder",
            details={"hooksPath": named},
        )


class SharedHooks(VaultError):
    """A hooks folder that other repositories use, too."""

    code = "shared-hooks"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"git runs the hooks in {folder}, which is not this repository's alone",
            hint="`--shared` installs there, and the hook then looks at this repository only; or give this one its own:"
            " `git config core.hooksPath .githooks`",
            details={"folder": str(folder)},
        )


class ManagedHooks(VaultError):
    """A hooks folder that another program writes anew."""

    code = "managed-hooks"

    def __init__(self, folder: Path, prefix: str) -> None:
        command = f"vault -C {prefix.rstrip('/')} check --staged" if prefix else "vault check --staged"
        super().__init__(
            f"{folder} belongs to husky, which writes it anew and goes by the names of its hooks",
            hint=f"add the line `{command}` to {folder.parent / 'pre-commit'}",
            details={"folder": str(folder)},
        )


class HookChanged(VaultError):
    """Our hook, edited since it was installed."""

    code = "hook-changed"

    def __init__(self, hook: Path) -> None:
        super().__init__(
            f"{hook} was changed since it was installed; it is left as it is",
            hint=f"keep what was added to it elsewhere, remove {hook}, then repeat the command",
            details={"path": str(hook)},
        )


class HookMoved(VaultError):
    """Our hook under another name: another program's hook stands in its place."""

    code = "hook-moved"

    def __init__(self, hook: Path) -> None:
        super().__init__(
            f"another program has put its own hook in place of ours, which is now {hook}",
            hint="it is checked as long as that program runs it; uninstall that program's hook first"
            " (as `pre-commit uninstall` does), then repeat the command",
            details={"path": str(hook)},
        )


class HookReplaced(VaultError):
    """A hook put in place of ours, while the one from before is still kept."""

    code = "hook-replaced"

    def __init__(self, hook: Path, before: Path) -> None:
        super().__init__(
            f"{hook} is not ours any more, and {before.name} from before it is still there; both are left as they are",
            hint=f"keep the one you want as {hook.name}, move the other away, then repeat the command",
            details={"path": str(hook), "before": str(before)},
        )


class NoProgram(VaultError):
    """No installed `vault` that a hook could run."""

    code = "no-program"

    def __init__(self) -> None:
        super().__init__(
            "there is no installed `vault` command that a hook could run",
            hint="install firm-vault (`pipx install firm-vault`), and run this with the `vault` it installs",
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A vault the hook checks: its folder from the top of the working tree, and what with.

    `program` is what was installed for it, `runs` what would run now (None: commits are refused).
    """

    folder: str
    program: str
    runs: str | None
    ours: bool


@dataclass(frozen=True, slots=True)
class Hook:
    """How the hook stands.

    `chains` is the hook from before; `chain_runs` says whether git would run it, `chain_named` whether it seems to
    ask for its own name, which is another now. `in_tree` says that git shows what is written to the folder;
    `problems` is what keeps the hook from its work.
    """

    path: Path
    state: State
    shared: bool
    in_tree: bool
    checks: tuple[Checked, ...] = ()
    chains: Path | None = None
    chain_runs: bool = False
    chain_named: bool = False
    problems: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether commits of the vault are checked."""
        return self.state == "installed" and not self.problems


def usable(candidates: Iterable[str], environ: Mapping[str, str]) -> str:
    """The first of some programs that a hook can run; raises `NoProgram`."""
    from vault.store.git import installed

    found = next((one for one in candidates if installed.answers(one, environ)), None)
    if found is None:
        raise NoProgram
    return found


def install(vault: Vault, program: str, *, shared: bool = False) -> bool:
    """Have git check this vault before each commit; says whether anything was written.

    A hook that is there runs first. `shared` allows a folder that other repositories use.
    Raises `NotInGit`, `NoHooks`, `SharedHooks`, `ManagedHooks`, `HookChanged`, `HookMoved`, `HookReplaced`,
    and `WriteFailed`.
    """
    from vault.store.git import installed

    repository = vault.git()
    folder, serves_others = _folder(vault, repository)
    if serves_others and not shared:
        raise SharedHooks(folder)
    if folder.parts[-2:] == (".husky", "_"):
        raise ManagedHooks(folder, repository.prefix)
    now = _standing(folder)
    this = _guarded(repository, program, shared=serves_others)
    kept = [one for one in now.guarded or () if not one.is_same_vault(this)]
    wanted = sorted([*kept, this], key=lambda one: (one.repository, one.folder))
    if now.data == installed.script(wanted) and installed.has_mode(folder / installed.NAME):
        return False
    installed.write_hook(folder, now, wanted)
    return True


def uninstall(vault: Vault) -> bool:
    """Have git check this vault no longer; says whether anything was written.

    With the last vault the hook goes, and the one from before is put back as it was.
    Raises what `install` does, but for shared folders.
    """
    from vault.store.git import installed

    repository = vault.git()
    folder, serves_others = _folder(vault, repository)
    now = _standing(folder)
    this = _guarded(repository, "", shared=serves_others)
    kept = [one for one in now.guarded or () if not one.is_same_vault(this)]
    if kept == list(now.guarded or ()):
        if now.there or not os.path.lexists(folder / installed.BEFORE):
            return False
        kept = []  # our hook was removed by hand, or its writing cut short
    if kept:
        installed.write_hook(folder, now, kept)
    else:
        installed.restore_hook(folder)
    return True


def look(vault: Vault) -> Hook:
    """How the hook stands, and whether it would work now; raises `NotInGit`, `NoHooks`, `Unreadable`."""
    from vault.store.git import installed

    repository = vault.git()
    folder, shared = _folder(vault, repository)
    hook, before = folder / installed.NAME, folder / installed.BEFORE
    now = installed.stands_at(hook)
    moved = None if now.guarded is not None else installed.passed_on(folder)
    this = _guarded(repository, "", shared=shared)
    checks = _checks(vault, [one for one in now.guarded or () if one.repository == this.repository], this)
    chains = before if os.path.lexists(before) else None
    return Hook(
        moved or hook,
        _state(now, moved, checks),
        shared,
        _in_tree(repository, folder),
        checks,
        chains,
        chains is not None and os.access(before, os.X_OK),
        chains is not None and installed.goes_by_name(before),
        tuple(_problems(now, checks)),
    )


def _folder(vault: Vault, repository: "Repository") -> tuple[Path, bool]:
    """The hooks folder, and whether it may serve other repositories."""
    from vault.store.git import installed
    from vault.store.git.hooks import hooks_folder

    settings = repository.settings(vault.environ)
    folder = hooks_folder(repository, settings)
    if folder is None:
        raise NoHooks(settings.text("core", "hookspath") or "")
    return folder, installed.is_shared(repository, settings, folder)


def _standing(folder: Path) -> "Standing":
    """What stands at the hook's place, if it may be written to."""
    from vault.store.git import installed

    hook, before = folder / installed.NAME, folder / installed.BEFORE
    now = installed.stands_at(hook)
    if now.changed:
        raise HookChanged(hook)
    if now.guarded is None and (moved := installed.passed_on(folder)):
        raise HookMoved(moved)
    if now.there and now.guarded is None and os.path.lexists(before):
        raise HookReplaced(hook, before)
    return now


def _guarded(repository: "Repository", program: str, *, shared: bool) -> "Guarded":
    from vault.store.git.installed import Guarded

    return Guarded(repository.prefix.rstrip("/") or ".", program, str(repository.common_dir) if shared else "")


def _in_tree(repository: "Repository", folder: Path) -> bool:
    real = folder.resolve()
    return real.is_relative_to(repository.worktree) and not real.is_relative_to(repository.common_dir)


def _checks(vault: Vault, guarded: "Sequence[Guarded]", this: "Guarded") -> tuple[Checked, ...]:
    from vault.store.git.installed import answers

    search = vault.environ.get("PATH")
    on_path = [found for name in ("vault", "fv") if (found := shutil.which(name, path=search))]

    def runs(program: str) -> str | None:
        return next((one for one in (program, *on_path) if answers(one, vault.environ)), None)

    return tuple(Checked(one.folder, one.program, runs(one.program), one.is_same_vault(this)) for one in guarded)


def _state(now: "Standing", moved: Path | None, checks: Sequence[Checked]) -> State:
    if now.changed:
        return "changed"
    if moved:
        return "moved"
    if any(one.ours for one in checks):
        return "installed"
    return "foreign" if now.there and now.guarded is None else "absent"


def _problems(now: "Standing", checks: Sequence[Checked]) -> Iterable[str]:
    if now.guarded is not None and not now.runs:
        yield "the hook is not executable, so git ignores it: run `vault hooks install`"
    for one in checks:
        if one.ours and one.runs is None:
            yield f"{one.program} is gone, so commits are refused: run `vault hooks install`"
