"""Searching what the vault knew, and what it said once and says no more."""

import json
from pathlib import Path

import pytest

from tests.service.conftest import ENVIRON, Days, Open, Write
from tests.service.rights import without_rights
from tests.tables import sql
from vault import wire
from vault.search.find import Answer
from vault.search.rank import Mode
from vault.service.admin import reindex
from vault.service.admin.doctor import doctor
from vault.service.read.history_search import NotOfThisHistory, OnlyWords
from vault.service.read.query import query
from vault.service.vault import Vault

ROLE, NOTE = "global/fact/role.firm", "global/note/n.firm"


def fact(statement: str, **more: str) -> str:
    fields = "".join(f' {name} = "{value}"' for name, value in more.items())
    return f'fact role {{ statement = "{statement}" subject = actor.ada claim = "role"{fields} }}\n'


ADA = 'actor ada { name = "Ada" summary = "Of numbers" tags = ["maths"] }\n'
PROGRAMMER = fact("a programmer of engines")


@pytest.fixture
def days(calendar: Days) -> Days:
    """A role that is superseded, tagged and retracted, and a note whose text beside it changes and goes."""
    beside = "global/note/n.md"
    calendar.commit({"global/actor/ada.firm": ADA, ROLE: fact("a translator")})
    calendar.commit({ROLE: PROGRAMMER, NOTE: 'note n { text_file = path"n.md" }\n', beside: "On harbours\n"})
    calendar.commit({ROLE: fact("a programmer of engines", agent="planner"), beside: "On gardens\n"})
    calendar.commit({ROLE: None, NOTE: None, beside: None, "global/thing/e.firm": 'thing e { name = "Engine" }\n'})
    return calendar


def at(open_vault: Open, when: str, space: str | None = None) -> Vault:
    vault = open_vault(space)
    vault.go_back(when)
    return vault


def keys(answer: Answer) -> list[str]:
    return [found.stored.entry.key for found in answer if found.via is None]


def looking_back(vault: Vault, words: str, limit: int = 10) -> Answer:
    return vault.search(words, mode="keyword", limit=limit, history=True)


def former(answer: Answer) -> list[tuple[str, str]]:
    return [(found.snippet, found.former.status) for found in answer if found.former]


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("when", "words", "found"),
    [
        ("2021-01-01", "translator", ["fact.role"]),
        ("2021-01-02", "translator", []),
        ("2021-01-02", "programmers", ["fact.role"]),
        ("2021-01-02", "harbours", ["note.n"]),
        ("2021-01-02", "gardens", []),
        ("2021-01-03", "gardens", ["note.n"]),
        ("HEAD", "gardens", []),
        ("HEAD", "engine", ["thing.e"]),
        ("HEAD~1", "maths", ["actor.ada"]),
    ],
)
@pytest.mark.usefixtures("days")
def test_the_past_is_searched_by_its_words(
    open_vault: Open, mode: Mode, when: str, words: str, found: list[str]
) -> None:
    assert keys(at(open_vault, when).search(words, mode=mode)) == found


@pytest.mark.usefixtures("days")
def test_a_result_of_the_past_is_cited_as_it_stood(open_vault: Open) -> None:
    vault = at(open_vault, "2021-01-02")
    (result,) = vault.search("harbours")
    assert (result.path, result.line, result.snippet) == ("global/note/n.md", 1, "On harbours")
    assert wire.found("harbours", vault.search("harbours"), vault.cited([result.path]))["items"][0]["former"] is None


@pytest.mark.usefixtures("days")
def test_a_type_and_a_tag_are_those_of_then(open_vault: Open) -> None:
    vault = at(open_vault, "2021-01-01")
    assert keys(vault.search("ada", tag="maths")) == ["actor.ada"]
    assert keys(vault.search("ada translator", kind="fact")) == ["fact.role"]
    assert [stored.entry.key for stored in query(vault, 'from fact | search "translator"').entries] == ["fact.role"]


@pytest.mark.usefixtures("days")
def test_meaning_is_not_asked_of_the_past(open_vault: Open) -> None:
    with pytest.raises(OnlyWords, match="words") as error:
        at(open_vault, "HEAD").search("x", mode="semantic")
    assert "--mode keyword" in error.value.hint
    with pytest.raises(OnlyWords):
        open_vault().search("x", mode="semantic", history=True)


def test_a_branch_that_head_did_not_come_along_is_searched(open_vault: Open, days: Days) -> None:
    days.git("switch", "-q", "-c", "side", "HEAD~1")
    days.commit({"global/note/s.firm": 'note s { text = "A side street" }\n'})
    days.git("switch", "-q", "main")
    vault = at(open_vault, "side")
    assert keys(vault.search("streets")) == ["note.s"]
    assert keys(vault.search("gardens")) == ["note.n"]
    with pytest.raises(NotOfThisHistory):
        vault.search("street", history=True)


@pytest.mark.usefixtures("days")
def test_history_has_what_is_said_no_more(open_vault: Open) -> None:
    vault = open_vault()
    (result,) = looking_back(vault, "translator")
    assert former(looking_back(vault, "translator")) == [("a translator", "superseded")]
    assert former(looking_back(vault, "programmer")) == [
        ("a programmer of engines", "retracted"),  # of two agents
        ("a programmer of engines", "superseded"),
    ]
    assert sorted(former(looking_back(vault, "harbours gardens"))) == [
        ("On gardens", "deleted"),
        ("On harbours", "superseded"),
    ]
    shape = wire.found("x", looking_back(vault, "translator"), {})["items"][0]
    assert result.former
    assert (shape["commit"], shape["former"]["status"]) == (result.former.commit[:10], "superseded")
    assert shape["former"]["endedAt"] == "2021-01-02T12:00:00+00:00"
    assert (shape["current"], shape["line"]) == (False, 1)


def test_what_was_replaced_stands_below_what_took_its_place(open_vault: Open, days: Days) -> None:
    days.commit({ROLE: fact("a translator of the notes on engines by translators")})
    days.commit({ROLE: fact("someone with little to do, a translator", agent="x")})
    days.commit({ROLE: fact("someone with little to do, a translator")})
    days.commit({ROLE: fact("someone with little to do, a translator", quote="so she said")})
    answer = looking_back(open_vault(), "translator")
    assert [found.former is None for found in answer] == [True, False, False, False]
    assert {status for _, status in former(answer)} == {"superseded"}
    assert [found.score for found in answer] == sorted((found.score for found in answer), reverse=True)
    assert len(looking_back(open_vault(), "translator", limit=2)) == 2


def test_history_beside_what_meaning_finds(open_vault: Open, days: Days) -> None:
    assert days.number
    answer = open_vault().search("translator", history=True)
    assert ("a translator", "superseded") in former(answer)
    assert answer[0].former is None or answer[0].snippet == "a translator"


def test_history_follows_a_vault_that_goes_back(open_vault: Open, days: Days) -> None:
    assert days.number
    answer = looking_back(at(open_vault, "2021-01-02"), "translator programmer")
    assert [(found.snippet, bool(found.former)) for found in answer] == [
        ("a programmer of engines", False),
        ("a translator", True),
    ]
    note = looking_back(at(open_vault, "2021-01-03"), "harbours")
    assert former(note) == [("On harbours", "superseded")]


def test_a_change_of_tags_makes_nothing_former(open_vault: Open, days: Days) -> None:
    days.commit({"global/actor/ada.firm": ADA.replace("maths", "sums")})
    assert former(looking_back(open_vault(), "numbers maths")) == []


def test_private_spaces_are_searched_from_inside_alone(open_vault: Open, days: Days, root: Path) -> None:
    days.commit({"spaces/diary/note/d.firm": 'note d { text = "A secret harbour" }\n'})
    days.commit({"spaces/diary/note/d.firm": 'note d { text = "An open secret" }\n'})
    for when in ("HEAD", "HEAD~1"):
        assert keys(at(open_vault, when).search("secret")) == []
        assert keys(at(open_vault, when, "diary").search("secret")) == ["note.d"]
    assert keys(looking_back(open_vault(), "secret harbour")) == ["note.n"]
    assert "note.d" in keys(looking_back(open_vault("diary"), "secret harbour"))
    held = [json.loads(place.read_text())["scope"] for place in (root / ".vault/text/past").glob("*.json")]
    assert sorted(held) == ["diary", "global"]
    settings = (days.root / "vault.yaml").read_text()
    days.commit({"vault.yaml": settings.replace("private: true", "private: false")})
    everywhere = open_vault(all_spaces=True)
    assert keys(everywhere.search("open secret", mode="keyword")) == ["note.d"]
    told = [snippet for snippet, _ in former(looking_back(everywhere, "secret harbour"))]
    assert told == ["On harbours"]  # the other was private then


def test_an_override_hides_the_history_of_what_it_overrides(open_vault: Open, days: Days) -> None:
    days.commit({"spaces/work/actor/ada.firm": 'actor ada { name = "Ours" }\n'})
    days.commit({"global/actor/ada.firm": 'actor ada { name = "Countess" }\n'})
    assert len(former(looking_back(open_vault(), "numbers"))) == 1
    assert former(looking_back(open_vault("work"), "numbers")) == []


def test_an_index_of_the_past_catches_up_and_is_made_again(
    open_vault: Open, days: Days, root: Path, write: Write
) -> None:
    assert keys(at(open_vault, "HEAD~1").search("gardens")) == ["note.n"]
    days.commit({"global/note/new.firm": 'note new { text = "On gardens too" }\n'})
    assert keys(at(open_vault, "HEAD").search("gardens")) == ["note.new"]
    state = root / ".vault/text/past/global.json"
    told = json.loads(state.read_text())

    def words() -> dict[str, object]:
        return {name: value for name, value in json.loads(state.read_text()).items() if name not in ("files", "digest")}

    wanted, broken = words(), object()
    for broken in ({**told, "passages": 1}, {**told, "ledger": "another"}, []):
        state.write_text(json.dumps(broken))
        assert keys(at(open_vault, "HEAD").search("gardens")) == ["note.new"]
        assert words() == wanted
    for place in (root / ".vault/text/past/global").glob("*"):
        place.write_bytes(b"damaged")
    assert keys(at(open_vault, "HEAD~2").search("gardens")) == ["note.n"]
    write(".vault/text/past/global.json", "{")
    assert keys(at(open_vault, "HEAD~2").search("gardens")) == ["note.n"]


def test_a_check_proves_the_index_of_the_past(open_vault: Open, days: Days, root: Path) -> None:
    vault = open_vault()
    assert reindex.differences(vault) == []
    assert not [item for item in doctor(root, vault.environ) if "past" in item.name]
    looking_back(vault, "gardens")
    assert reindex.differences(vault) == []
    (told,) = [item for item in doctor(root, vault.environ) if "past" in item.name]
    assert told.message.endswith("current and earlier ones, up to date")
    days.commit({"global/note/new.firm": 'note new { text = "On gardens too" }\n'})
    reindex.index(vault)
    assert reindex.differences(vault) == []
    sql(vault.ledger, "DELETE FROM events WHERE n = 1")
    sql(vault.ledger, "DELETE FROM units WHERE id = 1")
    found = reindex.differences(vault)
    assert [row.split(":")[0] for row in found] == ["ledger", "ledger", "index of the past of global"]
    reindex.index(vault, rebuild=True)
    assert reindex.differences(vault) == []
    assert keys(at(open_vault, "2021-01-02").search("harbours")) == ["note.n"]


def test_what_held_on_a_day_is_searched_by_its_words(open_vault: Open, days: Days) -> None:
    days.commit({ROLE: fact("a gardener", valid_from="2021-02-01").replace('"2021-02-01"', "2021-02-01")})
    vault = open_vault()
    vault.go_back(valid_at="2021-01-01")
    assert keys(vault.search("translator", mode="keyword")) == ["fact.role"]
    assert keys(vault.search("gardener", mode="keyword")) == []
    with pytest.raises(NotOfThisHistory):
        vault.search("translator", mode="keyword", history=True)


def test_a_folder_that_refuses_is_done_without(root: Path, days: Days) -> None:
    assert days.number
    said: list[str] = []
    with without_rights(root):
        (root / ".vault/text").mkdir(parents=True, exist_ok=True)
        (root / ".vault/text").chmod(0o500)
        with Vault.open(root, environ=ENVIRON, max_age=0) as vault:
            vault.say = said.append
            vault.go_back("HEAD~1")
            assert keys(vault.search("gardens", mode="keyword")) == ["note.n"]
    assert ["a temporary index is made instead" in line for line in said] == [True]
