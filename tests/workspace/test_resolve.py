"""References followed to where they lead."""

import pytest

from tests.workspace.conftest import Kept
from vault.model.values import Reference
from vault.store.records import Stored
from vault.workspace.resolve import NoSuchField, ReferenceLoop, resolve
from vault.workspace.snapshot import NotFound


@pytest.fixture
def linked(kept: Kept) -> Kept:
    kept.entry("a", 'name = "A" next = t.b.next whole = t.b gone = t.nobody lost = t.b.lost')
    kept.entry("b", "next = t.c.next lost = t.a.missing")
    kept.entry("c", "next = 5 round = t.c.round")
    kept.entry("d", "r = [[t.a], [t.c.next]]", "diary")
    return kept


def test_a_reference_leads_to_an_entry_or_a_value(linked: Kept) -> None:
    seen = linked.seen()
    found = resolve(seen, Reference("t", "a"))
    assert isinstance(found, Stored)
    assert found.entry.key == "t.a"
    assert resolve(seen, Reference("t", "a", "next")) == 5
    assert resolve(seen, Reference("t", "a", "whole")) == Reference("t", "b")


def test_references_that_lead_nowhere_say_where_they_end(linked: Kept) -> None:
    seen = linked.seen()
    with pytest.raises(NoSuchField, match=r"`t\.a` has no field `missing`"):
        resolve(seen, Reference("t", "a", "lost"))
    with pytest.raises(ReferenceLoop, match=r"t\.c\.round → t\.c\.round"):
        resolve(seen, Reference("t", "c", "round"))
    with pytest.raises(NotFound):
        resolve(seen, Reference("t", "d", "r"))
