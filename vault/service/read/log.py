"""History as a reader may see it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from vault.model.access import GLOBAL, UnknownSpace
from vault.model.entry import Entry
from vault.model.trailers import OP
from vault.model.when import moment_in
from vault.service.arguments.log_filter import LogFilter
from vault.service.read.entry_history import changes, identity
from vault.service.read.slot_history import asked, readable
from vault.store.ledger_queries import Noted, Position, Sides
from vault.workspace.describe import EntryChange, op_of, operation
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.git import LogRecord


def log(vault: "VaultHandle", wanted: LogFilter = LogFilter(), *, limit: int | None = None) -> "list[LogRecord]":  # noqa: B008  frozen
    """The commits that changed the vault, and are wanted, newest first, as far as the reader may see.

    Of a commit that also touches a private space the reader is outside of, only what the reader may see is shown, and
    not its message; one that touches nothing else is left out. An entry that is gone is found
    by its key, id or last place. Raises `NotFound` for words that name nothing, now or before, `BadSlot`, `BadMoment`
    and `UnknownSpace`.
    """
    vault.reads_history = True
    if wanted == LogFilter():  # without a filter, not all of history has to be read
        records: Iterator[LogRecord] = vault.git().log()
    else:
        records = (vault.git().record(noted.ident) for noted in _noted(vault, wanted))
    shown = (_visible(vault, record) for record in records)
    return list(islice((record for record in shown if record.changes), limit))


def _visible(vault: "VaultHandle", record: "LogRecord") -> "LogRecord":
    """What the reader may see of a commit: its message may be about what they may not."""
    changes = [change for change in record.changes if vault.shows(change.path)]
    if len(changes) == len(record.changes):
        return record
    return replace(record, changes=changes, subject="", body="", trailers=[])


def _noted(vault: "VaultHandle", wanted: LogFilter) -> Iterator[Noted]:
    """The commits of the ledger that are wanted, newest first."""
    positions = _positions(vault, wanted.words) if wanted.words is not None else None
    scope = _checked_scope(vault, wanted.scope) if wanted.scope is not None else None
    since = _seconds(vault, wanted.since, begins=True) if wanted.since is not None else None
    until = _seconds(vault, wanted.until, begins=False) if wanted.until is not None else None
    for noted in vault.ledger.commits(since, until):
        if (
            _may_be_shown(vault, noted, wanted)
            and (positions is None or noted.position in positions)
            and (scope is None or scope in noted.scopes)
            and _is_by(noted, wanted)
            and (wanted.op is None or wanted.op in _operations(vault, noted))
        ):
            yield noted


def _may_be_shown(vault: "VaultHandle", noted: Noted, wanted: LogFilter) -> bool:
    """Whether a commit has anything for the reader; what its message says of others decides nothing."""
    if all(map(vault.knows, noted.scopes)):
        return True
    return any(map(vault.knows, noted.scopes)) and wanted.op is None and wanted.agent is None


def _positions(vault: "VaultHandle", words: str) -> set[Position]:
    """The commits that touched the entry, or the slot, that words name."""
    ledger = vault.ledger
    slot = asked(vault, words)
    if slot is not None:
        return ledger.commits_touching_slot(slot, readable(vault))
    try:
        key, scope = identity(vault, words)
    except NotFound:
        keys = ledger.former_keys(words, readable(vault))
        if not keys:
            raise
        return ledger.commits_touching(keys, readable(vault))
    own = {change.scope for change in changes(vault, key, scope)}
    found = ledger.commits_touching([key], own if scope else readable(vault))
    if not found and not vault.snapshot().by_key(key):
        vault.snapshot().resolve(words)
    return found


def _checked_scope(vault: "VaultHandle", name: str) -> str:
    """A scope the reader may know of; raises `UnknownSpace` for another."""
    if name != GLOBAL and (name not in vault.ledger.commit_scopes() or not vault.knows(name)):
        vault.refresh()
        if name not in vault.view().present or not vault.knows(name):
            raise UnknownSpace(name, vault.layout.settings.public_spaces())
    return name


def _seconds(vault: "VaultHandle", words: str, *, begins: bool) -> float:
    return moment_in(words, vault.clock(), vault.layout.settings.local, begins=begins).timestamp()


def _is_by(noted: Noted, wanted: LogFilter) -> bool:
    """Say whether a commit is of the author and the agent that are wanted."""
    author = f"{noted.author} <{noted.email}>".casefold()
    return (wanted.author is None or wanted.author.casefold() in author) and (
        wanted.agent is None or ("Vault-Agent", wanted.agent) in noted.trailers
    )


def _operations(vault: "VaultHandle", noted: Noted) -> set[str]:
    """What a commit says that it did, else what its content does."""
    said = {value for name, value in noted.trailers if name == OP}
    return said or {_operation(sides) for sides in vault.ledger.sides_at(noted.position)}


def _operation(sides: Sides) -> str:
    kind, ident = sides.key.split(".")
    before, after = (None if side is None else Entry(kind, ident, side) for side in (sides.before, sides.after))
    return operation(EntryChange(op_of(before, after), sides.key, before, after))
