"""The `.firm` files of a vault, whole: where things stand, and files read, searched, written and removed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.errors import UsageError, VaultError
from vault.lang.edit import find_block, newline_of
from vault.lang.lower import read as lower
from vault.lang.lower import syntax_errors
from vault.model.keys import composed, is_identifier
from vault.render import line, listed
from vault.service.arguments.commit_options import CommitOptions
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.service.runtime.validation import news
from vault.service.write.atomic_write import IgnoredPath, put
from vault.store.files import passes_link, read_bytes, read_optional, safe_join
from vault.store.journal import FileWrite
from vault.store.scan import SKIPPED, is_text
from vault.workspace.ingest import decode

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle


class NotAFirmFile(UsageError):
    """A path at which the vault reads no `.firm` file."""

    code = "not-a-firm-file"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} is not a `.firm` file: {why}", hint="name a `.firm` file", details={"path": path})


class NoFile(VaultError):
    """A source file that is not there, or of which the reader may not know."""

    code = "not-found"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"there is no `.firm` file {path}", hint="`vault file tree` lists the files", details={"path": path}
        )


class NoSchema(VaultError):
    """A schema that no file declares."""

    code = "not-found"

    def __init__(self, name: str) -> None:
        super().__init__(f"no file declares the schema `{name}`", hint="`vault schema list` shows what there is")


class OutOfScope(VaultError):
    """A file that does not belong to where the reader stands."""

    code = "out-of-scope"

    def __init__(self, path: str, space: str | None) -> None:
        where = f"you are in the space {space}" if space else "you are outside all spaces"
        hint = "`--global` leaves the space; `--space SPACE` goes into another"
        super().__init__(f"{path} does not belong to where you are: {where}", hint=hint, details={"path": path})


class DoesNotParse(VaultError):
    """A text that is not the Firm language; it is written under no circumstances."""

    code = "has-syntax-errors"

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        shown = "\n".join(line(item) for item in found)
        super().__init__(
            f"nothing was written, because the new text does not parse:\n{shown}",
            hint="correct the text, then repeat the command",
            details={"diagnostics": [line(item) for item in found]},
        )


class Breaks(VaultError):
    """A write after which the vault would have errors that it has not now."""

    code = "invalid"

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        super().__init__(
            f"nothing was written, because the vault would have new errors:\n{listed(found)}",
            hint="correct the text, or write it all the same with force (`--force`, `force: true`)",
            details={"diagnostics": [line(item) for item in found]},
        )


class NoMatch(VaultError):
    """A text to be replaced that its file does not hold."""

    code = "no-match"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} does not hold the text", hint="every character counts, blanks and line ends too")


class SeveralMatches(VaultError):
    """A text to be replaced once that its file holds several times."""

    code = "several-matches"

    def __init__(self, path: str, count: int) -> None:
        super().__init__(
            f"{path} holds the text {count} times",
            hint="give more of what is around it, or replace all of them with `--all`",
            details={"path": path, "count": count},
        )


@dataclass(frozen=True, slots=True)
class Declared:
    """Where an entry or a schema is declared; the line counts from 1."""

    key: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a file that holds a text."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a write of a whole file did: the files touched, and what is newly wrong in the vault.

    `existed` says whether the file was there before, `count` how many places were replaced.
    """

    path: str
    paths: tuple[str, ...]
    existed: bool
    count: int = 0
    findings: tuple[Diagnostic, ...] = ()
    landed: Landed = UNCOMMITTED

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


# -- reading


def tree(vault: "VaultHandle") -> list[str]:
    """The paths of the `.firm` files that the reader sees: their scopes' and the schemas'."""
    vault.refresh()
    scopes = (None, *vault.view().scopes)
    return [path for path in sorted(vault.catalog.blobs()) if vault.layout.scope(path) in scopes]


def find(vault: "VaultHandle", words: str) -> Declared:
    """Find where an entry is declared, or with `schema NAME` a schema; an entry may be named as `type id` too.

    Raises `NotFound`, `Ambiguous` and `NoSchema`.
    """
    kind, _, ident = words.replace(" ", ".").partition(".")
    if kind == "schema" and ident:
        return _schema(vault, ident)
    plain = is_identifier(kind) and is_identifier(ident)
    snapshot = vault.snapshot()
    held = plain and snapshot.by_key(f"{kind}.{ident}")
    stored = snapshot.resolve(f"{kind}.{ident}" if held else words)
    return Declared(stored.entry.key, stored.entry.path, stored.entry.place.line)


def _schema(vault: "VaultHandle", name: str) -> Declared:
    vault.refresh()
    schema = vault.schemas().get(name)
    if schema is None or not schema.path:
        raise NoSchema(name)
    text, _ = decode(read_bytes(vault.root, schema.path), schema.path)
    block = find_block(text, "schema", name)
    return Declared(f"schema {name}", schema.path, text.count("\n", 0, block.start) + 1 if block else 1)


def read(vault: "VaultHandle", path: str) -> tuple[str, bytes]:
    """The path of a file in the one form that names it, and its bytes. Raises `NoFile`, and as `write`."""
    place = _known(vault, path)
    return place, read_bytes(vault.root, place)


def removable(vault: "VaultHandle", path: str) -> str:
    """The path of a file that the reader may remove from where they stand. Raises as `delete`."""
    return _own(vault, _known(vault, path))


def grep(vault: "VaultHandle", text: str, *, case: bool = False) -> list[Match]:
    """The lines that hold a text, in the files that the reader sees; capitals count only with `case`."""
    if not text:
        raise UsageError("there is no text to look for", hint="name at least one character")

    def fold(line: str) -> str:
        return composed(line) if case else composed(composed(line).casefold())

    wanted = fold(text)
    return [
        Match(path, number, row)
        for path in tree(vault)
        for number, row in enumerate(_rows(read_bytes(vault.root, path)), 1)
        if wanted in fold(row)
    ]


def _rows(data: bytes) -> list[str]:
    return [row.removesuffix("\r") for row in data.decode("utf-8-sig", "replace").split("\n")]


# -- writing


def write(
    vault: "VaultHandle", path: str, text: str, *, force: bool = False, options: CommitOptions | None = None
) -> Rewritten:
    """Write a file whole, or make it.

    A text that does not parse is never written; one that brings the vault new errors only with `force`.
    Raises `DoesNotParse`, `Breaks`, `NotAFirmFile`, `OutOfScope`, `OutsideVault` and `IgnoredPath`; then nothing
    is changed.
    """
    with vault.writing() as token:
        place = _own(vault, path)
        before = read_optional(safe_join(vault.root, place), place)
        pattern = None if before is None else vault.exclusions().pattern(place)
        if pattern is not None:
            raise IgnoredPath(place, pattern)
        own = FileWrite(place, before, text.encode("utf-8", "surrogatepass"))
        return _written(vault, own, force=force, options=options, token=token)


def replace(
    vault: "VaultHandle",
    path: str,
    old: str,
    new: str,
    *,
    every: bool = False,
    force: bool = False,
    options: CommitOptions | None = None,
) -> Rewritten:
    """Replace a text that stands once in a file, or with `every` wherever it stands; else as `write`.

    Line ends of `new`, and of an `old` that is not found as it is, are read as the file's own. Raises `NoFile`,
    `NoMatch` and `SeveralMatches` too.
    """
    if not old:
        raise UsageError("there is no text to replace", hint="name at least one character")
    with vault.writing() as token:
        place = _known(vault, path)
        _own(vault, place)
        data = read_bytes(vault.root, place)
        text, problems = decode(data, place)
        if problems:  # else bytes that are no text would be lost
            raise DoesNotParse(problems)
        newline = newline_of(text)
        old, new = old if old in text else _ended(old, newline), _ended(new, newline)
        count = text.count(old)
        if not count:
            raise NoMatch(place)
        if count > 1 and not every:
            raise SeveralMatches(place, count)
        own = FileWrite(place, data, text.replace(old, new).encode("utf-8", "surrogatepass"))
        return _written(vault, own, force=force, options=options, token=token, count=count)


def _ended(text: str, newline: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", newline)


def delete(vault: "VaultHandle", path: str, *, force: bool = False, options: CommitOptions | None = None) -> Rewritten:
    """Remove a file, with the sidecars that its entries alone name. Raises `NoFile`, and as `write`."""
    with vault.writing() as token:
        place = _known(vault, path)
        _own(vault, place)
        own = FileWrite(place, read_bytes(vault.root, place), None)
        return _written(vault, own, force=force, options=options, token=token)


def _written(
    vault: "VaultHandle", own: FileWrite, *, force: bool, options: CommitOptions | None, token: str, count: int = 0
) -> Rewritten:
    """Judge a write, then carry it out."""
    if own.after is not None:
        _make_sure_it_parses(own.after, own.path)
    writes = [own, *(_sidecars(vault, own.path) if own.after is None else [])]
    findings = news(vault, own)
    errors = [item for item in findings if item.severity == "error"]
    if errors and not force:
        raise Breaks(errors)
    landed = put(vault, writes, options, token=token)
    paths = tuple(each.path for each in writes if each.before != each.after)
    return Rewritten(own.path, paths, own.before is not None, count, tuple(findings), landed)


def _make_sure_it_parses(data: bytes, path: str) -> None:
    text, problems = decode(data, path)
    wrong = [*problems, *syntax_errors(lower(text, path).diagnostics)]
    if wrong:
        raise DoesNotParse(wrong)


def _sidecars(vault: "VaultHandle", path: str) -> list[FileWrite]:
    """The writes that remove the texts which entries of a file, and no others, keep in files beside."""
    named = vault.catalog.sidecars()
    kept = {sidecar for owner, sidecar, _ in named if owner != path}
    gone = sorted({sidecar for owner, sidecar, _ in named if owner == path} - kept)
    held = [(each, read_optional(safe_join(vault.root, each))) for each in gone if not passes_link(vault.root, each)]
    return [FileWrite(each, data, None) for each, data in held if data is not None]


# -- paths


def _place(vault: "VaultHandle", path: str) -> str:
    """A path in the one form that names it; raises `OutsideVault` and `NotAFirmFile`."""
    safe_join(vault.root, path)
    place = vault.known_path(PurePosixPath(path).as_posix())
    if not place.endswith(".firm"):
        raise NotAFirmFile(place, "its name does not end in .firm")
    if vault.layout.kind(place) not in ("firm", "schema") or SKIPPED & set(place.split("/")) or not is_text(place):
        raise NotAFirmFile(place, "entries and schemas are not read there")
    return place


def _known(vault: "VaultHandle", path: str) -> str:
    """The place of a file the reader sees; raises `NoFile`."""
    place = _place(vault, path)
    vault.refresh()
    if not vault.catalog.blobs([place]) or not _sees(vault, place):
        raise NoFile(place)
    return place


def _sees(vault: "VaultHandle", path: str) -> bool:
    """Say whether what stands at a path is the reader's to see: a schema, or of a scope they see."""
    return vault.layout.scope(path) in (None, *vault.view().scopes)


def _own(vault: "VaultHandle", path: str) -> str:
    """The place of a file, there or not, that the reader may write from where they stand; raises `OutOfScope`."""
    place = _place(vault, path)
    vault.refresh()
    space = vault.reader.space
    if not _sees(vault, place) or (space and vault.layout.scope(place) != space):
        raise OutOfScope(place, space)
    if passes_link(vault.root, place) or _foreign(vault.root, place):
        raise NotAFirmFile(place, "a link, or a repository of its own, is not read")
    return place


def _foreign(root: Path, path: str) -> bool:
    """Say whether a path lies in a repository inside the vault's folder."""
    return any((root / folder / ".git").exists() for folder in list(PurePosixPath(path).parents)[:-1])
