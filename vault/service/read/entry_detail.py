"""Reading one entry in full, and the state of the whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.errors import VaultError
from vault.lang.syntax import tokens
from vault.model.access import GLOBAL
from vault.model.values import Reference, Value
from vault.service.arguments.choices import check_type
from vault.service.read.history_resolve import recalled
from vault.service.runtime.citations import cited
from vault.service.runtime.validation import findings
from vault.store.records import Passage, Stored
from vault.workspace.resolve import resolve

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.git import Change


#: The diagnostic of a file in which a merge left both sides.
CONFLICT = "conflict-marker"


@dataclass(frozen=True, slots=True)
class Detail:
    """An entry with all around it; `commit` is the one that holds it, or `worktree`.

    `conflicts` are the places where a merge left two sides in its file: only ours is shown.
    """

    stored: Stored
    source: str
    text: str | None
    commit: str
    referrers: Sequence[tuple[str, Stored]]
    shadows: Sequence[Stored]
    conflicts: Sequence[Diagnostic] = ()

    @property
    def block(self) -> str:
        """The text of the entry as its file has it, with the comments right above it."""
        place, start = self.stored.entry.place, self.stored.entry.place.start
        for token in reversed(tokens(self.source[:start], trivia=True)):
            text = self.source[token.start : token.end]
            if token.kind != "COMMENT" and (token.kind != "BLANK" or text.count("\n") > 1):
                break
            start = token.start if token.kind == "COMMENT" else start
        return self.source[start : place.end]


def detail(vault: "VaultHandle", words: str) -> Detail:
    """Find an entry and what is around it. Raises `NotFound`, `Ambiguous` and `NotThere`."""
    snapshot = vault.snapshot()
    stored = recalled(vault, words, vault.past)
    path = stored.entry.path
    return Detail(
        stored,
        vault.read(path).decode("utf-8", "replace"),
        vault.text_of(stored),
        cited(vault, [path])[path],
        snapshot.referrers(stored.entry.key),
        snapshot.hidden_by(stored) if vault.reader.space or stored.scope == GLOBAL else [],
        conflicts(vault, [path]),
    )


def conflicts(vault: "VaultHandle", paths: Iterable[str]) -> list[Diagnostic]:
    """The conflicts that a merge left in some files, or in the texts of their entries."""
    if vault.past:
        return []
    found = vault.catalog.diagnostics(dict.fromkeys(paths))
    return [item for item in found if item.code == CONFLICT]


def entries(
    vault: "VaultHandle",
    *,
    kind: str | None = None,
    tag: str | None = None,
    limit: int | None = None,
    bundled: bool = False,
) -> list[Stored]:
    """Return the entries the reader sees by key, their own or the bundled ones. Raises `UnknownType`."""
    snapshot = vault.snapshot()
    check_type(snapshot, kind)
    return list((snapshot.shipped() if bundled else snapshot).entries(kind=kind, tag=tag, limit=limit))


def field_value(vault: "VaultHandle", reference: Reference) -> Value:
    """Follow a reference to a field, through those its value names. Raises as `resolve`."""
    found = resolve(vault.snapshot(), reference)
    return Reference(found.entry.type, found.entry.id) if isinstance(found, Stored) else found


class NoPassage(VaultError):
    """An address no passage of an entry has, or has any more."""

    code = "not-found"

    def __init__(self, key: str, part: str) -> None:
        super().__init__(
            f"no passage of {key} has the address `#{part}`",
            hint=f"its text has changed since; `vault get {key}` shows how it is now",
        )


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage of an entry, by its address; `commit` is the one that holds it, or `worktree`."""

    stored: Stored
    address: str
    passage: Passage
    commit: str


def passage(vault: "VaultHandle", words: str) -> Cited:
    """Find a passage by its address, as `note.ada#1b9f03c2`: the entry may be named as for `detail`.

    Raises `NotFound`, `Ambiguous` and `NoPassage`.
    """
    from vault.search.passages import address

    named, _, part = words.rpartition("#")
    snapshot = vault.snapshot()
    stored = snapshot.resolve(named)
    found = snapshot.catalog.passages([stored.row])
    passages = [found[place] for place in sorted(found)]
    by_address = dict(zip(address(passages), passages, strict=True))
    if part not in by_address:
        raise NoPassage(stored.entry.key, part)
    held = by_address[part]
    return Cited(stored, f"{stored.entry.key}#{part}", held, cited(vault, [held.path])[held.path])


@dataclass(frozen=True, slots=True)
class Status:
    """How the vault is: git's branch and head, what is not committed, and what a check finds.

    `unseen` says why git's index could not be read for it, where it could not; `conflicted` are the files in which a
    merge left both sides; `operation` is what waits in git for the person, as `merge`.
    """

    branch: str | None
    head: str | None
    changes: "Sequence[Change]"
    entries: int
    errors: int
    warnings: int
    unseen: str = ""
    conflicted: Sequence[str] = ()
    operation: str | None = None


def changes(vault: "VaultHandle") -> "list[Change]":
    """What of the vault is not committed, in private spaces as seen from inside them alone."""
    repository = vault.repository
    found = repository.status(vault.scanned()) if repository else []
    return [change for change in found if vault.layout.is_content(change.path) and vault.shows(change.path)]


def status(vault: "VaultHandle") -> Status:
    """Look at the vault; changes in private spaces show from inside them alone."""
    found = findings(vault)
    snapshot = vault.snapshot()
    repository = vault.repository
    seen: list[Change] = []
    unseen = ""
    try:
        seen = changes(vault)
    except VaultError as error:
        unseen = f"{error.message}; {error.hint}"
    return Status(
        repository.branch() if repository else None,
        repository.head() if repository else None,
        seen,
        snapshot.count(),
        sum(item.severity == "error" for item in found),
        sum(item.severity == "warning" for item in found),
        unseen,
        sorted(
            {item.span.path for item in found if item.code == CONFLICT}
            | {change.path for change in seen if change.conflicted}
        ),
        repository.unfinished() if repository else None,
    )
