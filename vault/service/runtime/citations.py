"""Citing: which commit holds what a file says."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import BUNDLED, scope_of
from vault.store.bundled import version
from vault.store.files import read_bytes
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


def cited(vault: "VaultHandle", paths: Sequence[str]) -> dict[str, str]:
    """Return for each path the commit whose content its file holds: HEAD's short id, else `worktree`.

    A vault that went back in time cites the commit it reads. Bundled entries are in no commit: they are cited at the
    product's version.
    """
    past = vault.past
    found = {path: commit[:10] for path in paths if past and (commit := past.commit_of(path))}
    own = [path for path in dict.fromkeys(paths) if path not in found]
    found |= {path: version() for path in own if scope_of(path) == BUNDLED and not vault.layout.workspace}
    own = [path for path in own if path not in found]
    repository = vault.repository if own else None
    head = repository.head() if repository else None
    for path in own:
        found[path] = "worktree"
        if repository and head:
            with suppress(VaultError):
                blob = repository.entry_at(head, path)
                if blob is not None and blob in _blobs(read_bytes(vault.root, path)):
                    found[path] = head[:10]
    return found


def _blobs(data: bytes) -> tuple[str, str]:
    """The blob ids git may keep a file under: its bytes, or those with line ends made plain."""
    return blob_of(data), blob_of(data.replace(b"\r\n", b"\n"))
