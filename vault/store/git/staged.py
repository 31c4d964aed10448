"""What is staged: how the index differs from a commit."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from vault.store.git.cachetree import CachedTree, Key, last_below
from vault.store.git.gitindex import GitIndex
from vault.store.git.objects import DIRECTORY, EMPTY_TREE, Leaf, Objects
from vault.store.git.place import Place

#: What the index and the commit hold at a path.
Pair = tuple[Leaf | None, Leaf | None]


def staged_leaves(place: Place, index: GitIndex, commit: str | None) -> dict[bytes, Pair]:
    """Compare the vault's part of the index with a commit: path → (staged, committed).

    A folder whose tree the index knows is compared by that, without a look at its files.
    """
    base = place.full("")
    tree = place.vault_tree(commit) or EMPTY_TREE
    node: CachedTree | None = index.trees
    for name in base.split(b"/")[:-1]:
        node = node.folders.get(name) if node else None
    keys = index.keys()
    start = bisect_left(keys, (base, 0))
    pairs = _Comparison(index, keys, place.objects).folder(base, start, last_below(keys, base, start), tree, node)
    return dict(sorted(pairs))


def leaves_of(index: GitIndex) -> dict[bytes, Leaf]:
    """Return what the index would commit."""
    return {
        entry.path: (entry.mode, entry.blob.hex()) for entry in index if entry.stage == 0 and not entry.intent_to_add
    }


@dataclass(frozen=True, slots=True)
class _Comparison:
    index: GitIndex
    keys: list[Key]
    objects: Objects

    def folder(
        self, folder: bytes, start: int, end: int, tree: str, node: CachedTree | None
    ) -> Iterator[tuple[bytes, Pair]]:
        """Compare a folder, whose keys are at `start` to `end`, with a tree."""
        if node is None:
            yield from self._every_file(folder, start, end, tree)
            return
        if node.is_known and node.ident.hex() == tree:
            return
        committed = dict(self.objects.tree(tree))
        position = start
        while position < end:
            key = self.keys[position]
            name, slash, _ = key[0][len(folder) :].partition(b"/")
            is_folder = committed.get(name, (0, ""))[0] == DIRECTORY
            if slash:
                inside = folder + name + b"/"
                after = last_below(self.keys, inside, position)
                below = committed.pop(name)[1] if is_folder else EMPTY_TREE
                yield from self.folder(inside, position, after, below, node.folders.get(name))
            else:
                after = position + 1
                yield from _differing(key[0], self._leaf(key), None if is_folder else committed.pop(name, None))
            position = after
        for name, leaf in committed.items():
            yield from self._gone(folder + name, leaf)

    def _every_file(self, folder: bytes, start: int, end: int, tree: str) -> Iterator[tuple[bytes, Pair]]:
        """Compare a folder of which the index knows no tree."""
        committed = dict(self.objects.leaves(tree, folder))
        for key in self.keys[start:end]:
            yield from _differing(key[0], self._leaf(key), committed.pop(key[0], None))
        for path, leaf in committed.items():
            yield path, (None, leaf)

    def _leaf(self, key: Key) -> Leaf | None:
        entry = self.index.entries[key]
        return None if entry.stage or entry.intent_to_add else (entry.mode, entry.blob.hex())

    def _gone(self, path: bytes, leaf: Leaf) -> Iterator[tuple[bytes, Pair]]:
        """Everything that a commit holds at a path where the index holds nothing."""
        if leaf[0] != DIRECTORY:
            yield path, (None, leaf)
            return
        for inside, below in self.objects.leaves(leaf[1], path + b"/").items():
            yield inside, (None, below)


def _differing(path: bytes, staged: Leaf | None, committed: Leaf | None) -> Iterator[tuple[bytes, Pair]]:
    if staged != committed:
        yield path, (staged, committed)
