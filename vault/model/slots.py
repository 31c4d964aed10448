"""Slots: the place in a vault that one open attribute of a subject fills, and when a fact holds."""

import hashlib
import json
from datetime import datetime, tzinfo
from typing import NamedTuple

from vault.model.codec import pack
from vault.model.entry import Entry
from vault.model.keys import normalise_key
from vault.model.values import EnumValue, Moment, Reference, references_in

FACT = "fact"
CONSTRAINT = "constraint"
#: The aspect and the group of a fact that names none.
GENERAL = "general"


class Slot(NamedTuple):
    """Where a fact stands inside its scope; aspect, group and claim are normalised keys.

    A fact without a subject or a claim ("" then) stands there, and fills no slot.
    """

    agent: str
    subject: str
    aspect: str
    group: str
    claim: str

    @property
    def path(self) -> str:
        """The slot as a commit names it and `vault history` takes it."""
        told = f"{self.subject}/{self.aspect}/{self.group}/{self.claim}"
        return f"{told}@{self.agent}" if self.agent else told

    def __str__(self) -> str:
        told = f"{self.subject} › {self.aspect} › {self.group} › {self.claim}"
        return f"{told} (of the agent {self.agent})" if self.agent else told


def subject_of(fact: Entry) -> str | None:
    """The key of what a fact is about: its `subject`, else the single entry in `describes`."""
    subject = fact.fields.get("subject")
    if isinstance(subject, Reference):
        return subject.key
    described = {reference.key for reference in references_in(fact.fields.get("describes", ()))}
    return described.pop() if len(described) == 1 else None


def keys_of(fact: Entry) -> Slot:
    """Where a fact stands, whether or not that is a slot."""
    agent = fact.fields.get("agent")
    aspect, group = (_key(fact, name) or GENERAL for name in ("aspect", "group"))
    subject = subject_of(fact) or ""
    return Slot(agent if isinstance(agent, str) else "", subject, aspect, group, _key(fact, "claim"))


def slot_of(fact: Entry) -> Slot | None:
    """The slot of a fact; None for one without a claim or a subject, which has none."""
    if fact.type != FACT:
        return None
    keys = keys_of(fact)
    return keys if keys.subject and keys.claim else None


def version_of(fact: Entry) -> bytes:
    """What tells two versions of a fact apart: its slot, kind, statement, value and validity (16 bytes)."""
    told = [fact.fields.get(name) for name in ("statement", "value", "valid_from", "valid_until")]
    parts = [*keys_of(fact), is_attribute(fact), *(None if value is None else pack(value) for value in told)]
    return hashlib.sha256(json.dumps(parts).encode()).digest()[:16]


def _key(fact: Entry, name: str) -> str:
    value = fact.fields.get(name)
    return normalise_key(value) if isinstance(value, str) else ""


def unusable_keys(fact: Entry) -> list[str]:
    """The fields of a fact that should name a part of its slot and hold no letter or digit."""
    if fact.type != FACT:
        return []
    return [name for name in ("aspect", "group", "claim") if name in fact.fields and not _key(fact, name)]


def is_attribute(fact: Entry) -> bool:
    """Say whether a fact tells how its subject is, and not how it must be."""
    kind = fact.fields.get("kind")
    return not isinstance(kind, EnumValue) or kind.folded != CONSTRAINT


class Validity(NamedTuple):
    """When a fact holds: from `begins` (None: always) up to and without `ends` (None: still)."""

    begins: datetime | None
    ends: datetime | None

    def is_open(self, now: datetime) -> bool:
        """Say whether the fact holds now, with no end that has come."""
        return (self.begins is None or self.begins <= now) and (self.ends is None or self.ends > now)

    def is_over(self, now: datetime) -> bool:
        """Say whether the fact's time has ended."""
        return self.ends is not None and self.ends <= now

    def is_reversed(self) -> bool:
        """Whether the fact is never valid, because it ends before or at its beginning."""
        return self.begins is not None and self.ends is not None and self.ends <= self.begins

    def overlaps(self, other: "Validity") -> bool:
        """Say whether there is a moment at which both hold."""
        return _before(self.begins, other.ends) and _before(other.begins, self.ends)


def _before(begins: datetime | None, ends: datetime | None) -> bool:
    return begins is None or ends is None or begins < ends


def validity_of(fact: Entry, local: tzinfo | None = None) -> Validity:
    """When a fact says that it holds; a moment without a zone is read in `local` (the machine's if None)."""
    begins, ends = (
        value.instant(local) if isinstance(value := fact.fields.get(name), Moment) else None
        for name in ("valid_from", "valid_until")
    )
    return Validity(begins, ends)


def ending_day(fact: Entry, now: datetime, local: tzinfo | None = None) -> str:
    """The day that ends a fact now, as `valid_until` takes it; "" for a fact that began on that day."""
    today = now.astimezone(local)
    begins = validity_of(fact, local).begins
    is_new = begins is not None and begins.astimezone(local).date() >= today.date()
    return "" if is_new else f"{today:%Y-%m-%d}"
