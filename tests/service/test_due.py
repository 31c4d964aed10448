"""Facts that are dated ahead: from their day on every reader sees them, and the next write settles the files."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from vault.errors import VaultError
from vault.knowledge.supersede import DayTaken
from vault.model.values import Reference, Value, moment_of
from vault.service.arguments.commit_options import CommitOptions
from vault.service.read import navigate
from vault.service.read.entry_detail import detail, field_value
from vault.service.read.links import related
from vault.service.read.query import query
from vault.service.read.slot_history import SlotVersion
from vault.service.vault import Vault
from vault.service.write import autofix, create, facts, update
from vault.service.write.restore import restore
from vault.workspace.graph import Edge, graph

BEFORE, AFTER = datetime(2031, 2, 1, 12, tzinfo=UTC), datetime(2031, 3, 1, 0, 0, 1, tzinfo=UTC)
KEY, NEXT = "fact.bob_role", "fact.bob_role_2"


def at(vault: Vault, moment: datetime) -> Vault:
    """The vault at a moment."""
    vault.clock = lambda: moment
    return vault


@pytest.fixture
def dated(bob: Vault) -> Vault:
    """A vault with a fact about Bob, another one of its slot from the first of March on, on the day before."""
    at(bob, BEFORE)
    facts.record(bob, "bob", "work/role", "Bob is CTO", {"value": "CTO", "tags": ("kept",)})
    moment = moment_of(datetime(2031, 3, 1, tzinfo=UTC))
    facts.record(at(bob, BEFORE), "bob", "work/role", "Bob is CEO", {"value": "CEO", "valid_from": moment})
    return bob


def statement(vault: Vault, words: str) -> Value:
    return vault.get(words).entry.fields["statement"]


def test_before_its_day_it_stands_beside(dated: Vault) -> None:
    assert (statement(dated, KEY), statement(dated, NEXT)) == ("Bob is CTO", "Bob is CEO")
    assert dated.check() == []


def test_from_its_day_on_every_reader_sees_it(dated: Vault) -> None:
    at(dated, AFTER)
    assert (statement(dated, KEY), statement(dated, NEXT)) == ("Bob is CEO", "Bob is CEO")
    assert [stored.entry.key for stored in dated.entries(kind="fact")] == [NEXT]
    assert [one.stored.entry.key for one in dated.search("Bob is", kind="fact")] == [NEXT]
    assert [state.fact.key for state in navigate.attributes(dated, "bob", "work", "general", "role").items] == [NEXT]
    text = dated.hydrate("What does Bob do?").block
    assert ("CEO" in text, "CTO" in text) == (True, False)
    assert [stored.entry.key for stored in query(dated, "from fact").entries] == [NEXT]


def test_what_held_follows_the_days(dated: Vault) -> None:
    at(dated, AFTER)
    for day, said in (("2031-02-15", ["CTO"]), ("2031-03-02", ["CEO"])):
        dated.go_back(valid_at=day)
        assert [stored.entry.fields["value"] for stored in dated.entries(kind="fact")] == said
        dated.return_to_now()


@pytest.mark.parametrize(
    ("when", "said"),
    [("2031-02-15", ["CTO", "CEO"]), ("2031-03-02", ["CEO"]), ("HEAD", ["CTO", "CEO"]), ("2040-01-01", ["CEO"])],
)
def test_what_was_known_at_a_moment_follows_the_days(dated: Vault, when: str, said: list[str]) -> None:
    at(dated, datetime(2031, 3, 9, tzinfo=UTC))
    dated.go_back(when)
    assert [stored.entry.fields["value"] for stored in dated.entries(kind="fact")] == said
    assert len(dated.search("Bob is", kind="fact", mode="keyword")) == len(said)


def test_a_moment_to_come_is_read_as_now(dated: Vault) -> None:
    at(dated, BEFORE).go_back("2031-03-09")
    assert [stored.entry.fields["value"] for stored in dated.entries(kind="fact")] == ["CTO", "CEO"]


def test_check_says_what_is_due(dated: Vault) -> None:
    (found,) = at(dated, AFTER).check()
    assert (found.code, found.severity, found.subject) == ("slot-due", "info", NEXT)


def _again(vault: Vault) -> None:
    facts.record(vault, "bob", "work/role", "Bob is chair", {})


def _superseded(vault: Vault) -> None:
    facts.supersede(vault, KEY, "Bob is chair", {})


def _changed(vault: Vault) -> None:
    update.change(vault, NEXT, {"statement": "Bob is chair"}, options=CommitOptions())


def _remembered(vault: Vault) -> None:
    said = {"claimKey": "role", "content": "Bob is chair"}
    about = {"entityName": "Bob", "aspect": "work", "attributes": [said]}
    vault.remember({"structured": {"aspects": [about]}})


@pytest.mark.parametrize("write", [_again, _superseded, _changed, _remembered])
def test_the_next_write_settles_the_files(dated: Vault, git: Git, write: Callable[[Vault], None]) -> None:
    write(at(dated, AFTER))
    assert (statement(dated, KEY), statement(dated, NEXT)) == ("Bob is chair", "Bob is chair")
    assert [stored.entry.key for stored in dated.entries(kind="fact")] == [KEY]
    assert dated.get(KEY).entry.fields["tags"] == ("kept",)
    assert dated.get(KEY).entry.fields["aliases"] == (NEXT,)
    texts = [git("show", f"HEAD~{back}:global/fact/bob_role.firm") for back in (0, 1, 2)]
    assert ["Bob is CEO" in text for text in texts] == [False, True, False]
    assert (dated.check(), git("status", "--porcelain")) == ([], "")


def test_a_fact_that_is_due_is_retracted_whole(dated: Vault) -> None:
    facts.retract(at(dated, AFTER), KEY)
    assert list(dated.entries(kind="fact")) == []


def test_a_deletion_leaves_no_older_fact(dated: Vault) -> None:
    at(dated, AFTER).delete(NEXT)
    assert list(dated.entries(kind="fact")) == []


def test_fix_settles_the_files(dated: Vault, git: Git) -> None:
    fixed = autofix.fix(at(dated, AFTER))
    assert [(one.code, one.home) for one in fixed.fixes] == [("slot-due", "global/fact/bob_role.firm")]
    assert (statement(dated, NEXT), dated.check(), git("status", "--porcelain")) == ("Bob is CEO", [], "")


def test_what_was_replaced_is_restored_into_its_slot(dated: Vault) -> None:
    restore(at(dated, AFTER), f"{KEY}@HEAD")
    assert statement(dated, KEY) == "Bob is CTO"


def test_several_that_are_due_keep_their_order(dated: Vault, git: Git, write: Write) -> None:
    moved = (dated.root / "global/fact/bob_role_2.firm").read_text()
    later = moved.replace("bob_role_2", "later").replace("2031-03-01", "2031-04-01").replace("CEO", "chair")
    write("global/fact/later.firm", later)
    at(dated, datetime(2031, 5, 1, tzinfo=UTC))
    assert [item.code for item in dated.check()] == ["slot-due", "slot-due"]
    autofix.fix(dated)
    assert [git("show", f"HEAD~{back}:global/fact/bob_role.firm").count("Bob is CEO") for back in (0, 1)] == [0, 1]
    assert statement(dated, "fact.bob_role_2") == "Bob is chair"


def test_two_of_one_day_are_refused_by_the_tool_and_reported_when_made_by_hand(dated: Vault, write: Write) -> None:
    fields = {name: dated.get(NEXT).entry.fields[name] for name in ("valid_from", "subject", "aspect", "claim")}
    with pytest.raises(DayTaken, match=r"`fact\.bob_role_2` already says"):
        create.add(dated, "fact", "other", {**fields, "statement": "Bob is chair"}, CommitOptions())
    other = create.add(dated, "fact", "other", {"statement": "x", "claim": "c", "subject": Reference("actor", "bob")})
    with pytest.raises(DayTaken):
        update.change(dated, other.key, fields)
    dated.delete(other.key)
    moved = (dated.root / "global/fact/bob_role_2.firm").read_text()
    write("global/fact/other.firm", moved.replace("bob_role_2", "other").replace("CEO", "chair"))
    assert [item.code for item in dated.check()] == ["slot-conflict"]
    assert [item.code for item in at(dated, AFTER).check()] == ["slot-conflict"]


def test_a_private_space_keeps_its_own_days(open_vault: Open, dated: Vault) -> None:
    diary = at(open_vault("diary"), AFTER)
    facts.record(diary, "bob", "work/role", "Bob is tired", {})
    assert statement(at(dated, AFTER), KEY) == "Bob is CEO"
    assert (dated.root / "global/fact/bob_role_2.firm").exists()


def test_references_follow_a_fact_that_was_moved(dated: Vault) -> None:
    create.add(dated, "note", "n", {"text": "x", "relates_to": (Reference("fact", "bob_role_2"),)}, CommitOptions())
    autofix.fix(at(dated, AFTER))
    assert dated.check() == []
    assert statement(dated, NEXT.removeprefix("fact.")) == "Bob is CEO"
    assert field_value(dated, Reference("fact", "bob_role_2", "value")) == "CEO"
    assert [(name, one.entry.key) for name, one in detail(dated, KEY).referrers] == [("relates_to", "note.n")]
    assert Edge("note.n", "relates_to", KEY) in graph(dated.snapshot()).edges
    assert [one.stored.entry.key for one in related(dated, KEY, direction="incoming")[1]] == ["note.n"]


def test_after_the_settlement_one_fact_counts_once(dated: Vault) -> None:
    autofix.fix(at(dated, AFTER))
    dated.go_back(valid_at="2031-03-01 00:00 UTC")
    assert [stored.entry.key for stored in dated.entries(kind="fact")] == [KEY]
    dated.go_back(valid_at="2031-02-15")
    assert [statement(dated, KEY), len(dated.entries(kind="fact"))] == ["Bob is CTO", 1]


def test_a_change_by_the_bare_id_is_made_after_the_settlement(dated: Vault) -> None:
    update.change(at(dated, AFTER), "bob_role_2", {"tags": ("new",)})
    assert dated.get("bob_role_2").entry.fields["tags"] == ("new",)
    assert dated.get("bob_role_2").entry.key == KEY


def test_a_fact_that_moved_into_the_file_of_another_was_not_retracted(dated: Vault) -> None:
    facts.record(at(dated, AFTER), "bob", "work/role", "Bob is chair", {})
    told = {
        (one.fact.key, one.fact.name): one for one in dated.history("bob/work/role") if isinstance(one, SlotVersion)
    }
    moved = told[NEXT, "Bob is CEO"]
    assert (moved.status, moved.moved_to, moved.successor and moved.successor.key) == ("superseded", KEY, KEY)
    assert {one.status for one in told.values()} == {"active", "superseded"}
    seen = navigate.attributes(dated, "bob", "work", "general", "role", status="all").items
    assert [state.status for state in seen] == ["active", "superseded", "superseded", "superseded"]
    found = dated.search("Bob is CEO", mode="keyword", history=True)
    assert {one.former.status for one in found if one.former} == {"superseded"}


def test_a_fact_that_another_displaced_was_not_retracted(bob: Vault) -> None:
    facts.record(bob, "bob", "work/role", "Bob is CTO", {})
    facts.record(bob, "bob", "work/job", "Bob is CEO", {})
    facts.supersede(bob, KEY, "fact.bob_job", {})
    for slot, expected in (("bob/work/role", ["active", "superseded"]), ("bob/work/job", ["superseded"])):
        assert [one.status for one in bob.history(slot) if isinstance(one, SlotVersion)] == expected


@pytest.mark.parametrize(
    "act",
    [
        lambda v: update.change(v, NEXT, {"confidence": "high"}, options=CommitOptions()),
        lambda v: update.change(v, KEY, {"statement": "x"}, options=CommitOptions(), based_on="old"),
        lambda v: update.remove(v, NEXT, CommitOptions(), based_on="old"),
        lambda v: facts.supersede(v, KEY, "fact.none", {}),
        lambda v: facts.record(v, "bob", "work/role", "Bob is chair", {"confidence": "high"}),
        lambda v: v.remember({"structured": {"aspects": [{"entityName": "Bob", "aspect": "work", "attributes": [
            {"claimKey": "role", "content": "Chair"}, {"claimKey": "x", "content": "", "confidence": 7}]}]}}),
    ],
)  # fmt: skip
def test_a_refused_write_settles_nothing(dated: Vault, git: Git, act: Callable[[Vault], object]) -> None:
    head, files = git("rev-parse", "HEAD"), git("ls-files", "-s")
    with pytest.raises(VaultError):
        act(at(dated, AFTER))
    assert (git("rev-parse", "HEAD"), git("ls-files", "-s"), git("status", "--porcelain")) == (head, files, "")
    assert statement(dated, KEY) == "Bob is CEO"
    facts.record(dated, "bob", "work/role", "Bob is chair", {})
    assert statement(dated, KEY) == "Bob is chair"
    assert git("status", "--porcelain") == ""


def test_an_edit_that_no_commit_has_is_kept_before_it_is_replaced(dated: Vault, git: Git, root: Path) -> None:
    file = root / "global/fact/bob_role.firm"
    file.write_text(file.read_text().replace("Bob is CTO", "Bob was CTO"))
    facts.record(at(dated, AFTER), "bob", "work/role", "Bob is chair", {})
    said = [
        one.fact.name for one in dated.history("bob/work/role") if isinstance(one, SlotVersion) and one.fact.key == KEY
    ]
    assert said == ["Bob is chair", "Bob is CEO", "Bob was CTO", "Bob is CTO"]


@pytest.mark.parametrize(
    "act",
    [
        lambda v: facts.retract(v, NEXT),
        lambda v: update.remove(v, NEXT, CommitOptions()),
        lambda v: update.change(v, NEXT, {"value": "x"}, options=CommitOptions()),
        lambda v: facts.supersede(v, NEXT, "Bob is retired", {}),
    ],
)
def test_an_old_id_never_changes_what_came_after(dated: Vault, act: Callable[[Vault], object]) -> None:
    facts.record(at(dated, AFTER), "bob", "work/role", "Bob is chair", {})
    with pytest.raises(update.MovedFact, match=r"moved into `fact\.bob_role`: that now says Bob is chair") as raised:
        act(dated)
    assert KEY in raised.value.hint
    assert statement(dated, NEXT) == "Bob is chair"
