"""Entries of the past, found by what they are or were called."""

import pytest

from tests.service.conftest import Days, Open, Write
from vault.service.read.entry_detail import detail
from vault.service.read.history_resolve import NotThere, split_moment
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound

PLACE = "global/actor/ada.firm"
FIRST = '\ufeff// a file of its own\n\n// who she is\n/* and was */\nactor ada {\n    // as signed\n    name = "A"\n}\n'


@pytest.fixture
def days(calendar: Days) -> Days:
    """Ada comes on the second day, gets another name, goes on the fourth, and comes again in a space on the fifth."""
    calendar.commit({"global/note/n.firm": "note n { }\n"})
    calendar.commit({PLACE: FIRST})
    calendar.commit({PLACE: 'actor ada { name = "B" }\n'})
    calendar.commit({PLACE: None})
    calendar.commit({"spaces/work/actor/ada.firm": 'actor ada { name = "C" }\n'})
    return calendar


def at(open_vault: Open, when: str, space: str | None = None) -> Vault:
    vault = open_vault(space)
    vault.go_back(when)
    return vault


@pytest.mark.usefixtures("days")
def test_the_text_of_an_entry_has_the_comments_above_it(open_vault: Open) -> None:
    found = detail(at(open_vault, "2021-01-02"), "ada")
    assert found.block == FIRST[FIRST.index("// who") :].rstrip()
    assert detail(at(open_vault, "2021-01-03"), "ada").block == 'actor ada { name = "B" }'


@pytest.mark.usefixtures("days")
def test_an_entry_is_found_by_a_name_it_got_later(open_vault: Open) -> None:
    assert detail(at(open_vault, "2021-01-02", "work"), "C").stored.entry.name == "A"


@pytest.mark.usefixtures("days")
def test_an_entry_that_was_not_there_says_when_it_was(open_vault: Open) -> None:
    for when in ("2021-01-01", "2021-01-04"):
        with pytest.raises(NotThere, match=r"actor\.ada was not there in") as error:
            detail(at(open_vault, when), "actor.ada")
        assert error.value.hint.startswith("it was there from 2021-01-02 (")
        assert " until 2021-01-04 (" in error.value.hint
        assert "01-05" not in error.value.hint  # that one is the space's
    with pytest.raises(NotThere) as error:
        detail(at(open_vault, "2021-01-01", "work"), "ada")
    assert error.value.hint.count("from ") == 2
    assert error.value.hint.endswith(" on")


@pytest.mark.usefixtures("days")
def test_what_no_commit_has_or_nobody_knows(open_vault: Open, write: Write) -> None:
    write("global/actor/bob.firm", "actor bob { }\n")
    with pytest.raises(NotThere) as error:
        detail(at(open_vault, "HEAD"), "bob")
    assert "no commit yet" in error.value.hint
    for words in ("actor.nobody", "nobody"):
        with pytest.raises(NotFound):
            detail(at(open_vault, "HEAD"), words)


def test_a_private_entry_is_not_told_of(open_vault: Open, days: Days) -> None:
    days.commit({"spaces/diary/actor/eve.firm": "actor eve { }\n"})
    with pytest.raises(NotFound):
        detail(at(open_vault, "2021-01-01"), "actor.eve")
    with pytest.raises(NotThere):
        detail(at(open_vault, "2021-01-01", "diary"), "actor.eve")


def test_a_moment_is_what_stands_behind_the_last_sign(vault: Vault, write: Write) -> None:
    write("global/actor/m.firm", 'actor m { aliases = ["m@example.org"] }\n')
    assert split_moment(vault, "m") == ("m", None)
    assert split_moment(vault, "m@2 weeks ago") == ("m", "2 weeks ago")
    assert split_moment(vault, "m@example.org") == ("m@example.org", None)
    assert split_moment(vault, "m@example.org@HEAD~1") == ("m@example.org", "HEAD~1")
    for words in ("@HEAD", "m@", "@"):
        assert split_moment(vault, words) == (words, None)
