"""Looking back: history, blame, differences, and reading the vault as it was."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vault.service.runtime.handle import VaultHandle
from vault.store.records import Stored

if TYPE_CHECKING:
    from vault.service.arguments.log_filter import LogFilter
    from vault.service.read.diff import Diff
    from vault.service.read.entry_history import Origin, Step
    from vault.service.read.slot_history import Named, SlotVersion
    from vault.store.git import LogRecord
    from vault.store.records import Stored


class History(VaultHandle):
    """Looking back: history, blame, differences, and reading the vault as it was."""

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

    def log(self, words: "str | LogFilter | None" = None, *, limit: int | None = 20) -> "list[LogRecord]":
        """The commits that changed the vault, or one entry or slot of it, newest first; see `history.log`."""
        from vault.service.arguments.log_filter import LogFilter
        from vault.service.read.log import log

        return log(self, words if isinstance(words, LogFilter) else LogFilter(words), limit=limit)

    def history(self, words: str, *, limit: int | None = None) -> "Sequence[Step] | Sequence[SlotVersion]":
        """What each commit made of an entry, newest first; of a slot (`ENTITY/ASPECT/GROUP/CLAIM`) what stood in it.

        Raises `NotFound`, `Ambiguous`, `SlotNotFound` and `NotInGit`.
        """
        from vault.service.read.entry_history import history
        from vault.service.read.slot_history import asked, succession

        slot = asked(self, words)
        return history(self, words, limit=limit) if slot is None else succession(self, slot, limit=limit)

    def entry_history(self, words: str, *, limit: int | None = None) -> "list[Step]":
        """What was made of an entry, newest first; one that is gone is named by its key.

        Raises `NotFound`, `Ambiguous`, `NoHistory` and `NotInGit`.
        """
        from vault.service.read.entry_history import history

        return history(self, words, limit=limit)

    def slot(self, words: str) -> "Named | None":
        """The slot that words name; None where they have not the form of one, or are a path, name or alias of an entry.

        Raises `BadSlot`, `NotFound`, `Ambiguous` and `NotInGit`.
        """
        from vault.service.read.slot_history import asked

        return asked(self, words)

    def slot_history(self, slot: "Named", *, limit: int | None = None) -> "list[SlotVersion]":
        """The versions of every fact that stood in a slot, newest first; none where it holds what no commit has yet.

        Raises `SlotNotFound` and `NotInGit`.
        """
        from vault.service.read.slot_history import succession

        return succession(self, slot, limit=limit)

    def blame(self, words: str) -> "tuple[Stored, list[Origin]]":
        """An entry as it is, with where each of its fields comes from. Raises as `history`."""
        from vault.service.read.entry_history import blame

        return blame(self, words)

    def diff(
        self, old: str | None = None, new: str | None = None, *, only: "Sequence[str]" = (), below: "Sequence[str]" = ()
    ) -> "Diff":
        """Compare two states, each a revision or moment; by default HEAD and the working tree without ignored files.

        `only` names entries, `below` folders or files. Raises `NotFound`, `NoSuchPath`, `NoMoment`, `NothingKnown` and
        `NotInGit`.
        """
        from vault.service.read.diff import diff

        return diff(self, old, new, only=only, below=below)

    def split_moment(self, words: str) -> tuple[str, str | None]:
        """Split `ENTRY@REV` into an entry's words and a revision or moment; None without one.

        A name that holds `@` itself is taken whole where an entry goes by it. Raises `Ambiguous`.
        """
        from vault.service.read.history_resolve import split_moment

        return split_moment(self, words)

    def boundary(self) -> frozenset[str]:
        """The commits at which a shallow clone ends: what they brought in may be older."""
        from vault.service.runtime.boundary import boundary

        return boundary(self)

    def unknown_facts(self) -> list[str]:
        """The facts that an answer leaves out, because nobody can tell here whether they held at that moment."""
        from vault.service.runtime.boundary import left_out

        return left_out(self)

    def shallow_warning(self) -> str:
        """What an answer that was read from a shallow history has to say; "" if it was not."""
        from vault.service.runtime.boundary import warning

        return warning(self)
