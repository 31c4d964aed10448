"""What a caller may ask for when walking, and how that is refused.

Its errors have the codes `not-found`, `ambiguous` and `invalid-parameter`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from vault.errors import UsageError, VaultError
from vault.model.keys import normalise_key

#: The reserved name of the entity that facts without a subject are listed under.
UNASSIGNED = "unassigned"

ACTIVE, SUPERSEDED, RETRACTED, ALL = "active", "superseded", "retracted", "all"
#: Which versions of facts can be asked for.
STATUSES = (ACTIVE, SUPERSEDED, RETRACTED, ALL)
#: Which places can be asked for: those with a current fact, or vacant ones too.
PLACE_STATUSES = (ACTIVE, ALL)
KINDS = ("attribute", "constraint")
LIMIT_MAX = 200

Item = TypeVar("Item")


class InvalidParameter(UsageError):
    """A parameter of a call with a value it cannot have."""

    code = "invalid-parameter"

    def __init__(self, name: str, given: object, allowed: str, choices: Iterable[str] = ()) -> None:
        super().__init__(
            f"`{name}` cannot be `{given}`",
            hint=f"allowed: {allowed}",
            details={"candidates": list(choices)},
        )


class EntityNotFound(VaultError):
    """No entity the reader may see goes by these words."""

    code = "not-found"

    def __init__(self, words: str, near: Sequence[str]) -> None:
        meant = ", ".join(f"`{key}`" for key in near)
        super().__init__(
            f"there is no entity `{words}`",
            hint=f"did you mean {meant}?" if near else "`vault knowledge entities` lists them",
            details={"candidates": list(near)},
        )


class PlaceNotFound(VaultError):
    """An aspect, group or claim about which nothing is or was said."""

    code = "not-found"

    def __init__(self, what: str, key: str, inside: str, known: Sequence[str]) -> None:
        there = ", ".join(f"`{name}`" for name in known)
        super().__init__(
            f"{inside} has no {what} `{key}`",
            hint=f"there is {there}" if known else "`--status all` also lists earlier statements",
            details={"candidates": list(known)},
        )


class AmbiguousEntity(VaultError):
    """Words that several entities go by."""

    code = "ambiguous"

    def __init__(self, words: str, keys: Sequence[str]) -> None:
        super().__init__(
            f"`{words}` names {len(keys)} entities: {', '.join(keys)}",
            hint="name one by its id",
            details={"candidates": list(keys)},
        )


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A part of a list: at most `limit` items from `offset` on, of `total`."""

    items: Sequence[Item]
    total: int
    limit: int
    offset: int

    @property
    def more(self) -> bool:
        """Whether items follow."""
        return self.offset + len(self.items) < self.total


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a list is asked for."""

    limit: int
    offset: int

    def of(self, items: Sequence[Item]) -> Page[Item]:
        """Take the part."""
        return Page(items[self.offset : self.offset + self.limit], len(items), self.limit, self.offset)


def checked_part(limit: int | str, offset: int | str) -> Part:
    """Read `limit` and `offset`. Raises `InvalidParameter`."""
    return Part(checked_number("limit", limit, 1, LIMIT_MAX), checked_number("offset", offset, 0))


def checked_number(name: str, given: int | str, low: int, high: int | None = None) -> int:
    """Read a whole number, which may come as text. Raises `InvalidParameter`."""
    text = str(given).strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None  # noqa: PLR2004  fits any list
    if number is None or number < low or (high is not None and number > high):
        raise InvalidParameter(name, given, f"{low} and more" if high is None else f"{low} to {high}")
    return number


def checked_word(name: str, given: str, known: Collection[str]) -> str:
    """Return a word if it is one of the known ones. Raises `InvalidParameter`."""
    if given not in known:
        raise InvalidParameter(name, given, ", ".join(known), known)
    return given


def checked_key(name: str, given: str) -> str:
    """Normalise an aspect, group or claim. Raises `InvalidParameter` for one without a letter or digit."""
    key = normalise_key(given)
    if not key:
        raise InvalidParameter(name, given, "a key with at least one letter or digit")
    return key
