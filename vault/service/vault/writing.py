"""Writing: entries, facts, payloads, chats and files, each with its commit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vault.diagnostics import Diagnostic
from vault.service.arguments.choices import UnknownType, own_types
from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault.diagnostics import Diagnostic
    from vault.knowledge.payload import Payload
    from vault.model.entry import Entry
    from vault.model.schema import Schema
    from vault.model.values import Value
    from vault.service.arguments.commit_options import CommitDetails, CommitOptions
    from vault.service.runtime.commit_result import Commit
    from vault.service.write.apply_payload import Remembered
    from vault.service.write.consents import Consent
    from vault.service.write.files import Rewritten
    from vault.service.write.import_chat import Imported
    from vault.service.write.result import Written
    from vault.service.write.sidecars import Fields
    from vault.service.write.update import Changes
    from vault.store.records import Stored


class Writing(VaultHandle):
    """Writing: entries, facts, payloads, chats and files, each with its commit."""

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
        from vault.service.write.facts import commit_options
        from vault.service.write.missing_paths import missing

        self.refresh()
        schema = self.schemas().get(kind)
        if schema is None:
            raise UnknownType(kind, own_types(self.schemas()))
        file = self.layout.entry_path(kind, id or kind, self.scope)
        given = {name: value for name, value in fields_of(fields, schema, file).items() if value is not None}
        result = create.add(self, kind, id, given, commit_options(commit=commit, message=message))
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
        from vault.service.write.facts import commit_options
        from vault.service.write.missing_paths import missing
        from vault.service.write.update import change

        options = commit_options(commit=commit, message=message)
        notes: list[str] = []

        def changes(entry: "Entry", schema: "Schema | None") -> "Fields":
            given = fields_of(fields, schema, entry.path)
            notes.extend(missing(self, entry.path, given))
            notes.extend(kept_as_text(given, schema, self.schemas()))
            return given

        result = change(self, words, changes, options=options, based_on=version)
        return replace(result, notes=(*notes, *result.notes))

    def delete(
        self, words: str, *, version: str | None = None, commit: bool = True, reason: str | None = None
    ) -> "Written":
        """Remove an entry, and commit that unless told otherwise; history keeps it. Raises as `update`.

        Where it stood before another of its key, `reveals` of what is returned is the path of the one that shows now.
        """
        from vault.service.write.facts import commit_options
        from vault.service.write.update import remove

        return remove(self, words, commit_options(commit=commit, reason=reason), based_on=version)

    def remember(self, payload: "Payload | Mapping[str, Any]", *, message: str | None = None) -> "Remembered":
        """Write relations and statements about entities as one commit, all or nothing; see `remembering.remember`.

        Raises `BadPayload` with every problem at its JSON path.
        """
        from vault.knowledge.payload import payload_of
        from vault.service.write.apply_payload import remember

        read = payload_of(dict(payload)) if isinstance(payload, Mapping) else payload
        return remember(self, read, message=message)

    def add_entry(
        self, kind: str, ident: str | None, fields: "Mapping[str, Value]", options: "CommitOptions | None" = None
    ) -> "Written":
        """Write a new entry into the reader's scope; raises before anything is written.

        Without an id one is made of the name, statement or text. A text no string holds goes to a sidecar.
        """
        from vault.service.write.create import add

        return add(self, kind, ident, fields, options)

    def add_text(self, text: str, source: str, options: "CommitOptions | None" = None) -> "list[Written]":
        """Write the entries of a Firm text, one file each, with the text as it stands.

        Raises `Refused` if the text has an error, `GivenTwice`, `AlreadyThere` or `PathTaken` for an id; nothing is
        written then.
        """
        from vault.service.write.create import add_text

        return add_text(self, text, source, options)

    def change_entry(
        self,
        words: str,
        changes: "Changes",
        *,
        override: bool = False,
        options: "CommitOptions | None" = None,
        based_on: str | None = None,
    ) -> "Written":
        """Set, or with None remove, fields of an entry; every other byte of its file stays.

        `based_on` is the version that the change was made for; another one is refused with `StaleVersion`. An entry
        that only a wider scope has is refused, or with `override` copied into the reader's and changed there.
        """
        from vault.service.write.update import change

        return change(self, words, changes, override=override, options=options, based_on=based_on)

    def remove_entry(
        self, words: str, options: "CommitOptions | None" = None, *, based_on: str | None = None
    ) -> "Written":
        """Remove an entry: its file, or its block where others share the file, and a sidecar only it names.

        `based_on` is the version that is to be removed; another one is refused with `StaleVersion`.
        """
        from vault.service.write.update import remove

        return remove(self, words, options, based_on=based_on)

    def find_to_change(self, words: str) -> "Stored":
        """Find the entry that a write names.

        Raises `NotFound`, `Ambiguous`, and `MovedFact` for the old id of a fact.
        """
        from vault.service.write.update import to_change

        return to_change(self, words)

    def check_changeable(self, stored: "Stored", *, override: bool = False) -> None:
        """Raise `ReadOnly` for a bundled entry, `OnlyGlobal` for a global one where the reader stands in a space.

        `override` says whether the caller can be asked for a version of the space's own.
        """
        from vault.service.write.update import make_sure_own

        make_sure_own(self, stored, override=override)

    def accept_edit(
        self,
        stored: "Stored",
        path: str,
        found: "Sequence[Diagnostic]",
        *,
        before: str,
        options: "CommitOptions | None",
    ) -> "Written":
        """What an edit in an editor did, committed where that is asked for and nothing is wrong.

        `before` is the blob the file had.
        """
        from vault.service.write.update import edited

        return edited(self, stored, path, found, before=before, options=options)

    def record(
        self,
        subject: str,
        slot: str,
        statement: str,
        fields: "Mapping[str, Value]",
        *,
        ident: str | None = None,
        words: "CommitDetails | None" = None,
    ) -> "Written":
        """Say something of an entity: beside what is known, or in place of what its slot said, as one commit.

        `slot` is `ASPECT[/GROUP]/CLAIM`. Raises `BadSlot`, `NoStatement`, `NotFound`, `Ambiguous`, `Refused`,
        `SlotConflict` and `TimesOverlap`.
        """
        from vault.service.arguments.commit_options import CommitDetails
        from vault.service.write.facts import record

        return record(self, subject, slot, statement, fields, ident=ident, words=words or CommitDetails())

    def supersede(
        self, old: str, new: str | None, fields: "Mapping[str, Value]", *, words: "CommitDetails | None" = None
    ) -> "Written":
        """Put a statement, or another fact's, in the place of a fact's: its id and path stay. One commit.

        `new` is a sentence or the key of a fact, whose own file goes; without it the old sentence is said with the
        new `value`. Raises `NotAFact`, `SameFact`, `NoNewStatement`, `NeverSupersedes`, `UnreadableField`.
        """
        from vault.service.arguments.commit_options import CommitDetails
        from vault.service.write.facts import supersede

        return supersede(self, old, new, fields, words=words or CommitDetails())

    def retract(self, fact: str, *, words: "CommitDetails | None" = None) -> "Written":
        """Take a fact back: its file goes, its history stays, its slot is vacant. One commit. Raises `NotAFact`."""
        from vault.service.arguments.commit_options import CommitDetails
        from vault.service.write.facts import retract

        return retract(self, fact, words=words or CommitDetails())

    def restore(self, words: str, *, told: "CommitDetails | None" = None) -> "Written":
        """Bring back `ENTRY@REV`: a fact into its slot, another entry to the fields it had. One commit.

        What stands in its place now is history then. Raises `NoRevision`, `NoMoment`, `NotThere`, `SlotTaken`,
        `UnreadableThen`, and `PathTaken` for the file of its text.
        """
        from vault.service.arguments.commit_options import CommitDetails
        from vault.service.write.restore import restore

        return restore(self, words, told=told or CommitDetails())

    def import_chat(
        self,
        text: str,
        source: str,
        *,
        ident: str | None = None,
        name: str = "",
        options: "CommitOptions | None" = None,
    ) -> "Imported":
        """Add the turns of a text that the chat does not have yet.

        Its id is what is given, else what the text says, else made of a file's `name`; `source` is what an error calls
        the text. Raises `BadTurn`, `BadChatId` and `ChatDiverges`, before anything is written.
        """
        from vault.service.write.import_chat import import_chat

        return import_chat(self, text, source, ident=ident, name=name, options=options)

    def write_file(
        self, path: str, text: str, *, force: bool = False, options: "CommitOptions | None" = None
    ) -> "Rewritten":
        """Write a file whole, or make it.

        A text that does not parse is never written; one that brings the vault new errors only with `force`.
        Raises `DoesNotParse`, `Breaks`, `NotAFirmFile`, `OutOfScope`, `OutsideVault` and `IgnoredPath`; then nothing
        is changed.
        """
        from vault.service.write.files import write

        return write(self, path, text, force=force, options=options)

    def replace_in_file(
        self,
        path: str,
        old: str,
        new: str,
        *,
        every: bool = False,
        force: bool = False,
        options: "CommitOptions | None" = None,
    ) -> "Rewritten":
        """Replace a text that stands once in a file, or with `every` wherever it stands; else as `write`.

        Line ends of `new`, and of an `old` that is not found as it is, are read as the file's own. Raises `NoFile`,
        `NoMatch` and `SeveralMatches` too.
        """
        from vault.service.write.files import replace

        return replace(self, path, old, new, every=every, force=force, options=options)

    def delete_file(self, path: str, *, force: bool = False, options: "CommitOptions | None" = None) -> "Rewritten":
        """Remove a file, with the sidecars that its entries alone name. Raises `NoFile`, and as `write`."""
        from vault.service.write.files import delete

        return delete(self, path, force=force, options=options)

    def removable_file(self, path: str) -> str:
        """The path of a file that the reader may remove from where they stand. Raises as `delete`."""
        from vault.service.write.files import removable

        return removable(self, path)

    def commit(
        self, words: "Sequence[str]" = (), *, message: str | None = None, staged: bool = False
    ) -> "list[Commit]":
        """Commit the named entries, else what is staged, else every changed file of the vault.

        One commit for all that is not private, and one for each private space. Raises `HasErrors` for
        content that would land with errors, `NothingChanged`, and the errors of `vault.store.git`; one that
        comes after a commit was made says so.
        """
        from vault.service.write.commits import commit

        return commit(self, words, message=message, staged=staged)

    def waiting_consents(self) -> "list[Consent]":
        """The open questions from where the reader stands, and from no space, the oldest first."""
        from vault.service.write.consents import waiting

        return waiting(self)

    def consent(self, number: str) -> "Consent":
        """The open question of a number or of a unique beginning of it. Raises `NoSuchConsent`."""
        from vault.service.write.consents import find

        return find(self, number)

    def agree(self, number: str) -> "Consent":
        """Answer a question with yes. Raises `NoSuchConsent`."""
        from vault.service.write.consents import agree

        return agree(self, number)

    @staticmethod
    def read_source(data: bytes | None, source: str) -> str:
        """The text entries are taken from: the bytes given, or those of a file."""
        from vault.service.write.sources import read_source

        return read_source(data, source)
