"""Remembering: one payload of relations, statements and text as one commit, all of it or nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

from vault.diagnostics import has_errors
from vault.errors import UsageError, VaultError
from vault.knowledge.chats import checked_place
from vault.knowledge.kinds import RELATIONS
from vault.knowledge.payload import About, BadPayload, Link, Payload, Statement
from vault.knowledge.supersede import Known, added
from vault.lang.write import fits_string
from vault.model.access import GLOBAL
from vault.model.entry import Entry
from vault.model.keys import fold_name, normalise_key
from vault.model.slots import FACT, Slot, is_attribute, slot_of, validity_of, version_of
from vault.model.values import EnumValue, Reference, Value
from vault.service.arguments.commit_options import CommitDetails
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.service.write.atomic_write import check_permitted
from vault.service.write.change_set import ChangeSet
from vault.service.write.commit_pending import put_in_slots, settle
from vault.service.write.create import free_id, own_id, place, stamped
from vault.service.write.effects import shadowed
from vault.service.write.idempotency import done
from vault.service.write.payload_entities import Entities, declared
from vault.service.write.result import REFUSED, Placed, Refused
from vault.service.write.settle_due import settle_slots
from vault.service.write.slots import apply, in_slot
from vault.store.records import Stored
from vault.workspace.ingest import check_against_schema
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


#: What is said of a statement that no other can replace.
WITHOUT_SLOT = "it has no slot without `claimKey`, so no later statement replaces it"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class OtherSpace(UsageError):
    """A payload for a space that is not the one the writer stands in."""

    code = "other-space"

    def __init__(self, wanted: str, here: str | None) -> None:
        where = f"you are in the space {here}" if here else "you are in none"
        super().__init__(f"the payload is for the space {wanted}, and {where}", hint=f"use `--space {wanted}`")


class NothingToRetract(VaultError):
    """A slot to be vacated in which nothing stands."""

    code = "nothing-to-retract"

    def __init__(self, slot: Slot, claims: list[str]) -> None:
        there = f"it has {', '.join(f'`{claim}`' for claim in claims)}" if claims else "the statement is missing"
        super().__init__(f"no fact says what {slot} is", hint=f"name a claim of `{slot.aspect}/{slot.group}`: {there}")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a payload: entities with whether they are new, facts by JSON path, and the note of its text.

    `note_op` says whether that note is new. `done` is the commit that remembered it before, where its idempotency key
    is in the history. `shadows` are the files of the entries that it hides from this reader now; `warnings` are about
    statements, by JSON path.
    """

    entities: tuple[tuple[str, bool], ...] = ()
    facts: tuple[tuple[str, Placed], ...] = ()
    note: str | None = None
    note_op: Literal["add", "update", "none"] | None = None
    paths: tuple[str, ...] = ()
    landed: Landed = UNCOMMITTED
    done: str | None = None
    shadows: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


def remember(vault: "VaultHandle", payload: Payload, *, message: str | None = None) -> Remembered:
    """Write what a payload says: entities that are missing, relations, facts into their slots, and its text.

    One commit, all or nothing. Raises `BadPayload` with every problem at its JSON path, `OtherSpace`, and what
    commits raise.
    """
    if payload.space not in (None, vault.reader.space or GLOBAL):
        raise OtherSpace(str(payload.space), vault.reader.space)
    _check_place(vault, payload)
    with vault.written_in(payload.chat, payload.turn), vault.writing() as token:
        if (before := done(vault, payload.idempotency_key)) is not None:
            return Remembered(done=before.commit)
        plan = _planned(vault, payload)
        if settle_slots(vault, plan.written, token):
            plan = _planned(vault, payload)
        if plan.problems:
            raise BadPayload(plan.problems)
        check_permitted(vault, plan.edits.writes)
        hidden = shadowed(vault, plan.edits.writes)
        settle(vault, plan.touched, token)
        slots = [placed.slot for _, placed in plan.facts if placed.slot and placed.op == "add"]
        wish = plan.words(message).options()
        landed = put_in_slots(vault, plan.edits.writes, wish, slots, plan.keys(), token=token)
    entities = [*((key, False) for key in plan.entities.found), *((key, True) for key in plan.entities.made)]
    return Remembered(
        tuple(sorted(entities)),
        tuple(plan.facts),
        plan.note,
        plan.note_op,
        plan.edits.paths,
        landed,
        shadows=hidden,
        warnings=tuple(plan.warnings),
    )


def _planned(vault: "VaultHandle", payload: Payload) -> "_Plan":
    plan = _Plan(vault, vault.snapshot().whole(), payload)
    plan.take()
    return plan


def _check_place(vault: "VaultHandle", payload: Payload) -> None:
    """Raise `BadPayload` for a chat or turn that is none."""
    try:
        checked_place(payload.chat or vault.chat, payload.turn)
    except VaultError as error:
        raise BadPayload([("$.turn" if payload.chat is None else "$.chat", error.message)]) from error


@dataclass(slots=True)
class _Plan:
    """What one payload comes to."""

    vault: "VaultHandle"
    snapshot: Snapshot
    payload: Payload
    edits: ChangeSet = field(init=False)
    entities: Entities = field(init=False)
    problems: list[tuple[str, str]] = field(default_factory=list)
    facts: list[tuple[str, Placed]] = field(default_factory=list)
    touched: list[Stored] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    note: str | None = None
    note_op: Literal["add", "update", "none"] | None = None
    written: list[Entry] = field(default_factory=list)
    _drafts: list[tuple[str, dict[str, Value]]] = field(default_factory=list)
    _slots: dict[Slot, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.edits = ChangeSet(self.vault)
        self.entities = Entities(self.vault, self.snapshot, declared(self.payload))

    def words(self, message: str | None) -> CommitDetails:
        """What the commit says besides."""
        return CommitDetails(message, self.payload.idempotency_key)

    def keys(self) -> list[str]:
        """The entries that are written anew."""
        made = [placed.key for _, placed in self.facts if placed.op == "add"]
        note = [self.note] if self.note and self.note_op == "add" else []
        return [*self.entities.made, *made, *note]

    def take(self) -> None:
        """Work out every part of the payload, and collect what is wrong with it."""
        structured = self.payload.structured
        for number, link in enumerate(structured.entities if structured else ()):
            self._link(f"$.structured.entities[{number}]", link)
        for number, about in enumerate(structured.aspects if structured else ()):
            self._about(f"$.structured.aspects[{number}]", about)
        for path, problem in self.entities.write(self.edits):
            self.problems.append((path, problem))
        self.touched += self.entities.changed
        unkept = self._quoted() if structured else self.payload.content
        for path, fields in self._drafts:
            self._tried(path, self._place, path, fields)
        if unkept is not None:
            self._tried("$.content", self._write_note, unkept)

    def _tried(self, path: str, call: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T | None:
        """Call what may fail, and note a failure as a problem of a place in the payload."""
        try:
            return call(*arguments, **options)
        except VaultError as error:
            hint = f" ({error.hint.splitlines()[0]})" if error.hint else ""
            self.problems.append((path, f"{error.message.removeprefix(REFUSED)}{hint}"))
            return None

    # -- relations

    def _link(self, path: str, link: Link) -> None:
        source = self._tried(f"{path}.source", self.entities.by_name, link.source, link.source_type)
        target = self._tried(f"{path}.target", self.entities.by_name, link.target, link.target_type)
        if source is None or target is None:
            return
        name = RELATIONS.get(normalise_key(link.relationship))
        if name:
            self.entities.relate(source, name, target, path)
            return
        of, to = self.entities.name(source), self.entities.name(target)
        fields: dict[str, Value] = {
            "statement": f"{of} {' '.join(link.relationship.replace('_', ' ').split())} {to}",
            "subject": source,
            "aspect": "relations",
            "group": link.relationship,
            "claim": to,
            "value": to,
            "relates_to": (target,),
        }
        self._drafts.append((path, fields | _given(confidence=link.confidence)))

    # -- statements

    def _about(self, path: str, about: About) -> None:
        subject = self._subject(path, about)
        for number, said in enumerate(about.attributes if subject else ()):
            here = f"{path}.attributes[{number}]"
            fields: dict[str, Value] = {"subject": subject or "", "aspect": about.aspect}
            fields |= _given(group=said.group_key, claim=said.claim_key, statement=said.content)
            if said.retract:
                self._tried(here, self._retract, here, said, fields)
                continue
            kind = EnumValue(said.kind) if said.kind else None
            fields |= _given(kind=kind, value=said.value, quote=said.quote)
            self._drafts.append((here, fields | _given(confidence=said.confidence, importance=said.importance)))

    def _subject(self, path: str, about: About) -> Reference | None:
        """The entity that statements are about."""
        if about.entity_id:
            ident = about.entity_id
            return self._tried(f"{path}.entityId", self.entities.by_id, ident, about.entity_name, about.entity_type)
        return self._tried(f"{path}.entityName", self.entities.by_name, about.entity_name or "", about.entity_type)

    def _retract(self, path: str, said: Statement, fields: Mapping[str, Value]) -> None:
        """Take out what a slot says now: its open attribute, or the constraint meant."""
        self.written.append(Entry(FACT, "", {**fields, **_given(agent=self.payload.agent_id)}))
        slot = slot_of(self.written[-1])
        if slot is None:
            raise UsageError(f"`{said.claim_key}` holds no letter and no digit")
        self._claim(slot, path)
        now, local = self.vault.clock(), self.vault.layout.settings.local
        standing = in_slot(self.vault, slot, self.vault.scope)
        wanted = [
            stored
            for stored in standing
            if is_attribute(stored.entry) == (said.kind != "constraint")
            and validity_of(stored.entry, local).is_open(now)
            and (said.kind != "constraint" or said.content in (None, stored.entry.fields.get("statement")))
        ]
        if not wanted:
            raise NothingToRetract(slot, self._claims(slot))
        for stored in wanted:
            self.edits.remove(stored)
            self.touched.append(stored)
            self.facts.append((path, Placed("retract", stored.entry.key, stored.entry.path, slot, stored)))

    def _claims(self, slot: Slot) -> list[str]:
        return self.vault.catalog.claims_near(slot, self.vault.scope, limit=10)

    def _claim(self, slot: Slot, path: str) -> None:
        """Keep a slot for one item of the payload."""
        if slot in self._slots:
            raise UsageError(f"{slot} is already stated at {self._slots[slot]}: a payload can state each slot once")
        self._slots[slot] = path

    def _place(self, path: str, fields: dict[str, Value]) -> None:
        hints = self.payload.structured.hints if self.payload.structured else ()
        fields |= {**self._circumstances(), **({"hints": hints} if hints else {})}
        entry = self._entry(FACT, fields)
        self.written.append(entry)
        slot = slot_of(entry)
        if slot is None:
            self.warnings.append(f"{path}: {WITHOUT_SLOT}")
        elif is_attribute(entry):
            self._claim(slot, path)
        known = None if slot else self._said(entry)
        if known:
            decision = Known(known, added(known.entry, entry, ("sources",)))
            self.facts.append((path, apply(self.edits, decision, None)))
            return
        placed = place(self.edits, entry)
        self.facts.append((path, placed))
        if placed.replaced:
            self.touched.append(placed.replaced)

    def _circumstances(self) -> dict[str, Value]:
        """What the payload says of all it holds: for whom, when, from where."""
        payload = self.payload
        return _given(
            agent=payload.agent_id,
            observed_at=payload.observed_at,
            valid_from=payload.valid_from,
            valid_until=payload.valid_until,
            sources=(payload.source_id,) if payload.source_id else None,
        )

    def _said(self, entry: Entry) -> Stored | None:
        """The fact without a claim that says the same of the same subject."""
        found = self.vault.catalog.facts_without_claim(str(entry.fields["subject"]), self.vault.scope)
        return next((stored for stored in found if version_of(stored.entry) == version_of(entry)), None)

    def _entry(self, kind: str, fields: Mapping[str, Value]) -> Entry:
        """A new entry that its schema takes; raises `Refused`."""
        schema = self.snapshot.schemas[kind]
        reserved = {placed.key.partition(".")[2] for _, placed in self.facts if placed.op == "add"}
        entry = Entry(kind, free_id(self.vault, kind, fields, reserved), stamped(self.vault, schema, fields))
        found = check_against_schema(entry, self.snapshot.schemas)
        if has_errors(found):
            raise Refused(found)
        self.edits.findings += found
        return entry

    # -- text

    def _quoted(self) -> str | None:
        """Keep the text as the quote of the statements it contains; returns it where it contains none."""
        content = self.payload.content
        if content is None:
            return None
        kept, folded = False, fold_name(content)
        for _, fields in self._drafts if fits_string(content) else ():
            if "quote" not in fields and fold_name(str(fields["statement"])) in folded:
                fields["quote"] = content
                kept = True
        return None if kept else content

    def _write_note(self, text: str) -> None:
        """Keep a text as a note, linked with the entities of the payload, or those it names."""
        payload = self.payload
        if payload.structured:
            linked = sorted([*self.entities.found, *self.entities.made])
            links = {"describes": tuple(Reference(*key.split(".", 1)) for key in linked)}
        else:
            links = {"relates_to": self._named(text)}
        fields: dict[str, Value] = {"text": text, **{name: told for name, told in links.items() if told}}
        fields |= self._circumstances()
        known = self._known_note(fields)
        if known is None:
            self.note, self.note_op = place(self.edits, self._entry("note", fields)).key, "add"
            return
        self.note, self.note_op = known.entry.key, "none"
        if changes := added(known.entry, Entry("note", "", fields), ("sources",)):
            self.edits.change(known, changes)
            self.note_op = "update"

    def _known_note(self, fields: Mapping[str, Value]) -> Stored | None:
        """The note of this scope that says the same of the same entities to the same agent."""
        base = own_id(Entry("note", "", fields))
        rows = self.vault.catalog.entries_numbered("note", base, self.vault.scope)
        return next((stored for stored in rows if self._says(stored, fields)), None)

    def _says(self, stored: Stored, fields: Mapping[str, Value]) -> bool:
        entry, text = stored.entry, self.vault.text_of(stored)
        held = entry.fields.get("text") if text is None else text
        is_same_text = isinstance(held, str) and held.strip() == str(fields["text"]).strip()
        return is_same_text and all(entry.fields.get(name) == fields.get(name) for name in ("agent", "describes"))

    def _named(self, text: str) -> tuple[Reference, ...]:
        """The entities a text names."""
        from vault.search.concepts import named_in

        rows = self.snapshot.rows(named_in(self.snapshot, text, self.vault.layout.settings.finding.language))
        entities = sorted(stored.entry.key for stored in rows.values() if stored.entry.type not in (FACT, "note"))
        return tuple(Reference(*key.split(".", 1)) for key in dict.fromkeys(entities))


def _given(**fields: Value | None) -> dict[str, Value]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
