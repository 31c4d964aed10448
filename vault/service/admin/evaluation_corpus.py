"""Judged corpora: documents, queries and what answers them, read from files and kept as a vault.

A corpus is a folder of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, in the layout of BEIR (Thakur et al.,
2021) or TREC. It becomes a vault in the user's cache, named by what it is made of, and is made once.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

from vault.errors import VaultError
from vault.lang.write import fits_string, write_entry
from vault.model.access import GLOBAL, RESERVED_SPACES
from vault.model.keys import ID_LENGTH, is_reserved, make_id
from vault.model.settings import DEFAULT_FILE_LIMIT, SETTINGS_FILE, Settings, Space, write_settings
from vault.model.values import Moment, Value, moment_of
from vault.service.runtime.discovery import NotAFolder
from vault.service.write.sidecars import with_sidecar
from vault.store import bundled
from vault.store.files import Unreadable, VaultLocked, WriteFailed, file_lock, remove
from vault.store.journal import FileWrite
from vault.workspace.layout import Layout
from vault.workspace.refresh import Progress

#: What is changed here when the same corpus is to become another vault.
FORMAT = 1
CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
JUDGEMENTS = ("qrels.tsv", "qrels/test.tsv")

#: Where corpora are built in the user's cache, and what is left of a build that was cut short.
FOLDER, UNFINISHED, MANIFEST = "eval", ".unfinished", "corpus.json"
#: How long one process waits for another: embedding a large corpus takes minutes.
LOCK_SECONDS = 900.0
SPACE_LENGTH = 40

_GRADE = re.compile(r"[0-9]{1,9}")

Watch = Callable[[str], Progress | None]
Say = Callable[[str], None]


class NoCorpus(VaultError):
    """A folder that lacks one of a corpus's files."""

    code = "no-corpus"

    def __init__(self, folder: Path, missing: str) -> None:
        super().__init__(
            f"{folder} holds no {missing}",
            hint=f"a corpus is a folder with {CORPUS}, {QUERIES} and {' or '.join(JUDGEMENTS)}",
            details={"path": str(folder / missing)},
        )


class BadLine(VaultError):
    """A line that cannot be read as what its file holds."""

    code = "bad-line"

    def __init__(self, path: Path, line: int, problem: str, hint: str) -> None:
        super().__init__(f"{path}:{line}: {problem}", hint=hint, details={"path": str(path), "line": line})


class NothingJudged(VaultError):
    """Queries of which none is said to be answered by anything."""

    code = "nothing-judged"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} names no answer to any query",
            hint="each line names a query, a document and a grade above 0, with the ids of the other two files",
            details={"path": str(path)},
        )


@dataclass(frozen=True, slots=True)
class Document:
    """A text to be found. `conversation` is the space it stands in; `date` is as it was written."""

    id: str
    title: str
    text: str
    conversation: str | None = None
    date: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, asked in the space `conversation`, or in all."""

    id: str
    text: str
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """A corpus that is a vault: where, the ids of its documents, and the space of each conversation."""

    root: Path
    documents: frozenset[str]
    spaces: Mapping[str, str]


# -- reading


def checked_folder(folder: Path) -> Path:
    """Return the file of judgements; raises `NotAFolder` or `NoCorpus` unless all three files are there."""
    if not folder.is_dir():
        raise NotAFolder(folder)
    missing = next((name for name in (CORPUS, QUERIES) if not (folder / name).is_file()), None)
    judged = next((folder / name for name in JUDGEMENTS if (folder / name).is_file()), None)
    if missing or judged is None:
        raise NoCorpus(folder, missing or JUDGEMENTS[0])
    return judged


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, with their numbers; raises `Unreadable` and `BadLine`."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                text = _decoded(line, path, number).rstrip("\r\n")
                if text.strip():
                    yield number, text
    except OSError as error:
        raise Unreadable(str(path), error.strerror or str(error)) from error


def _decoded(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise BadLine(path, number, "the line is not UTF-8", "save the file as UTF-8") from error


def documents(path: Path) -> Iterator[Document]:
    """Read documents one by one."""
    for number, ident, data in _records(path):
        if not fits_string(ident):
            raise BadLine(path, number, "no entry can name this id as its origin", "use a plain text as id")
        title, text, day = (_text(data, name, path, number) for name in ("title", "text", "date"))
        yield Document(ident, title, text, _conversation(data, path, number), day)


def queries(path: Path) -> Iterator[Query]:
    """Read queries one by one."""
    for number, ident, data in _records(path):
        text = _text(data, "text", path, number)
        if not text.strip():
            raise BadLine(path, number, f"the query `{ident}` has no text", "put what is asked into `text`")
        yield Query(ident, text, _conversation(data, path, number))


def _records(path: Path) -> Iterator[tuple[int, str, Mapping[str, object]]]:
    """The objects of a file of JSON lines, with their lines and ids."""
    seen: dict[str, int] = {}
    for number, text in lines_of(path):
        data = _object(text, path, number)
        ident = data.get("id", data.get("_id"))
        if isinstance(ident, bool) or not isinstance(ident, str | int) or not str(ident).strip():
            raise BadLine(path, number, "the line has no id", "give it one as `id` or `_id`")
        name = str(ident)
        if name in seen:
            raise BadLine(path, number, f"the id `{name}` is also that of line {seen[name]}", "keep one of the two")
        seen[name] = number
        yield number, name, data


def _object(text: str, path: Path, number: int) -> Mapping[str, object]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadLine(path, number, f"the line is not JSON: {error}", "write one JSON object on each line") from error
    if not isinstance(data, dict):
        raise BadLine(path, number, "the line is not a JSON object", 'write it as {"id": "…", "text": "…"}')
    return data


def _text(data: Mapping[str, object], name: str, path: Path, number: int) -> str:
    """A text field as an entry can hold it: NUL and halves of characters are replaced."""
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadLine(path, number, f"`{name}` is not a text", "put it in quotes")
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _conversation(data: Mapping[str, object], path: Path, number: int) -> str | None:
    value = data.get("conversation")
    if isinstance(value, int):
        return str(value)
    return _text(data, "conversation", path, number) or None


def judgements(path: Path) -> dict[str, dict[str, int]]:
    """Read the grades of documents by query: three columns, or TREC's four; a header line is passed over."""
    found: dict[str, dict[str, int]] = {}
    for number, line in lines_of(path):
        columns = line.split("\t") if "\t" in line else line.split()
        query, *_, document, grade = [column.strip() for column in columns] if len(columns) in (3, 4) else ["", "", ""]
        if not query or not document:
            raise BadLine(path, number, "the line is not a judgement", "write query, document and grade, by tabs")
        if number == 1 and not _is_number(grade):
            continue
        if not _GRADE.fullmatch(grade):
            raise BadLine(
                path, number, f"`{grade}` is not a grade", "a grade is a whole number, 0 for what does not answer"
            )
        found.setdefault(query, {})[document] = int(grade)
    return found


def _is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdecimal()


# -- building


@contextmanager
def using(folder: Path, cache: Path, *, watch: Watch, say: Say, fresh: bool = False) -> Iterator[Built]:
    """Give the vault made of a folder's corpus, built unless it is there already. Raises `WriteFailed`.

    Processes take turns: none sees a vault half built or removed, nor measures what another one costs.
    """
    source = folder / CORPUS
    digest, lines = _fingerprint(source)
    place = cache / FOLDER / digest
    with _alone(place, say):
        held = None if fresh else _held(place)
        yield held or _built(source, place, lines, watch("building"))


def _fingerprint(source: Path) -> tuple[str, int]:
    """A digest of all that a vault is made of, and the number of lines."""
    schemas = json.dumps(bundled.schema_texts(), sort_keys=True)
    digest, lines = hashlib.sha256(f"{FORMAT}\n{schemas}\n".encode()), 1
    try:
        with source.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
                lines += chunk.count(b"\n")
    except OSError as error:
        raise Unreadable(str(source), error.strerror or str(error)) from error
    return digest.hexdigest()[:32], lines


@contextmanager
def _alone(place: Path, say: Say) -> Iterator[None]:
    """Hold the lock of one corpus."""
    lock = place.with_suffix(".lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(str(lock.parent), error.strerror or str(error)) from error
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(lock, timeout=0))
        except VaultLocked:
            say("another process is at work on this corpus; waiting for it")
            stack.enter_context(file_lock(lock, timeout=LOCK_SECONDS))
        yield


def _held(place: Path) -> Built | None:
    """What was built at a place; None where nothing is, or it cannot be used."""
    try:
        held = json.loads((place / MANIFEST).read_bytes())
        return Built(place, frozenset(held["documents"]), dict(held["spaces"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _built(source: Path, place: Path, lines: int, progress: Progress | None) -> Built:
    """Build aside, then put it where it belongs; what stood there goes."""
    aside = place.with_suffix(UNFINISHED)
    remove(aside)
    try:
        made = _Builder(aside, lines, progress).run(documents(source), source.stat().st_size)
        remove(place)
        aside.rename(place)
    except OSError as error:
        raise WriteFailed(str(aside), error.strerror or str(error)) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return replace(made, root=place)


@dataclass(slots=True)
class _Builder:
    """Writes the vault of a corpus into a folder; `lines` is how many documents to expect."""

    root: Path
    lines: int
    progress: Progress | None
    idents: set[str] = field(default_factory=set)
    spaces: dict[str, str] = field(default_factory=dict)
    folders: set[Path] = field(default_factory=set)

    def run(self, found: Iterable[Document], size: int) -> Built:
        """Write all; the settings and the manifest come last, when the spaces are known."""
        ids = []
        for document in found:
            ids.append(document.id)
            for write in self._files(document):
                self._put(write.path, write.after or b"")
            if self.progress:
                self.progress(len(ids), self.lines)
        for name, text in bundled.schema_texts().items():
            self._put(f"schema/{name}.firm", text.encode())
        spaces = {name: Space(name) for name in self.spaces.values()}
        # no document is too large to be read
        settings = Settings(spaces, file_limit=max(DEFAULT_FILE_LIMIT, 2 * size))
        self._put(SETTINGS_FILE, write_settings(settings).encode())
        self._put(MANIFEST, json.dumps({"documents": ids, "spaces": self.spaces}).encode())
        if self.progress:
            self.progress(self.lines, self.lines)
        return Built(self.root, frozenset(ids), self.spaces)

    def _files(self, document: Document) -> list[FileWrite]:
        """The files of a document's entry."""
        ident = distinct(make_id(document.id) or "note", document.id, self.idents, ID_LENGTH)
        self.idents.add(ident)
        path = Layout(self.root, Settings()).entry_path("note", ident, self._scope(document.conversation))
        fields, sidecar = with_sidecar(ident, path, fields_of(document))
        return [FileWrite(path, None, write_entry("note", ident, fields).encode()), *([sidecar] if sidecar else [])]

    def _scope(self, conversation: str | None) -> str:
        if conversation is None:
            return GLOBAL
        if conversation not in self.spaces:
            base = make_id(conversation).strip("_")[:SPACE_LENGTH].rstrip("_") or "space"
            taken = {*RESERVED_SPACES, *self.spaces.values(), *([base] if is_reserved(base) else [])}
            self.spaces[conversation] = distinct(base, conversation, taken, SPACE_LENGTH)
        return self.spaces[conversation]

    def _put(self, path: str, data: bytes) -> None:
        target = self.root / path
        if target.parent not in self.folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.folders.add(target.parent)
        target.write_bytes(data)  # nothing counts before the folder has its name, so none waits for the disk


def distinct(base: str, text: str, taken: Collection[str], length: int) -> str:
    """A name that is not taken: the base, or the base with as much of a digest of the text as it needs."""
    if base not in taken:
        return base
    digest = hashlib.sha256(text.encode()).hexdigest()
    names = (f"{base[: length - size - 1]}_{digest[:size]}" for size in range(8, length - 1))
    return next(name for name in names if name not in taken)


def fields_of(document: Document) -> dict[str, Value]:
    """The fields of a document's entry."""
    fields: dict[str, Value] = {}
    if name := " ".join(document.title.split()).replace('"""', "'"):
        fields["name"] = name
    if document.text.strip():
        fields["text"] = document.text
    fields["origin"] = document.id
    if (moment := moment_in(document.date)) is not None:
        fields["created_at"] = moment
    return fields


def moment_in(text: str) -> Moment | None:
    """The moment an ISO date, or date and time, names; None for any other text."""
    try:
        if len(text) <= len("2023-05-08"):
            return Moment(date.fromisoformat(text))
        moment = datetime.fromisoformat(text).replace(second=0, microsecond=0)
        return moment_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def clear(cache: Path, *, say: Say) -> tuple[int, int]:
    """Remove every corpus that was built; returns how many, and how many bytes they took."""
    places = [place for place in sorted((cache / FOLDER).glob("*")) if place.is_dir()]
    size = 0
    for place in places:
        with _alone(place, say):
            size += sum(file.lstat().st_size for file in place.rglob("*") if not file.is_dir())
            remove(place)
    return len(places), size
