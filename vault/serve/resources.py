"""Entries as resources: `vault://actor.ada` is the text of an entry."""

import re
from dataclasses import dataclass

from vault.errors import UsageError
from vault.model.access import READING
from vault.serve.dispatch import reading
from vault.serve.session import Desk

SCHEME = "vault://"
MIME = "text/x-firm"
#: Entries of a page, and keys of a completion.
PAGE, COMPLETED = 100, 50


#: What a cursor looks like: ASCII digits, few enough for any list.
_CURSOR = re.compile(r"[0-9]{1,12}")


class BadAddress(UsageError):
    """An address that is not of an entry."""

    code = "bad-address"

    def __init__(self, given: str) -> None:
        super().__init__(f"`{given}` is not the address of an entry", hint=f"write it as in `{SCHEME}actor.ada`")


class InvalidCursor(UsageError):
    """A cursor that no answer gave."""

    code = "invalid-cursor"

    def __init__(self, given: str) -> None:
        super().__init__(
            f"`{given}` is not a cursor of this list", hint="give the cursor of the last page, or none for the first"
        )


@dataclass(frozen=True, slots=True)
class Resource:
    """An entry in a list."""

    uri: str
    key: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class Resources:
    """A page of entries, and the cursor of the next (None for the last)."""

    items: list[Resource]
    next: str | None


@dataclass(frozen=True, slots=True)
class Completed:
    """Keys, and whether there are more."""

    values: list[str]
    more: bool


def listed(desk: Desk, cursor: str | None) -> Resources:
    """The entries by key, a page after that of the cursor. Raises `InvalidCursor`."""
    if cursor is not None and not _CURSOR.fullmatch(cursor):
        raise InvalidCursor(cursor)
    start = int(cursor or 0)
    with reading(desk, "resources/list", {}, READING) as vault:
        found = vault.entries(limit=start + PAGE + 1)[start:]
    items = [
        Resource(f"{SCHEME}{one.entry.key}", one.entry.key, one.entry.name, str(one.entry.fields.get("summary", "")))
        for one in found[:PAGE]
    ]
    return Resources(items, str(start + PAGE) if len(found) > PAGE else None)


def read(desk: Desk, uri: str) -> str:
    """The text of an entry, as its file has it. Raises `BadAddress`, `NotFound`, `Ambiguous`."""
    if not uri.startswith(SCHEME):
        raise BadAddress(uri)
    with reading(desk, "resources/read", {"uri": uri}, ("get_knowledge",)) as vault:
        found = vault.detail(uri.removeprefix(SCHEME).rstrip("/"))
        return found.block + (f"\n\n{found.text}" if found.text else "\n")


def completed(desk: Desk, begun: str) -> Completed:
    """The keys of entries that begin so, or whose id does."""
    with reading(desk, "completion/complete", {"value": begun}, READING) as vault:
        keys = dict.fromkeys(one.entry.key for one in vault.entries())
    fitting = [key for key in keys if begun in (key[: len(begun)], key.partition(".")[2][: len(begun)])]
    return Completed(fitting[:COMPLETED], len(fitting) > COMPLETED)
