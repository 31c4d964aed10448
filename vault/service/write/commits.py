"""Commits: what lands, judged first, described in entries, and never mixed with a private space."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic, has_errors
from vault.errors import VaultError
from vault.lang.lower import read
from vault.model.keys import spellings
from vault.model.trailers import KEY
from vault.render import line, listed
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import Commit, Landed
from vault.service.runtime.validation import EditedFiles, check_change, tree_of
from vault.service.write.sidecars import sidecar_path
from vault.store.files import read_optional, safe_join
from vault.store.journal import FileWrite, Journal
from vault.workspace.describe import FileChange, entry_changes, subject, trailers
from vault.workspace.refresh import blob_of

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.store.git import Change, Repository, Transaction


class HasErrors(VaultError):
    """Content that is not committed because it has errors; `first` are schemas that no commit has yet."""

    code = "has-errors"

    def __init__(self, found: Sequence[Diagnostic], first: Sequence[str] = ()) -> None:
        errors = [item for item in found if item.severity == "error"]
        todo = f"commit {', '.join(first)} first: `vault commit {' '.join(first)}`" if first else ""
        super().__init__(
            f"nothing was committed, because of {len(errors)} error{'s' * (len(errors) != 1)}:\n{listed(errors)}",
            hint=todo or "correct them (`vault check` shows each in full), then commit again",
            details={"diagnostics": [line(item) for item in errors]},
        )


class Conflicted(VaultError):
    """Paths that an unfinished merge left in conflict."""

    code = "conflicted"

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(
            f"these files are in conflict: {', '.join(paths)}",
            hint="settle them in an editor, `git add` them, and finish what `git status` says is under way",
            details={"paths": list(paths)},
        )


class NothingChanged(VaultError):
    """A commit of what is as it was committed."""

    code = "nothing-to-commit"
    status = 0

    def __init__(self, what: str) -> None:
        super().__init__(f"nothing to commit: {what}")


def commit(
    vault: "VaultHandle", words: Sequence[str] = (), *, message: str | None = None, staged: bool = False
) -> list[Commit]:
    """Commit the named entries, else what is staged, else every changed file of the vault.

    One commit for all that is not private, and one for each private space. Raises `HasErrors` for
    content that would land with errors, `NothingChanged`, and the errors of `vault.store.git`; one that
    comes after a commit was made says so.
    """
    repository = vault.git()
    with vault.writing() as token:
        vault.refresh()
        contents = _staged(vault, repository) if staged else _changed(vault, repository, words)
        _judge(vault, repository, contents)
        made: list[Commit] = []
        for space, group in by_privacy(vault, list(contents)).items():
            try:
                own = {path: contents[path] for path in group}
                made += _commit_group(vault, repository, own, space, CommitOptions(message), token=token)
            except VaultError as error:
                error.add("".join(f"; committed before that: {one.commit[:10]}" for one in made))
                raise
    if not made:
        raise NothingChanged("the history holds this already")
    return made


def land(
    vault: "VaultHandle", writes: Sequence[FileWrite], options: CommitOptions | None = None, *, token: str
) -> Landed:
    """Write files and commit them in one step: all of it lands, or the files are as they were.

    A file that the write leaves as it is lands too, if the history does not hold it yet. Files that come to
    hold what HEAD holds are written without a commit. Files of a private space are committed apart from
    all others, in a second step, which is reported.
    """
    repository = vault.git()
    contents = {write.path: write.after for write in writes}
    if not contents:
        return Landed()
    _judge(vault, repository, contents)
    made: list[Commit] = []
    for space, group in by_privacy(vault, list(contents)).items():
        own = {path: contents[path] for path in group}
        changes = [write for write in writes if write.path in own and write.before != write.after]
        made += _commit_group(vault, repository, own, space, options or CommitOptions(), writes=changes, token=token)
    for other in made[1:]:
        vault.say(f"committed {other.commit[:10]}: {other.subject}")
    if made:
        return Landed(made[0])
    is_written = any(write.before != write.after for write in writes)
    return Landed(already_in=repository.head() if is_written else None)


def check_committable(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Raise `HasErrors` if files could not be committed as they will be."""
    if writes:
        before = [write for prepared in vault.prepared for write in prepared.writes]
        _judge(vault, vault.git(), {write.path: write.after for write in (*before, *writes)})


def _changed(vault: "VaultHandle", repository: "Repository", words: Sequence[str]) -> dict[str, bytes | None]:
    """The changed files of the vault, or of the named entries, with what they hold now."""
    changed = [change for change in repository.status(vault.scanned()) if vault.layout.is_content(change.path)]
    _refuse_conflicts(changed)
    paths = [change.path for change in changed]
    wanted = _named(vault, words, paths) if words else paths
    if not wanted:
        raise NothingChanged(f"{', '.join(words)} is as it was committed" if words else "no file of the vault changed")
    return {path: read_optional(safe_join(vault.root, path), path) for path in wanted}


def _staged(vault: "VaultHandle", repository: "Repository") -> dict[str, bytes | None]:
    """What is staged of the vault."""
    staged = {path: data for path, data in repository.staged_contents().items() if vault.layout.is_content(path)}
    if not staged:
        raise NothingChanged("nothing of the vault is staged")
    return staged


def _named(vault: "VaultHandle", words: Sequence[str], changed: Sequence[str]) -> list[str]:
    """The changed files of named entries: theirs and their sidecars, or those they had before they went."""
    snapshot = vault.view()
    wanted: set[str] = set()
    for word in words:
        named = _by_path(vault, word, changed)
        if not named:
            stored = snapshot.resolve(word)
            named = {stored.entry.path, *([stored.text_file] if stored.text_file else [])}
        wanted |= named
    return [path for path in changed if path in wanted]


def _by_path(vault: "VaultHandle", word: str, changed: Sequence[str]) -> set[str]:
    """The changed file a word names as a path, or those of the deleted entry it names by its key."""
    named = {path for path in spellings(word.removeprefix("./")) if path in changed and vault.shows(path)}
    if named:
        return named
    kind, _, ident = word.partition(".")
    place = vault.layout.entry_path(kind, ident, vault.scope)
    if (vault.root / place).exists():
        return set()
    return {own for own in (place, sidecar_path(place)) if own in changed}


def _refuse_conflicts(changed: "Sequence[Change]") -> None:
    conflicted = [change.path for change in changed if change.conflicted]
    if conflicted:
        raise Conflicted(conflicted)


def _judge(vault: "VaultHandle", repository: "Repository", contents: Mapping[str, bytes | None]) -> None:
    """Raise `HasErrors` if the commit of these contents, on top of HEAD, would hold an error of theirs."""
    before = repository.files_at(repository.head())
    own = {path: None if data is None else blob_of(data) for path, data in contents.items()}
    texts = {
        blob: data for blob, data in zip(own.values(), contents.values(), strict=True) if blob and data is not None
    }
    after = EditedFiles(before, own)

    def read_text(blob: str) -> bytes:
        return texts[blob] if blob in texts else repository.read_blob(blob)

    def differing() -> set[str]:
        changes = repository.status(vault.scanned())
        return {*own, *(change.path for change in changes), *repository.unwatched()}

    found = check_change(
        vault, tree_of(before, repository.read_blob, differing), tree_of(after, read_text, differing), edited=own
    ).found
    if has_errors(found):
        raise HasErrors(found, _uncommitted_schemas(vault, contents, after))


def _uncommitted_schemas(
    vault: "VaultHandle", contents: Mapping[str, bytes | None], blobs: Mapping[str, str]
) -> list[str]:
    """The schemas of what is to be committed that no commit has yet."""
    texts = ((path, data.decode("utf-8", "replace")) for path, data in contents.items() if data)
    kinds = {entry.type for path, text in texts if path.endswith(".firm") for entry in read(text, path).entries}
    schemas = vault.schemas()
    paths = {schemas[kind].path for kind in kinds if kind in schemas}
    return sorted(path for path in paths if path and path not in blobs)


def by_privacy(vault: "VaultHandle", paths: Sequence[str]) -> dict[str | None, list[str]]:
    """Divide paths into those that are not private (None) and those of each private space."""
    groups: dict[str | None, list[str]] = {}
    for path in paths:
        scope = vault.layout.scope(path)
        private = scope is not None and vault.layout.settings.is_private(scope)
        groups.setdefault(scope if private else None, []).append(path)
    return dict(sorted(groups.items(), key=lambda item: item[0] or ""))


def _commit_group(
    vault: "VaultHandle",
    repository: "Repository",
    contents: Mapping[str, bytes | None],
    space: str | None,
    options: CommitOptions,
    *,
    writes: Sequence[FileWrite] = (),
    token: str,
) -> list[Commit]:
    """Write and commit some files; returns no commit if HEAD already holds them."""
    by = tuple((name, said) for name, said in (("Vault-Agent", vault.agent), ("Vault-Chat", vault.place)) if said)
    told = describe(repository, contents, space, replace(options, trailers=(*by, *options.trailers)))
    if space is not None and options.message:
        vault.say("the message was left out: that of a private space's commit says nothing of it")
    ident = make(vault, repository, contents, told.message, writes, token=token)
    if ident is None:
        return []
    named = space is None or space == vault.reader.space
    return [
        Commit(
            ident, told.subject, len(contents), told.entries if named else (), tuple(contents) if named else (), space
        )
    ]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """The words of a commit."""

    subject: str
    message: str
    entries: tuple[str, ...]


def describe(
    repository: "Repository",
    contents: Mapping[str, bytes | None],
    space: str | None = None,
    options: CommitOptions = CommitOptions(),  # noqa: B008  frozen
) -> CommitMessage:
    """Write the message of a commit; that of a private space names no id and no value."""
    from vault.store.git import with_trailers

    head = repository.head()
    changes = [
        FileChange(path, _before(repository, head, path), None if data is None else data.decode("utf-8", "replace"))
        for path, data in contents.items()
    ]
    found = entry_changes(changes)
    entries = tuple(change.key for change in found)
    if space is not None:
        number = len(found) or len(contents)
        what = ("entry", "entries") if found else ("file", "files")
        own = f"change {number} {what[number != 1]} of a private space"
        words = [("Vault-Space", space), *_discreet(options.trailers, space)]
        return CommitMessage(own, with_trailers(own, [*trailers(found, options.op)[:1], *words]), entries)
    own = options.message or subject(found, list(contents), options.op)
    first = own.splitlines()[0] if own.strip() else ""
    spaces = {path.split("/")[1] if path.startswith("spaces/") else "" for path in contents}
    where = [("Vault-Space", name) for name in spaces if name] if len(spaces) == 1 else []
    return CommitMessage(first, with_trailers(own, [*trailers(found, options.op), *where, *options.trailers]), entries)


def _discreet(words: Sequence[tuple[str, str]], space: str) -> list[tuple[str, str]]:
    """The trailers a private space's commit may have: who wrote, and a digest of the key it must not repeat."""
    return [
        (name, key_digest(value, space) if name == KEY else value)
        for name, value in words
        if name in ("Vault-Agent", KEY)
    ]


def key_digest(key: str, space: str) -> str:
    """What stands for an idempotency key in the commits of a private space."""
    return "sha256:" + hashlib.sha256(f"{space}\0{key}".encode()).hexdigest()


def _before(repository: "Repository", head: str | None, path: str) -> str | None:
    blob = repository.entry_at(head, path) if head else None
    return repository.read_blob(blob).decode("utf-8", "replace") if blob else None


def make(
    vault: "VaultHandle",
    repository: "Repository",
    contents: Mapping[str, bytes | None] | None,
    message: str,
    writes: Sequence[FileWrite] = (),
    *,
    token: str | None = None,
) -> str | None:
    """Make one commit, with file writes that belong to it; a crash leaves all of it or nothing.

    Returns None if HEAD already holds the result: the files are written, and git's index is brought in step.
    Order: journal, files, hooks, git objects, git index, branch, journal removed. `token` is that of the
    writer lock where the caller holds it.
    """
    if token is None:
        with vault.writing() as held:
            return make(vault, repository, contents, message, writes, token=held)
    with repository.transaction(contents, vault.environ, lock_token=token) as transaction:
        journal = Journal.begin(vault.root, writes)
        try:
            journal.apply()
            transaction.pre_commit()
            ident = _write_commit(transaction, message, updates_index=contents is not None)
        except BaseException:
            journal.undo()
            raise
        finally:
            _pass_on(vault, transaction.output)
        if ident is None:
            journal.finish()
            return None
        try:
            journal.committing(transaction.record())
            transaction.publish()
        except (VaultError, OSError):  # the branch did not move; an interruption is finished by the next command
            journal.undo()
            raise
        try:
            journal.finish()
        except VaultError as error:
            vault.say(f"{error.message}; the commit is made, and the next write removes its journal")
    if repository.branch() is None:
        vault.say("HEAD is on no branch; `git switch -c NAME` keeps this commit")
    return ident


def _write_commit(transaction: "Transaction", message: str, *, updates_index: bool) -> str | None:
    """Write the commit; None if HEAD already holds the files, whose index entries then follow them."""
    from vault.store.git import NothingToCommit

    try:
        return transaction.write(message)
    except NothingToCommit:
        if updates_index:
            transaction.update_index()
        return None


def _pass_on(vault: "VaultHandle", printed: Sequence[tuple[str, str]]) -> None:
    """Show what hooks printed."""
    for _, text in printed:
        if text.strip():
            vault.say(text.rstrip())
