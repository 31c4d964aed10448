"""Vaults that are kept open between calls: by a server for its callers, and for commands that run while it serves."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from vault.model.settings import SETTINGS_FILE
from vault.service.runtime.handle import VaultHandle

Handle = TypeVar("Handle", bound=VaultHandle)


@dataclass(eq=False)
class VaultPool(Generic[Handle]):
    """The open vaults of one folder and one thread, each by what it was opened for.

    One whose settings have changed since is opened anew, so that a space that was made private is so at once; and a
    write that another process left unfinished is settled, as opening would.
    """

    root: Path
    _held: dict[Hashable, tuple[bytes | None, Handle]] = field(default_factory=dict)

    def vault(self, key: Hashable, opened: Callable[[], Handle]) -> Handle:
        """The vault that is kept for something, opened where there is none. Raises as `Vault.open`."""
        settings = self._settings()
        held = self._held.get(key)
        if held and held[0] == settings:
            held[1].recover()
            held[1].data.forget()
            return held[1]
        self._drop(key)
        vault = opened()
        self._held[key] = (settings, vault)  # as they were before it was opened: a change meanwhile shows next time
        return vault

    def _settings(self) -> bytes | None:
        try:
            return (self.root / SETTINGS_FILE).read_bytes()
        except OSError:
            return None  # a workspace without settings; or it is gone, which opening it tells

    def _drop(self, key: Hashable) -> None:
        if key in self._held:
            self._held.pop(key)[1].close()

    def close(self) -> None:
        """Close every vault."""
        for key in list(self._held):
            self._drop(key)
