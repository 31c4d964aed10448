"""Settling slots whose next statement's day has come: it moves into the occupant's file, in one commit."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.knowledge.supersede import replacing
from vault.model.entry import Entry, check_readable
from vault.model.slots import FACT, slot_of
from vault.service.arguments.commit_options import CommitOptions
from vault.service.write.atomic_write import write_files
from vault.service.write.change_set import ChangeSet
from vault.service.write.commit_pending import commit_edits, edits_of
from vault.service.write.commits import land
from vault.store.journal import FileWrite
from vault.workspace.due import succession

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.records import Stored

#: A successor and the occupant into whose file it moved.
Settled = tuple["Stored", "Stored"]


def settle_due(vault: "VaultHandle", wanted: Callable[["Stored"], bool], token: str) -> list[Settled]:
    """Settle the slots of some facts where a later one is due; call it with the writer lock held.

    The occupant's id stays, and the successor's becomes an alias of it. The files change at once; the commit is made
    with the write that this prepares, or by `commit_prepared`, and without either the files are put back. Raises what
    `edits_of` raises.
    """
    vault.refresh()
    local = vault.layout.settings.local
    settled: list[Settled] = []
    for group in vault.data.rivals():
        facts = [one.stored for one in succession(group, vault.clock(), local)]
        if any(map(wanted, facts)):
            settled += [(successor, facts[0]) for successor in facts[1:]]
            for successor in facts[1:]:
                _move(vault, facts[0].entry.key, successor.entry.key, facts[0].scope, token)
    return settled


def _move(vault: "VaultHandle", occupant_key: str, successor_key: str, scope: str, token: str) -> None:
    """Move one fact into the file of another, in one commit."""
    occupant, successor = (_current(vault, key, scope) for key in (occupant_key, successor_key))
    check_readable(successor.entry)
    check_readable(occupant.entry, ["aliases"])
    changes = dict(replacing(occupant, successor.entry).changes)
    aliases = changes.get("aliases") or occupant.entry.fields.get("aliases", ())
    changes["aliases"] = (*(aliases if isinstance(aliases, tuple) else (aliases,)), successor_key)
    edits = ChangeSet(vault)
    edits.change(occupant, changes)
    edits.remove(successor)
    pending = edits_of(vault, [occupant, successor])
    write_files(vault, edits.writes)
    vault.prepared.append(Move(vault, edits.writes, pending, {occupant_key, successor_key}, token))
    vault.data.forget()
    vault.refresh()


@dataclass(frozen=True, slots=True)
class Move:
    """A successor that moved into the file of the fact it succeeds; `pending` are edits that no commit had before."""

    vault: "VaultHandle"
    writes: Sequence[FileWrite]
    pending: Sequence[FileWrite]
    keys: Collection[str]
    token: str

    def commit(self) -> None:
        """Commit the move, after the edits that it replaces."""
        commit_edits(self.vault, self.pending, self.keys, self.token)
        moved = [FileWrite(write.path, write.after, write.after) for write in self.writes]
        commit = land(self.vault, moved, CommitOptions(op="supersede"), token=self.token).commit
        if commit:
            self.vault.say(f"committed first {commit.commit[:10]}: {commit.subject}")

    def undo(self) -> None:
        """Put both files back as they were."""
        write_files(self.vault, [FileWrite(write.path, write.after, write.before) for write in self.writes])


def _current(vault: "VaultHandle", key: str, scope: str) -> "Stored":
    return next(iter(vault.catalog.entries_with_key(key, scope)))


def settle_slots(vault: "VaultHandle", facts: Iterable[Entry], token: str) -> bool:
    """Settle the slots that some facts are written into, in the writer's scope; says whether any was due."""
    slots = {slot for fact in facts if (slot := slot_of(fact))}
    if not slots:
        return False
    return bool(settle_due(vault, lambda one: one.scope == vault.scope and slot_of(one.entry) in slots, token))


def settled(vault: "VaultHandle", stored: "Stored", words: str, token: str) -> "Stored":
    """The entry that words name, once the slot it stands in is settled."""
    if stored.entry.type != FACT or stored.scope != vault.scope:
        return stored
    return vault.snapshot().resolve(words) if settle_slots(vault, [stored.entry], token) else stored
