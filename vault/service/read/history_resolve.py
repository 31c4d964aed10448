"""Finding an entry in the past by what it is called now, and telling when it was there."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import BUNDLED
from vault.model.keys import split_key
from vault.service.runtime.boundary import ShallowHistory
from vault.service.runtime.boundary import left_out as unknown_facts
from vault.service.runtime.unread_files import hidden_files, left_out, misplaced
from vault.store.ledger import Change, Told
from vault.store.records import Stored
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.service.runtime.past import Past


class NotThere(VaultError):
    """An entry that was not there at the moment that is looked at."""

    code = "not-there-then"

    def __init__(self, key: str, commit: str | None, when: str) -> None:
        place = f"in {commit[:10]}" if commit else "then"
        super().__init__(f"{key} was not there {place}", hint=when, details={"key": key, "commit": commit})


def split_moment(vault: "VaultHandle", words: str) -> tuple[str, str | None]:
    """Split `ENTRY@REV` into an entry's words and a revision or moment; None without one.

    A name that holds `@` itself is taken whole where an entry goes by it. Raises `Ambiguous`.
    """
    entry, at, when = words.rpartition("@")
    if not at or not entry or not when:
        return words, None
    try:
        vault.snapshot().resolve(words)
    except NotFound:
        return entry, when
    return words, None


def recalled(vault: "VaultHandle", words: str, then: "Past | None") -> Stored:
    """The entry that words name: as it is, or as it was in a past, by what it was or is called.

    Raises `NotFound`, `Ambiguous`, and `NotThere` for one that was not there then.
    """
    snapshot = then.snapshot(vault.reader) if then else vault.snapshot()
    try:
        return snapshot.resolve(words)
    except NotFound as error:
        if then is None:
            for path, why in _not_read(vault):
                if words in (path, PurePosixPath(path).stem, _key_of(path)):
                    error.add(f"; {why}")
            raise
        key = _key_now(vault, words)
        if key in unknown_facts(vault):
            raise ShallowHistory(key) from error
        found = snapshot.by_key(key) if key else []
        if found:
            return found[0]
        when = _when(vault, key) if key else ""
        if key is None or not when:
            raise
    raise NotThere(key, then.commit, when)


def _not_read(vault: "VaultHandle") -> Iterator[tuple[str, str]]:
    """Find the files whose entries are not read, with the reason."""
    for item in left_out(vault):
        yield item.path, item.why
    for path in misplaced(vault):
        yield path, f"{path} is in no scope, so it is not read: move it below global/ or spaces/SPACE/"
    for hidden in hidden_files(vault):
        yield hidden.path, f"{hidden.path} is ignored by git, so it is not read ({hidden.rule}, line {hidden.line})"


def _key_of(path: str) -> str:
    """The key that an entry has in a file of the usual place and name."""
    place = PurePosixPath(path)
    return f"{place.parent.name}.{place.stem}"


def _key_now(vault: "VaultHandle", words: str) -> str | None:
    """The key of the entry that words name now; they may be the key of one that is gone."""
    vault.refresh()
    try:
        return vault.view().resolve(words).entry.key
    except NotFound:
        return words if split_key(words) else None


def _when(vault: "VaultHandle", key: str) -> str:
    """Tell from when to when an entry was there, as far as the reader may know; "" if it never was."""
    from vault.service.read.entry_history import changes

    spans = _spans(changes(vault, key))
    if not spans:
        found = vault.view().by_key(key)
        if found and found[0].scope == BUNDLED:
            return "it is bundled with firm-vault and has no history"
        return "it is in the files and in no commit yet" if found else ""
    told = [f"from {_day(began)}" + (f" until {_day(ended)}" if ended else " on") for began, ended in spans]
    return f"it was there {', '.join(told)}"


def _spans(found: Sequence[Change]) -> list[tuple[Told, Told | None]]:
    """The commits that an entry came and went with, in whatever scopes the changes are of."""
    spans: list[tuple[Told, Told | None]] = []
    present: set[str] = set()
    for change in found:
        before = bool(present)
        if change.after is None:
            present.discard(change.scope)
        else:
            present.add(change.scope)
        if present and not before:
            spans.append((change.told, None))
        elif before and not present:
            spans[-1] = (spans[-1][0], change.told)
    return spans


def _day(told: Told) -> str:
    return f"{told.moment:%Y-%m-%d} ({told.ident[:10]})"
