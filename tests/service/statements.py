"""What tests of facts say of Bob, and how they ask."""

from collections.abc import Callable
from typing import Any

import pytest

from vault.errors import VaultError
from vault.lang.literal import read_literal
from vault.model.values import Reference, Value
from vault.service.arguments.commit_options import CommitDetails
from vault.service.vault import Vault
from vault.service.write import facts
from vault.service.write.result import Written

ROLE = "global/fact/bob_role.firm"
BOB = Reference("actor", "bob")
#: A fact in the slot of `work/role`, as a file holds it.
TEXT = """fact %s {
    statement = "%s"
    subject = actor.bob
    aspect = "work"
    claim = "role"
}
"""


def day(text: str) -> Value:
    """A day as a field holds it."""
    return read_literal(text, "valid_from", None)


def say(
    vault: Vault,
    statement: str,
    slot: str = "work/role",
    words: CommitDetails = CommitDetails(),  # noqa: B008  frozen
    **fields: Value,
) -> Written:
    """Say something of Bob."""
    return facts.record(vault, "bob", slot, statement, fields, words=words)


def op(written: Written) -> str:
    """What a write did."""
    assert written.placed
    return written.placed.op


def fails(error: type[VaultError], call: Callable[..., Any], *arguments: Any, **options: Any) -> VaultError:
    """Call what has to fail."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return caught.value


def statements(vault: Vault) -> list[object]:
    """What the vault says now."""
    return [stored.entry.fields.get("statement") for stored in vault.entries(kind="fact")]
