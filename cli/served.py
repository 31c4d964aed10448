"""Running the commands that other processes ask for, while this one has the vault open."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import output
from cli.context import Context

if TYPE_CHECKING:
    from vault.serve.command_socket import Reply
    from vault.service.runtime.pool import VaultPool
    from vault.service.vault import Vault


@dataclass(eq=False)
class Runner:
    """Runs the commands that others ask for, with a vault that stays open."""

    root: Path
    _shelf: "VaultPool[Vault] | None" = field(default=None)

    def answer(self, request: Mapping[str, Any]) -> "Reply":
        """Run a command for another process. Raises `ValueError` and `KeyError` for an invalid request."""
        from cli.main import run_as
        from vault.serve.command_socket import Reply
        from vault.service.runtime.pool import VaultPool

        self._shelf = self._shelf or VaultPool(self.root)
        told = request["input"]
        context = Context(
            directory=Path(request["folder"]),
            start=Path(request["folder"]),
            environ=dict(request["environ"]),
            shelf=self._shelf,
            given=None if told is None else told.encode("latin-1"),
        )
        with output.captured(*request["terminals"]) as held:
            code = run_as([str(word) for word in request["arguments"]], context)
        return Reply(code, held.printed)

    def close(self) -> None:
        """Close the vaults that were opened."""
        if self._shelf:
            self._shelf.close()
