"""Keeping the text indexes in step with the catalog.

There is one index for all that is not private and one for each private space, so that no statistic
crosses a private space's wall; what ships with the product has one of its own as well, so that a vault's own
words weigh what they weigh without it. Each remembers the catalog revision it holds; it catches up by the
files that changed since. A crash in between does the same files again.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault.model.access import BUNDLED
from vault.model.keys import is_space_name
from vault.search.text import DamagedTextIndex, PassageDocument, TextIndex
from vault.store.catalog import FORMAT, Catalog
from vault.store.files import make_derived_dir, remove, sweep_temporaries
from vault.store.sealed import folder_fits, folder_is_whole, has_stamps, read_json, seal_folder, write_json
from vault.workspace.bundled_entries import HELD

PUBLIC, PRIVATE, SHIPPED = "public", "private", "shipped"
Lock = Callable[[], AbstractContextManager[object]]
Progress = Callable[[int, int], None]

#: Characters of names, and of tags and headings, that are searched with each passage of an entry: with all that a file
#: can hold, a text of a thousand passages would be a thousand times as long.
LABELS_LENGTH = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """One index: its folder and the scopes it holds."""

    name: str
    scopes: tuple[str, ...]


def parts(present: Iterable[str], private: Iterable[str]) -> list[Part]:
    """Divide the scopes of a vault among indexes."""
    hidden = sorted(set(private))
    public = tuple(sorted(set(present) - set(hidden)))
    return [Part(PUBLIC, public), *(Part(f"{PRIVATE}/{folder_name(scope)}", (scope,)) for scope in hidden)]


def shipped() -> Part:
    """What ships with the product, in an index of its own."""
    return Part(SHIPPED, (BUNDLED,))


def folder_name(scope: str) -> str:
    """What the folder of a scope's own index is called."""
    return scope if is_space_name(scope) else hashlib.sha256(scope.encode()).hexdigest()[:32]


@dataclass(slots=True)
class Sync:
    """The text indexes below one folder (`.vault/text`) and the catalog they follow.

    `damaged` are the indexes that turned out to be damaged and were made again.
    """

    folder: Path
    catalog: Catalog
    lock: Lock
    progress: Progress | None = None
    language: str = "english"
    damaged: list[str] = field(default_factory=list)
    _proved: dict[str, dict[str, object]] = field(default_factory=dict)
    _known: dict[str, tuple[dict[str, object], TextIndex]] = field(default_factory=dict)

    def index(self, part: Part) -> TextIndex:
        """Bring one index up to date and return it; a damaged one is made anew."""
        opened = self._open(part)
        if opened is not None and self._is_in_place(part, self._state(part)):
            return opened
        with self.lock():
            opened = self._open(part)
            if opened is not None:
                self._seal_again(part, self._state(part))
            return opened if opened is not None else self._catch_up(part, self._state(part))

    def _is_in_place(self, part: Part, state: dict[str, Any]) -> bool:
        """Whether the files have the stamps they were sealed with: in a copy they have others."""
        return has_stamps(self.folder / part.name, state.get("files", {}))

    def _seal_again(self, part: Part, state: dict[str, Any]) -> None:
        if not self._is_in_place(part, state):
            write_json(self._state_file(part), {**state, "files": seal_folder(self.folder / part.name)})

    def prove(self, part: Part) -> bool:
        """Say whether every byte of an index is what was written; one that is damaged is made again when it is opened.

        What was proved once is not read again until it changes. An index without a state is made when it is opened.
        """
        if not self._state_file(part).exists():
            return True
        state = self._state(part)
        if self._proved.get(part.name) == state:
            return True
        whole = folder_is_whole(self.folder / part.name, state.get("files"))
        if whole:
            self._proved[part.name] = state
        else:
            self.damaged.append(part.name)
            remove(self._state_file(part))
        return whole

    def _open(self, part: Part) -> TextIndex | None:
        """The index, if it is whole and holds what the catalog does, or what another process knows since."""
        state = self._state(part)
        revision = state.get("revision")
        # the catalog is written first: an index that is ahead follows one that was lost
        if revision != self._revision(part):
            return None
        return self._followed(part, state)

    def _revision(self, part: Part) -> int:
        """The number of the latest change of what an index holds; what ships is replaced as a whole."""
        return 0 if part.name == SHIPPED else self.catalog.revision

    def _expected(self, part: Part) -> dict[str, object]:
        return {
            "format": FORMAT,
            "catalog": self.catalog.meta("identity"),
            "scopes": list(part.scopes),
            "language": self.language,
            **({"held": self.catalog.meta(HELD)} if part.name == SHIPPED else {}),
        }

    def _state_file(self, part: Part) -> Path:
        return self.folder / f"{part.name}.json"

    def _state(self, part: Part) -> dict[str, Any]:
        """What is recorded of an index, with the seals of its files; nothing while it is written."""
        return read_json(self._state_file(part)) or {}

    def _catch_up(self, part: Part, state: dict[str, object]) -> TextIndex:
        """Write what changed since the index's revision, or all of it where that cannot be told."""
        revision, expected = self._revision(part), self._expected(part)
        index = self._followed(part, state)
        since = state.get("revision")
        file = self._state_file(part)
        if index is None and file.is_file() and not folder_fits(self.folder / part.name, state.get("files")):
            self.damaged.append(part.name)
        if index is not None and isinstance(since, int) and since < revision:
            changed, gone = self._changes(part, since)
            remove(file)  # until it is sealed, nobody reads it
            index.write(self._documents(changed), [*changed, *gone])
        else:
            self._make_way(part)
            index = TextIndex(self.folder / part.name, self.language)
            index.write(self._documents(self._all(part)), [])
        seals = seal_folder(self.folder / part.name)
        state = {**expected, "revision": revision, "passages": index.count(), "files": seals}
        write_json(file, state, root=self.folder)
        return index

    def _make_way(self, part: Part) -> None:
        """Remove what is in the way of an index and of its state; raises `WriteFailed`."""
        make_derived_dir(self.folder)
        make_derived_dir((self.folder / part.name).parent)
        sweep_temporaries(self._state_file(part).parent)
        remove(self._state_file(part))
        remove(self.folder / part.name)

    def _followed(self, part: Part, state: dict[str, object]) -> TextIndex | None:
        """The index as it is, if it follows this catalog and holds the same scopes."""
        if {name: state.get(name) for name in self._expected(part)} != self._expected(part):
            return None
        if not folder_fits(self.folder / part.name, state.get("files")):
            return None
        known = self._known.get(part.name)
        if known and known[0] == state:
            return known[1]
        try:
            index = TextIndex(self.folder / part.name, self.language)
        except DamagedTextIndex:
            self.damaged.append(part.name)
            return None
        if index.count() != state.get("passages"):
            return None
        self._known[part.name] = (state, index)
        return index

    def _changes(self, part: Part, since: int) -> tuple[list[str], list[str]]:
        """The files changed and gone since a revision."""
        files = self.catalog.files_since(since)
        changed = [path for path, scope in files if scope in part.scopes]
        return changed, self.catalog.files_gone_since(since)

    def _all(self, part: Part) -> list[str]:
        return [path for path, scope in self.catalog.files_with_bundled() if scope in part.scopes]

    def _documents(self, paths: Sequence[str]) -> Iterator[PassageDocument]:
        done = 0
        for start in range(0, len(paths), 400):
            chunk = paths[start : start + 400]
            yield from documents(self.catalog, chunk)
            done += len(chunk)
            if self.progress:
                self.progress(done, len(paths))


def documents(catalog: Catalog, paths: Sequence[str]) -> Iterator[PassageDocument]:
    """Make the index documents of the entries of some files."""
    labels = catalog.labels_in(paths)
    for passage in catalog.passages_in(paths):
        place = (passage.path, passage.scope, passage.type, passage.row, passage.ordinal)
        yield document(place, passage.ident, labels.get(passage.row, []), passage.heading, passage.text)


def document(
    place: tuple[str, str, str, int, int], ident: str, labels: Sequence[tuple[str, str, str]], heading: str, text: str
) -> PassageDocument:
    """Make the index document of a passage: path, scope, type, row and ordinal; labels as kind, folded and written."""
    names = [written for label, _, written in labels if label != "tag"] or [ident.replace("_", " ")]
    tags = [(folded, written) for label, folded, written in labels if label == "tag"]
    told = "\n".join([heading[:LABELS_LENGTH], *(written for _, written in tags)])
    return PassageDocument(
        *place, "\n".join(names)[:LABELS_LENGTH], told[:LABELS_LENGTH], text, [folded for folded, _ in tags]
    )
