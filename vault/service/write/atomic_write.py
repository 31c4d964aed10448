"""What every write shares: ids, sidecars, and putting files in place all or none."""

import codecs
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.errors import UsageError, VaultError
from vault.lang.lower import read, syntax_errors
from vault.lang.write import fits_string
from vault.model.keys import is_identifier, is_reserved, make_id
from vault.model.schema import Schema
from vault.model.values import PathValue, Value
from vault.render import line
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.store.files import WriteFailed, check_unchanged, read_optional, remove, safe_join, write_atomic
from vault.store.ignore import Pattern
from vault.store.journal import FileWrite, Journal
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle
    from vault.service.write.slots import Placed

Fields = Mapping[str, Value | None]


class IgnoredPath(VaultError):
    """A new file at a path that a rule of git excludes."""

    code = "ignored-path"

    def __init__(self, path: str, pattern: Pattern) -> None:
        place = f"line {pattern.number} of {pattern.file}"
        super().__init__(
            f"{path} is ignored by git ({place}), so it would not belong to the vault",
            hint=f"choose another id, or change {place}",
            details={"path": path, "rule": str(pattern.file), "line": pattern.number},
        )


class BadId(UsageError):
    """An id that is not one, or that no file can be named by everywhere."""

    code = "bad-id"

    def __init__(self, ident: str, why: str) -> None:
        made = make_id(ident)
        hint = f"`{made}` would do" if made and made != ident else "name another id"
        super().__init__(f"`{ident}` cannot be an id: {why}", hint=hint, details={"id": ident})


class AlreadyThere(VaultError):
    """An entry of the same type and id in the scope that a new one was to be written in."""

    code = "already-there"

    def __init__(self, key: str, path: str) -> None:
        super().__init__(
            f"`{key}` already exists in {path}",
            hint=f"change it with `vault set {key} field=value`, or choose another id",
            details={"key": key, "path": path},
        )


class PathTaken(VaultError):
    """A file in the way of one that was to be written; `keys` are the entries that it holds."""

    code = "path-taken"

    def __init__(self, path: str, keys: Sequence[str]) -> None:
        content = f"it holds {', '.join(f'`{key}`' for key in keys)}" if keys else "it holds no entry"
        super().__init__(
            f"the file {path} already exists: {content}",
            hint="choose another id, or rename that file",
            details={"path": path, "entries": list(keys)},
        )


#: How a write says that it was none.
REFUSED = "nothing was written: "


class Refused(VaultError):
    """A write whose result would have errors; nothing was written."""

    code = "invalid"

    def __init__(self, found: Sequence[Diagnostic], schema: Schema | None = None) -> None:
        errors = [item for item in found if item.severity == "error"]
        lacks = schema is not None and any(item.code == "missing-field" for item in errors)
        structure = f"\nthe expected structure is\n{schema.structure()}" if schema and lacks else ""
        super().__init__(
            REFUSED + "; ".join(item.message for item in errors),
            hint="; ".join(dict.fromkeys(item.hint for item in errors if item.hint)) + structure,
            details={
                "diagnostics": [line(item) for item in errors],
                "expected": schema.structure() if schema else None,
            },
        )


class HasSyntaxErrors(VaultError):
    """A file that cannot be rewritten safely because it does not parse."""

    code = "has-syntax-errors"

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        super().__init__(
            f"{found[0].span.path} has syntax errors and is not rewritten: {line(found[0])}",
            hint="correct them in an editor, then repeat the command",
            details={"diagnostics": [line(item) for item in found]},
        )


@dataclass(frozen=True, slots=True)
class Landing:
    """The wish that a write is committed with it, under this message or one that says what changed.

    `op` is what the write is called where its content does not tell; `trailers` are more words about it.
    """

    message: str | None = None
    op: str | None = None
    trailers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: the entry's key, its file, the files touched, and what its fields now say.

    `landed` says whether and where it was committed; `placed` is where a new entry went; `shadows` are the files of
    the entries that it now hides; `notes` say what the writer may not expect.
    """

    key: str
    path: str
    paths: tuple[str, ...]
    changed: tuple[str, ...] = ()
    reveals: str = ""
    findings: tuple[Diagnostic, ...] = ()
    landed: Landed = UNCOMMITTED
    placed: "Placed | None" = None
    shadows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


def put(
    vault: "VaultHandle", writes: Sequence[FileWrite], landing: Landing | None = None, *, token: str | None = None
) -> Landed:
    """Write files, all or none, and with `landing` commit them in the same step.

    `token` is that of the writer lock where the caller holds it: whoever reads what a write depends on
    holds it from then on. A file that changed since it was read stops the write.
    """
    if token is None:
        with vault.writing() as held:
            return put(vault, writes, landing, token=held)
    if len({write.path for write in writes}) < len(writes):
        raise ValueError("two writes of one file: one of them would be lost")
    _refuse_ignored(vault, writes)
    with vault.gate.passing(writes) if vault.gate else nullcontext():
        return _put(vault, writes, landing, token)


def check_permitted(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Raise what `put` would of a write that is not permitted, before anything is done for it."""
    if vault.gate:
        vault.gate.check(writes)


def _put(vault: "VaultHandle", writes: Sequence[FileWrite], landing: Landing | None, token: str) -> Landed:
    if landing is not None:
        from vault.service.write.commits import land

        return land(vault, writes, landing, token=token)
    changes = [write for write in writes if write.before != write.after]
    if len(changes) == 1 and changes[0].after is not None:
        _write_one(vault, changes[0], changes[0].after)
    elif changes:
        journal = Journal.begin(vault.root, changes)
        try:
            journal.apply()
        except BaseException:
            journal.undo()
            raise
        journal.finish()
    return UNCOMMITTED


def _write_one(vault: "VaultHandle", write: FileWrite, after: bytes) -> None:
    target = safe_join(vault.root, write.path)
    check_unchanged(target, write.before, write.path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(str(target.parent), error.strerror or str(error)) from error
    try:
        write_atomic(target, after, root=vault.root)
    except WriteFailed:
        _take_back(target, write.before, after)
        raise


def _take_back(target: Path, before: bytes | None, after: bytes) -> None:
    """Undo a write that was refused after the file was in place, as when its folder cannot be synchronised."""
    if read_optional(target) != after:
        return
    with suppress(WriteFailed):
        if before is None:
            remove(target)
        else:
            write_atomic(target, before)


def _refuse_ignored(vault: "VaultHandle", writes: Sequence[FileWrite]) -> None:
    """Raise `IgnoredPath` for a file that git leaves out, and so the vault."""
    exclusions = vault.exclusions()
    known = vault.catalog.blobs(write.path for write in writes)
    for write in writes:
        seen = write.path in known or (write.before is not None and not write.path.endswith(".firm"))
        pattern = None if write.after is None or seen else exclusions.pattern(write.path)
        if pattern is not None:
            raise IgnoredPath(write.path, pattern)


def checked_id(ident: str) -> str:
    """Return the id if a file can be named by it; raises `BadId`."""
    if not is_identifier(ident):
        raise BadId(ident, "an id is made of ASCII letters, digits and `_`, and begins with no digit")
    if is_reserved(ident):
        raise BadId(ident, "Windows keeps this file name for itself")
    if len(ident) > 200:  # noqa: PLR2004  file systems allow 255 bytes with `.firm`
        raise BadId(ident, "it is longer than a file name may be")
    return ident


def obstacle(vault: "VaultHandle", key: str, path: str) -> AlreadyThere | PathTaken | None:
    """What keeps a new entry from being written at a path: an entry of its key in this scope, or a file."""
    if declared := _declared(vault, key):
        return declared
    if vault.layout.workspace:
        return None
    own = (path, sidecar_path(path))
    place = next((place for place in own if os.path.lexists(safe_join(vault.root, place))), None)
    return PathTaken(place, entries_in(vault, place)) if place else None


def _declared(vault: "VaultHandle", key: str) -> AlreadyThere | None:
    """The entry of a key in the writer's scope; case makes no difference to file systems."""
    row = vault.catalog.db.execute(
        "SELECT key, path FROM entries WHERE key = ? COLLATE NOCASE AND scope = ?", [key, vault.scope]
    ).fetchone()
    return AlreadyThere(*row) if row else None


def entries_in(vault: "VaultHandle", path: str) -> list[str]:
    """The keys of the entries that a file declares, or whose text it holds."""
    rows = vault.catalog.db.execute("SELECT key FROM entries WHERE path = ? ORDER BY id", [path])
    return [key for (key,) in rows] or vault.catalog.owners_of(path)


def make_sure_free(vault: "VaultHandle", key: str, path: str) -> None:
    """Raise `AlreadyThere` or `PathTaken` if an entry cannot be written in the writer's scope."""
    if found := obstacle(vault, key, path):
        raise found


def make_sure_undeclared(vault: "VaultHandle", key: str) -> None:
    """Raise `AlreadyThere` if the writer's scope has an entry of a key."""
    if found := _declared(vault, key):
        raise found


def rewritable(data: bytes, path: str) -> str:
    """The text of a file that may be rewritten; raises `HasSyntaxErrors`."""
    text, problems = decode(data, path)
    wrong = [*problems, *syntax_errors(read(text, path).diagnostics)]
    if wrong:
        raise HasSyntaxErrors(wrong)
    return text


def sidecar_path(path: str, stem: str | None = None) -> str:
    """The file beside an entry's that holds its text where no string can."""
    place = PurePosixPath(path)
    return str(place.with_name(f"{stem or place.stem}.md"))


def sidecar_stem(vault: "VaultHandle", kind: str, ident: str) -> str:
    """What the sidecar of an entry is called: in a workspace, where types share folders, by its type too."""
    return f"{kind}_{ident}" if vault.layout.workspace else ident


def with_sidecar(stem: str, path: str, fields: Mapping[str, Value]) -> tuple[dict[str, Value], FileWrite | None]:
    """Move a `text` that no string holds into the file `<stem>.md` beside the entry."""
    text = fields.get("text")
    if not isinstance(text, str) or fits_string(text):
        return dict(fields), None
    sidecar = sidecar_path(path, stem)
    kept: dict[str, Value] = {}
    for name, value in fields.items():
        if name == "text":
            kept["text_file"] = PathValue(f"./{stem}.md")
        else:
            kept[name] = value
    return kept, FileWrite(sidecar, None, f"{text}\n".encode())


def sidecar_data(text: str, before: bytes) -> bytes:
    """The bytes of a sidecar with another text: it ends with a line end, and keeps its byte order mark."""
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    ended = text if text.endswith("\n") else f"{text}\n"
    return mark + ended.encode()
