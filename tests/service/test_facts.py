"""Facts in their slots: what a new one replaces, what stands beside, and what history keeps."""

import os
import subprocess
import sys
from datetime import UTC, date
from itertools import pairwise
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Git, Open, Write
from tests.service.statements import BOB, ROLE, TEXT, day, fails, op, say, statements
from vault.knowledge.supersede import SlotConflict, TimesOverlap
from vault.model.values import EnumValue
from vault.model.when import moment_in
from vault.service.arguments.commit_options import CommitDetails, CommitOptions
from vault.service.arguments.slots import BadSlot
from vault.service.vault import Vault
from vault.service.write import create, facts, restore, update
from vault.service.write.commits import commit
from vault.service.write.facts import NeverSupersedes, NoNewStatement, NoStatement, NotAFact, SameFact
from vault.service.write.idempotency import BadIdempotencyKey
from vault.service.write.new_entry import AlreadyThere
from vault.service.write.result import Refused
from vault.service.write.slots import SaidTwice, SlotTaken
from vault.workspace.versions import versions


def test_a_new_statement_takes_the_occupants_place_in_its_file(bob: Vault, root: Path, git: Git) -> None:
    say(bob, "Bob is CTO", value="CTO")
    path = root / ROLE
    text = path.read_text().replace("fact bob_role {", '// of Bob\nfact bob_role {\n    tags = ["work"]\n    odd = 1')
    path.write_text(text)
    commit(bob)
    written = say(bob, "Bob is CEO", value="CEO", confidence=0.9)
    assert (written.key, written.path, op(written)) == ("fact.bob_role", ROLE, "supersede")
    assert written.placed
    assert written.placed.replaced
    assert written.placed.replaced.entry.fields["statement"] == "Bob is CTO"
    now = path.read_text()
    assert "Bob is CTO" not in now
    assert all(kept in now for kept in ("// of Bob", 'tags = ["work"]', "odd = 1", "confidence = 0.9", '"Bob is CEO"'))
    message = git("log", "-1", "--format=%B")
    assert message.splitlines()[0] == 'fact.bob_role: "CTO" → "CEO"'
    assert "Vault-Op: supersede\nVault-Entry: fact.bob_role\nVault-Slot: actor.bob/work/general/role" in message
    assert git("status", "--porcelain") == ""


def test_what_the_old_statement_rested_on_goes_with_it(bob: Vault) -> None:
    say(
        bob,
        "Bob is CTO",
        sources=("a",),
        quote="CTO since May",
        confidence=0.5,
        hints=("boss",),
        observed_at=day("2024-05-01"),
    )
    say(bob, "Bob is CEO")
    fields = bob.get("bob_role").entry.fields
    assert not {"sources", "quote", "confidence", "hints", "observed_at"} & set(fields)


def test_the_same_statement_changes_nothing_but_may_add_sources(bob: Vault, git: Git) -> None:
    say(bob, "Bob is CTO", sources=("a",))
    head = git("rev-parse", "HEAD")
    again = say(bob, "Bob is CTO", sources=("a",), confidence=0.2)
    assert (op(again), again.commit, git("rev-parse", "HEAD")) == ("none", None, head)
    assert op(say(bob, "Bob is CTO", sources=("b",))) == "update"
    assert bob.get("bob_role").entry.fields["sources"] == ("a", "b")
    assert "Vault-Op: update" in git("log", "-1", "--format=%B")


def test_a_value_that_comes_back_is_a_third_version(bob: Vault) -> None:
    for name in ("CTO", "CEO", "CTO"):
        say(bob, f"Bob is {name}", value=name)
    told = [version.fact.fields["value"] for version in versions(bob.ledger, ["fact.bob_role"])]
    assert told == ["CTO", "CEO", "CTO"]


def test_a_claim_spelt_otherwise_lands_in_the_slot_and_is_said(bob: Vault) -> None:
    say(bob, "Bob is CTO", "Work/Job Title")
    written = say(bob, "Bob is CEO", "WORK/job-title")
    assert written.placed
    assert written.placed.respelt == ("aspect", "claim")
    assert bob.get(written.key).entry.fields["claim"] == "Job Title"


def test_one_fact_in_two_files_is_no_conflict_of_a_slot(bob: Vault, write: Write) -> None:
    say(bob, "Bob is CTO")
    write("global/fact/copy.firm", TEXT % ("bob_role", "Bob is CTO"))
    codes = {item.code for item in bob.check()}
    assert "duplicate-entry" in codes
    assert "slot-conflict" not in codes


def test_a_key_that_the_occupant_leaves_out_is_not_spelt_otherwise(bob: Vault, write: Write) -> None:
    write("global/fact/f.firm", 'fact f { statement = "One" subject = actor.bob claim = "x" }\n')
    written = say(bob, "Two", "general/General/x")
    assert written.placed
    assert (written.key, written.placed.respelt) == ("fact.f", ())


def test_c_and_its_kin_are_three_claims(bob: Vault) -> None:
    for claim in ("C", "C++", "C#"):
        assert op(say(bob, f"Bob knows {claim}", f"skills/{claim}")) == "add"
    assert len(statements(bob)) == 3
    assert {stored.entry.id for stored in bob.entries(kind="fact")} == {"bob_c", "bob_c_2", "bob_c_3"}


@pytest.mark.parametrize("slot", ["role", "a/b/c/d", "work/…", "!!/role", ""])
def test_words_that_name_no_slot_are_refused(bob: Vault, slot: str) -> None:
    assert fails(BadSlot, say, bob, "Bob is CTO", slot).hint


def test_facts_of_other_groups_agents_and_scopes_stay(bob: Vault, open_vault: Open) -> None:
    say(bob, "Bob is CTO", "work/acme/role")
    say(bob, "Bob is chair", "work/club/role")
    say(bob, "Bob is boss", "work/acme/role", agent="tutor")
    with open_vault("work") as inside:
        facts.record(inside, "bob", "work/acme/role", "Bob is our consultant", {})
        assert "Bob is our consultant" in statements(inside)
    assert statements(bob) == ["Bob is CTO", "Bob is chair", "Bob is boss"] or len(statements(bob)) == 3


def test_the_past_the_future_and_constraints_stand_beside(bob: Vault) -> None:
    say(bob, "Bob is CTO", valid_from=day("2020-01-01"))
    assert op(say(bob, "Bob was a clerk", valid_from=day("2001-01-01"), valid_until=day("2005-01-01"))) == "add"
    assert op(say(bob, "Bob will be CEO", valid_from=day("2999-01-01"))) == "add"
    assert op(say(bob, "Bob must have a role", kind=EnumValue("constraint"))) == "add"
    assert len(statements(bob)) == 4
    error = fails(TimesOverlap, say, bob, "Bob was a cook", valid_from=day("2004-01-01"), valid_until=day("2006-01-01"))
    assert "fact.bob_role_2" in str(error)
    assert op(say(bob, "Bob was a cook", valid_from=day("2005-01-01"), valid_until=day("2006-01-01"))) == "add"
    assert op(say(bob, "Bob is CFO")) == "supersede"


def test_an_end_that_is_ahead_leaves_a_fact_open(bob: Vault) -> None:
    say(bob, "Bob is CTO", valid_until=day("2999-01-01"))
    assert op(say(bob, "Bob is CEO")) == "supersede"
    assert "valid_until" not in bob.get("bob_role").entry.fields


def test_two_open_facts_in_a_slot_refuse_a_third_and_one_command_settles_it(bob: Vault, write: Write, git: Git) -> None:
    say(bob, "Bob is CTO")
    write(
        "global/fact/other.firm",
        TEXT % ("other", "Bob is CEO"),
    )
    error = fails(SlotConflict, say, bob, "Bob is CFO")
    assert "global/fact/other.firm:1" in str(error)
    assert error.hint == "`vault supersede fact.bob_role fact.other` puts the second in place of the first"
    found = [item for item in bob.check() if item.code == "slot-conflict"]
    assert "vault supersede fact.bob_role fact.other" in found[0].hint
    git("add", "-A")
    git("commit", "-qm", "Two at once")
    written = facts.supersede(bob, "fact.bob_role", "fact.other", {}, words=CommitDetails(reason="The newer one"))
    assert (op(written), statements(bob)) == ("supersede", ["Bob is CEO"])
    assert not [item for item in bob.check() if item.code == "slot-conflict"]
    assert "Vault-Reason: The newer one" in git("log", "-1", "--format=%B")


def test_adding_a_fact_by_its_fields_or_as_text_supersedes_too(bob: Vault, git: Git) -> None:
    slot = {"subject": BOB, **facts.slot_words("work/role")}
    create.add(bob, "fact", "job", {"statement": "Bob is CTO", **slot}, CommitOptions())
    written = create.add(bob, "fact", "other", {"statement": "Bob is CEO", **slot}, CommitOptions())
    assert (written.key, op(written)) == ("fact.job", "supersede")
    text = TEXT % ("third", "Bob is CFO") + 'note n { text = "x" }\n'
    first, second = create.add_text(bob, text, "-", CommitOptions())
    assert (first.key, op(first), second.key, op(second)) == ("fact.job", "supersede", "note.n", "add")
    assert statements(bob) == ["Bob is CFO"]
    assert git("status", "--porcelain") == ""


def test_every_way_to_write_leads_to_the_same_history(bob: Vault, root: Path, git: Git) -> None:
    def by_fact(name: str) -> None:
        say(bob, f"Bob is {name}")

    def by_set(name: str) -> None:
        update.change(bob, "fact.bob_role", {"statement": f"Bob is {name}"}, options=CommitOptions())

    def by_add(name: str) -> None:
        slot = {"subject": BOB, **facts.slot_words("work/role")}
        create.add(bob, "fact", None, {"statement": f"Bob is {name}", **slot}, CommitOptions())

    def by_editor(name: str) -> None:
        edit(name)
        commit(bob)

    def by_git(name: str) -> None:
        edit(name)
        git("commit", "-qam", "Edit")

    def edit(name: str) -> None:
        path = root / ROLE
        lines = path.read_text().splitlines()
        path.write_text(
            "\n".join(f'    statement = "Bob is {name}"' if "statement" in line else line for line in lines) + "\n"
        )

    ways = [by_fact, by_set, by_add, by_editor, by_git, by_fact]
    for number, way in enumerate(ways):
        way(f"number {number}")
    found = versions(bob.ledger, ["fact.bob_role"])
    assert [version.fact.fields["statement"] for version in found] == [f"Bob is number {n}" for n in range(len(ways))]
    assert all(version.successor is after for version, after in pairwise(found))
    assert [op for version in found for name, op in version.began.trailers if name == "Vault-Op"] == [
        "add",
        *["supersede"] * 4,
    ]


def test_a_change_that_moves_a_fact_into_an_occupied_slot_is_refused(bob: Vault) -> None:
    say(bob, "Bob is CTO")
    say(bob, "Bob is tall", "looks/height")
    error = fails(SlotTaken, update.change, bob, "fact.bob_height", {"aspect": "work", "claim": "role"})
    assert "`vault supersede fact.bob_role fact.bob_height`" in error.hint
    update.change(bob, "fact.bob_height", {"aspect": "work", "claim": "height"})


def test_a_fact_is_superseded_by_name(bob: Vault) -> None:
    say(bob, "Bob is CTO of Acme", value="CTO")
    facts.supersede(bob, "bob_role", None, {"value": "CEO"})
    fields = bob.get("bob_role").entry.fields
    assert (fields["statement"], fields["value"]) == ("Bob is CEO of Acme", "CEO")
    facts.supersede(bob, "bob_role", "He left", {})
    assert "value" not in bob.get("bob_role").entry.fields
    fails(NoNewStatement, facts.supersede, bob, "bob_role", None, {"value": "x"})
    fails(NoNewStatement, facts.supersede, bob, "bob_role", None, {})
    fails(NeverSupersedes, facts.supersede, bob, "bob_role", "He was", {"valid_until": day("2001-01-01")})
    fails(NotAFact, facts.supersede, bob, "actor.bob", "x", {})
    fails(NotAFact, facts.retract, bob, "actor.bob")
    fails(BadSlot, facts.record, bob, "fact.bob_role", "a/b", "x", {})


def test_a_fact_that_supersedes_another_is_named_by_its_id_too(bob: Vault, root: Path) -> None:
    say(bob, "Bob is CTO")
    say(bob, "Bob is chair", slot="work/seat")
    facts.supersede(bob, "bob_role", "bob_seat", {})
    assert bob.get("bob_role").entry.fields["statement"] == "Bob is chair"
    assert not (root / "global/fact/bob_seat.firm").exists()
    facts.supersede(bob, "bob_role", "bob_seat", {})  # names no fact now: a statement
    assert bob.get("bob_role").entry.fields["statement"] == "bob_seat"


def test_a_fact_is_not_superseded_by_itself(bob: Vault, git: Git) -> None:
    say(bob, "Bob is CTO")
    head = git("rev-parse", "HEAD")
    for same in ("fact.bob_role", "bob_role"):
        fails(SameFact, facts.supersede, bob, "bob_role", same, {})
    assert git("rev-parse", "HEAD") == head
    assert bob.get("bob_role").entry.fields["statement"] == "Bob is CTO"


def test_a_fact_says_something(bob: Vault) -> None:
    for nothing in ("", "  "):
        fails(NoStatement, facts.record, bob, "bob", "work/role", nothing, {})
    say(bob, "Bob is CTO")
    fails(NoNewStatement, facts.supersede, bob, "bob_role", "  ", {})


def test_a_global_fact_is_refused_inside_a_space_with_ways_out_that_exist(bob: Vault, open_vault: Open) -> None:
    say(bob, "Bob is CTO")
    work = open_vault("work")
    error = fails(update.OnlyGlobal, facts.retract, work, "bob_role")
    assert "`vault set fact.bob_role FIELD=VALUE --override`" in error.hint


def test_a_repeated_key_changes_nothing(bob: Vault, git: Git) -> None:
    first = say(bob, "Bob is CTO", words=CommitDetails(key="k 1"))
    head = git("rev-parse", "HEAD")
    for again in (
        say(bob, "Bob is CEO", words=CommitDetails(key="k 1")),
        facts.retract(bob, "fact.bob_role", words=CommitDetails(key="k 1")),
        facts.supersede(bob, "fact.bob_role", "x", {}, words=CommitDetails(key="k 1")),
        restore.restore(bob, "fact.bob_role@HEAD", told=CommitDetails(key="k 1")),
    ):
        assert again.placed
        assert (again.key, again.placed.done, git("rev-parse", "HEAD")) == (first.key, head, head)
    for wrong in ("", " x", "a  b", "a\nb", "x" * 201):
        fails(BadIdempotencyKey, say, bob, "Bob is CEO", words=CommitDetails(key=wrong))


def test_a_private_space_commits_no_word_of_it(bob: Vault, open_vault: Open, git: Git) -> None:
    with open_vault("diary") as inside:
        inside.agent = "tutor"
        words = CommitDetails("Secret message", "secret-key", "secret reason")
        facts.record(inside, "bob", "love/crush", "Secret crush", {}, words=words)
        message = git("log", "-1", "--format=%B")
        assert "ecret" not in message
        assert "Vault-Agent: tutor" in message
        assert (
            op(facts.record(inside, "bob", "love/crush", "Another", {}, words=CommitDetails(key="secret-key")))
            == "none"
        )
    assert op(say(bob, "Bob is CTO", words=CommitDetails(key="secret-key"))) == "add"


def test_who_writes_is_in_the_commit(bob: Vault, git: Git) -> None:
    bob.agent = "tutor"
    with bob.written_in("c1", 4):
        say(bob, "Bob is CTO")
    message = git("log", "-1", "--format=%B")
    assert "Vault-Agent: tutor" in message
    assert "Vault-Chat: c1#4" in message
    update.change(bob, "fact.bob_role", {"tags": ("x",)})
    commit(bob)
    assert "Vault-Agent: tutor" in git("log", "-1", "--format=%B")


def test_a_bad_fact_is_refused_whole(bob: Vault, git: Git) -> None:
    head = git("rev-parse", "HEAD")
    fails(Refused, say, bob, "Bob is CTO", confidence=7.0)
    say(bob, "Bob is CTO")
    fails(Refused, say, bob, "Bob is CEO", confidence=7.0)
    fails(AlreadyThere, facts.record, bob, "bob", "a/b", "x", {}, ident="bob_role")
    assert statements(bob) == ["Bob is CTO"]
    assert git("rev-parse", "HEAD~1") == head


def test_facts_of_several_processes_in_one_slot_are_all_versions(bob: Vault, root: Path, git: Git) -> None:
    program = """
import os, sys
from vault.service.write import facts
from vault.service.vault import Vault
with Vault.open(sys.argv[1], environ=os.environ) as vault:
    for number in range(3):
        facts.record(vault, "bob", "work/role", f"Bob is {sys.argv[2]}{number}", {})
"""
    environ = {**os.environ, **ENVIRON}
    children = [subprocess.Popen([sys.executable, "-c", program, str(root), name], env=environ) for name in "abcd"]
    assert [child.wait() for child in children] == [0] * 4
    told = [version.fact.fields["statement"] for version in versions(bob.ledger, ["fact.bob_role"])]
    assert sorted(map(str, told)) == sorted(f"Bob is {name}{number}" for name in "abcd" for number in range(3))
    assert git("status", "--porcelain") == ""
    assert not [item for item in bob.check() if item.severity == "error"]


def test_two_facts_of_one_text_in_one_slot_are_refused(bob: Vault) -> None:
    text = TEXT % ("one", "Bob is CTO") + TEXT % ("two", "Bob is CEO")
    fails(SaidTwice, create.add_text, bob, text, "-")
    assert not statements(bob)
    past = TEXT.replace("}", "    valid_until = 2001-01-01\n}") % ("two", "Bob was CEO")
    create.add_text(bob, TEXT % ("one", "Bob is CTO") + past, "-", CommitOptions())


@pytest.mark.parametrize(("until", "when"), [("2020-01-01", "at the moment"), ("2019-12-31", "before")])
def test_a_fact_that_is_never_valid_is_refused(bob: Vault, until: str, when: str) -> None:
    with pytest.raises(Refused, match=f"the fact ends {when} it begins"):
        bob.add("fact", {"statement": "x", "valid_from": "2020-01-01", "valid_until": until})
    bob.add("fact", {"statement": "x", "valid_from": "2020-01-01", "valid_until": "2020-01-02"})


@pytest.mark.parametrize("words", ["9999", "9999-12", "December 9999", "9999-12-31"])
def test_the_last_year_of_the_calendar_is_a_moment(bob: Vault, words: str) -> None:
    assert moment_in(words, bob.clock(), UTC).date() == date.max
    bob.go_back(words, valid_at=words)
    assert [stored.entry.key for stored in bob.entries()] == ["actor.bob"]
