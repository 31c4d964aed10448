"""What stood in a slot: every version of every fact, newest first."""

import subprocess
from pathlib import Path
from time import process_time

import pytest

from tests.service.conftest import Days, Open, Write
from vault import wire
from vault.service.arguments.commit_options import CommitOptions
from vault.service.arguments.slots import BadSlot
from vault.service.read.entry_history import blame
from vault.service.read.slot_history import Named, SlotNotFound, SlotVersion, asked
from vault.service.read.slot_history import succession as stood
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound

ROLE = "global/fact/role.firm"
ADA = 'actor ada { name = "Ada Lovelace" aliases = ["The Enchantress", "a/b"] }\n'


def fact(ident: str, statement: str, claim: str = "role", **fields: str) -> str:
    more = "".join(f" {name} = {value}" for name, value in fields.items())
    return f'fact {ident} {{ statement = "{statement}" subject = actor.ada claim = "{claim}"{more} }}\n'


def succession(vault: Vault, words: str, limit: int | None = None) -> tuple[Named, list[SlotVersion]]:
    slot = asked(vault, words)
    assert slot is not None
    return slot, stood(vault, slot, limit=limit)


@pytest.fixture
def days(calendar: Days) -> Days:
    """Ada's role is stated, superseded, taken away with a reason, and stated by another fact."""
    calendar.commit({"global/actor/ada.firm": ADA, ROLE: fact("role", "One", value='"1"')})
    calendar.commit({ROLE: fact("role", "Two", valid_from="2020-01-01")}, "two\n\nVault-Reason: a better source")
    calendar.commit({ROLE: fact("role", "Two", valid_from="2020-01-01", tags='["t"]')})
    calendar.commit({ROLE: None}, "gone\n\nVault-Op: retract\nVault-Reason: it was wrong")
    calendar.commit({"global/fact/other.firm": fact("other", "Three")})
    return calendar


@pytest.mark.parametrize(
    "words",
    [
        "ada/general/role",
        "actor.ada/General/GENERAL/Role!",
        "ada lovelace/general/role",
        "the enchantress/general/general/ROLE",
        "a/b/general/role",
        "a/b/general/general/role",
        "ada/general/role@",
    ],
)
@pytest.mark.usefixtures("days")
def test_a_slot_has_the_versions_of_all_its_facts(open_vault: Open, words: str) -> None:
    vault = open_vault()
    slot, found = succession(vault, words)
    assert slot.path == "actor.ada/general/general/role"
    assert [(one.fact.key, one.fact.name, one.status, one.reason) for one in found] == [
        ("fact.other", "Three", "active", ""),
        ("fact.role", "Two", "retracted", "it was wrong"),
        ("fact.role", "One", "superseded", "a better source"),
    ]
    assert [one.successor.name if one.successor else None for one in found] == [None, None, "Two"]
    assert [one.time.day for one in found] == [5, 2, 1]
    assert [one.ended_at.day if one.ended_at else None for one in found] == [None, 4, 2]


def test_a_new_layout_begins_no_version(open_vault: Open, days: Days) -> None:
    vault = open_vault()
    written = 'fact late {\n    claim = "late"\n    subject = actor.ada statement = "Late"\n tags = ["a", "b"] }\n'
    days.commit({"global/fact/late.firm": written})
    files, problems = vault.unformatted(vault.firm_paths())
    assert "global/fact/late.firm" in [file.path for file in files]
    assert not problems
    assert vault.rewrite(files, CommitOptions("Format files")).commit
    assert 'statement = "Late"\n    subject' in (vault.root / "global/fact/late.firm").read_text()
    _, versions = succession(vault, "actor.ada/general/general/late")
    assert [version.fact.fields["statement"] for version in versions] == ["Late"]


@pytest.mark.usefixtures("days")
def test_a_limit_keeps_the_newest(open_vault: Open) -> None:
    _, found = succession(open_vault(), "ada/general/role", limit=2)
    assert [one.fact.name for one in found] == ["Three", "Two"]


@pytest.mark.usefixtures("days")
def test_the_shape_of_a_version_says_when_it_held(open_vault: Open) -> None:
    _, (_, two, one) = succession(open_vault(), "ada/general/role")
    assert wire.stand(two)["validFrom"] == "2020-01-01"
    assert wire.stand(one)["supersededBy"] == {"key": "fact.role", "version": wire.stand(two)["version"]}
    assert wire.stand(one)["value"] == "1"
    assert [wire.stand(each)["kind"] for each in (one, two)] == ["attribute", "attribute"]


def test_claims_of_signs_stay_apart(open_vault: Open, days: Days) -> None:
    for ident, claim in (("c", "C"), ("cpp", "C++"), ("cs", "C#")):
        days.commit({f"global/fact/{ident}.firm": fact(ident, claim, claim)})
    vault = open_vault()
    for claim in ("C", "C++", "C#"):
        assert [one.fact.name for one in succession(vault, f"ada/general/{claim}")[1]] == [claim]


def test_a_slot_of_an_agent_is_asked_for_by_its_name(open_vault: Open, days: Days) -> None:
    days.commit({"global/fact/p.firm": fact("p", "Planned", agent='"planner"')})
    vault = open_vault()
    assert [one.fact.name for one in succession(vault, "ada/general/role")[1]] == ["Planned", "Three", "Two", "One"]
    slot, found = succession(vault, "ada/general/role@planner")
    assert (slot.path, [one.fact.name for one in found]) == ("actor.ada/general/general/role@planner", ["Planned"])


def test_the_slot_of_an_entity_that_is_gone_is_named_by_its_key(open_vault: Open, days: Days) -> None:
    days.commit({"global/actor/ada.firm": None})
    vault = open_vault()
    assert len(succession(vault, "actor.ada/general/role")[1]) == 3
    with pytest.raises(NotFound, match="there is no entry `ada lovelace`"):
        succession(vault, "ada lovelace/general/role")


@pytest.mark.usefixtures("days")
def test_words_that_name_no_slot(open_vault: Open) -> None:
    vault = open_vault()
    with pytest.raises(NotFound) as none:
        succession(vault, "Ada Lovelac/general/role")
    assert none.value.details == {"candidates": ["actor.ada"]}
    with pytest.raises(SlotNotFound) as near:
        succession(vault, "ada/general/rolle")
    assert near.value.details == {"candidates": ["actor.ada/general/general/role"]}
    with pytest.raises(SlotNotFound, match="no fact was ever in") as far:
        succession(vault, "ada/weather/rain")
    assert far.value.hint == "there are `actor.ada/general/general/role`"
    with pytest.raises(BadSlot, match=r"`\?!`"):
        succession(vault, "ada/general/?!")


@pytest.mark.usefixtures("days")
def test_a_path_and_an_alias_are_no_slots(open_vault: Open, write: Write) -> None:
    write("global/actor/odd.firm", 'actor odd { name = "one/two/three" }\n')
    vault = open_vault()
    assert asked(vault, "global/actor/ada.firm") is None
    assert asked(vault, "global/fact/gone.firm") is None
    assert asked(vault, "one/two/three") is None
    assert asked(vault, "ada/role") is None


@pytest.mark.usefixtures("days")
def test_a_slot_that_is_only_in_the_files_has_no_history_yet(open_vault: Open, write: Write) -> None:
    write("global/fact/new.firm", fact("new", "New", "hobby"))
    assert succession(open_vault(), "ada/general/hobby")[1] == []


def test_a_private_space_shows_from_inside_alone(open_vault: Open, days: Days) -> None:
    days.commit(
        {
            "spaces/diary/fact/s.firm": fact("s", "Secret"),
            "spaces/diary/fact/t.firm": 'fact t { statement = "T" subject = thing.secret claim = "c" }\n',
            "global/fact/other.firm": fact("other", "Four"),
        },
        "secret words\n\nVault-Reason: of the diary",
    )
    _, outside = succession(open_vault(), "ada/general/role")
    assert [(one.fact.name, one.subject, one.reason) for one in outside[:2]] == [
        ("Four", "", ""),
        ("Three", "day 4", ""),
    ]
    for words in ("thing.secret/general/c", "thing.nothing/general/c"):
        with pytest.raises(NotFound, match="there is no entry") as error:
            succession(open_vault(), words)
        assert error.value.details == {"candidates": []}
    inside = succession(open_vault("diary"), "ada/general/role")[1]
    assert [(one.fact.name, one.scope) for one in inside[:3]] == [
        ("Secret", "diary"),
        ("Four", "global"),
        ("Three", "global"),
    ]
    assert len(succession(open_vault("diary"), "thing.secret/general/c")[1]) == 1


def test_many_versions_are_told_in_no_time(open_vault: Open, root: Path, calendar: Days) -> None:
    calendar.commit({"global/actor/ada.firm": ADA})
    rows = []
    for number in range(2_000):
        text = fact("role", f"Statement {number}")
        rows.append(
            f"commit refs/heads/main\ncommitter Ada <a@example.org> {1_610_000_000 + number} +0000\ndata 1\nx\n"
            + ("from refs/heads/main^0\n" if not number else "")
            + f"M 644 inline {ROLE}\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input="".join(rows).encode(), check=True)
    vault = open_vault()
    assert vault.ledger.tip() == 2_000
    started = process_time()
    assert len(succession(vault, "ada/general/role")[1]) == 2_000
    assert process_time() - started < 0.8  # 10,000 of them must not take 2 s


def test_a_statement_that_a_merge_did_not_keep_ended_with_it(calendar: Days, open_vault: Open) -> None:
    calendar.commit({"global/actor/ada.firm": ADA, ROLE: fact("role", "Base")})
    calendar.git("checkout", "-qb", "side")
    calendar.git("checkout", "-qb", "trunk")
    calendar.commit({ROLE: fact("role", "Ours")})
    calendar.git("checkout", "-q", "side")
    calendar.commit({ROLE: fact("role", "Theirs")}, "theirs")
    calendar.git("checkout", "-q", "trunk")
    calendar.git("merge", "-qX", "ours", "-m", "merge", "side")
    vault = open_vault()
    found = {one.fact.name: one for one in succession(vault, "ada/general/role")[1]}
    assert {name: one.status for name, one in found.items()} == {
        "Theirs": "superseded",
        "Ours": "active",
        "Base": "superseded",
    }
    assert found["Theirs"].ended == vault.git().head()
    assert found["Base"].ended == found["Ours"].commit
    assert [one.successor and one.successor.name for one in (found["Theirs"], found["Base"])] == ["Ours", "Ours"]
    (origin,) = (one for one in blame(vault, "role")[1] if one.field == "statement")
    assert origin.step
    assert origin.step.commit == found["Ours"].commit
    assert [one for one in blame(vault, "role")[1] if one.step is None] == []


def test_blame_of_a_value_that_came_back_uncommitted_names_no_commit(
    days: Days, open_vault: Open, write: Write
) -> None:
    days.commit({ROLE: fact("role", "Four", claim="seat")})
    days.commit({ROLE: fact("role", "Five", claim="seat")})
    write(ROLE, fact("role", "Four", claim="seat"))
    (origin,) = (one for one in blame(open_vault(), "role")[1] if one.field == "statement")
    assert origin.step is None
