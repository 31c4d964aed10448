"""Git's objects: blobs and trees, read and written.

Inside this package a path is bytes relative to the working tree, an id is 40 hex digits, and a leaf is
(mode, id).
"""

import hashlib
import re
import stat
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from dulwich.object_store import DiskObjectStore
from dulwich.objects import ObjectID, ShaFile
from dulwich.pack import PackFileDisappeared

from vault.errors import VaultError
from vault.store.files import Unreadable, WriteFailed
from vault.store.git.loose import write_loose

Leaf: TypeAlias = tuple[int, str]
Tree: TypeAlias = Mapping[bytes, Leaf]
Edits: TypeAlias = dict[bytes, Leaf | None]

COMMIT, TREE, BLOB = 1, 2, 3
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
DIRECTORY = 0o040000
_TREE_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
#: Bytes of raw trees that are kept parsed; they take about seven times as much memory.
TREES_MAX = 6_000_000
#: Above this many new objects one pack is written instead of loose files.
_PACK_FROM = 200


class MissingObject(VaultError):
    """An object the history names and the repository does not hold."""

    code = "missing-object"

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"git object {wanted} is missing from the repository",
            hint="run `git fsck`; in a partial or shallow clone fetch the rest of the history",
            details={"object": wanted},
        )


def blob_id(data: bytes) -> str:
    """Return the id git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Objects:
    """The object database of one repository; trees are cached up to `TREES_MAX` bytes, for ids never change meaning."""

    def __init__(self, store: DiskObjectStore) -> None:
        """Read from and write to `store`."""
        self.store = store
        self._trees: OrderedDict[str, tuple[int, Tree]] = OrderedDict()
        self._trees_size = 0
        self._leaves: tuple[tuple[str, bytes], dict[bytes, Leaf]] | None = None
        self._new: dict[str, tuple[int, bytes]] = {}

    def read(self, wanted: str) -> bytes:
        """Return an object's content, without its header."""
        if wanted in self._new:
            return self._new[wanted][1]
        try:
            return self._read(ObjectID(wanted.encode()))
        except KeyError as error:
            raise MissingObject(wanted) from error
        except OSError as error:
            raise Unreadable(f"git object {wanted}", error.strerror or str(error)) from error

    def _read(self, wanted: ObjectID) -> bytes:
        """Read an object; where packs were replaced meanwhile, as `git gc` does, once more."""
        try:
            return self.store.get_raw(wanted)[1]
        except (KeyError, FileNotFoundError, PackFileDisappeared):
            self.store.close()  # forgets which packs there are
            return self.store.get_raw(wanted)[1]

    def has(self, ident: str) -> bool:
        """Whether the repository holds an object."""
        return ident in self._new or ident == EMPTY_TREE or ObjectID(ident.encode()) in self.store

    def add(self, kind: int, data: bytes) -> str:
        """Keep a new object until `flush`; returns its id."""
        shape = ShaFile.from_raw_string(kind, data)
        ident = shape.id.decode()
        self._new[ident] = (kind, data)
        return ident

    def flush(self) -> None:
        """Write the new objects to the disk. Raises `WriteFailed`."""
        shapes = [ShaFile.from_raw_string(kind, data) for kind, data in self._new.values()]
        try:
            if len(shapes) > _PACK_FROM:
                self.store.add_objects([(shape, None) for shape in shapes])
            else:
                write_loose(self.store, shapes)
        except OSError as error:
            raise WriteFailed("git's object database", error.strerror or str(error)) from error
        self._new.clear()

    def tree(self, ident: str) -> Tree:
        """Return what a tree holds: its files and folders by name."""
        known = self._trees.get(ident)
        if known is not None:
            self._trees.move_to_end(ident)
            return known[1]
        # git knows the empty tree even if it is not stored
        data = b"" if ident == EMPTY_TREE else self.read(ident)
        found = {name: (int(mode, 8), sha.hex()) for mode, name, sha in _TREE_ENTRY.findall(data)}
        self._trees[ident] = len(data), found
        self._trees_size += len(data)
        while self._trees_size > TREES_MAX and len(self._trees) > 1:
            _, (size, _) = self._trees.popitem(last=False)
            self._trees_size -= size
        return found

    def leaves(self, tree: str, base: bytes = b"") -> dict[bytes, Leaf]:
        """Return every file below a tree, with its path after `base`. The answer is kept: change only a copy."""
        if self._leaves and self._leaves[0] == (tree, base):
            return self._leaves[1]
        found: dict[bytes, Leaf] = {}
        waiting = [(tree, base)]
        while waiting:
            ident, above = waiting.pop()
            for name, leaf in self.tree(ident).items():
                if leaf[0] == DIRECTORY:
                    waiting.append((leaf[1], above + name + b"/"))
                else:
                    found[above + name] = leaf
        self._leaves = (tree, base), found
        return found

    def find(self, tree: str | None, path: bytes) -> Leaf | None:
        """Look a path up, reading only the trees on the way to it."""
        leaf: Leaf | None = None if tree is None else (DIRECTORY, tree)
        for name in path.split(b"/") if path else ():
            if leaf is None or not stat.S_ISDIR(leaf[0]):
                return None
            leaf = self.tree(leaf[1]).get(name)
        return leaf

    def subtree(self, tree: str | None, path: bytes) -> str | None:
        """Return the id of the folder at a path, None if there is none."""
        leaf = self.find(tree, path)
        return leaf[1] if leaf and stat.S_ISDIR(leaf[0]) else None

    def differences(
        self, old: str | None, new: str | None, base: bytes = b""
    ) -> Iterator[tuple[bytes, Leaf | None, Leaf | None]]:
        """Compare two trees; equal subtrees are not read."""
        if old == new:
            return
        before = self.tree(old) if old else {}
        after = self.tree(new) if new else {}
        for name in sorted({*before, *after}):
            one, other = before.get(name), after.get(name)
            if one != other:
                yield from self._difference(one, other, base + name)

    def _difference(
        self, one: Leaf | None, other: Leaf | None, path: bytes
    ) -> Iterator[tuple[bytes, Leaf | None, Leaf | None]]:
        folders = [leaf[1] if leaf and stat.S_ISDIR(leaf[0]) else None for leaf in (one, other)]
        files = [None if folder else leaf for folder, leaf in zip(folders, (one, other), strict=True)]
        if files[0] or files[1]:
            yield path, files[0], files[1]
        if folders[0] or folders[1]:
            yield from self.differences(folders[0], folders[1], path + b"/")

    def edited(self, tree: str | None, edits: Mapping[bytes, Leaf | None]) -> str | None:
        """Make a tree of another one with some files changed; None if nothing is left in it."""
        entries = dict(self.tree(tree)) if tree else {}
        below: dict[bytes, Edits] = {}
        for path, leaf in edits.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                below.setdefault(name, {})[rest] = leaf
            elif leaf:
                entries[name] = leaf
            elif name in entries and not stat.S_ISDIR(entries[name][0]):
                del entries[name]
        for name, inner in below.items():
            self._edit_folder(entries, name, inner)
        return self.add(TREE, _encode_tree(entries)) if entries else None

    def _edit_folder(self, entries: dict[bytes, Leaf], name: bytes, inner: Edits) -> None:
        old = entries.get(name)
        is_folder = old is not None and stat.S_ISDIR(old[0])
        if old is not None and not is_folder and not any(inner.values()):
            return
        made = self.edited(old[1] if old and is_folder else None, inner)
        if made:
            entries[name] = (DIRECTORY, made)
        else:
            entries.pop(name, None)


def _encode_tree(entries: Mapping[bytes, Leaf]) -> bytes:
    def order(item: tuple[bytes, Leaf]) -> bytes:
        return item[0] + b"/" if stat.S_ISDIR(item[1][0]) else item[0]

    return b"".join(
        b"%o %s\0%s" % (mode, name, bytes.fromhex(ident)) for name, (mode, ident) in sorted(entries.items(), key=order)
    )
