"""The hooks that check what git is about to commit: installed, taken away, looked at."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vault.errors import VaultError
from vault.model.settings import SETTINGS_FILE
from vault.service.runtime.handle import VaultHandle

if TYPE_CHECKING:
    from vault.store.git import Repository
    from vault.store.git.installed import Guarded, Standing

_ABSENT = "no hook is installed for this vault; commits and merges are not checked: run `vault hooks install`"
#: What git runs each hook before.
OCCASION = {"pre-commit": "commits", "pre-merge-commit": "merges"}
State = Literal["installed", "partial", "absent", "foreign", "changed", "moved", "replaced"]


class NoHooks(VaultError):
    """A repository that git is told to run no hooks in."""

    code = "no-hooks"

    def __init__(self, named: str) -> None:
        super().__init__(
            f"git runs no hooks here: core.hooksPath is {named!r}, which is not a folder",
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
            hint=f"keep what was added to it elsewhere, remove {hook}, then install or uninstall again",
            details={"path": str(hook)},
        )


class HookMoved(VaultError):
    """Our hook under another name: another program's hook stands in its place."""

    code = "hook-moved"

    def __init__(self, hook: Path) -> None:
        super().__init__(
            f"another program has put its own hook in place of ours, which is now {hook}",
            hint="it is checked as long as that program runs it; uninstall that program's hook first"
            " (as `pre-commit uninstall` does), then install or uninstall again",
            details={"path": str(hook)},
        )


class HookReplaced(VaultError):
    """A hook put in place of ours, while the one from before is still kept."""

    code = "hook-replaced"

    def __init__(self, hook: Path, before: Path) -> None:
        super().__init__(
            f"{hook} is not ours any more, and {before.name} from before it is still there; both are left as they are",
            hint=f"keep the one you want as {hook.name}, move the other away, then install or uninstall again",
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
    """A vault the hooks check: its folder from the top of the working tree, and what with.

    `program` is what was installed for it, `runs` what would run now (None: commits are refused).
    `here` says whether a vault is in the folder now.
    """

    folder: str
    program: str
    runs: str | None
    ours: bool
    here: bool = True

    @property
    def problem(self) -> str | None:
        """What keeps it from being checked, and what to do."""
        if not self.here:
            return (
                f"{self.folder} holds no vault now: if it was moved, run `vault hooks install` in its new folder;"
                " `vault hooks uninstall --all` forgets it, with the others"
            )
        if self.runs is None:
            where = "" if self.ours else f" in {self.folder}"
            return f"{self.program} is gone, so commits{where} are refused: run `vault hooks install`{where}"
        return None


@dataclass(frozen=True, slots=True)
class Hook:
    """How one of the hooks stands.

    `runs` says whether git would run what is there. `chains` is the hook from before; `chain_runs` says whether git
    would run that, `chain_named` whether it seems to ask for its own name, which is another now.
    `obstacle` is why it can neither be installed nor taken away.
    """

    name: str
    path: Path
    state: State
    runs: bool
    chains: Path | None = None
    chain_runs: bool = False
    chain_named: bool = False
    obstacle: VaultError | None = None

    @property
    def problem(self) -> str | None:
        """What keeps it from its work, and what to do."""
        if self.obstacle:
            return f"{self.obstacle.message}: {self.obstacle.hint}"
        if self.state == "installed" and self.runs:
            return None
        why = {
            "absent": f"{self.name} is not installed for this vault",
            "foreign": f"{self.name} is another hook, which would run first",
            "installed": f"{self.name} is not executable, so git ignores it",
        }[self.state]
        return f"{why}; {OCCASION[self.name]} are not checked: run `vault hooks install`"


@dataclass(frozen=True, slots=True)
class Guard:
    """How the hooks stand together; `in_tree` says that git shows what is written to their folder."""

    hooks: tuple[Hook, ...]
    checks: tuple[Checked, ...]
    shared: bool
    in_tree: bool

    @property
    def state(self) -> State:
        """The state both are in, else the one that hinders more."""
        states = [hook.state for hook in self.hooks]
        if "installed" in states and {*states} <= {"installed", "absent", "foreign"}:
            return "installed" if {*states} == {"installed"} else "partial"
        hindering: tuple[State, ...] = ("changed", "moved", "replaced", "foreign")
        return next((one for one in hindering if one in states), "absent")

    @property
    def works(self) -> bool:
        """Whether commits and merges of this vault are checked; others may have problems."""
        return not any(hook.problem for hook in self.hooks) and not any(one.problem for one in self.checks if one.ours)

    @property
    def problems(self) -> tuple[str, ...]:
        """What does not work, each with what to do."""
        hooks = [hook.problem for hook in self.hooks] if self.state != "absent" else [_ABSENT]
        problems = hooks + [one.problem for one in self.checks]
        return tuple(one for one in problems if one)


def usable(candidates: Iterable[str], environ: Mapping[str, str]) -> str:
    """The first of some programs that a hook can run; raises `NoProgram`."""
    from vault.store.git import installed

    found = next((one for one in candidates if installed.answers(one, environ)), None)
    if found is None:
        raise NoProgram
    return found


def install(vault: VaultHandle, program: str, *, shared: bool = False) -> bool:
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
    now = _changeable(folder)
    this = _guarded(repository, program, shared=serves_others)
    kept = [one for one in _all_guarded(now.values()) if not one.is_same_vault(this)]
    wanted = sorted([*kept, this], key=lambda one: (one.repository, one.folder))
    stale = [hook for hook, found in now.items() if not installed.is_written(hook, found, wanted)]
    for hook in stale:
        installed.write_hook(hook, now[hook], wanted)
    return bool(stale)


def uninstall(vault: VaultHandle, *, everything: bool = False) -> bool:
    """Have git check this vault no longer, or none of the repository; says whether anything was written.

    With the last vault the hooks go, and those from before are put back as they were.
    Raises what `install` does, but for shared folders.
    """
    from vault.store.git import installed

    repository = vault.git()
    folder, serves_others = _folder(vault, repository)
    now = _changeable(folder)
    this = _guarded(repository, "", shared=serves_others)
    listed = _all_guarded(now.values())
    kept = [one for one in listed if not (one.repository == this.repository if everything else one.is_same_vault(this))]
    if kept:
        ours = [] if kept == listed else [hook for hook, found in now.items() if found.guarded is not None]
        for hook in ours:
            installed.write_hook(hook, now[hook], kept)
        return bool(ours)
    left = [hook for hook, found in now.items() if _is_left(hook, found)]
    for hook in left:
        installed.restore_hook(hook)
    return bool(left)


def look(vault: VaultHandle) -> Guard:
    """How the hooks stand, and whether they would work now; raises `NotInGit`, `NoHooks`, `Unreadable`."""
    from vault.store.git import installed

    repository = vault.git()
    folder, shared = _folder(vault, repository)
    this = _guarded(repository, "", shared=shared)
    now = {folder / name: installed.stands_at(folder / name) for name in installed.NAMES}
    listed = [one for one in _all_guarded(now.values()) if one.repository == this.repository]
    return Guard(
        tuple(_hook(hook, found, this) for hook, found in now.items()),
        _checks(vault, repository, listed, this),
        shared,
        _in_tree(repository, folder),
    )


def _folder(vault: VaultHandle, repository: "Repository") -> tuple[Path, bool]:
    """The hooks folder, and whether it may serve other repositories."""
    from vault.store.git import installed
    from vault.store.git.hooks import hooks_folder

    settings = repository.settings(vault.environ)
    folder = hooks_folder(repository, settings)
    if folder is None:
        raise NoHooks(settings.text("core", "hookspath") or "")
    return folder, installed.is_shared(repository, settings, folder)


def _changeable(folder: Path) -> "dict[Path, Standing]":
    """What stands at the hooks' places, if it may be written to.

    A hook for merges is often a link to the one for commits, so it comes first: while it still leads to what was read.
    """
    from vault.store.git import installed

    now = {folder / name: installed.stands_at(folder / name) for name in reversed(installed.NAMES)}
    for hook, found in now.items():
        if obstacle := _obstacle(hook, found):
            raise obstacle
    return now


def _obstacle(hook: Path, now: "Standing") -> VaultError | None:
    from vault.store.git import installed

    if now.changed:
        return HookChanged(hook)
    if now.guarded is None and (moved := installed.passed_on(hook)):
        return HookMoved(moved)
    if now.there and now.guarded is None and os.path.lexists(before := installed.kept_from(hook)):
        return HookReplaced(hook, before)
    return None


def _is_left(hook: Path, now: "Standing") -> bool:
    """Say whether our hook is there, or what it kept: it was removed by hand, or its writing cut short."""
    from vault.store.git.installed import kept_from

    return now.guarded is not None or (not now.there and os.path.lexists(kept_from(hook)))


def _all_guarded(standing: "Iterable[Standing]") -> "list[Guarded]":
    """The vaults of all hooks, each once: an older version installed one hook only."""
    found = {(one.repository, one.folder): one for now in standing for one in now.guarded or ()}
    return [found[key] for key in sorted(found)]


def _guarded(repository: "Repository", program: str, *, shared: bool) -> "Guarded":
    from vault.store.git.installed import Guarded

    return Guarded(repository.prefix.rstrip("/") or ".", program, str(repository.common_dir) if shared else "")


def _in_tree(repository: "Repository", folder: Path) -> bool:
    real = folder.resolve()
    return real.is_relative_to(repository.worktree) and not real.is_relative_to(repository.common_dir)


def _hook(hook: Path, now: "Standing", this: "Guarded") -> Hook:
    from vault.store.git import installed

    before = installed.kept_from(hook)
    obstacle = _obstacle(hook, now)
    path = Path(str(obstacle.details["path"])) if obstacle else hook
    chains = before if os.path.lexists(before) else None
    return Hook(
        hook.name,
        path,
        _state(now, obstacle, this),
        now.runs,
        chains,
        chains is not None and os.access(before, os.X_OK),
        chains is not None and installed.goes_by_name(before),
        obstacle,
    )


def _state(now: "Standing", obstacle: VaultError | None, this: "Guarded") -> State:
    if obstacle:
        return _STATE_OF[type(obstacle)]
    if any(one.is_same_vault(this) for one in now.guarded or ()):
        return "installed"
    return "foreign" if now.there and now.guarded is None else "absent"


_STATE_OF: dict[type[VaultError], State] = {HookChanged: "changed", HookMoved: "moved", HookReplaced: "replaced"}


def _checks(
    vault: VaultHandle, repository: "Repository", guarded: "Iterable[Guarded]", this: "Guarded"
) -> tuple[Checked, ...]:
    from vault.store.git.installed import answers

    search = vault.environ.get("PATH")
    on_path = [found for name in ("vault", "fv") if (found := shutil.which(name, path=search))]

    def checked(one: "Guarded") -> Checked:
        runs = next((program for program in (one.program, *on_path) if answers(program, vault.environ)), None)
        ours = one.is_same_vault(this)
        return Checked(one.folder, one.program, runs, ours, ours or _holds_vault(repository.worktree / one.folder))

    return tuple(checked(one) for one in guarded)


def _holds_vault(folder: Path) -> bool:
    return (folder / SETTINGS_FILE).exists() or any(folder.rglob("*.firm"))
