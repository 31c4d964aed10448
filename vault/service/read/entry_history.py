"""The history of one entry: what each commit made of it, and where each field comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from vault.errors import VaultError
from vault.model.access import BUNDLED
from vault.model.entry import Entry
from vault.model.keys import split_key
from vault.model.slots import FACT, version_of
from vault.model.values import Value, same
from vault.service.runtime.boundary import boundary
from vault.store.ledger import Change
from vault.store.records import Stored
from vault.workspace.describe import TEXT, FieldChange, changed_fields, op_of, with_text
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


@dataclass(frozen=True, slots=True)
class Step:
    """One change of an entry: by whom, when and why, and its fields before and after.

    `op` is add, update, delete or move; `version` says whether a fact became another one. What a commit that
    also touches a private space says is kept from those outside: its `subject` is empty then. `boundary` says that
    a shallow clone ends with this commit: what it changed may have been so before.
    """

    commit: str
    time: datetime
    author: str
    subject: str
    op: str
    path: str
    scope: str
    fields: Sequence[FieldChange]
    version: bool
    boundary: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a field of an entry comes from: the step that gave it its value; None if no commit did yet."""

    field: str
    value: Value
    step: Step | None


class NoHistory(VaultError):
    """An entry that ships with the product: no commit of the vault's made it."""

    code = "no-history"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"`{key}` is bundled with firm-vault and has no history", hint=f"`vault get {key}` shows it as it is"
        )


def history(vault: "VaultHandle", words: str, *, limit: int | None = None) -> list[Step]:
    """What was made of an entry, newest first; one that is gone is named by its key.

    Raises `NotFound`, `Ambiguous`, `NoHistory` and `NotInGit`.
    """
    key, scope = identity(vault, words)
    steps = [_step(vault, change) for change in changes(vault, key, scope)]
    if not steps and not vault.snapshot().by_key(key):
        raise NotFound(words, vault.snapshot().near(words))
    return steps[::-1][:limit]


def blame(vault: "VaultHandle", words: str) -> tuple[Stored, list[Origin]]:
    """An entry as it is, with where each of its fields comes from. Raises as `history`."""
    stored = _of_the_vault(vault.snapshot().resolve(words))
    steps = [_step(vault, change) for change in changes(vault, stored.entry.key, stored.scope)]
    found = []
    text = vault.text_of(stored)
    beside = {} if text is None else {TEXT: plain_lines(text)}
    held = _held(vault, stored)
    for name, value in stored.entry.fields.items():
        kept = name in held and same(held[name], value)
        # a merge may have kept what another branch changed later: the last step that gave it need not be the last
        giving = next((step for step in reversed(steps) if _is_given(step, name, value)), None)
        found.append(Origin(name, value, giving if kept else None))
    for name, value in beside.items():
        giving = next((step for step in reversed(steps) if _gave(step, name) is not None), None)
        found.append(Origin(name, value, giving if giving and _is_given(giving, name, value) else None))
    return stored, found


def _held(vault: "VaultHandle", stored: Stored) -> Mapping[str, Value]:
    """The fields that an entry has in the last commit."""
    catalog = vault.ledger.as_of(vault.ledger.tip())
    try:
        found = catalog.entries_with_key(stored.entry.key, stored.scope)
        return next((one.entry.fields for one in found), {})
    finally:
        catalog.close()


def _is_given(step: Step, name: str, value: Value) -> bool:
    given = _gave(step, name)
    return given is not None and same(given, value)


def _gave(step: Step, name: str) -> Value | None:
    return next((after for field, _, after in step.fields if field == name), None)


def identity(vault: "VaultHandle", words: str) -> tuple[str, str | None]:
    """The key that words name, and the scope of the entry there is; None where only history has it."""
    snapshot = vault.snapshot()
    if split_key(words) and not snapshot.by_key(words) and (vault.ledger.history(words) or not _is_named(vault, words)):
        return words, None
    stored = _of_the_vault(snapshot.resolve(words))
    return stored.entry.key, stored.scope


def _is_named(vault: "VaultHandle", words: str) -> bool:
    """Whether an entry has these words as its name or alias, as `v1.2`."""
    try:
        return bool(vault.snapshot().resolve(words))
    except NotFound:
        return False


def _of_the_vault(stored: Stored) -> Stored:
    if stored.scope == BUNDLED:
        raise NoHistory(stored.entry.key)
    return stored


def changes(vault: "VaultHandle", key: str, scope: str | None = None) -> list[Change]:
    """The changes of an entry in the scope it is in, and in those it came from, as far as the reader may see."""
    found = [change for change in vault.ledger.history(key) if vault.knows(change.scope)]
    if scope:
        return _followed(found, scope)[::-1]
    return [change for change in found if change.scope in vault.view().scopes]


def _followed(found: Sequence[Change], scope: str) -> list[Change]:
    """The changes of one scope's entry, newest first, and before it came from another scope those it had there."""
    followed: list[Change] = []
    came: Change | None = None
    for change in reversed(found):
        if change is came or change.scope != scope:
            continue
        came = _left_elsewhere(found, change) if change.before is None else None
        if came:
            scope = came.scope
            change = replace(change, before=came.before, old_path=came.path, old_text=came.old_text)  # noqa: PLW2901
        followed.append(change)
    return followed


def _left_elsewhere(found: Sequence[Change], arrival: Change) -> Change | None:
    """The change by which an entry left another scope in the commit that put it into this one."""
    return next((one for one in found if one.told.ident == arrival.told.ident and one.after is None), None)


def _step(vault: "VaultHandle", change: Change) -> Step:
    before, after = change.before or {}, change.after or {}
    changed = [FieldChange(name, before.get(name), after.get(name)) for name in changed_fields(before, after)]
    fields = with_text(changed, *(_text(vault, blob) for blob in (change.old_text, change.new_text)))
    op: str = op_of(change.before, change.after)
    if op == "update" and not fields:
        op = "move"
    told = change.told
    return Step(
        told.ident,
        told.moment,
        told.author,
        told.subject if all(map(vault.knows, told.scopes)) else "",
        op,
        change.path,
        change.scope,
        fields,
        version=_is_version(change),
        boundary=told.ident in boundary(vault),
    )


def _text(vault: "VaultHandle", blob: str | None) -> str | None:
    """The text in a file beside an entry, as a commit has it."""
    return None if blob is None else plain_lines(vault.git().read_blob(blob).decode("utf-8-sig", "replace"))


def plain_lines(text: str) -> str:
    """A text with the line ends that git keeps."""
    return text.replace("\r\n", "\n")


def _is_version(change: Change) -> bool:
    """Say whether a commit made another version of a fact; it makes one of another entry by any change of a field."""
    if change.before is None or change.after is None:
        return True
    kind, ident = change.key.split(".")
    if kind != FACT:
        return change.old_text != change.new_text or bool(changed_fields(change.before, change.after))
    return version_of(Entry(kind, ident, change.before)) != version_of(Entry(kind, ident, change.after))
