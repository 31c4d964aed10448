"""Reading a vault: entries, search, knowledge, links, chats and files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.diagnostics import Diagnostic
from vault.model.access import Reader
from vault.service.arguments.choices import check_type
from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vault.diagnostics import Diagnostic
    from vault.knowledge.hydrate.memory import Mode as Keeping
    from vault.knowledge.hygiene.finding import Report
    from vault.model.settings import Fusion
    from vault.model.values import Reference, Value
    from vault.query.run import Result
    from vault.search.find import Answer
    from vault.search.overview import Overview
    from vault.search.rank import Mode
    from vault.service.read.entry_detail import Cited, Detail, Status
    from vault.service.read.hydrate import Hydrated
    from vault.service.read.links import Related
    from vault.service.runtime.unread_files import LeftOut
    from vault.service.write.files import Declared, Match
    from vault.workspace.graph import Direction, Graph


class Reading(VaultHandle):
    """Reading a vault: entries, search, knowledge, links, chats and files."""

    def get(self, words: str) -> Stored:
        """Find one entry by key, id, path, name or alias; raises `NotFound` or `Ambiguous`."""
        return self.snapshot().resolve(words)

    def version(self, words: str) -> str:
        """The version of an entry as it is now, for `update` and `delete`."""
        from vault.service.read.entry_detail import detail
        from vault.service.write.entry_version import version_in

        return version_in(detail(self, words))

    def entries(
        self, *, kind: str | None = None, tag: str | None = None, limit: int | None = None, bundled: bool = False
    ) -> list[Stored]:
        """Return the visible entries by key, the vault's own or the bundled ones. Raises `UnknownType`."""
        from vault.service.read.entry_detail import entries

        return entries(self, kind=kind, tag=tag, limit=limit, bundled=bundled)

    def detail(self, words: str) -> "Detail":
        """Find an entry and what is around it. Raises `NotFound`, `Ambiguous` and `NotThere`."""
        from vault.service.read.entry_detail import detail

        return detail(self, words)

    def field_value(self, reference: "Reference") -> "Value":
        """Follow a reference to a field, through those its value names. Raises as `resolve`."""
        from vault.service.read.entry_detail import field_value

        return field_value(self, reference)

    def passage(self, words: str) -> "Cited":
        """Find a passage by its address, as `note.ada#1b9f03c2`: the entry may be named as for `detail`.

        Raises `NotFound`, `Ambiguous` and `NoPassage`.
        """
        from vault.service.read.entry_detail import passage

        return passage(self, words)

    def conflicts(self, paths: "Iterable[str]") -> "list[Diagnostic]":
        """The conflicts that a merge left in some files, or in the texts of their entries."""
        from vault.service.read.entry_detail import conflicts

        return conflicts(self, paths)

    def status(self) -> "Status":
        """Look at the vault; changes in private spaces show from inside them alone."""
        from vault.service.read.entry_detail import status

        return status(self)

    def tags(self, *, kind: str | None = None) -> list[tuple[str, int]]:
        """Count the entries of each tag, the most used first; of one type or of all. Raises `UnknownType`."""
        from vault.service.read.tags import tags

        return tags(self, kind=kind)

    def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        tag: str | None = None,
        limit: int = 10,
        mode: "Mode" = "hybrid",
        fusion: "Fusion | None" = None,
        history: bool = False,
        reader: Reader | None = None,
    ) -> "Answer":
        """Find entries by words and by meaning; any text is a legal query.

        `mode` keyword asks BM25 alone, semantic the vectors alone; `fusion` is the settings' unless given;
        `history` adds what was said once and is no more; `reader` is whoever asks, if not this vault's own. An
        answer is a sequence of results, best first. Raises `UnknownType`, `BadChoice`, and `ModelUnavailable` where
        `mode` is semantic and there is no model.
        """
        from vault.service.read.search import search  # tantivy and numpy are loaded where they are used

        return search(
            self,
            query,
            kind=kind,
            tag=tag,
            limit=limit,
            mode=mode,
            fusion=fusion,
            history=history,
            reader=reader,
        )

    def overview(self, *, kind: str | None = None, tag: str | None = None, limit: int = 5) -> "Overview":
        """What the vault holds: counts, the newest, the most connected."""
        from vault.search.overview import overview

        snapshot = self.snapshot()
        check_type(snapshot, kind)
        return overview(snapshot, kind=kind, tag=tag, limit=limit)

    def hydrate(
        self,
        text: str,
        *,
        session: str | None = None,
        mode: "Keeping" = "turn",
        meaning: bool = False,
        budget: int | None = None,
        floor: float | None = None,
        turns: int | None = None,
        fresh: bool = False,
        agent_id: str | None = None,
        reader: "Reader | None" = None,
    ) -> "Hydrated":
        """Make one block of the knowledge that is relevant to a message.

        A `session` remembers what was matched: in the mode `turn` that stays for some `turns`, in the mode `transcript`
        nothing is returned again that is still in view; `fresh` starts the session over. With `meaning` entries that
        are near in meaning are found too, and the embedding model is loaded. `budget` is in tokens, `floor` a cosine;
        both, and `turns`, default to the settings. Raises `BadChoice`, `BadBudget` and `BadSession`.
        """
        from vault.service.read.hydrate import hydrate

        return hydrate(
            self,
            text,
            session=session,
            mode=mode,
            meaning=meaning,
            budget=budget,
            floor=floor,
            turns=turns,
            fresh=fresh,
            agent_id=agent_id,
            reader=reader,
        )

    def query(self, text: str) -> "Result":
        """Run a query over what the reader sees. Raises `BadQuery`, with the place in the text."""
        from vault.service.read.query import query

        return query(self, text)

    def related(
        self, words: str, *, direction: "Direction | None" = None, depth: int = 1, kind: str | None = None
    ) -> "tuple[Stored, Sequence[Related]]":
        """Find an entry, and what is up to `depth` references away from it, nearest first, of one type where given.

        What ships with the product is among it.

        Raises `NotFound`, `Ambiguous` and `UnknownType`.
        """
        from vault.service.read.links import related

        return related(self, words, direction=direction, depth=depth, kind=kind)

    def graph(
        self, words: str | None = None, *, depth: int = 1, kind: str | None = None, field: str | None = None
    ) -> "Graph":
        """The graph of what the reader sees, or of what is around one entry.

        Raises `NotFound`, `Ambiguous` and `UnknownType`.
        """
        from vault.service.read.links import subgraph

        return subgraph(self, words, depth=depth, kind=kind, field=field)

    def hygiene(
        self, *, everything: bool = False, agent_id: str | None = None, reader: "Reader | None" = None
    ) -> "Report":
        """Report what to tidy up in what the reader sees, or in all scopes (`everything`, which is its owner's to ask).

        With `everything` the names of private spaces are looked for in texts outside them, too.
        """
        from vault.service.read.hygiene import hygiene

        return hygiene(self, everything=everything, agent_id=agent_id, reader=reader)

    def file_tree(self) -> list[str]:
        """The paths of the `.firm` files that the reader sees: their scopes' and the schemas'."""
        from vault.service.write.files import tree

        return tree(self)

    def find_declaration(self, words: str) -> "Declared":
        """Find where an entry is declared, or with `schema NAME` a schema; an entry may be named as `type id` too.

        Raises `NotFound`, `Ambiguous` and `NoSchema`.
        """
        from vault.service.write.files import find

        return find(self, words)

    def read_file(self, path: str) -> tuple[str, bytes]:
        """The path of a file in the one form that names it, and its bytes. Raises `NoFile`, and as `write`."""
        from vault.service.write.files import read

        return read(self, path)

    def grep(self, text: str, *, case: bool = False) -> "list[Match]":
        """The lines that hold a text, in the files that the reader sees; capitals count only with `case`."""
        from vault.service.write.files import grep

        return grep(self, text, case=case)

    def unread_files(self) -> "list[LeftOut]":
        """The files in the reader's scopes whose entries are not read."""
        from vault.service.runtime.unread_files import left_out

        return left_out(self)

    def misplaced_files(self) -> list[str]:
        """The `.firm` files in the vault's folder that stand in none of its scopes, so that no command reads them."""
        from vault.service.runtime.unread_files import misplaced

        return misplaced(self)

    def undeclared_spaces(self) -> int:
        """How many folders in `spaces/` no setting declares; they are private, so an answer gives no name."""
        from vault.service.runtime.unread_files import undeclared

        return undeclared(self)
