"""Which file of the folder a link means: as Obsidian looks up a name, as a site looks up a page."""

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from vault.exchange.conventions import PLAIN, Convention
from vault.exchange.markdown import DENDRON, Link, note_name
from vault.exchange.notes import DATA_SUFFIXES, NOTE_SUFFIXES, is_index


@dataclass(frozen=True, slots=True)
class Page:
    """A file that may be linked to: the names it goes by and the further URLs it answers to.

    `file_names` are those it has by its file.
    """

    path: str
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Targets:
    """Everything a link can mean. Keys are folded; paths are kept as they are written.

    `others` are files that are no notes, by path; `other_names` are their paths by name.
    """

    files: frozenset[str]
    paths: Mapping[str, tuple[str, ...]]
    tails: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]]
    pages: Mapping[str, str]
    others: frozenset[str]
    other_names: Mapping[str, tuple[str, ...]]
    convention: Convention


def build_targets(pages: Iterable[Page], others: Iterable[str] = (), convention: Convention = PLAIN) -> Targets:
    """Collect what the links of a folder can mean; `others` are the paths of files that are no notes."""
    ordered = sorted(pages, key=lambda page: page.path)
    paths, tails, names, other_names = _Table(), _Table(), _Table(), _Table()
    for page in ordered:
        key = fold(_stem_path(page.path))
        paths[key].append(page.path)
        tails[posixpath.basename(_page_path(page.path))].append(page.path)
        if _is_index(page.path):
            tails[posixpath.basename(key)].append(page.path)
        for name in dict.fromkeys(map(fold, page.names)):
            names[name].append(page.path)
    kept = frozenset(others)
    for path in sorted(kept):
        other_names[fold(posixpath.basename(path))].append(path)
    return Targets(
        frozenset(page.path for page in ordered),
        _done(paths),
        _done(tails),
        _done(names),
        _urls(ordered, convention.root),
        kept,
        _done(other_names),
        convention,
    )


class _Table(defaultdict[str, list[str]]):
    def __init__(self) -> None:
        super().__init__(list)


def _done(table: _Table) -> dict[str, tuple[str, ...]]:
    return {key: tuple(paths) for key, paths in table.items()}


def _urls(pages: list[Page], root: str) -> dict[str, str]:
    """Map page URLs to files; where two claim one, the file's own place wins over a redirection.

    Pages below `root` are served without it.
    """
    urls: dict[str, str] = {}
    for page in pages:
        urls.setdefault(_url(page.path), page.path)
    for page in pages:
        served = "/" + _page_path(page.path)
        urls.setdefault(served, page.path)
        if root and (served == f"/{root}" or served.startswith(f"/{root}/")):
            urls.setdefault(served.removeprefix(f"/{root}") or "/", page.path)
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
    return "/" in path and is_index(path)


def _page_path(path: str) -> str:
    """Return the folded path that a page is served at: that of its folder for an index."""
    return fold(posixpath.dirname(path)) if is_index(path) else fold(_stem_path(path))


def _url(text: str) -> str:
    """Normalise the URL of a page or the path of a file: `/a/b` for `a/b.md`, `/a/b/`, `/a/b.html`."""
    path = posixpath.normpath("/" + text.strip().lstrip("/"))
    return fold(_stem_path(path.removesuffix(".html")))


def find(targets: Targets, link: Link, source: str) -> str | None:
    """Return the path of the only file that a link in the file `source` can mean."""
    found = claims(targets, link, source)
    return found[0] if len(found) == 1 else None


def claims(targets: Targets, link: Link, source: str) -> tuple[str, ...]:
    """List the files that a link in the file `source` can mean: none, one, or several with the same right."""
    if not link.wiki:
        return _page_claims(targets, link.target, source)
    if link.definition and (found := _page_claims(targets, link.definition, source)):
        return found
    for side in _sides(link, targets.convention):
        if found := name_claims(targets, side, source):
            return found
    return ()


def meant(link: Link, convention: Convention) -> str:
    """Return the note or path that a link is written to lead to; "" for a part of its own page."""
    return note_name(link.label) if convention.label_first and link.label else link.target


def _sides(link: Link, convention: Convention) -> Iterator[str]:
    """Yield the two sides of `[[a|b]]`, the one that names the note first."""
    sides = (link.target, note_name(link.label))
    for side in reversed(sides) if convention.label_first else sides:
        if not side.startswith(DENDRON):
            yield side
            continue
        path = side.removeprefix(DENDRON)
        yield path
        yield path.partition("/")[2]


def find_name(targets: Targets, name: str, source: str) -> str | None:
    """Return the path of the only file that goes by a name."""
    found = name_claims(targets, name, source)
    return found[0] if len(found) == 1 else None


def name_claims(targets: Targets, name: str, source: str) -> tuple[str, ...]:
    """Look up the name in a wikilink: path, end of a path, then title or alias."""
    if not name.strip(" ./"):
        return ()
    place = posixpath.join(posixpath.dirname(source), name) if name.startswith(("./", "../")) else name
    written = posixpath.normpath(place.strip("/"))
    for exact in dict.fromkeys((written, _stem_path(written))):  # `lang.markdown` may be all of a note's name
        key = fold(exact)
        if found := targets.paths.get(key) or _ends(targets, key):
            return _nearest(found, exact, source)
    return targets.names.get(fold(name.strip()), ())


def _nearest(found: tuple[str, ...], exact: str, source: str) -> tuple[str, ...]:
    """Choose among files as Obsidian does: as it is spelt, in the folder of the link, nearest to the top."""
    folder = posixpath.dirname(source)
    least = min(path.count("/") for path in found)
    preferences: list[Callable[[str], bool]] = [
        lambda path: _stem_path(path) == exact,
        lambda path: f"/{_stem_path(path)}".endswith(f"/{exact}"),
        lambda path: posixpath.dirname(path) == folder,
        lambda path: path.count("/") == least,
        lambda path: path.lower().endswith(NOTE_SUFFIXES),
    ]
    for preferred in preferences:
        if kept := tuple(path for path in found if preferred(path)):
            found = kept
    return found


def attachment(targets: Targets, link: Link, source: str) -> str | None:
    """Return the path of the file, other than a note, that a link leads to."""
    target = link.definition or link.target
    folder = posixpath.dirname(source)
    places = [posixpath.join(folder, target), target, *(f"{top}/{target}" for top in targets.convention.static)]
    for place in places:
        path = posixpath.normpath(place.replace("//", "/").lstrip("/"))
        if path in targets.others:
            return path
    ending = fold("/" + posixpath.normpath(target).lstrip("./"))
    found = targets.other_names.get(posixpath.basename(ending), ())
    fitting = [path for path in found if fold(f"/{path}").endswith(ending)]
    return fitting[0] if len(fitting) == 1 else None


def _ends(targets: Targets, key: str) -> tuple[str, ...]:
    tails = targets.tails.get(posixpath.basename(key), ())
    return tuple(path for path in tails if _has_end(path, key))


def _has_end(path: str, key: str) -> bool:
    return any(f"/{place}".endswith(f"/{key}") for place in (fold(_stem_path(path)), _page_path(path)))


def _page_claims(targets: Targets, target: str, source: str) -> tuple[str, ...]:
    for place in _places(target, source):
        path = posixpath.normpath(place).lstrip("/")
        if path in targets.files:
            return (path,)
        if found := targets.pages.get(_url(place)):
            return (found,)
    for place in _places(target, source):  # where a page stood before may be an alias of it
        name = _url(place).lstrip("/")
        if "/" in name and (named := targets.names.get(name)):
            return named
    if ".." in target.split("/"):
        return ()
    # pages move, and keep their name
    return tuple(dict.fromkeys(_ends(targets, _url(target).lstrip("/"))))


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
