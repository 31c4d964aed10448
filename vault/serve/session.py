"""What a server or a token is bound to, and the vault as a call may see it. A call can only narrow that."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from vault.errors import UsageError, VaultError
from vault.model.access import GLOBAL, Reader
from vault.service.runtime.discovery import find_layout
from vault.service.runtime.pool import VaultPool
from vault.service.vault import Vault
from vault.service.write.permission_gate import Caller


class NotBound(VaultError):
    """A call for a space or an agent that its server is not bound to."""

    code = "not-bound"

    def __init__(self, what: str, wanted: str, allowed: str) -> None:
        super().__init__(
            f"this server is not bound to the {what} `{wanted}`",
            hint=f"it is bound to {allowed}; choose another when you start it (`vault mcp --space … --agent …`)",
            details={what: wanted},
        )


class RelativeRevision(UsageError):
    """A revision told by counting commits: some of them may be of a private space, and are not to be counted."""

    code = "unknown-revision"

    def __init__(self, when: str) -> None:
        super().__init__(
            f"`{when}` counts commits, and not all are for everybody to count",
            hint="give a day, `2 weeks ago`, or a commit, as `knowledge_history` and each `cite` name them",
            details={"at": when},
        )


@dataclass(frozen=True, slots=True)
class Binding:
    """The spaces a caller may stand in (the first is where it stands unless it says so), and the agent it is.

    `tools` are the operations it may call, None for all; `token` names the token that it calls with; `chat` is the one
    that it writes from unless it says so.
    """

    root: Path
    spaces: tuple[str, ...] = ()
    agent: str | None = None
    tools: frozenset[str] | None = None
    token: str = ""
    chat: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        """Who calls, as the gate knows it."""
        return Caller(self.agent or "", self.token, self.tools)

    def reader(self, space: str | None = None, agent: str | None = None) -> Reader:
        """The reader that a call is. Raises `NotBound`."""
        if space not in (None, GLOBAL, *self.spaces):
            raise NotBound("space", str(space), ", ".join(self.spaces) or "none: it sees what is global")
        if agent not in (None, self.agent):
            raise NotBound("agent", str(agent), self.agent or "none: it sees what is no agent's own")
        chosen = None if space == GLOBAL else space or next(iter(self.spaces), None)
        return Reader(chosen, agent=self.agent or "")


@dataclass(eq=False)
class Desk:
    """The open vaults of one binding: each thread has its own, one for each reader, and keeps it."""

    binding: Binding
    _mine: threading.local = field(default_factory=threading.local)

    @contextmanager
    def vault(self, reader: Reader, at: str | None = None, valid_at: str | None = None) -> Iterator[Vault]:
        """The vault as a reader sees it, now or in the past.

        Raises as `Vault.open` and `Vault.go_back`, and `RelativeRevision`.
        """
        if at is not None and {*at} & {"~", "^"}:
            raise RelativeRevision(at)
        shelf: VaultPool[Vault] = self._mine.__dict__.setdefault("shelf", VaultPool(self.binding.root))
        vault = shelf.vault(reader, lambda: self._opened(reader))
        try:
            vault.reads_history = at is not None or valid_at is not None
            vault.go_back(at, valid_at=valid_at)
            yield vault
        finally:
            vault.return_to_now()

    def _opened(self, reader: Reader) -> Vault:
        vault = Vault.open(self.binding.root, outside=True, environ=self.binding.environ)
        vault.check_space(reader.space)
        vault.reader, vault.agent, vault.chat = reader, self.binding.agent or "", self.binding.chat or ""
        return vault

    @property
    def serves_aliases(self) -> bool:
        """Whether the settings want the tools under the names of older clients too."""
        return find_layout(self.binding.root).settings.aliases

    def close(self) -> None:
        """Close what the calling thread has opened."""
        if "shelf" in self._mine.__dict__:
            self._mine.__dict__.pop("shelf").close()
