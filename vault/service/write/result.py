"""What a write did, or why it did nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from vault.diagnostics import Diagnostic
from vault.errors import VaultError
from vault.model.schema import Schema
from vault.model.slots import Slot
from vault.render import line
from vault.service.runtime.commit_result import UNCOMMITTED, Commit, Landed
from vault.store.records import Stored

#: How a write says that it was none.
REFUSED = "nothing was written: "


class Refused(VaultError):
    """A write whose result would have errors; nothing was written."""

    code = "invalid"

    def __init__(self, found: Sequence[Diagnostic], schema: Schema | None = None) -> None:
        errors = [item for item in found if item.severity == "error"]
        lacks = schema is not None and any(item.code == "missing-field" for item in errors)
        structure = f"\nthe expected structure is\n{schema.structure()}" if schema and lacks else ""
        super().__init__(
            REFUSED + "; ".join(item.message for item in errors),
            hint="; ".join(dict.fromkeys(item.hint for item in errors if item.hint)) + structure,
            details={
                "diagnostics": [line(item) for item in errors],
                "expected": schema.structure() if schema else None,
            },
        )


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: the entry's key, its file, the files touched, and what its fields now say.

    `landed` says whether and where it was committed; `placed` is where a new entry went; `shadows` are the files of
    the entries that it now hides; `notes` say what the writer may not expect.
    """

    key: str
    path: str
    paths: tuple[str, ...]
    changed: tuple[str, ...] = ()
    reveals: str = ""
    findings: tuple[Diagnostic, ...] = ()
    landed: Landed = UNCOMMITTED
    placed: "Placed | None" = None
    shadows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def commit(self) -> Commit | None:
        """The commit that was made."""
        return self.landed.commit


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a fact went: `op` is add, supersede, update (new sources) or none (all of it was known).

    `replaced` is what stood in its slot; `respelt` are the keys that were written otherwise there; `done` is the
    commit that made this write before, where its idempotency key is in the history.
    """

    op: str
    key: str
    path: str
    slot: Slot | None
    replaced: Stored | None = None
    respelt: tuple[str, ...] = ()
    done: str | None = None
