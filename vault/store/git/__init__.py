"""Git, in process: read history and commit without the `git` program.

Importing this package imports dulwich (60 ms): callers import it where they need it.
"""

from vault.store.git.commit import EmptyMessage, NothingToCommit, Transaction
from vault.store.git.config import BadDate, Identity, MissingIdentity, Person, default_identity
from vault.store.git.convert import ConversionUnavailable
from vault.store.git.gitindex import DamagedIndex, UnsupportedIndex
from vault.store.git.guards import UnfinishedOperation, UnmergedPaths
from vault.store.git.hooks import HookRefused
from vault.store.git.lock import IndexLocked, release_stale_lock
from vault.store.git.log import LogRecord, PathChange
from vault.store.git.objects import MissingObject, blob_id
from vault.store.git.place import BareRepository, UnsupportedRepository
from vault.store.git.publish import publish_record
from vault.store.git.refs import RefLocked, RefMoved
from vault.store.git.repo import Repository, UnknownRevision
from vault.store.git.sign import SignatureRequired
from vault.store.git.status import Change
from vault.store.git.trailers import read_trailers, with_trailers

__all__ = [
    "BadDate",
    "BareRepository",
    "Change",
    "ConversionUnavailable",
    "DamagedIndex",
    "EmptyMessage",
    "HookRefused",
    "Identity",
    "IndexLocked",
    "LogRecord",
    "MissingIdentity",
    "MissingObject",
    "NothingToCommit",
    "PathChange",
    "Person",
    "RefLocked",
    "RefMoved",
    "Repository",
    "SignatureRequired",
    "Transaction",
    "UnfinishedOperation",
    "UnknownRevision",
    "UnmergedPaths",
    "UnsupportedIndex",
    "UnsupportedRepository",
    "blob_id",
    "default_identity",
    "publish_record",
    "read_trailers",
    "release_stale_lock",
    "with_trailers",
]
