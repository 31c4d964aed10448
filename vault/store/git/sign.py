"""Signatures of commits, made by the program git would call."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from vault.errors import VaultError
from vault.store.git.config import Settings


class SignatureRequired(VaultError):
    """The settings ask for signed commits, and no signature can be made."""

    code = "signature-required"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"commit.gpgsign asks for a signature, which cannot be made: {reason}",
            hint="correct user.signingkey and gpg.format, or run `git config commit.gpgsign false` here",
        )


def signer_for(settings: Settings) -> Callable[[bytes], bytes] | None:
    """Return what signs a commit, None if none is asked for; tried once, so that it fails early."""
    if not settings.flag("commit", "gpgsign", default=False):
        return None
    from dulwich.signature import get_signature_vendor  # few repositories sign

    key = settings.text("user", "signingkey")
    if key and key.startswith("~/"):
        key = str(Path(key).expanduser())

    def sign(payload: bytes) -> bytes:
        try:
            return get_signature_vendor(config=settings.stack).sign(payload, keyid=key)
        except subprocess.CalledProcessError as error:
            said = (error.stderr or b"").decode("utf-8", "replace").strip()
            raise SignatureRequired(said.splitlines()[-1] if said else str(error)) from error
        except (OSError, ValueError) as error:
            raise SignatureRequired(str(error)) from error

    sign(b"firm-vault: can commits be signed?\n")
    return sign
