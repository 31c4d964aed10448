"""Reading what the vault knew, at a commit or at a moment."""

from pathlib import Path

import pytest

from tests.service.conftest import Days, Open, Write
from vault.errors import VaultError
from vault.service.read.entry_detail import detail
from vault.service.read.entry_history import blame, history
from vault.service.read.links import related
from vault.service.read.query import query
from vault.service.runtime.as_of import NoMoment, NothingKnown
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound

LAST = 'actor ada { name = "C" }\n'


@pytest.fixture
def days(calendar: Days) -> Days:
    """Ada is called A, then B and uses an engine, which then goes. History begins with the first of these days."""
    made = calendar
    made.commit({"global/actor/ada.firm": 'actor ada { name = "A" }\n'})
    made.commit(
        {
            "global/actor/ada.firm": 'actor ada { name = "B" uses = [thing.engine] }\n',
            "global/thing/engine.firm": 'thing engine { name = "Engine" }\n',
        }
    )
    made.commit(
        {
            "global/thing/engine.firm": None,
            "global/moved.firm": 'actor ada { name = "C" }\n',
            "global/actor/ada.firm": None,
        }
    )
    return made


def at(open_vault: Open, when: str, space: str | None = None) -> Vault:
    vault = open_vault(space)
    vault.go_back(when)
    return vault


@pytest.mark.parametrize(
    ("when", "name", "path"),
    [
        ("2021-01-01", "A", "global/actor/ada.firm"),
        ("2021-01-02 11:59 UTC", "A", "global/actor/ada.firm"),
        ("2021-01-02 12:00 UTC", "B", "global/actor/ada.firm"),
        ("HEAD~1", "B", "global/actor/ada.firm"),
        ("HEAD", "C", "global/moved.firm"),
        ("now", "C", "global/moved.firm"),
    ],
)
@pytest.mark.usefixtures("days")
def test_an_entry_is_as_it_was_known(open_vault: Open, when: str, name: str, path: str) -> None:
    found = detail(at(open_vault, when), "actor.ada")
    assert (found.stored.entry.name, found.stored.entry.path) == (name, path)
    assert f'name = "{name}"' in found.source


@pytest.mark.usefixtures("days")
def test_lists_queries_and_links_are_of_the_past(open_vault: Open) -> None:
    vault = at(open_vault, "HEAD~1")
    assert [stored.entry.key for stored in vault.entries()] == ["actor.ada", "thing.engine"]
    assert query(vault, 'from actor | where name == "B" | related').entries[-1].entry.key == "thing.engine"
    assert [one.stored.entry.key for one in related(vault, "ada")[1]] == ["thing.engine"]
    assert [name for name, _ in detail(vault, "engine").referrers] == ["uses"]
    with pytest.raises(NotFound, match="engine"):
        at(open_vault, "HEAD").get("thing.engine")
    assert [stored.entry.key for stored in query(vault, 'from * | search "engine"').entries] == ["thing.engine"]


@pytest.mark.usefixtures("days")
def test_what_is_not_committed_is_not_known(open_vault: Open, write: Write) -> None:
    write("global/moved.firm", 'actor ada { name = "D" }\n')
    assert at(open_vault, "now").get("ada").entry.name == "C"


def test_a_commit_of_another_branch_is_read(open_vault: Open, days: Days) -> None:
    days.git("switch", "-q", "-c", "side", "HEAD~1")
    days.commit({"global/actor/ada.firm": 'actor ada { name = "S" }\n'})
    days.git("switch", "-q", "main")
    vault = at(open_vault, "side")
    assert [stored.entry.name for stored in vault.entries()] == ["S", "Engine"]


@pytest.mark.usefixtures("days")
def test_moments_without_an_answer(open_vault: Open) -> None:
    with pytest.raises(NothingKnown, match="2021-01-01"):
        at(open_vault, "2020-12-31")
    with pytest.raises(NoMoment):
        at(open_vault, "nowhere")


def test_clocks_that_go_backwards_are_followed_in_the_order_of_history(open_vault: Open, days: Days) -> None:
    days.number = 1
    days.commit({"global/moved.firm": 'actor ada { name = "late" }\n'})
    assert at(open_vault, "2021-01-02").get("ada").entry.name == "late"


def test_the_past_shows_no_more_than_today(open_vault: Open, days: Days) -> None:
    days.commit({"spaces/diary/note/d.firm": 'note d { text = "secret" }\n', "spaces/work/note/w.firm": "note w { }\n"})
    settings = (days.root / "vault.yaml").read_text()
    days.commit({"vault.yaml": settings.replace("work:", "other:")})  # nobody declares `work` any more
    for when in ("HEAD~1", "HEAD"):
        vault = open_vault(all_spaces=True)
        vault.go_back(when)
        assert [stored.entry.key for stored in vault.entries()] == ["actor.ada"]
    assert at(open_vault, "HEAD", "diary").get("note.d").scope == "diary"
    days.commit({"vault.yaml": settings.replace("private: true", "private: false")})
    vault = open_vault(all_spaces=True)
    vault.go_back("HEAD~1")
    assert "note.d" not in [stored.entry.key for stored in vault.entries()]  # it was private then


def test_a_text_beside_an_entry_is_of_the_past(open_vault: Open, days: Days) -> None:
    days.commit({"global/note/n.firm": 'note n { text_file = path"n.md" }\n', "global/note/n.md": "old\n"})
    days.commit({"global/note/n.md": "new\n"})
    assert detail(at(open_vault, "HEAD~1"), "n").text == "old\n"
    assert detail(at(open_vault, "HEAD"), "n").text == "new\n"


def test_schemas_are_those_of_the_past(open_vault: Open, days: Days) -> None:
    days.commit({"schema/boat.firm": "schema boat { }\n", "global/boat/b.firm": "boat b { }\n"})
    days.commit({"schema/boat.firm": None, "global/boat/b.firm": None})
    assert [stored.entry.key for stored in at(open_vault, "HEAD~1").entries(kind="boat")] == ["boat.b"]
    with pytest.raises(VaultError):
        at(open_vault, "HEAD").entries(kind="boat")


@pytest.mark.usefixtures("days")
def test_the_ledger_lives_beside_the_catalog_and_is_made_again(open_vault: Open, root: Path) -> None:
    at(open_vault, "HEAD").close()
    place = root / ".vault/ledger.db"
    assert place.exists()
    place.write_bytes(b"no database at all" * 1000)
    assert at(open_vault, "HEAD~1").get("ada").entry.name == "B"


def test_a_text_beside_an_entry_has_a_history(open_vault: Open, days: Days) -> None:
    days.commit({"global/note/n.firm": 'note n { text_file = path"n.md" }\n', "global/note/n.md": "old\n"})
    days.commit({"global/note/n.md": "new\r\n"})
    days.commit({"global/note/n.firm": 'note n { text_file = path"n.md" tags = ["t"] }\n'})
    vault = open_vault()
    steps = history(vault, "n")
    assert [[tuple(change) for change in step.fields if change.name == "text"] for step in steps] == [
        [],
        [("text", "old\n", "new\n")],
        [("text", None, "old\n")],
    ]
    assert [(step.op, step.version) for step in steps] == [("update", True), ("update", True), ("add", True)]
    _, origins = blame(vault, "n")
    assert [(one.field, one.step and one.step.commit) for one in origins] == [
        ("text_file", steps[2].commit),
        ("tags", steps[0].commit),
        ("text", steps[1].commit),
    ]
    (days.root / "global/note/n.md").write_text("not committed\n")
    assert [one.step for one in blame(open_vault(), "n")[1]][-1] is None
