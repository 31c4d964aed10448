"""Ids for imported entries: what a note calls itself, what it was called before, and no id twice."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha1
from pathlib import PurePosixPath

from vault.model.keys import ID_LENGTH, is_identifier, is_reserved, make_id
from vault.model.values import Reference


@dataclass(frozen=True, slots=True)
class Existing:
    """An entry that is there already: its id is taken, or belongs to the file it came from."""

    type: str
    id: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a file would like to be: its type, the id it gives itself, and texts to make one from."""

    path: str
    origin: str
    type: str
    ident: str
    texts: tuple[str, ...]


def assign_keys(wishes: Iterable[Wish], existing: Iterable[Existing]) -> dict[str, Reference]:
    """Give every file, by path, the entry it becomes.

    What a file of the same origin became before stays. Ids are unique in their type without regard to
    case; of two files that wish for one, the file nearer to the top gets it.
    """
    known = sorted(existing, key=lambda entry: (entry.type, entry.id))
    earlier = {entry.origin: Reference(entry.type, entry.id) for entry in known if entry.origin}
    taken = {(entry.type, entry.id.casefold()) for entry in known}
    keys: dict[str, Reference] = {}
    for wish in sorted(wishes, key=lambda wish: (wish.path.count("/"), wish.path)):
        key = earlier.get(wish.origin) or _new_key(wish, taken)
        taken.add((key.type, key.id.casefold()))
        keys[wish.path] = key
    return keys


def _new_key(wish: Wish, taken: set[tuple[str, str]]) -> Reference:
    free = (ident for ident in _candidates(wish) if (wish.type, ident.casefold()) not in taken)
    return Reference(wish.type, next(free))


def _candidates(wish: Wish) -> Iterator[str]:
    base = _own_id(wish) or next(filter(None, map(make_id, wish.texts)), "") or _from_path(wish)
    yield base
    folder = PurePosixPath(wish.path).parent.name
    if folder:
        yield make_id(f"{folder} {base}") or base
    number = 2
    while True:
        ending = f"_{number}"
        yield base[: ID_LENGTH - len(ending)] + ending
        number += 1


def _own_id(wish: Wish) -> str:
    ident = wish.ident
    return ident if is_identifier(ident) and not is_reserved(ident) and len(ident) <= ID_LENGTH else ""


def _from_path(wish: Wish) -> str:
    digest = sha1(wish.path.encode(), usedforsecurity=False).hexdigest()
    return f"{wish.type}_{digest[:8]}"[:ID_LENGTH]
