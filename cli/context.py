"""Where a command runs: the one place that reads the environment."""

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from vault.service.runtime.pool import VaultPool
    from vault.service.vault import Vault
    from vault.store.journal import Recovery

SPACE = "FIRM_VAULT_SPACE"
AGENT = "FIRM_VAULT_AGENT"
LOCK_TOKEN = "FIRM_VAULT_LOCK_TOKEN"  # noqa: S105  the name of a variable


@dataclass(slots=True)
class Context:
    """What a command knows of where it runs.

    It runs in `start`; `directory` is where the vault is looked for; `space` and `outside` are what `--space` and
    `--global` say; `json` asks for JSON on standard output; `valid_at` is the day that facts have to hold on.
    `arguments` are all the words of the command. One that runs for another process has a `shelf` of open vaults, and is
    `given` what stood on standard input there. `incomplete` says that the answer leaves out what nobody can know.
    """

    directory: Path = field(default_factory=Path.cwd)
    start: Path = field(default_factory=Path.cwd)
    space: str | None = None
    outside: bool = False
    json: bool = False
    valid_at: str | None = None
    arguments: Sequence[str] = ()
    shelf: "VaultPool[Vault] | None" = None
    given: bytes | None = None
    incomplete: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def chosen_space(self) -> str | None:
        """The space asked for: `--space`, else `FIRM_VAULT_SPACE`; the folder decides otherwise."""
        if self.outside:
            return None
        return self.space if self.space is not None else self.environ.get(SPACE) or None

    @property
    def editor(self) -> str | None:
        """The editor a person has chosen."""
        return self.environ.get("VISUAL") or self.environ.get("EDITOR")

    @property
    def home(self) -> Path:
        """The user's own folder."""
        return Path(self.environ.get("HOME") or Path.home())

    @property
    def cache(self) -> Path:
        """The user's cache folder for this program; XDG has no use for a relative one."""
        chosen = Path(self.environ.get("XDG_CACHE_HOME", ""))
        base = chosen if chosen.is_absolute() else self.home / ".cache"
        return base / "firm-vault"

    def tokens(self, root: Path) -> Path:
        """The file of the tokens of one vault, in the user's own configuration."""
        chosen = Path(self.environ.get("XDG_CONFIG_HOME", ""))
        base = chosen if chosen.is_absolute() else self.home / ".config"
        return base / "firm-vault" / "tokens" / f"{sha256(os.fsencode(root)).hexdigest()[:16]}.json"

    @property
    def plain(self) -> bool:
        """Whether no colours are wanted anywhere (`NO_COLOR`)."""
        return bool(self.environ.get("NO_COLOR"))

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def open(self, *, all_spaces: bool = False, at: str | None = None) -> "Vault":
        """Open the vault, as it was `at` a revision or moment; what it says while at work goes to standard error."""
        from cli.output import note, progress

        vault = self._kept(self.shelf, all_spaces) if self.shelf else self._opened(all_spaces=all_spaces)
        vault.cache = self.cache
        vault.progress, vault.say = progress, note
        vault.agent = self.environ.get(AGENT, "")
        if vault.recovered:
            note(_recovery(vault.recovered))
        current = click.get_current_context(silent=True)
        if current is not None:  # there is none while a shell completes words
            current.call_on_close(vault.return_to_now if self.shelf else vault.close)
        if at is not None or self.valid_at is not None:  # 40 ms, for commands that look back
            vault.go_back(at, valid_at=self.valid_at)
        self._remark(vault)
        return vault

    def _remark(self, vault: "Vault") -> None:
        """Have the command say at its end, and in its JSON, what a shallow clone cannot know."""
        from cli.output import note, remarks

        vault.reads_history = vault.past is not None
        unknown = vault.unknown_facts()
        self.incomplete = bool(unknown)
        at_once = (self.valid_at or "").strip().casefold() == "now"
        asked = {"asOf": vault.past.as_of, "validAt": None if at_once else vault.past.moment} if vault.past else {}
        moments = {name: moment for name, moment in asked.items() if moment}

        def told() -> dict[str, Any]:
            cut = {"shallow": True, "leftOut": len(unknown)} if vault.shallow_warning() else {}
            return {**{name: moment.isoformat() for name, moment in moments.items()}, **cut}

        def say() -> None:
            for name, moment in moments.items():
                note(f"{'as of' if name == 'asOf' else 'valid at'} {moment:%Y-%m-%d %H:%M:%S %Z}")
            if text := vault.shallow_warning():
                note(f"note: {text}")

        remarks.set(told)
        current = click.get_current_context(silent=True)
        if current is not None:
            current.call_on_close(say)

    def _opened(self, *, all_spaces: bool) -> "Vault":
        from vault.service.vault import Vault

        return Vault.open(
            self.directory,
            space=self.chosen_space,
            outside=self.outside,
            all_spaces=all_spaces,
            environ=self.environ,
            lock_token=self.environ.get(LOCK_TOKEN),
            max_age=math.inf,  # a command looks at the files once, and again after it has waited or written
        )

    def _kept(self, shelf: "VaultPool[Vault]", all_spaces: bool) -> "Vault":
        """The vault of the shelf that reads as this command would."""
        from vault.service.runtime.discovery import find_layout, space_at

        layout = find_layout(self.directory)
        here = space_at(layout, self.directory) if self.chosen_space is None else self.chosen_space
        space = None if self.outside else here
        vault = shelf.vault((space, all_spaces), lambda: self._opened(all_spaces=all_spaces))
        vault.check_space(space)
        vault.environ = self.environ
        return vault

    def read_input(self) -> bytes:
        """All of standard input; asked again, the same."""
        if self.given is None:
            self.given = sys.stdin.buffer.read()
        return self.given


def _recovery(recovered: "Recovery") -> str:
    """Say what became of a write that was cut short."""
    files = f"{len(recovered.paths)} file{'s' * (len(recovered.paths) != 1)}"
    told = f"a write of {files} that was cut short is now {recovered.action}"
    left = ", ".join(recovered.left_alone)
    return f"{told}; changed since, and left as they are: {left}" if left else told


pass_context = click.make_pass_decorator(Context, ensure=True)
