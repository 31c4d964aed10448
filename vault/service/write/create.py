"""Adding entries."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from vault.diagnostics import has_errors
from vault.errors import UsageError
from vault.knowledge.supersede import Beside
from vault.lang.lower import read
from vault.model.entry import Entry
from vault.model.keys import make_id
from vault.model.schema import Schema
from vault.model.slots import FACT, slot_of
from vault.model.values import Moment, Value, moment_of
from vault.service.arguments.choices import UnknownType, own_types
from vault.service.arguments.commit_options import CommitOptions
from vault.service.write.atomic_write import check_permitted
from vault.service.write.change_set import ChangeSet
from vault.service.write.commit_pending import put_in_slots, settle
from vault.service.write.effects import shadowed
from vault.service.write.new_entry import checked_id, make_sure_free, obstacle
from vault.service.write.result import Placed, Refused, Written
from vault.service.write.settle_due import settle_slots
from vault.service.write.slots import apply, check_once, decide, is_fact
from vault.workspace.ingest import check_against_schema

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class NothingGiven(UsageError):
    """A new entry without any field."""

    code = "nothing-given"

    def __init__(self, kind: str, schema: Schema) -> None:
        super().__init__(
            f"a new {kind} needs at least one field",
            hint=f"the expected structure is\n{schema.structure()}",
            details={"expected": schema.structure()},
        )


class GivenTwice(UsageError):
    """Two entries of one type and id in one text."""

    code = "given-twice"

    def __init__(self, key: str, source: str) -> None:
        super().__init__(f"{source} declares `{key}` twice", hint="give one of them another id")


def add(
    vault: "VaultHandle",
    kind: str,
    ident: str | None,
    fields: Mapping[str, Value],
    options: CommitOptions | None = None,
) -> Written:
    """Write a new entry into the reader's scope; raises before anything is written.

    Without an id one is made of the name, statement or text. A text no string holds goes to a sidecar.
    """
    with vault.writing() as token:
        return write(vault, kind, ident, fields, options, token)


def write(  # noqa: PLR0917  what `add` was given, inside the lock
    vault: "VaultHandle",
    kind: str,
    ident: str | None,
    fields: Mapping[str, Value],
    options: CommitOptions | None,
    token: str,
) -> Written:
    """Do what `add` does, for one who holds the writer lock."""
    snapshot = vault.snapshot()
    schema = snapshot.schemas.get(kind)
    if schema is None:
        raise UnknownType(kind, own_types(snapshot.schemas))
    chosen = checked_id(ident) if ident else free_id(vault, kind, fields)
    notes = () if ident or kind == FACT else _renamed(vault, kind, fields, chosen)
    entry = Entry(kind, chosen, stamped(vault, schema, fields))
    findings = check_against_schema(entry, snapshot.schemas)
    if has_errors(findings):
        raise Refused(findings, schema)
    if not fields:
        raise NothingGiven(kind, schema)
    settle_slots(vault, [entry], token)
    edits = ChangeSet(vault)
    placed = place(edits, entry)
    check_permitted(vault, edits.writes)
    hidden = shadowed(vault, edits.writes)
    settle(vault, [placed.replaced] if placed.replaced else [], token)
    slot = placed.slot if placed.op == "add" else None
    landed = put_in_slots(vault, edits.writes, options, [slot] if slot else [], [placed.key], token=token)
    found = (*findings, *edits.findings) if placed.op == "add" else tuple(edits.findings)
    return Written(
        placed.key,
        placed.path,
        edits.paths,
        tuple(entry.fields),
        findings=found,
        landed=landed,
        placed=placed,
        shadows=hidden,
        notes=notes if placed.op == "add" else (),
    )


def place(edits: ChangeSet, entry: Entry) -> Placed:
    """Put an entry where it belongs: a file of its own, or for a fact the occupied slot it replaces.

    Raises `AlreadyThere`, `PathTaken`, `SlotConflict` and `TimesOverlap`.
    """
    vault = edits.vault
    decision = decide(vault, entry) if is_fact(entry) else Beside()
    if not isinstance(decision, Beside):
        return apply(edits, decision, slot_of(entry))
    path = vault.layout.entry_path(entry.type, entry.id, vault.scope)
    make_sure_free(vault, entry.key, path)
    edits.add(entry, path)
    return Placed("add", entry.key, path, slot_of(entry))


def free_id(vault: "VaultHandle", kind: str, fields: Mapping[str, Value], reserved: Collection[str] = ()) -> str:
    """Make an id of what the entry is called, with a number behind it if that is taken or reserved."""
    base = own_id(Entry(kind, "", fields))
    ident, number = base, 1
    while ident in reserved or obstacle(vault, f"{kind}.{ident}", vault.layout.entry_path(kind, ident, vault.scope)):
        number += 1
        ident = f"{base}_{number}"
    return ident


def _renamed(vault: "VaultHandle", kind: str, fields: Mapping[str, Value], ident: str) -> tuple[str, ...]:
    """Say why an entry got a number behind the id that its fields make."""
    base = own_id(Entry(kind, "", fields))
    found = obstacle(vault, f"{kind}.{base}", vault.layout.entry_path(kind, base, vault.scope))
    return (f"{found.message}; the new entry is `{kind}.{ident}`",) if found else ()


def own_id(entry: Entry) -> str:
    """An id after the slot of a fact, else after what the entry is called or says, else after its type."""
    slot = slot_of(entry)
    if slot and "name" not in entry.fields:
        return make_id(f"{slot.subject.partition('.')[2]} {slot.claim}") or entry.type
    texts = [entry.fields.get(name) for name in ("name", "claim", "statement", "text", "summary")]
    words = next((value for value in texts if isinstance(value, str) and make_id(value)), "")
    return make_id(" ".join(words.split()[:8])) or entry.type


def stamped(vault: "VaultHandle", schema: Schema, fields: Mapping[str, Value]) -> dict[str, Value]:
    """The fields in the schema's order, with the time and chat of writing where the schema has a place for them."""
    from vault.service.read.chats import chat_fields

    held = dict(fields)
    if "chat" in schema.by_name and "chat" not in held:
        held |= chat_fields(vault, schema.name)
    if "created_at" in schema.by_name:
        held.setdefault("created_at", now(vault))
    order = {spec.name: index for index, spec in enumerate(schema.fields)}
    return dict(sorted(held.items(), key=lambda item: order.get(item[0], len(order))))


def now(vault: "VaultHandle") -> Moment:
    """The present moment, to the minute: plain Firm has no seconds."""
    return moment_of(vault.clock().replace(second=0))


def add_text(vault: "VaultHandle", text: str, source: str, options: CommitOptions | None = None) -> list[Written]:
    """Write the entries of a Firm text, one file each, with the text as it stands.

    Raises `Refused` if the text has an error, `GivenTwice`, `AlreadyThere` or `PathTaken` for an id; nothing is
    written then.
    """
    with vault.writing() as token:
        return _add_text(vault, text, source, options, token)


def _add_text(vault: "VaultHandle", text: str, source: str, options: CommitOptions | None, token: str) -> list[Written]:
    snapshot = vault.snapshot()
    lowered = read(text, source)
    findings = [*lowered.diagnostics]
    for entry in lowered.entries:
        findings += check_against_schema(entry, snapshot.schemas)
    if has_errors(findings):
        schemas = {entry.type for entry in lowered.entries}
        raise Refused(findings, snapshot.schemas.get(schemas.pop()) if len(schemas) == 1 else None)
    if not lowered.entries:
        raise UsageError(f"{source} holds no entry", hint='write one as in `note idea { text = "…" }`')
    for key, times in Counter(entry.key for entry in lowered.entries).items():
        if times > 1:
            raise GivenTwice(key, source)
    check_once(vault, lowered.entries)
    settle_slots(vault, lowered.entries, token)
    edits = ChangeSet(vault)
    placed = [_place_text(edits, text, lowered.entries, entry) for entry in lowered.entries]
    check_permitted(vault, edits.writes)
    hidden = shadowed(vault, edits.writes)
    settle(vault, [one.replaced for one in placed if one.replaced], token)
    slots = [one.slot for one in placed if one.slot and one.op == "add"]
    landed = put_in_slots(vault, edits.writes, options, slots, [one.key for one in placed], token=token)
    return [
        Written(
            one.key,
            one.path,
            (one.path,),
            tuple(entry.fields),
            findings=tuple(findings),
            landed=landed,
            placed=one,
            shadows=hidden,
        )
        for entry, one in zip(lowered.entries, placed, strict=True)
    ]


def _place_text(edits: ChangeSet, text: str, entries: Sequence[Entry], entry: Entry) -> Placed:
    """Put an entry of a text where it belongs, with its own words where it gets a file."""
    vault = edits.vault
    path = vault.layout.entry_path(entry.type, checked_id(entry.id), vault.scope)
    decision = decide(vault, entry) if is_fact(entry) else Beside()
    if not isinstance(decision, Beside):
        return apply(edits, decision, slot_of(entry))
    make_sure_free(vault, entry.key, path)
    own = text if len(entries) == 1 else _with_comments(text, entries, entry)
    edits.append(own.strip("\r\n") + "\n", path)
    return Placed("add", entry.key, path, slot_of(entry))


def _with_comments(text: str, entries: Sequence[Entry], entry: Entry) -> str:
    """An entry's text with the comments between it and the entry before it."""
    start = max((other.place.end for other in entries if other.place.end <= entry.place.start), default=0)
    return text[start : entry.place.end]
