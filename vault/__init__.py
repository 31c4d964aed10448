"""firm-vault: git for what you know."""

from typing import TYPE_CHECKING, Any

from vault.version import __version__

if TYPE_CHECKING:
    from vault.service.vault import Vault

__all__ = ["Vault", "__version__"]


def __getattr__(name: str) -> Any:
    """Load `Vault` when it is first asked for: `import vault` alone stays fast."""
    if name == "Vault":
        from vault.service.vault import Vault

        return Vault
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
