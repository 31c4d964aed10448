"""Keeping the text indexes in step with the catalog.

There is one index for all that is not private and one for each private space, so that no statistic
crosses a private space's wall; what ships with the product has one of its own as well, so that a vault's own
words weigh what they weigh without it. Each remembers the catalog revision it holds; it catches up by the
files that changed since. A crash in between does the same files again.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from vault.model.access import BUNDLED
from vault.model.keys import is_space_name
from vault.search.text import DamagedTextIndex, PassageDocument, TextIndex
from vault.store.catalog import FORMAT, Catalog
from vault.store.files import make_derived_dir, remove, remove_unless_file, write_atomic
from vault.workspace.shipped import HELD

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
    """The text indexes below one folder (`.vault/text`) and the catalog they follow."""

    folder: Path
    catalog: Catalog
    lock: Lock
    progress: Progress | None = None
    language: str = "english"
    _known: dict[str, tuple[dict[str, object], TextIndex]] = field(default_factory=dict)

    def index(self, part: Part) -> TextIndex:
        """Bring one index up to date and return it; a damaged one is made anew."""
        opened = self._open(part)
        if opened is not None:
            return opened
        with self.lock():
            opened = self._open(part)
            return opened if opened is not None else self._catch_up(part, self._state(part))

    def _open(self, part: Part) -> TextIndex | None:
        """The index, if it is whole and holds what the catalog does, or what another process knows since."""
        state = self._state(part)
        revision = state.get("revision")
        if not isinstance(revision, int) or revision < self._revision(part):
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

    def _state(self, part: Part) -> dict[str, object]:
        try:
            state = json.loads(self._state_file(part).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _catch_up(self, part: Part, state: dict[str, object]) -> TextIndex:
        """Write what changed since the index's revision, or all of it where that cannot be told."""
        revision, expected = self._revision(part), self._expected(part)
        index = self._followed(part, state)
        since = state.get("revision")
        if index is not None and isinstance(since, int) and since < revision:
            changed, gone = self._changes(part, since)
            index.write(self._documents(changed), [*changed, *gone])
        else:
            self._make_way(part)
            index = TextIndex(self.folder / part.name, self.language)
            index.write(self._documents(self._all(part)), [])
        state = {**expected, "revision": revision, "passages": index.count()}
        write_atomic(self._state_file(part), json.dumps(state).encode(), root=self.folder)
        return index

    def _make_way(self, part: Part) -> None:
        """Remove what is in the way of an index and of its state; raises `WriteFailed`."""
        make_derived_dir(self.folder)
        make_derived_dir((self.folder / part.name).parent)
        remove(self.folder / part.name)
        remove_unless_file(self._state_file(part))

    def _followed(self, part: Part, state: dict[str, object]) -> TextIndex | None:
        """The index as it is, if it follows this catalog and holds the same scopes."""
        if {name: state.get(name) for name in self._expected(part)} != self._expected(part):
            return None
        known = self._known.get(part.name)
        if known and known[0] == state and self._state_file(part).exists():
            return known[1]
        try:
            index = TextIndex(self.folder / part.name, self.language)
        except DamagedTextIndex:
            return None
        if index.count() != state.get("passages"):
            return None
        self._known[part.name] = (state, index)
        return index

    def _changes(self, part: Part, since: int) -> tuple[list[str], list[str]]:
        """The files changed and gone since a revision."""
        files = self.catalog.db.execute("SELECT path, scope FROM files WHERE revision > ?", [since])
        changed = [path for path, scope in files if scope in part.scopes]
        rows = self.catalog.db.execute("SELECT path FROM gone WHERE revision > ?", [since])
        return changed, [path for (path,) in rows]

    def _all(self, part: Part) -> list[str]:
        told = "SELECT path, scope FROM files UNION SELECT path, scope FROM entries WHERE scope = ? ORDER BY path"
        rows = self.catalog.db.execute(told, [BUNDLED])
        return [path for path, scope in rows if scope in part.scopes]

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
    marks = ",".join("?" * len(paths))
    labels: dict[int, list[tuple[str, str, str]]] = {}
    for row, kind, folded, written in catalog.db.execute(
        "SELECT l.entry, l.kind, l.label, l.written FROM labels l JOIN entries e ON e.id = l.entry"
        f" WHERE e.path IN ({marks}) ORDER BY l.rowid",
        paths,
    ):
        labels.setdefault(row, []).append((kind, folded, written))
    rows = catalog.db.execute(
        "SELECT e.id, e.path, e.scope, e.type, e.ident, p.ordinal, p.heading, p.text"
        f" FROM entries e JOIN passages p ON p.entry = e.id WHERE e.path IN ({marks})",
        paths,
    )
    for row, path, scope, kind, ident, ordinal, heading, text in rows:
        yield document((path, scope, kind, row, ordinal), ident, labels.get(row, []), heading, text)


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
