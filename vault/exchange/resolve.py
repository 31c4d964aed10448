"""Which file of the folder a link means: as Obsidian looks up a name, as a site looks up a page."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from vault.exchange.markdown import Link
from vault.exchange.notes import DATA_SUFFIXES, NOTE_SUFFIXES

_ENDINGS = """
    .avif .bmp .gif .heic .ico .jpeg .jpg .png .svg .tif .tiff .webp
    .flac .m4a .mkv .mov .mp3 .mp4 .ogg .ogv .wav .webm
    .base .canvas .excalidraw
    .csv .doc .docx .epub .key .numbers .odp .ods .odt .pages .pdf .ppt .pptx .rtf .tsv .txt .xls .xlsx
    .7z .gz .ics .tar .zip
    .c .cpp .css .go .ipynb .java .js .json .py .r .rb .rs .sh .sql .toml .ts .xml
"""
#: Endings of what is linked and embedded but is no note.
ATTACHMENT_SUFFIXES = frozenset(_ENDINGS.split())


@dataclass(frozen=True, slots=True)
class Page:
    """A file that may be linked to: the names it goes by and the further URLs it answers to."""

    path: str
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Targets:
    """Everything a link can mean. Keys are folded; paths are kept as they are written."""

    files: frozenset[str]
    paths: Mapping[str, tuple[str, ...]]
    tails: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]]
    pages: Mapping[str, str]


def build_targets(pages: Iterable[Page]) -> Targets:
    """Collect what the links of a folder can mean."""
    ordered = sorted(pages, key=lambda page: page.path)
    paths, tails, names = _Table(), _Table(), _Table()
    for page in ordered:
        key = fold(_stem_path(page.path))
        paths[key].append(page.path)
        tails[posixpath.basename(_page_path(page.path))].append(page.path)
        if _is_index(page.path):
            tails[posixpath.basename(key)].append(page.path)
        for name in page.names:
            names[fold(name)].append(page.path)
    return Targets(frozenset(page.path for page in ordered), _done(paths), _done(tails), _done(names), _urls(ordered))


class _Table(defaultdict[str, list[str]]):
    def __init__(self) -> None:
        super().__init__(list)


def _done(table: _Table) -> dict[str, tuple[str, ...]]:
    return {key: tuple(paths) for key, paths in table.items()}


def _urls(pages: list[Page]) -> dict[str, str]:
    """Map page URLs to files; where two claim one, the file's own place wins over a redirection."""
    urls: dict[str, str] = {}
    for page in pages:
        urls.setdefault(_url(page.path), page.path)
    for page in pages:
        urls.setdefault("/" + _page_path(page.path), page.path)
    for page in pages:
        for url in page.urls:
            urls.setdefault(_url(url), page.path)
    return urls


def fold(text: str) -> str:
    """Fold a name for comparing: composed, and without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _stem_path(path: str) -> str:
    root, suffix = posixpath.splitext(path)
    return root if suffix.lower() in NOTE_SUFFIXES + DATA_SUFFIXES else path


def _is_index(path: str) -> bool:
    return "/" in path and PurePosixPath(path).stem.lower() in ("index", "readme")


def _page_path(path: str) -> str:
    """Return the folded path that a page is served at: that of its folder for an index."""
    if PurePosixPath(path).stem.lower() in ("index", "readme"):
        return fold(posixpath.dirname(path))
    return fold(_stem_path(path))


def _url(text: str) -> str:
    """Normalise the URL of a page or the path of a file: `/a/b` for `a/b.md`, `/a/b/`, `/a/b.html`."""
    path = posixpath.normpath("/" + text.strip().lstrip("/"))
    return fold(_stem_path(path.removesuffix(".html")))


def is_attachment(target: str) -> bool:
    """Say whether a target is something else than a note, by its ending."""
    return PurePosixPath(target).suffix.lower() in ATTACHMENT_SUFFIXES


def find(targets: Targets, link: Link, source: str) -> str | None:
    """Return the path of the file that a link in the file `source` means."""
    if link.wiki:
        return find_name(targets, link.target, source)
    return _find_page(targets, link.target, source)


def find_name(targets: Targets, name: str, source: str) -> str | None:
    """Look up the name in a wikilink: path, end of a path, then title or alias; shortest path first."""
    if name.startswith(("./", "../")):
        name = posixpath.join(posixpath.dirname(source), name)
    exact = _stem_path(posixpath.normpath(name.strip("/") or "/"))
    key = fold(exact)
    found = targets.paths.get(key) or _ends(targets, key) or targets.names.get(fold(name.strip()), ())
    return min(found, key=lambda path: (_stem_path(path) != exact, len(path), path), default=None)


def _ends(targets: Targets, key: str) -> tuple[str, ...]:
    tails = targets.tails.get(posixpath.basename(key), ())
    return tuple(path for path in tails if _has_end(path, key))


def _has_end(path: str, key: str) -> bool:
    return any(f"/{place}".endswith(f"/{key}") for place in (fold(_stem_path(path)), _page_path(path)))


def _find_page(targets: Targets, target: str, source: str) -> str | None:
    for place in _places(target, source):
        path = posixpath.normpath(place).lstrip("/")
        if path in targets.files:
            return path
        if found := targets.pages.get(_url(place)):
            return found
    return None if ".." in target.split("/") else _lone_end(targets, target)


def _places(target: str, source: str) -> list[str]:
    """List the places a destination may mean, the likeliest first.

    A link with an ending or none is relative to the file, one to a folder (`../`) to the page's URL.
    """
    if target.startswith("/"):
        return [target]
    beside = posixpath.join("/", posixpath.dirname(source), target)
    below = posixpath.join("/", _page_path(source), target)
    is_folder = target.endswith("/") or posixpath.basename(target) == ".."
    return [below, beside, f"/{target}"] if is_folder else [beside, below, f"/{target}"]


def _lone_end(targets: Targets, target: str) -> str | None:
    """Return the only file whose path ends as the target does: pages move, and keep their name."""
    found = set(_ends(targets, _url(target).lstrip("/")))
    return found.pop() if len(found) == 1 else None
