"""What a write does to entries, by the content of its files: permissions judge this, not the name of a call."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vault.lang.lower import read
from vault.model.access import BUNDLED, GLOBAL
from vault.model.entry import Entry
from vault.model.slots import Slot, is_attribute, slot_of, validity_of
from vault.service.write.slots import in_slot
from vault.store.journal import FileWrite
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

ADD, UPDATE, DELETE = "add_knowledge", "update_knowledge", "delete_knowledge"


@dataclass(frozen=True, slots=True)
class Block:
    """An entry and its text in a file."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Effects:
    """What a write does.

    `tools` are the permissions it needs, by scope. `before` are the entries that it changes or removes, as they are;
    `after` are those that it adds or changes, as they will be. `covered` are the entries of other files that it hides
    or takes the slot of. `texts` are the texts that it replaces in files of their own, by path. `versions` are the
    digests of the files that all of this was read from.
    """

    tools: frozenset[tuple[str, str]] = frozenset()
    before: tuple[Block, ...] = ()
    after: tuple[Block, ...] = ()
    covered: tuple[Stored, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    versions: Mapping[str, str | None] = field(default_factory=dict)


def effects(vault: "VaultHandle", writes: Sequence[FileWrite]) -> Effects:
    """Say what some writes would do to the vault as it is. Call it with the writer lock held."""
    changes = [write for write in writes if write.before != write.after]
    tools: set[tuple[str, str]] = set()
    before: list[Block] = []
    after: list[Block] = []
    covered: list[Stored] = []
    for scope, files in _by_scope(vault, changes).items():
        old, new = _blocks(files, after=False), _blocks(files, after=True)
        tools |= {(tool, scope) for tool in _entry_tools(old, new)}
        if any(_is_other_text(write) for write in files):
            tools.add((UPDATE, scope))
        gone = _changed(old, new)
        made = _changed(new, old)
        if _open_slots(vault, gone) - _open_slots(vault, made):
            tools.add((DELETE, scope))
        hidden = [*_shadowed(vault, scope, old, new), *_contested(vault, scope, gone, made)]
        if hidden:
            tools.add((UPDATE, scope))
        before += gone
        after += made
        covered += hidden
    versions = {write.path: _digest(write.before) for write in changes}
    versions |= vault.catalog.blobs(stored.entry.path for stored in covered)
    texts = tuple(
        (write.path, write.before.decode("utf-8", "replace"))
        for write in changes
        if write.before is not None and not write.path.endswith(".firm")
    )
    return Effects(frozenset(tools), tuple(before), tuple(after), tuple(covered), texts, versions)


def shadowed(vault: "VaultHandle", writes: Sequence[FileWrite]) -> tuple[str, ...]:
    """The paths of the entries that some writes would hide, as far as the reader sees them now."""
    agent = vault.reader.agent
    hidden = effects(vault, writes).covered
    visible = [stored for stored in hidden if agent is None or stored.entry.fields.get("agent", "") in ("", agent)]
    own = vault.scope
    return tuple(dict.fromkeys(stored.entry.path for stored in visible if stored.scope != own))


def _by_scope(vault: "VaultHandle", changes: Sequence[FileWrite]) -> dict[str, list[FileWrite]]:
    groups: dict[str, list[FileWrite]] = {}
    for write in changes:
        groups.setdefault(vault.layout.scope(write.path) or GLOBAL, []).append(write)
    return groups


def _blocks(files: Sequence[FileWrite], *, after: bool) -> dict[str, list[Block]]:
    """The entries of some files by key."""
    found: dict[str, list[Block]] = {}
    for write in files:
        data = write.after if after else write.before
        if data is None or not write.path.endswith(".firm"):
            continue
        text = data.decode("utf-8-sig", "replace")
        for entry in read(text, write.path).entries:
            found.setdefault(entry.key, []).append(Block(entry, text[entry.place.start : entry.place.end]))
    return found


def _entry_tools(old: Mapping[str, list[Block]], new: Mapping[str, list[Block]]) -> set[str]:
    tools: set[str] = set()
    for key in {*old, *new}:
        were, are = old.get(key, []), new.get(key, [])
        if len(were) < len(are):
            tools.add(ADD)
        elif len(were) > len(are):
            tools.add(DELETE)
        elif [block.text for block in were] != [block.text for block in are]:
            tools.add(UPDATE)
    return tools


def _changed(blocks: Mapping[str, list[Block]], others: Mapping[str, list[Block]]) -> list[Block]:
    """The entries that the other side lacks or has with another text."""
    return [
        block
        for key, found in blocks.items()
        for block in found
        if block.text not in [other.text for other in others.get(key, [])]
    ]


def _is_other_text(write: FileWrite) -> bool:
    """Whether a text of its own file is replaced; one that comes or goes does so with its entry."""
    return not write.path.endswith(".firm") and write.before is not None and write.after is not None


def _open_slots(vault: "VaultHandle", blocks: Sequence[Block]) -> set[Slot]:
    """The slots that some entries fill now."""
    now, local = vault.clock(), vault.layout.settings.local
    return {
        slot
        for block in blocks
        if (slot := slot_of(block.entry)) and is_attribute(block.entry) and validity_of(block.entry, local).is_open(now)
    }


def _shadowed(
    vault: "VaultHandle", scope: str, old: Mapping[str, list[Block]], new: Mapping[str, list[Block]]
) -> list[Stored]:
    """The entries of wider scopes that new ones hide."""
    keys = [key for key in new if key not in old]
    return [stored for key in keys for wider in _wider(scope) for stored in vault.catalog.entries_with_key(key, wider)]


def _contested(vault: "VaultHandle", scope: str, gone: Sequence[Block], made: Sequence[Block]) -> list[Stored]:
    """The attributes of other files whose slots new ones take: now, or on the day they begin."""
    now, local = vault.clock(), vault.layout.settings.local

    def claims(entry: Entry) -> bool:
        return is_attribute(entry) and not validity_of(entry, local).is_over(now)

    held = {slot_of(block.entry) for block in gone if claims(block.entry)}
    own = {block.entry.key for block in gone}
    taken = {slot for block in made if claims(block.entry) and (slot := slot_of(block.entry)) and slot not in held}
    return [
        stored
        for slot in sorted(taken)
        for where in (scope, *_wider(scope))
        for stored in in_slot(vault, slot, where)
        if claims(stored.entry) and not (where == scope and stored.entry.key in own)
    ]


def _wider(scope: str) -> tuple[str, ...]:
    return (BUNDLED,) if scope == GLOBAL else (GLOBAL, BUNDLED)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
