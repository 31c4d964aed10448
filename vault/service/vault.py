"""The `Vault`: one method for each use case. This is what Python programs work with, and what every surface calls."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from vault.diagnostics import Diagnostic
from vault.model.access import Reader
from vault.service.arguments.choices import UnknownType, check_type, own_types
from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.knowledge.hydrate.memory import Mode as Keeping
    from vault.knowledge.navigate.entities import Entity
    from vault.knowledge.navigate.outline import Claim, Group
    from vault.knowledge.navigate.parameters import Page
    from vault.knowledge.navigate.states import State
    from vault.knowledge.payload import Payload
    from vault.model.entry import Entry
    from vault.model.schema import Schema
    from vault.model.settings import Fusion
    from vault.search.find import Answer
    from vault.search.overview import Overview
    from vault.search.rank import Mode
    from vault.service.read.entry_history import Step
    from vault.service.read.hydrate import Hydrated
    from vault.service.read.navigate import Tree
    from vault.service.read.slot_history import Stand
    from vault.service.write.apply_payload import Remembered
    from vault.service.write.result import Written
    from vault.service.write.sidecars import Fields
    from vault.store.git import LogRecord


class Vault(VaultHandle):
    """A vault as one reader sees it.

    ```python
    with Vault.open("notes") as vault:
        vault.add("actor", {"name": "Bob", "kind": "person"})
        said = {"claimKey": "role", "content": "Bob is CTO", "value": "CTO"}
        vault.remember({"structured": {"aspects": [{"entityName": "Bob", "aspect": "work", "attributes": [said]}]}})
        for found in vault.search("who is the CTO"):
            print(found.stored.entry.key, found.path, found.line)
    ```

    A vault belongs to the thread that opened it; another thread opens one of its own. Any number of them, in one
    process or many, may read and write the same folder: writers wait for each other, and readers never see half of a
    write. What goes wrong is raised as a `VaultError` with a `code`, a `message` and a `hint`.
    """

    # -- reading

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
    ) -> "Hydrated":
        """Make one block of what is known of what a message names; see `hydrating.hydrate`."""
        from vault.service.read.hydrate import hydrate

        return hydrate(self, text, session=session, mode=mode, meaning=meaning, budget=budget)

    @overload
    def navigate(self, *, limit: int = 50, offset: int = 0) -> "Page[Entity]": ...
    @overload
    def navigate(self, entity: str, /, *, limit: int = 50, offset: int = 0) -> "Tree": ...
    @overload
    def navigate(self, entity: str, aspect: str, /, *, limit: int = 50, offset: int = 0) -> "Page[Group]": ...
    @overload
    def navigate(
        self, entity: str, aspect: str, group: str, /, *, limit: int = 50, offset: int = 0
    ) -> "Page[Claim]": ...
    @overload
    def navigate(
        self, entity: str, aspect: str, group: str, claim: str, /, *, limit: int = 50, offset: int = 0
    ) -> "Page[State]": ...
    def navigate(self, *steps: str, limit: int = 50, offset: int = 0) -> Any:
        """Walk from the entities there are to what is said in a claim: each word goes one step down.

        Without a word the entities, most facts first; an entity's outline as a `Tree`; then groups, claims, and what is
        said now. `navigating` has more to ask for. Raises `EntityNotFound`, `AmbiguousEntity` and `PlaceNotFound`.
        """
        from vault.service.read import navigate

        match steps:
            case ():
                return navigate.entities(self, limit=limit, offset=offset)
            case (entity,):
                return navigate.tree(self, entity)
            case (entity, aspect):
                return navigate.groups(self, entity, aspect, limit=limit, offset=offset)
            case (entity, aspect, group):
                return navigate.claims(self, entity, aspect, group, limit=limit, offset=offset)
            case (entity, aspect, group, claim):
                return navigate.attributes(self, entity, aspect, group, claim, limit=limit, offset=offset)
        raise TypeError(f"a walk has at most four steps, not {len(steps)}")

    # -- writing

    def add(
        self,
        kind: str,
        fields: Mapping[str, Any],
        *,
        id: str | None = None,  # noqa: A002  the word of the language
        commit: bool = True,
        message: str | None = None,
    ) -> "Written":
        """Write a new entry, and commit it unless told otherwise.

        `fields` are text, numbers, truth values and lists of these, read by the type's schema; references are
        text such as `actor.ada`, and `{"ref": "actor.ada"}` in fields that no schema declares; paths count from the
        vault's folder. Without an id one is made of the name. Raises `UnknownType`, `BadField`, `Refused`,
        `AlreadyThere`, and what commits raise; nothing is written then.
        """
        from vault.service.arguments.json_values import fields_of, kept_as_text
        from vault.service.write import create
        from vault.service.write.facts import landing_of
        from vault.service.write.missing_paths import missing

        self.refresh()
        schema = self.schemas().get(kind)
        if schema is None:
            raise UnknownType(kind, own_types(self.schemas()))
        file = self.layout.entry_path(kind, id or kind, self.scope)
        given = {name: value for name, value in fields_of(fields, schema, file).items() if value is not None}
        result = create.add(self, kind, id, given, landing_of(commit=commit, message=message))
        as_text = kept_as_text(given, schema, self.schemas())
        return replace(result, notes=(*missing(self, file, given), *as_text, *result.notes))

    def update(
        self,
        words: str,
        fields: Mapping[str, Any],
        *,
        version: str | None = None,
        commit: bool = True,
        message: str | None = None,
    ) -> "Written":
        """Change fields of an entry, and commit that unless told otherwise; None removes one, others stay.

        `version` is the one that the change is based on, as `version` gave it: another is refused with `StaleVersion`.
        Raises as `add`, and `NotFound`, `Ambiguous` and `OnlyGlobal`.
        """
        from vault.service.arguments.json_values import fields_of, kept_as_text
        from vault.service.write.facts import landing_of
        from vault.service.write.missing_paths import missing
        from vault.service.write.update import change

        landing = landing_of(commit=commit, message=message)
        notes: list[str] = []

        def changes(entry: "Entry", schema: "Schema | None") -> "Fields":
            given = fields_of(fields, schema, entry.path)
            notes.extend(missing(self, entry.path, given))
            notes.extend(kept_as_text(given, schema, self.schemas()))
            return given

        result = change(self, words, changes, landing=landing, based_on=version)
        return replace(result, notes=(*notes, *result.notes))

    def delete(
        self, words: str, *, version: str | None = None, commit: bool = True, reason: str | None = None
    ) -> "Written":
        """Remove an entry, and commit that unless told otherwise; history keeps it. Raises as `update`.

        Where it stood before another of its key, `reveals` of what is returned is the path of the one that shows now.
        """
        from vault.service.write.facts import landing_of
        from vault.service.write.update import remove

        return remove(self, words, landing_of(commit=commit, reason=reason), based_on=version)

    def remember(self, payload: "Payload | Mapping[str, Any]") -> "Remembered":
        """Write relations and statements about entities as one commit, all or nothing; see `remembering.remember`.

        Raises `BadPayload` with every problem at its JSON path.
        """
        from vault.knowledge.payload import payload_of
        from vault.service.write.apply_payload import remember

        return remember(self, payload_of(dict(payload)) if isinstance(payload, Mapping) else payload)

    # -- checking

    def check(self, paths: Collection[str] | None = None, *, firm_compatible: bool = False) -> list[Diagnostic]:
        """Every diagnostic of the vault, or of some files, as its owner sees it.

        `firm_compatible` adds which entries plain Firm would take for one.
        """
        from vault.service.runtime.validation import check_worktree

        return check_worktree(self, paths, firm_compatible=firm_compatible)

    def findings(self) -> list[Diagnostic]:
        """Return the diagnostics of what the reader may know of."""
        from vault.service.runtime.validation import findings

        return findings(self)

    # -- history

    def go_back(self, when: str | None = None, *, valid_at: str | None = None) -> None:
        """Read from now on what the vault knew at a revision or moment, and of that what was valid at another.

        Raises `NoMoment`, `NothingKnown` and `BadMoment`, and then falls back to the current state.
        """
        from vault.service.runtime.as_of import go_back

        go_back(self, when, valid_at=valid_at)

    def cited(self, paths: Sequence[str]) -> dict[str, str]:
        """For each path the commit whose content its file holds: HEAD's short id, else `worktree`."""
        from vault.service.runtime.citations import cited

        return cited(self, paths)

    def log(self, words: str | None = None, *, limit: int | None = 20) -> "list[LogRecord]":
        """The commits that changed the vault, or one entry or slot of it, newest first; see `history.log`."""
        from vault.service.read.log import Wanted, log

        return log(self, Wanted(words), limit=limit)

    def history(self, words: str, *, limit: int | None = None) -> "Sequence[Step] | Sequence[Stand]":
        """What each commit made of an entry, newest first; of a slot (`ENTITY/ASPECT/GROUP/CLAIM`) what stood in it.

        Raises `NotFound`, `Ambiguous`, `SlotNotFound` and `NotInGit`.
        """
        from vault.service.read.entry_history import history
        from vault.service.read.slot_history import asked, succession

        slot = asked(self, words)
        return history(self, words, limit=limit) if slot is None else succession(self, slot, limit=limit)
