"""What stood in a slot, one version after another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, NamedTuple

from vault.model.entry import Entry
from vault.model.keys import normalise_key, split_key
from vault.model.slots import GENERAL, Slot
from vault.service.arguments.slots import BadSlot
from vault.service.runtime.boundary import boundary
from vault.store.ledger import Told
from vault.workspace.snapshot import NotFound, Snapshot
from vault.workspace.versions import Version, versions

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

Status = Literal["active", "superseded", "retracted"]
#: Slots that a hint names at the most.
SHOWN = 3


class SlotNotFound(NotFound):
    """A slot of an entity in which nothing the reader may see ever stood."""

    def __init__(self, words: str, near: Sequence[str], known: Sequence[str]) -> None:
        super().__init__(words, near)
        self.message = f"no fact was ever in `{words}`"
        self.args = (self.message,)
        if not near:
            told = ", ".join(f"`{path}`" for path in known[:SHOWN])
            more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
            self.hint = f"there are {told}{more}" if known else "no fact about it has a claim yet"


class Named(NamedTuple):
    """A slot as words name it, its keys normalised; without an agent (None) it is that of each of them."""

    subject: str
    aspect: str
    group: str
    claim: str
    agent: str | None

    def fits(self, slot: Slot) -> bool:
        """Say whether a slot is the one that is named."""
        keys = (slot.subject, slot.aspect, slot.group, slot.claim)
        return keys == self[:4] and self.agent in (None, slot.agent)

    @property
    def path(self) -> str:
        """The slot as a commit names it."""
        return Slot(self.agent or "", self.subject, self.aspect, self.group, self.claim).path


@dataclass(frozen=True, slots=True)
class SlotVersion:
    """A version that stood in a slot, from the commit that began it to the one that ended it.

    `reason` is what the latter says of it. Both commits' words are kept from those outside of a private
    space that these touch too: `subject` and `reason` are empty then. `boundary` says that a shallow clone ends with
    the commit that began it.
    """

    fact: Entry
    scope: str
    status: Status
    commit: str
    time: datetime
    author: str
    subject: str
    ended: str | None
    ended_at: datetime | None
    successor: Entry | None
    reason: str
    boundary: bool = False

    @property
    def moved_to(self) -> str:
        """The key of the fact that took in this one's statement; "" if its statement did not move."""
        successor = self.successor
        moved = successor and successor.key != self.fact.key and successor.name == self.fact.name
        return successor.key if successor and moved else ""


def asked(vault: "VaultHandle", words: str) -> "Named | None":
    """The slot that words name; None where they have not the form of one, or are a path, name or alias of an entry.

    Raises `BadSlot`, `NotFound`, `Ambiguous` and `NotInGit`.
    """
    if words.count("/") < 2 or words.endswith(".firm"):  # noqa: PLR2004  ENTITY/ASPECT/CLAIM
        return None
    seen = vault.snapshot()
    try:
        seen.resolve(words)
    except NotFound:
        return _named(vault, seen, words)
    return None


def succession(vault: "VaultHandle", slot: Named, *, limit: int | None = None) -> list[SlotVersion]:
    """The versions of every fact that stood in a slot, newest first; none where it holds what no commit has yet.

    Raises `SlotNotFound` and `NotInGit`.
    """
    ledger = vault.ledger
    keys = ledger.keys_in_slot(slot.subject, slot.aspect, slot.group, slot.claim)
    scopes = readable(vault)
    found = [one for one in versions(ledger, keys) if one.scope in scopes and slot.fits(one.keys)]
    if not found and not _holds(vault.view(), slot):
        raise _not_found(vault, slot)
    places = ledger.positions(one.began.ident for one in found)
    found.sort(key=lambda one: places[one.began.ident])
    return [_stand(vault, one) for one in found[::-1][:limit]]


def _named(vault: "VaultHandle", seen: Snapshot, words: str) -> Named:
    """Read words as `ENTITY/ASPECT[/GROUP]/CLAIM[@agent]`; a name may hold `/` itself.

    An entity that is gone, or never was an entry, is named by its key.
    """
    missing: NotFound | None = None
    for entity, parts, agent in _readings(words):
        try:
            subject = _subject(vault, seen, entity)
        except NotFound as error:
            missing = missing or error
            continue
        keys = [_checked(words, part) for part in parts]
        aspect, group, claim = keys if len(keys) > 2 else (keys[0], GENERAL, keys[1])  # noqa: PLR2004
        return Named(subject, aspect, group, claim, agent)
    raise missing or BadSlot(words, "it has too few parts", whole=True)


def _readings(words: str) -> Iterator[tuple[str, list[str], str | None]]:
    """The ways to read a slot's words: with a group before without one."""
    head, _, last = words.rpartition("/")
    claim, at, agent = last.partition("@")
    for number in (3, 2):
        entity, *parts = f"{head}/{claim}".rsplit("/", number)
        if len(parts) == number:
            yield entity, parts, agent if at else None


def _checked(words: str, part: str) -> str:
    key = normalise_key(part)
    if not key:
        raise BadSlot(words, f"`{part}` holds no letter and no digit", whole=True)
    return key


def _subject(vault: "VaultHandle", seen: Snapshot, entity: str) -> str:
    """The key of an entity."""
    try:
        return seen.resolve(entity).entry.key
    except NotFound:
        if split_key(entity) and _told_of(vault, entity):
            return entity
        raise


def readable(vault: "VaultHandle") -> set[str]:
    """The scopes whose past a reader may see, as of the last refresh."""
    return {scope for scope in vault.view().scopes if vault.knows(scope)}


def _told_of(vault: "VaultHandle", subject: str) -> bool:
    """Say whether history the reader may see tells of a subject."""
    return bool(vault.ledger.slots_of(subject, readable(vault)))


def _not_found(vault: "VaultHandle", slot: Named) -> SlotNotFound:
    """The error that tells which slots of the entity are spelt much like one."""
    known = [Slot(*keys) for keys in vault.ledger.slots_of(slot.subject, readable(vault))]
    spelt = {"/".join(keys[2:]): keys.path for keys in known}
    close = get_close_matches("/".join(slot[1:4]), spelt, n=SHOWN, cutoff=0.75)
    return SlotNotFound(slot.path, [spelt[one] for one in close], [keys.path for keys in known])


def _holds(snapshot: Snapshot, slot: Named) -> bool:
    """Say whether a fact stands in a slot now."""
    return snapshot.catalog.has_fact(snapshot.visible(), slot)


def _stand(vault: "VaultHandle", one: Version) -> SlotVersion:
    ended = one.ended
    past: Status = "retracted" if one.retracted else "superseded"
    status: Status = "active" if ended is None else past
    return SlotVersion(
        one.fact,
        one.scope,
        status,
        one.began.ident,
        one.began.moment,
        one.began.author,
        one.began.subject if _tellable(vault, one.began) else "",
        ended.ident if ended else None,
        ended.moment if ended else None,
        one.successor.fact if one.successor else None,
        ended.reason if ended and _tellable(vault, ended) else "",
        one.began.ident in boundary(vault),
    )


def _tellable(vault: "VaultHandle", told: Told) -> bool:
    return all(map(vault.knows, told.scopes))
