"""Files of a folder read as notes: front matter as data, the rest as text exactly as it stands."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from vault.model.yamltext import RepeatedKey, YamlError, number_as_written, read_yaml

NOTE_SUFFIXES = (".md", ".markdown")
DATA_SUFFIXES = (".yml", ".yaml")

#: Anchors and aliases let ten short lines stand for ten thousand million values.
LARGEST_DATA, DEEPEST_DATA = 200_000, 50

#: What a page that stands for its folder is called.
INDEX_STEMS = ("index", "_index", "readme")

_TOML_FRONT = re.compile(r"\+\+\+[ \t]*\r?\n(?P<toml>.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML_LINE = re.compile(r"at line (\d+)")
_FRONT = re.compile(r"---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_BLANK_HEAD = re.compile(r"(?:[ \t]*\r?\n)+")
_LINE_END = re.compile(r"\r?\n")
_COMMENT = re.compile(r"^#", re.MULTILINE)

#: What PyYAML lets through when a value is not what its explicit tag says, as in `!!bool maybe`.
_TAG_FAULTS = (LookupError, AttributeError, ArithmeticError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the folder: its path below it, with `/`, and what it holds."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """Something of a file that could not be taken over as it was meant; `line` is 1-based.

    `is_loss` says whether anything of it is missing or wrong in the entry; the others are notes.
    """

    path: str
    line: int
    message: str
    is_loss: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is left out, and why."""

    path: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A file as read: `source` is all of its text, the body starts at `start`."""

    path: str
    source: str
    data: Mapping[str, object]
    start: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def body(self) -> str:
        """The text below the front matter."""
        return self.source[self.start :]

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return PurePosixPath(self.path).stem

    @property
    def folder(self) -> str:
        """The name of the folder the file stands in; "" at the top."""
        return PurePosixPath(self.path).parent.name

    def line_at(self, offset: int) -> int:
        """Return the 1-based line of a place in the source."""
        return self.source.count("\n", 0, offset) + 1

    def line_of(self, text: str) -> int:
        """Return the line of the front matter in which `text` first stands; 1 where it does not."""
        found = self.source.find(text, 0, self.start)
        return self.line_at(found) if found >= 0 else 1


def is_index(path: str) -> bool:
    """Say whether a file is the page of its folder."""
    return PurePosixPath(path).stem.lower() in INDEX_STEMS


def read_note(file: SourceFile) -> SourceNote | Skipped:
    """Read one file; what cannot be a note is skipped with its reason."""
    suffix = PurePosixPath(file.path).suffix.lower()
    if suffix not in NOTE_SUFFIXES + DATA_SUFFIXES:
        return Skipped(file.path, 1, "neither Markdown nor YAML")
    try:
        source = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.data.count(b"\n", 0, error.start) + 1
        return Skipped(file.path, line, f"not UTF-8 text (byte {error.start + 1})")
    return _read_data(file.path, source) if suffix in DATA_SUFFIXES else _read_text(file.path, source)


def trim_blank_lines(text: str) -> str:
    """Remove the blank lines around a text, and nothing else."""
    head = _BLANK_HEAD.match(text)
    start = head.end() if head else 0
    end = len(text.rstrip(" \t\r\n"))
    if end <= start:
        return ""
    last = _LINE_END.search(text, end)
    return text[start : last.start() if last else len(text)]


def _read_data(path: str, source: str) -> SourceNote | Skipped:
    data = _load(source, path, 0)
    if isinstance(data, Problem):
        return Skipped(path, data.line, data.message)
    return SourceNote(path, source, data, len(source), _comments(source, path, 0))


def _read_text(path: str, source: str) -> SourceNote:
    if toml := _TOML_FRONT.match(source):
        return _read_toml(path, source, toml)
    front = _FRONT.match(source)
    if front is None:
        return SourceNote(path, source, {})
    data = _load(front["yaml"], path, 1)
    if isinstance(data, Problem):
        return _whole(path, source, data)
    return SourceNote(path, source, data, front.end(), _comments(front["yaml"], path, 1))


def _whole(path: str, source: str, problem: Problem) -> SourceNote:
    """Keep all of a file as text, its front matter included."""
    message = f"the front matter stays in the text: {problem.message}"
    return SourceNote(path, source, {}, 0, (Problem(path, problem.line, message),))


def _read_toml(path: str, source: str, front: re.Match[str]) -> SourceNote:
    try:
        data = tomllib.loads(front["toml"].replace("\r\n", "\n"), parse_float=number_as_written)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_LINE.search(str(error))
        return _whole(path, source, Problem(path, int(place[1]) + 1 if place else 2, str(error)))
    return SourceNote(path, source, data, front.end(), _comments(front["toml"], path, 1))


def _comments(text: str, path: str, above: int) -> tuple[Problem, ...]:
    found = _COMMENT.search(text)
    if found is None:
        return ()
    line = text.count("\n", 0, found.start()) + 1 + above
    return (Problem(path, line, "comments between the keys are not taken over", is_loss=False),)


def _load(text: str, path: str, above: int) -> dict[str, object] | Problem:
    """Read YAML that stands `above` lines below the top of its file."""
    try:
        data = read_yaml(text, path, as_written=True)
    except RepeatedKey as error:
        return Problem(path, error.line + above, f"the key `{error.key}` is already on line {error.first_line + above}")
    except YamlError as error:
        return Problem(path, error.line + above, error.problem)
    except _TAG_FAULTS:
        return Problem(path, 1 + above, "a value is not what its tag says")
    if data is None:
        return {}
    fault = _fault(data)
    if fault or not isinstance(data, dict):
        return Problem(path, 1 + above, fault)
    return {str(key): value for key, value in data.items()}


def _fault(data: object) -> str:
    """Say what makes read YAML no front matter; "" if nothing does."""
    if not isinstance(data, dict):
        return "it is not a mapping of keys to values"
    if not _is_small(data):
        return "it is too large, too deep, or holds itself"
    if len({str(key) for key in data}) < len(data):
        return "two keys are the same"
    return ""


def _is_small(data: object) -> bool:
    seen, waiting = 0, [(data, 0)]
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if seen > LARGEST_DATA or depth > DEEPEST_DATA:
            return False
        if isinstance(value, dict):
            waiting += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list | tuple):
            waiting += [(item, depth + 1) for item in value]
    return True
