"""What differs between two states of a vault, in entries, fields and claims."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from vault.errors import UsageError
from vault.model.access import scope_of
from vault.model.entry import Entry
from vault.model.keys import split_key
from vault.model.slots import FACT, Slot, keys_of, version_of
from vault.service.read.entry_detail import changes
from vault.service.runtime.as_of import commit_at, settings_at
from vault.service.runtime.validation import catalog_of, tree_of
from vault.store.catalog import Catalog
from vault.store.files import read_optional, safe_join
from vault.workspace.describe import EntryChange, FieldChange, FileChange, entry_changes, with_text
from vault.workspace.ingest import decode
from vault.workspace.snapshot import NotFound

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

Op = Literal["add", "update", "move", "delete"]
#: An entry's key and scope.
Identity = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of an entry from one state to the other; an entry whose text is in another file has it as a field.

    `slot` is where a fact stands, or stood; `version` says whether it became another version of itself.
    """

    op: Op
    key: str
    scope: str
    path: str
    old_path: str | None
    fields: Sequence[FieldChange]
    slot: Slot | None = None
    version: bool = False

    @property
    def group(self) -> str:
        """The entry it is told under: what a fact is about, else itself."""
        return (self.slot and self.slot.subject) or self.key


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two commits (None: the working tree, or nothing at all), and other files that differ."""

    old: str | None
    new: str | None
    entries: Sequence[Difference]
    files: Sequence[tuple[str, str]]


class NoSuchPath(UsageError):
    """A file or folder that none of the states that are compared has."""

    code = "no-such-path"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"there is no {path} in what is compared",
            hint="give a path from the vault's folder, as in `global/actor`",
            details={"path": path},
        )


@dataclass(frozen=True, slots=True)
class _Blobs:
    """The files that differ: blobs before and after; what the working tree holds is read from it."""

    before: Mapping[str, str | None]
    after: Mapping[str, str | None]
    worktree: Collection[str] = ()


def diff(
    vault: "VaultHandle",
    old: str | None = None,
    new: str | None = None,
    *,
    only: Sequence[str] = (),
    below: Sequence[str] = (),
) -> Diff:
    """Compare two states, each a revision or moment: by default HEAD and the working tree, but for what git ignores.

    `only` names entries, `below` folders or files. Raises `NotFound`, `NoSuchPath`, `NoMoment`, `NothingKnown` and
    `NotInGit`.
    """
    begin = commit_at(vault, old) if old is not None else vault.git().head()
    end = commit_at(vault, new) if new is not None else None
    blobs = _between(vault, begin, end) if end else _to_worktree(vault, begin)
    visible = _visible(vault, [commit for commit in (begin, end) if commit])
    _check_below(vault, below, (begin, end), visible)
    paths = [path for path in sorted(blobs.before) if visible(path) and _is_below(path, below)]
    text = _reader(vault, blobs)
    files = [FileChange(path, text(path, blobs.before), text(path, blobs.after)) for path in paths]
    found = _entries(vault, [file for file in files if vault.layout.kind(file.path) == "firm"])
    beside = [file for file in files if vault.layout.kind(file.path) == "sidecar"]
    told = _with_texts(vault, found, beside, (begin, end), worktree=end is None)
    wanted = {_key(vault, words) for words in only}
    chosen = [one for one in told if not wanted or one.key in wanted]
    rest = _others(vault, files, wanted)
    return Diff(begin, end, sorted(chosen, key=_order), rest)


def _between(vault: "VaultHandle", begin: str | None, end: str) -> _Blobs:
    found = [one for one in vault.git().chain().differences(begin, end) if vault.layout.is_content(one.path)]
    return _Blobs({one.path: one.old for one in found}, {one.path: one.new for one in found})


def _to_worktree(vault: "VaultHandle", begin: str | None) -> _Blobs:
    """What differs from a commit to the files: what does from it to HEAD, and what is not committed."""
    repository = vault.git()
    head = repository.head()
    held = _between(vault, begin, head) if head and head != begin else _Blobs({}, {})
    touched = {one.path for one in changes(vault)}
    before = {**{path: repository.entry_at(begin, path) for path in touched if path not in held.before}, **held.before}
    return _Blobs(before, held.after, touched)


def _visible(vault: "VaultHandle", commits: Iterable[str]) -> Callable[[str], bool]:
    """Says whether a reader may know of a path: private is what was so in either state, or is so now."""
    settings = [vault.layout.settings, *(settings_at(vault, commit) for commit in commits)]

    def visible(path: str) -> bool:
        scope = vault.layout.scope(path)
        return scope is None or scope == vault.reader.space or not any(each.is_private(scope) for each in settings)

    return visible


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return not folders or any(PurePosixPath(path).is_relative_to(folder) for folder in folders)


def _check_below(
    vault: "VaultHandle", below: Sequence[str], states: Iterable[str | None], visible: Callable[[str], bool]
) -> None:
    """Raise `NoSuchPath` for a file or folder that neither state nor the files have, as far as the reader may see."""
    if below:
        trees = [vault.git().tree_at(commit) for commit in states if commit]
        known = {path for path in (*vault.firm_paths(), *(path for tree in trees for path in tree)) if visible(path)}
        for folder in below:
            if not any(_is_below(path, [folder]) for path in known):
                raise NoSuchPath(folder)


def _reader(vault: "VaultHandle", blobs: _Blobs) -> Callable[[str, Mapping[str, str | None]], str | None]:
    """Reads a file's text on one side; one too large to be read as an entry has none."""

    def text(path: str, side: Mapping[str, str | None]) -> str | None:
        if side is blobs.after and path in blobs.worktree:
            data = read_optional(safe_join(vault.root, path), path)
        else:
            blob = side[path]
            data = None if blob is None else vault.git().read_blob(blob)
        if data is None or len(data) > vault.layout.settings.file_limit:
            return None
        return decode(data.replace(b"\r\n", b"\n"), path)[0].removeprefix("\ufeff")

    return text


def _entries(vault: "VaultHandle", files: Iterable[FileChange]) -> list[Difference]:
    return [_difference(vault, change) for change in entry_changes(files)]


def _difference(vault: "VaultHandle", change: EntryChange) -> Difference:
    before, after = change.before, change.after
    shown = after or before or Entry("", "", {})
    names = change.fields
    fields = [
        FieldChange(name, *(side.fields.get(name) if side else None for side in (before, after))) for name in names
    ]
    moved = before.path if before and after and before.path != after.path else None
    op: Op = change.op if change.op != "update" or fields else "move"
    is_fact = shown.type == FACT
    return Difference(
        op,
        change.key,
        _scope(vault, shown.path),
        shown.path,
        moved,
        fields,
        keys_of(shown) if is_fact else None,
        is_fact and _version(before) != _version(after),
    )


def _version(fact: Entry | None) -> bytes | None:
    return version_of(fact) if fact else None


def _scope(vault: "VaultHandle", path: str) -> str:
    return scope_of(path, workspace=vault.layout.workspace) or ""


def _with_texts(
    vault: "VaultHandle",
    found: Sequence[Difference],
    files: Sequence[FileChange],
    commits: tuple[str | None, str | None],
    *,
    worktree: bool,
) -> list[Difference]:
    """The differences of entries with those of the texts that they keep in files of their own."""
    if not files:
        return list(found)
    before = _owned(vault, commits[0], {file.path: file.before for file in files}, worktree=False)
    after = _owned(vault, commits[1], {file.path: file.after for file in files}, worktree=worktree)
    known = {(one.key, one.scope): one for one in found}
    for identity in sorted({*before, *after}):
        (old_path, old), (path, new) = (side.get(identity, ("", None)) for side in (before, after))
        if old != new:
            base = known.get(identity) or Difference("update", *identity, path or old_path, None, [])
            known[identity] = replace(base, op=_op(base), fields=with_text(base.fields, old, new))
    return list(known.values())


def _op(base: Difference) -> Op:
    return "update" if base.op == "move" else base.op


def _owned(
    vault: "VaultHandle", commit: str | None, texts: Mapping[str, str | None], *, worktree: bool
) -> dict[Identity, tuple[str, str | None]]:
    """The entries whose text is in one of some files: where each stands, and its text."""
    if commit is None and not worktree:
        return {}
    if worktree:
        vault.refresh()
        return _owners(vault.catalog, texts)
    with closing(_catalog(vault, commit or "")) as catalog:
        return _owners(catalog, texts)


def _catalog(vault: "VaultHandle", commit: str) -> Catalog:
    """The entries of a commit."""
    number = vault.ledger.number(commit)
    if number is not None:
        return vault.ledger.as_of(number)
    repository = vault.git()
    return catalog_of(vault, tree_of(repository.tree_at(commit), repository.read_blob), vault.layout)


def _owners(catalog: Catalog, texts: Mapping[str, str | None]) -> dict[Identity, tuple[str, str | None]]:
    return {(key, scope): (path, texts[file]) for key, scope, path, file in catalog.text_owners(texts)}


def _others(vault: "VaultHandle", files: Iterable[FileChange], wanted: Collection[str]) -> list[tuple[str, str]]:
    """The settings and schemas that differ, and how: what they say is no entry's."""
    return [
        (file.path, _fate(file)) for file in files if not wanted and vault.layout.kind(file.path) in (None, "schema")
    ]


def _fate(file: FileChange) -> str:
    if file.before is None:
        return "added"
    return "deleted" if file.after is None else "modified"


def _key(vault: "VaultHandle", words: str) -> str:
    """The key that words name; one that is gone is named by its key."""
    try:
        return vault.snapshot().resolve(words).entry.key
    except NotFound:
        if split_key(words):
            return words
        raise


def _order(one: Difference) -> tuple[object, ...]:
    """By what it is about, that itself first, and its facts by where they stand."""
    slot = one.slot
    return (one.group, one.key != one.group, slot[2:5] if slot else (), one.key, one.scope)
