"""The log: which commits it shows of those there are."""

import pytest

from tests.service.conftest import Days, Open
from vault.model.access import UnknownSpace
from vault.model.when import BadMoment
from vault.service.arguments.log_filter import LogFilter
from vault.service.read.entry_history import history
from vault.service.read.log import log
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound

ROLE = "global/fact/role.firm"


def fact(statement: str, claim: str = "role") -> str:
    return f'fact role {{ statement = "{statement}" subject = actor.ada claim = "{claim}" }}\n'


@pytest.fixture
def days(calendar: Days) -> Days:
    """A fact and a note, on seven days: by hand, by an agent, in a space, and beside an entry."""
    calendar.commit({"global/actor/ada.firm": 'actor ada { name = "Ada" }\n', ROLE: fact("One")})
    calendar.commit({ROLE: fact("Two")}, "two\n\nVault-Agent: planner")
    calendar.commit({ROLE: f"// sure\n{fact('Two')}"}, "comment")
    calendar.commit({ROLE: fact("Two", "hobby")}, "moved\n\nVault-Op: restore")
    calendar.commit({"spaces/work/note/n.firm": 'note n { text_file = path"n.md" }\n', "spaces/work/note/n.md": "a"})
    calendar.commit({"spaces/work/note/n.md": "b"}, "text")
    calendar.commit({ROLE: None}, "gone")
    return calendar


def subjects(vault: Vault, *words: str, **conditions: str) -> list[str]:
    return [record.subject for record in log(vault, LogFilter(*words, **conditions))]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({}, ["gone", "text", "day 4", "moved", "comment", "two", "day 0"]),
        ({"words": "fact.role"}, ["gone", "moved", "comment", "two", "day 0"]),
        ({"words": "role"}, ["gone", "moved", "comment", "two", "day 0"]),
        ({"words": ROLE}, ["gone", "moved", "comment", "two", "day 0"]),
        ({"words": "ada/general/role"}, ["moved", "comment", "two", "day 0"]),
        ({"words": "ada/general/hobby"}, ["gone", "moved"]),
        ({"agent": "planner"}, ["two"]),
        ({"op": "supersede"}, ["two"]),
        ({"op": "restore"}, ["moved"]),
        ({"op": "add"}, ["day 4", "day 0"]),
        ({"op": "update"}, ["text", "comment"]),
        ({"op": "delete"}, ["gone"]),
        ({"since": "2021-01-06"}, ["gone", "text"]),
        ({"until": "2021-01-02"}, ["two", "day 0"]),
        ({"since": "2021-01-02", "until": "2021-01-03"}, ["comment", "two"]),
        ({"scope": "work"}, ["text", "day 4"]),
        ({"scope": "global", "op": "add"}, ["day 0"]),
        ({"author": "ADA@exam", "op": "delete"}, ["gone"]),
        ({"author": "bob"}, []),
    ],
)
@pytest.mark.usefixtures("days")
def test_a_commit_meets_every_condition(vault: Vault, conditions: dict[str, str], found: list[str]) -> None:
    assert subjects(vault, **conditions) == found


@pytest.mark.usefixtures("days")
def test_a_text_beside_an_entry_is_in_its_log(open_vault: Open) -> None:
    assert subjects(open_vault("work"), "note.n") == ["text", "day 4"]
    assert [record.subject for record in log(open_vault("work"), LogFilter("n"), limit=1)] == ["text"]
    with pytest.raises(NotFound):
        subjects(open_vault(), "note.n")


@pytest.mark.usefixtures("days")
def test_conditions_that_name_nothing(vault: Vault) -> None:
    with pytest.raises(NotFound):
        subjects(vault, "nobody")
    with pytest.raises(UnknownSpace):
        subjects(vault, scope="wrok")
    with pytest.raises(BadMoment):
        subjects(vault, since="soon")


def test_a_private_space_is_not_told_of(open_vault: Open, days: Days) -> None:
    days.commit(
        {"spaces/diary/note/d.firm": 'note d { text = "x" }\n', "global/actor/ada.firm": "actor ada { }\n"}, "both"
    )
    outside, inside = open_vault(), open_vault("diary")
    assert subjects(outside, "ada") == ["", "day 0"]
    assert subjects(inside, "ada") == ["both", "day 0"]
    assert subjects(inside, scope="diary") == ["both"]
    for words in ("note.d", "d", "spaces/diary/note/d.firm"):
        assert subjects(inside, words) == ["both"]
        with pytest.raises(NotFound):
            subjects(outside, words)
    with pytest.raises(UnknownSpace) as error:
        subjects(outside, scope="diary")
    assert "diary" not in error.value.hint.replace("spaces add diary", "")


def test_an_entry_is_followed_from_scope_to_scope(open_vault: Open, days: Days) -> None:
    days.commit({"global/actor/ada.firm": None, "spaces/work/actor/ada.firm": 'actor ada { name = "A" }\n'}, "moved in")
    vault = open_vault("work")
    assert subjects(vault, "ada") == ["moved in", "day 0"]
    moved, made = history(vault, "ada")
    assert (moved.op, [change.name for change in moved.fields], made.op) == ("update", ["name"], "add")


def test_a_space_without_history_has_an_empty_log(open_vault: Open, days: Days) -> None:
    assert days.number
    assert subjects(open_vault("diary"), scope="diary") == []
