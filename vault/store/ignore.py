"""What `.gitignore` excludes, in a repository or without one.

Files apply from the repository's `info/exclude` and root down to the folder a path is in; in each the
last line that matches decides; a folder that is excluded takes all below with it.

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
class _Line:
    """One line of a `.gitignore`: a regular expression over a name, or over a path if `anchored`."""

    expression: str
    anchored: bool
    only_folders: bool
    excludes: bool


class _Matcher:
    """The lines of one file that apply to files, or to folders; combined, the last one first."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._excludes = [line.excludes for line in lines]
        self._names = _combined(lines, anchored=False)
        self._paths = _combined(lines, anchored=True)

    def verdict(self, name: str, path: str) -> bool | None:
        """Say whether the last line that matches excludes; None if none matches."""
        last = max(_last(self._names, name), _last(self._paths, path))
        return None if last < 0 else self._excludes[last]


_Combined = tuple[re.Pattern[str], list[int]] | None


def _combined(lines: Sequence[_Line], *, anchored: bool) -> _Combined:
    numbers = [number for number, line in enumerate(lines) if line.anchored == anchored][::-1]
    if not numbers:
        return None
    return re.compile("|".join(f"({lines[number].expression})" for number in numbers), re.DOTALL), numbers


def _last(combined: _Combined, text: str) -> int:
    if combined is None:
        return -1
    match = combined[0].fullmatch(text)
    return combined[1][match.lastindex - 1] if match and match.lastindex else -1


class _Rules:
    """The lines of one file."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._for_folders = _Matcher(lines)
        self._for_files = _Matcher([line for line in lines if not line.only_folders])

    def verdict(self, name: str, path: str, *, is_dir: bool) -> bool | None:
        return (self._for_folders if is_dir else self._for_files).verdict(name, path)


class Ignored:
    """Says which paths of a vault git ignores.

    Each folder's `.gitignore` is read when a path below it is first asked for; make a new one when the
    files may have changed. `excludes` are further files, weaker than all others (`core.excludesFile`).
    """

    def __init__(self, root: Path, *, excludes: Sequence[Path] = ()) -> None:
        """Read what applies to the vault's root."""
        self._root = root
        top, exclude = _repository(root)
        self._above = root.relative_to(top).as_posix() + "/" if top != root else ""
        self._shared = [rules for path in [*excludes, exclude] if path and (rules := _read(path))]
        self._rules: dict[str, list[tuple[int, _Rules]]] = {}
        self._folders: dict[str, bool] = {}
        self._top = top

    def applies(self, folder: str) -> bool:
        """Say whether any line applies to what is directly in a vault-relative folder (`""` is the root)."""
        return bool(self._applying((self._above + folder).rstrip("/")))

    def matches(self, path: str, *, is_dir: bool) -> bool:
        """Say whether git ignores a vault-relative path, by itself or through a folder above it."""
        return self._matches(self._above + path, is_dir=is_dir)

    def _matches(self, path: str, *, is_dir: bool) -> bool:
        folder, _, name = path.rpartition("/")
        if folder and len(folder) >= len(self._above) and self._folder(folder):
            return True
        for depth, rules in self._applying(folder):
            verdict = rules.verdict(name, path[depth:], is_dir=is_dir)
            if verdict is not None:
                return verdict
        return False

    def _folder(self, folder: str) -> bool:
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._matches(folder, is_dir=True)
        return known

    def _applying(self, folder: str) -> list[tuple[int, _Rules]]:
        """Return the rules for what is in a folder, strongest first, with how much of a path they skip."""
        known = self._rules.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._applying(above) if folder else [(0, rules) for rules in reversed(self._shared)]
            own = _read(self._top / folder / ".gitignore")
            if own:
                known = [(len(folder) + 1 if folder else 0, own), *known]
            self._rules[folder] = known
        return known


def _repository(root: Path) -> tuple[Path, Path | None]:
    """Return the working tree a folder is in and its `info/exclude`; the folder itself without one."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            return folder, git / "info" / "exclude"
        if git.is_file():
            return folder, _shared_exclude(git)
    return root, None


def _shared_exclude(gitfile: Path) -> Path | None:
    try:
        named = gitfile.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
        own = gitfile.parent / named
        common = own / "commondir"
        shared = own / common.read_text("utf-8").strip() if common.exists() else own
    except OSError:
        return None
    return shared / "info" / "exclude"


def _read(path: Path) -> _Rules | None:
    """Read a file of patterns; None where there is none, or it is a link, or it says nothing."""
    try:
        text = "" if path.is_symlink() else path.read_text("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(str(path), error.strerror or str(error)) from error
    lines = list(_lines(text.removeprefix("\ufeff").split("\n")))
    return _Rules(lines) if lines else None


def _lines(texts: Iterable[str]) -> Iterable[_Line]:
    for text in texts:
        pattern = _without_trailing_blanks(text.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        excludes = not pattern.startswith("!")
        pattern = pattern if excludes else pattern[1:]
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        expression = _translate(pattern.removeprefix("/"))
        if pattern and expression is not None:
            yield _Line(expression, "/" in pattern, only_folders, excludes)


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
