"""What `.gitignore` files exclude, in a repository or without one.

Files apply from `core.excludesFile` and the repository's `info/exclude` down to the folder that holds a
path; in each the last matching line decides. An excluded folder excludes everything below it.

Our own matcher, because the libraries at hand (pathspec, dulwich.ignore) answer differently from git
where lines re-include what a folder's line excluded; a test compares this one with `git check-ignore`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vault.store.files import Unreadable

_CLASS = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
    "punct": "!-/:-@\\[-`{-~",
}

_SPECIAL = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a file of patterns: a regular expression over a name, or over a path if `anchored`."""

    file: Path
    number: int
    expression: str
    anchored: bool
    only_folders: bool
    excludes: bool


class _Matcher:
    """The lines of one file that apply to files, or to folders; combined, the last one first."""

    def __init__(self, lines: Sequence[Pattern], flags: int) -> None:
        self._lines = lines
        self._names = _combined(lines, flags, anchored=False)
        self._paths = _combined(lines, flags, anchored=True)

    def last_match(self, name: str, path: str) -> Pattern | None:
        """Return the last line that matches; None if none does."""
        last = max(_last(self._names, name), _last(self._paths, path))
        return None if last < 0 else self._lines[last]


_Combined = tuple[re.Pattern[str], list[int]] | None


def _combined(lines: Sequence[Pattern], flags: int, *, anchored: bool) -> _Combined:
    numbers = [number for number, line in enumerate(lines) if line.anchored == anchored][::-1]
    if not numbers:
        return None
    return re.compile("|".join(f"({lines[number].expression})" for number in numbers), flags), numbers


def _last(combined: _Combined, text: str) -> int:
    if combined is None:
        return -1
    match = combined[0].fullmatch(text)
    return combined[1][match.lastindex - 1] if match and match.lastindex else -1


class _Rules:
    """The lines of one file."""

    def __init__(self, lines: Sequence[Pattern], flags: int) -> None:
        self._for_folders = _Matcher(lines, flags)
        self._for_files = _Matcher([line for line in lines if not line.only_folders], flags)

    def last_match(self, name: str, path: str, *, is_dir: bool) -> Pattern | None:
        return (self._for_folders if is_dir else self._for_files).last_match(name, path)


class Ignored:
    """Says which paths below a folder the rules of git exclude, tracked or not.

    `top` is the repository's working tree, or `root` itself without a repository. `excludes` are further
    files of patterns, the weakest first. Each folder's `.gitignore` is read when a path below it is first
    asked for; make a new object when the files may have changed.
    """

    def __init__(
        self, root: Path, *, top: Path | None = None, excludes: Sequence[Path] = (), ignore_case: bool = False
    ) -> None:
        self._top = top or root
        self._above = root.relative_to(self._top).as_posix() + "/" if self._top != root else ""
        self._flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
        self._shared = [rules for path in excludes if (rules := self._read(path, links=True))]
        self._rules: dict[str, list[tuple[int, _Rules]]] = {}
        self._folders: dict[str, Pattern | None] = {}

    def applies(self, folder: str) -> bool:
        """Say whether any line applies to what is directly in a vault-relative folder (`""` is the root)."""
        return bool(self._applying((self._above + folder).rstrip("/")))

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a rule excludes a vault-relative path, or a folder above it."""
        return self.pattern(path, is_dir=is_dir) is not None

    def pattern(self, path: str, *, is_dir: bool) -> Pattern | None:
        """Return the line that excludes a vault-relative path, or a folder above it."""
        return self._pattern(self._above + path, is_dir=is_dir)

    def _pattern(self, path: str, *, is_dir: bool) -> Pattern | None:
        folder, _, name = path.rpartition("/")
        if folder and len(folder) >= len(self._above):
            above = self._folder(folder)
            if above is not None:
                return above
        for depth, rules in self._applying(folder):
            found = rules.last_match(name, path[depth:], is_dir=is_dir)
            if found is not None:
                return found if found.excludes else None
        return None

    def _folder(self, folder: str) -> Pattern | None:
        if folder not in self._folders:
            self._folders[folder] = self._pattern(folder, is_dir=True)
        return self._folders[folder]

    def _applying(self, folder: str) -> list[tuple[int, _Rules]]:
        """Return the rules for what is in a folder, strongest first, with how much of a path they skip."""
        known = self._rules.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._applying(above) if folder else [(0, rules) for rules in reversed(self._shared)]
            own = self._read(self._top / folder / ".gitignore")
            if own:
                known = [(len(folder) + 1 if folder else 0, own), *known]
            self._rules[folder] = known
        return known

    def _read(self, path: Path, *, links: bool = False) -> _Rules | None:
        """Read a file of patterns; None if it does not exist or says nothing. Git follows no link to a `.gitignore`."""
        try:
            text = "" if path.is_symlink() and not links else path.read_text("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise Unreadable(str(path), error.strerror or str(error)) from error
        lines = list(_lines(path, text.removeprefix("\ufeff").split("\n")))
        return _Rules(lines, self._flags) if lines else None


def _lines(file: Path, texts: Iterable[str]) -> Iterable[Pattern]:
    for number, text in enumerate(texts, 1):
        pattern = _without_trailing_blanks(text.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        excludes = not pattern.startswith("!")
        pattern = pattern if excludes else pattern[1:]
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        expression = _translate(pattern.removeprefix("/"))
        if pattern and expression is not None:
            yield Pattern(file, number, expression, "/" in pattern, only_folders, excludes)


def _without_trailing_blanks(text: str) -> str:
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    return text


def _translate(pattern: str) -> str | None:
    """Write a pattern as a regular expression; None for one git takes to match nothing.

    Git compares the part before the first special character by itself, so that stars which follow it
    stand at a beginning: `a**/b` matches `a/x/b`.
    """
    made, place = [], 0
    while place < len(pattern):
        rest, before = pattern[place:], pattern[:place]
        stars = len(rest) - len(rest.lstrip("*"))
        whole = not before or before.endswith("/") or not _SPECIAL.search(before)
        if stars > 1 and whole and rest[stars : stars + 1] == "/":
            step: tuple[str, int] | None = ("(?:.*/)?", stars + 1)
        elif stars > 1 and whole and len(rest) == stars:
            step = (".*", stars)
        else:
            step = _translate_one(rest)
        if step is None:
            return None
        made.append(step[0])
        place += step[1]
    return "".join(made)


def _translate_one(rest: str) -> tuple[str, int] | None:
    match rest[0]:
        case "*":
            return "[^/]*", len(rest) - len(rest.lstrip("*"))
        case "?":
            return "[^/]", 1
        case "\\":
            return (re.escape(rest[1]), 2) if len(rest) > 1 else None
        case "[":
            return _translate_set(rest)
    return re.escape(rest[0]), 1


def _translate_set(rest: str) -> tuple[str, int] | None:
    """Translate `[…]`; None if it is never closed."""
    match = re.match(r"\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]", rest, re.DOTALL)
    if match is None:
        return None
    members = re.sub(
        r"\[:([a-z]+):\]|\\(.)|([\[\]^&~|])",
        lambda m: _CLASS.get(m[1], "") if m[1] else re.escape(m[2] or m[3]),
        match[2],
    )
    try:
        re.compile(f"[{members}]")
    except re.error:
        return None
    return (f"[^/{members}]" if match[1] else f"(?!/)[{members}]"), match.end()
