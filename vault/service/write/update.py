"""Changing and removing entries."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, diagnostic, has_errors
from vault.errors import VaultError
from vault.lang.edit import find_block, newline_of, set_fields
from vault.model.access import BUNDLED, GLOBAL
from vault.model.entry import Entry
from vault.model.keys import split_key
from vault.model.schema import Schema
from vault.model.values import Value, from_root
from vault.service.arguments.commit_options import CommitOptions
from vault.service.arguments.path_values import stored_paths
from vault.service.runtime.commit_result import UNCOMMITTED
from vault.service.write.atomic_write import put
from vault.service.write.change_set import ChangeSet, judge, order_of
from vault.service.write.entry_version import check_version
from vault.service.write.new_entry import make_sure_free
from vault.service.write.result import Written
from vault.service.write.settle_due import settled
from vault.service.write.sidecars import Fields, with_sidecar
from vault.service.write.slots import is_fact, make_sure_vacant
from vault.store.files import read_bytes
from vault.store.journal import FileWrite
from vault.store.records import Stored
from vault.workspace.ingest import field_span

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class OnlyGlobal(VaultError):
    """A write from inside a space to an entry that only the global scope holds."""

    code = "only-global"

    def __init__(self, key: str, space: str, *, override: bool) -> None:
        own = "--override" if override else f"vault set {key} FIELD=VALUE --override"
        super().__init__(
            f"`{key}` is a global entry, and you are in the space {space}",
            hint=f"`--global` changes it for everyone; `{own}` makes a version of its own for this space",
            details={"key": key, "space": space},
        )


class ReadOnly(VaultError):
    """A write to an entry that ships with the product."""

    code = "read-only"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"`{key}` is bundled with firm-vault and read-only",
            hint="make a version of your own, which is shown in its place:"
            f" `vault set {key} FIELD=VALUE --override`, or add an entry of this type and id",
            details={"key": key},
        )


class MovedFact(VaultError):
    """A write that names a fact by an id it had before it moved into the file of another."""

    code = "moved-fact"

    def __init__(self, words: str, stored: Stored) -> None:
        key, said = stored.entry.key, stored.entry.name
        super().__init__(
            f"`{words}` moved into `{key}`: that now says {said}",
            hint=f"name `{key}` to change that; `vault history {key}` shows what `{words}` said",
            details={"moved": words, "candidates": [key]},
        )


def to_change(vault: "VaultHandle", words: str) -> Stored:
    """Find the entry that a write names. Raises `NotFound`, `Ambiguous`, and `MovedFact` for the old id of a fact."""
    stored = vault.snapshot().resolve(words)
    named = split_key(words)
    is_old = is_fact(stored.entry) and named and named[0] == stored.entry.type and words != stored.entry.key
    if is_old and not vault.catalog.has_key(words):
        raise MovedFact(words, stored)
    return stored


def make_sure_own(vault: "VaultHandle", stored: Stored, *, override: bool = False) -> None:
    """Raise `ReadOnly` for a bundled entry, `OnlyGlobal` for a global one where the reader stands in a space.

    `override` says whether the caller can be asked for a version of the space's own.
    """
    if stored.scope == BUNDLED:
        raise ReadOnly(stored.entry.key)
    if vault.reader.space and stored.scope == GLOBAL:
        raise OnlyGlobal(stored.entry.key, vault.reader.space, override=override)


#: Changes of fields, or what makes them of the entry as it is once nobody else can write.
Changes = Fields | Callable[[Entry, Schema | None], Fields]


def change(
    vault: "VaultHandle",
    words: str,
    changes: Changes,
    *,
    override: bool = False,
    options: CommitOptions | None = None,
    based_on: str | None = None,
) -> Written:
    """Set, or with None remove, fields of an entry; every other byte of its file stays.

    `based_on` is the version that the change was made for; another one is refused with `StaleVersion`. An entry that
    only a wider scope has is refused, or with `override` copied into the reader's and changed there.
    """
    with vault.writing() as token:
        snapshot = vault.snapshot()
        stored = to_change(vault, words)
        if stored.scope == BUNDLED and not override:
            raise ReadOnly(stored.entry.key)
        stored = settled(vault, stored, words, token)
        check_version(vault, stored.entry.key, based_on)
        fields = changes(stored.entry, snapshot.schemas.get(stored.entry.type)) if callable(changes) else changes
        edits = ChangeSet(vault)
        if override and (stored.scope == BUNDLED or (vault.reader.space and stored.scope == GLOBAL)):
            path = _override(edits, stored, fields)
        else:
            make_sure_own(vault, stored, override=True)
            edits.change(stored, fields)
            path = stored.entry.path
            if is_fact(stored.entry):
                make_sure_vacant(vault, edits.entry(stored), stored.entry, stored.scope)
        landed = put(vault, edits.writes, options, token=token)
    return Written(stored.entry.key, path, edits.paths, tuple(fields), findings=tuple(edits.findings), landed=landed)


def edit_in_place(vault: "VaultHandle", stored: Stored, changes: Fields) -> list[FileWrite]:
    """The writes that change an entry's fields where they stand; none for no changes."""
    edits = ChangeSet(vault)
    if changes:
        edits.change(stored, changes)
    return edits.writes


def _override(edits: ChangeSet, stored: Stored, changes: Fields) -> str:
    """Copy an entry of a wider scope into the reader's, changed; returns the path of the copy."""
    vault = edits.vault
    text, block = edits.found(stored)
    own = text[block.start : block.end] + newline_of(text)
    path = vault.layout.entry_path(stored.entry.type, stored.entry.id, vault.scope)
    make_sure_free(vault, stored.entry.key, path)
    if stored.text_file and "text" not in changes:
        changes = {**changes, "text": (vault.text_of(stored) or "").rstrip("\n")}
    moved = {name: _moved(value, stored.entry.path, path) for name, value in {**stored.entry.fields, **changes}.items()}
    kept = {name: value for name, value in moved.items() if name in changes or value != stored.entry.fields[name]}
    kept.pop("text", None)
    sidecar = None
    if isinstance(changes.get("text"), str):
        fields, sidecar = with_sidecar(stored.entry.id, path, {"text": str(changes["text"])})
        kept |= fields
        kept |= {name: None for name in ("text", "text_file") if name not in fields and name in stored.entry.fields}
    copy = find_block(own, stored.entry.type, stored.entry.id)
    edited = set_fields(own, copy, kept, order_of(vault, stored.entry.type)) if copy else own
    edits.findings += judge(edited, stored.entry, vault.schemas())
    edits.write(path, edited.encode())
    if sidecar:
        edits.write(sidecar.path, sidecar.after)
    return path


def _moved(value: Value | None, old: str, new: str) -> Value | None:
    """A value whose paths count from another file; one that leaves the vault stays as it is."""
    if value is None:
        return None
    try:
        return stored_paths(from_root(value, old), new)
    except TypeError:
        return value


def remove(
    vault: "VaultHandle", words: str, options: CommitOptions | None = None, *, based_on: str | None = None
) -> Written:
    """Remove an entry: its file, or its block where others share the file, and a sidecar only it names.

    `based_on` is the version that is to be removed; another one is refused with `StaleVersion`.
    """
    with vault.writing() as token:
        stored = to_change(vault, words)
        make_sure_own(vault, stored)
        stored = settled(vault, stored, words, token)
        snapshot = vault.snapshot()
        check_version(vault, stored.entry.key, based_on)
        edits = ChangeSet(vault)
        edits.remove(stored)
        hidden = snapshot.hidden_by(stored)
        left = left_behind(vault, stored)
        landed = put(vault, edits.writes, options, token=token)
    paths = tuple(write.path for write in edits.writes)
    reveals = hidden[0].entry.path if hidden else ""
    return Written(stored.entry.key, stored.entry.path, paths, reveals=reveals, findings=tuple(left), landed=landed)


def left_behind(vault: "VaultHandle", stored: Stored) -> list[Diagnostic]:
    """The references that name nothing once an entry is gone."""
    snapshot, key = vault.snapshot(), stored.entry.key
    if snapshot.hidden_by(stored):
        return []
    return [_left(key, name, other) for name, other in snapshot.referrers(key) if other.entry.key != key]


def _left(key: str, name: str, other: Stored) -> Diagnostic:
    message = f"`{name}` names `{key}`, which does not exist any more"
    return diagnostic("dangling-reference", message, field_span(other.entry, name), subject=other.entry.key)


def edited(
    vault: "VaultHandle",
    stored: Stored,
    path: str,
    found: Sequence[Diagnostic],
    *,
    before: str,
    options: CommitOptions | None,
) -> Written:
    """What an edit in an editor did, committed where that is asked for and nothing is wrong.

    `before` is the blob the file had.
    """
    paths = (path,) if vault.blob(path) != before else ()
    landed = UNCOMMITTED
    if options and not has_errors(found):
        data = read_bytes(vault.root, path)
        landed = put(vault, [FileWrite(path, data, data)], options)
    return Written(stored.entry.key, stored.entry.path, paths, findings=tuple(found), landed=landed)
