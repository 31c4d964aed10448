"""What every write shares: ids, sidecars, and putting files in place all or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.errors import UsageError, VaultError
from vault.lang.lower import read, syntax_errors
from vault.lang.write import fits_string
from vault.model.keys import is_identifier, is_reserved, make_id
from vault.model.schema import Schema
from vault.model.values import PathValue, Value
from vault.render import line
from vault.store.files import check_unchanged, safe_join, write_atomic
from vault.store.journal import FileWrite, Journal
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.vault import Vault

Fields = Mapping[str, Value | None]


class BadId(UsageError):
    """An id that is not one, or that no file can be named by everywhere."""

    code = "bad-id"

    def __init__(self, ident: str, why: str) -> None:
        made = make_id(ident)
        hint = f"`{made}` would do" if made and made != ident else "name another id"
        super().__init__(f"`{ident}` cannot be an id: {why}", hint=hint, details={"id": ident})


class AlreadyThere(VaultError):
    """An id that is taken in the scope it was to be written in."""

    code = "already-there"

    def __init__(self, key: str, path: str) -> None:
        super().__init__(
            f"`{key}` is there already, in {path}",
            hint=f"change it with `vault set {key} field=value`, or choose another id",
            details={"key": key, "path": path},
        )


class Refused(VaultError):
    """A write whose result would have errors; nothing was written."""

    code = "invalid"

    def __init__(self, found: Sequence[Diagnostic], schema: Schema | None = None) -> None:
        errors = [item for item in found if item.severity == "error"]
        structure = f"\nthe expected structure is\n{schema.structure()}" if schema else ""
        super().__init__(
            "nothing was written: " + "; ".join(item.message for item in errors),
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
class Written:
    """What a write did: the entry's key, its file, the files touched, and what its fields now say."""

    key: str
    path: str
    paths: tuple[str, ...]
    changed: tuple[str, ...] = ()
    reveals: str = ""
    findings: tuple[Diagnostic, ...] = ()


def put(vault: "Vault", writes: Sequence[FileWrite]) -> None:
    """Write files, all or none; one that changed since it was read stops the write."""
    changes = [write for write in writes if write.before != write.after]
    if not changes:
        return
    with vault.writing():
        if len(changes) == 1 and changes[0].after is not None:
            target = safe_join(vault.root, changes[0].path)
            check_unchanged(target, changes[0].before, changes[0].path)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(target, changes[0].after, root=vault.root)
            return
        journal = Journal.begin(vault.root, changes)
        try:
            journal.apply()
        except BaseException:
            journal.undo()
            raise
        journal.finish()


def checked_id(ident: str) -> str:
    """Return the id if a file can be named by it; raises `BadId`."""
    if not is_identifier(ident):
        raise BadId(ident, "an id is made of ASCII letters, digits and `_`, and begins with no digit")
    if is_reserved(ident):
        raise BadId(ident, "Windows keeps this file name for itself")
    if len(ident) > 200:  # noqa: PLR2004  file systems allow 255 bytes with `.firm`
        raise BadId(ident, "it is longer than a file name may be")
    return ident


def taken(vault: "Vault", key: str, path: str) -> str | None:
    """Where a key is declared in the scope it would be written in, or what file is in the way."""
    row = vault.catalog.db.execute(
        "SELECT path FROM entries WHERE key = ? COLLATE NOCASE AND scope = ?", [key, vault.scope]
    ).fetchone()
    if row:
        return str(row[0])
    in_the_way = not vault.layout.workspace and safe_join(vault.root, path).exists()
    return path if in_the_way else None


def make_sure_free(vault: "Vault", key: str, path: str) -> None:
    """Raise `AlreadyThere` if a key is taken in the scope it would be written in."""
    where = taken(vault, key, path)
    if where:
        raise AlreadyThere(key, where)


def rewritable(data: bytes, path: str) -> str:
    """The text of a file that may be rewritten; raises `HasSyntaxErrors`."""
    text, problems = decode(data, path)
    wrong = [*problems, *syntax_errors(read(text, path).diagnostics)]
    if wrong:
        raise HasSyntaxErrors(wrong)
    return text


def with_sidecar(ident: str, path: str, fields: Mapping[str, Value]) -> tuple[dict[str, Value], FileWrite | None]:
    """Move a `text` that no string holds into the file `<id>.md` beside the entry."""
    text = fields.get("text")
    if not isinstance(text, str) or fits_string(text):
        return dict(fields), None
    sidecar = str(PurePosixPath(path).with_name(f"{ident}.md"))
    kept: dict[str, Value] = {}
    for name, value in fields.items():
        if name == "text":
            kept["text_file"] = PathValue(f"./{ident}.md")
        else:
            kept[name] = value
    return kept, FileWrite(sidecar, None, f"{text}\n".encode())
