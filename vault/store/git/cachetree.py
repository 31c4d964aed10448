"""The cached trees of an index: which folders of it are known to equal a tree that git holds.

git calls this the `TREE` extension. A folder whose tree is known is compared with a commit by one id, and
none of its files is looked at. See git's Documentation/gitformat-index.txt, "Cache tree".
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha1

#: A path of the index with its stage, as the index is sorted.
Key = tuple[bytes, int]
#: Of one file: (mode, blob); None where no tree can hold it, as in a conflict.
Held = tuple[int, bytes] | None

#: The count that marks a folder whose tree is not known.
_UNKNOWN = -1
_FOLDER = b"40000"
#: The character after `/`: everything below `folder/` sorts before `folder0`.
_AFTER_SLASH = b"0"


@dataclass(slots=True)
class CachedTree:
    """A folder of the index: how many entries are below it and its tree, if that is known."""

    count: int = _UNKNOWN
    ident: bytes = b""
    folders: "dict[bytes, CachedTree]" = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the folder's tree is known."""
        return self.count >= 0

    def copy(self) -> "CachedTree":
        """Copy the folder and all below it."""
        return CachedTree(self.count, self.ident, {name: sub.copy() for name, sub in self.folders.items()})

    def forget(self, path: bytes) -> None:
        """Note that an entry changes: the trees of the folders above it are no longer known."""
        node = self
        node.count = _UNKNOWN
        for name in path.split(b"/"):
            below = node.folders.get(name)
            if below is None:
                return
            node = below
            node.count = _UNKNOWN


def parse(data: bytes) -> CachedTree:
    """Read the extension. Raises `ValueError` where it is cut short."""
    root, place = _parse_one(data, data.index(b"\0") + 1)
    if place != len(data):
        raise ValueError("its cached trees do not end where they should")
    return root


def _parse_one(data: bytes, place: int) -> tuple[CachedTree, int]:
    end = data.index(b"\n", place)
    count, folders = data[place:end].split(b" ")
    node, place = CachedTree(int(count)), end + 1
    if node.is_known:
        node.ident = data[place : place + 20]
        place += 20
    for _ in range(int(folders)):
        end = data.index(b"\0", place)
        node.folders[data[place:end]], place = _parse_one(data, end + 1)
    return node, place


def to_bytes(root: CachedTree) -> bytes:
    """Write the extension."""
    return b"".join(_lines(b"", root))


def _lines(name: bytes, node: CachedTree) -> Iterator[bytes]:
    # git looks a folder up by length, then by bytes
    below = sorted(node.folders.items(), key=lambda item: (len(item[0]), item[0]))
    yield b"%s\0%d %d\n" % (name, node.count, len(below))
    if node.is_known:
        yield node.ident
    for own, folder in below:
        yield from _lines(own, folder)


def last_below(keys: Sequence[Key], folder: bytes, start: int = 0) -> int:
    """Return the position after the last key below a folder, named with its `/` (all, if empty)."""
    return bisect_left(keys, (folder[:-1] + _AFTER_SLASH, 0), start) if folder else len(keys)


def complete(root: CachedTree, keys: Sequence[Key], held: Callable[[Key], Held], has: Callable[[str], bool]) -> None:
    """Work out the unknown trees of an index, as far as the repository has them.

    `keys` are the index's, sorted; `held` returns what one holds; `has` says whether git has an object.
    Only entries directly in folders that are not known are looked at.
    """
    _complete(root, b"", 0, len(keys), _Source(keys, held, has))


@dataclass(frozen=True, slots=True)
class _Source:
    keys: Sequence[Key]
    held: Callable[[Key], Held]
    has: Callable[[str], bool]


def _complete(node: CachedTree, folder: bytes, start: int, end: int, source: _Source) -> None:
    """Work out one folder, whose keys are at `start` to `end`."""
    items: list[tuple[bytes, bytes]] = []
    names: set[bytes] = set()
    is_whole = True
    place = start
    while place < end:
        key = source.keys[place]
        name, slash, _ = key[0][len(folder) :].partition(b"/")
        if slash:
            names.add(name)
            below = node.folders.setdefault(name, CachedTree())
            inside = folder + name + b"/"
            after = place + below.count if below.is_known else last_below(source.keys, inside, place)
            if not below.is_known:
                _complete(below, inside, place, after, source)
            items.append((name + b"/", b"%s %s\0%s" % (_FOLDER, name, below.ident)))
            is_whole = is_whole and below.is_known
            place = after
        else:
            mode, blob = source.held(key) or (0, b"")
            items.append((name, b"%o %s\0%s" % (mode, name, blob)))
            is_whole = is_whole and bool(blob)
            place += 1
    node.folders = {name: below for name, below in node.folders.items() if name in names}
    if not is_whole:
        return
    data = b"".join(line for _, line in sorted(items))
    ident = sha1(b"tree %d\0%s" % (len(data), data), usedforsecurity=False).digest()
    if source.has(ident.hex()):
        node.count, node.ident = end - start, ident
