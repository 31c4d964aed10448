"""`vault knowledge`: what it prints, and that what it prints can be typed."""

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.service.days import Days, fact

VERBS = {
    "tree": ["ada"],
    "entities": [],
    "entity": ["ada"],
    "aspects": ["ada"],
    "groups": ["ada", "work"],
    "claims": ["ada", "work", "general"],
    "attributes": ["ada", "work", "general", "role"],
}


@pytest.fixture
def days(root: Path) -> Days:
    """Ada, her role said twice, a rule beside it, a meal that is gone, and a claim whose key a shell would not take."""
    made = Days(root)
    made.commit(
        {
            "global/actor/ada.firm": 'actor ada { name = "Ada" }\n',
            "global/fact/role.firm": fact("role", "A translator", place="work//role"),
            "global/fact/meal.firm": fact("meal", "Figs", place="food//favourite"),
        }
    )
    made.commit(
        {
            "global/fact/role.firm": fact("role", "A programmer", place="work//role"),
            "global/fact/rule.firm": fact("rule", "Never at night", place="work//role", kind='enum"constraint"'),
            "global/fact/tag.firm": fact("tag", "First", place="#1/#2/#3"),
            "global/fact/meal.firm": None,
        },
        "Learn\n\nVault-Reason: she wrote it",
    )
    return made


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("days")
def test_every_verb_takes_every_common_option(run: Run, verb: str) -> None:
    ended = run(
        "knowledge", verb, *VERBS[verb], "--json", "--agent", "a", "--at", "HEAD", "--global", "--valid-at", "now"
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.json()
    assert run("--space", "work", "knowledge", verb, *VERBS[verb]).code == 0


@pytest.mark.parametrize("status", ["active", "all"])
@pytest.mark.usefixtures("days")
def test_what_a_listing_says_to_type_next_leads_down_to_the_facts(run: Run, status: str) -> None:
    words = ["knowledge", "aspects", "ada", "--status", status]
    verbs = []
    while "next: vault " in (ended := run(*words)).err:
        words = shlex.split(ended.err.split("next: vault ")[1])
        verbs.append(words[1])
    assert verbs == ["groups", "claims", "attributes"]
    assert (ended.code, "fact." in ended.out) == (0, True)


@pytest.mark.usefixtures("days")
def test_printed_keys_can_be_typed_into_a_shell(run: Run) -> None:
    rows = run("knowledge", "tree", "ada").out.splitlines()
    typed = [shlex.split(row, comments=True)[0] for row in rows[1:]]
    assert typed == ["work", "general", "role", "#1", "#2", "#3"]
    assert run("knowledge", "attributes", "ada", *typed[3:]).out.startswith("First\n")


@pytest.mark.usefixtures("days")
def test_lists_are_paged(run: Run) -> None:
    ended = run("knowledge", "aspects", "ada", "--limit", "1")
    assert ended.err == "2 aspects; the rest: --offset 1; next: vault knowledge groups ada work\n"
    told = run("knowledge", "aspects", "ada", "--limit", "1", "--offset", "1", "--json").json()
    assert [item["aspect"] for item in told.pop("items")] == ["#1"]
    assert told == {"total": 2, "limit": 1, "offset": 1, "hasMore": False}


@pytest.mark.usefixtures("days")
def test_a_tree_says_what_it_leaves_out(run: Run, days: Days) -> None:
    days.write({f"global/fact/f{n}.firm": fact(f"f{n}", "F", place=f"work/{n % 3}/f{n}") for n in range(8)})
    out = run("knowledge", "tree", "ada", "--max-aspects", "1", "--max-groups", "2", "--max-claims", "1").out
    assert [line for line in out.splitlines() if "…" in line] == [
        "    … 2 more claims",
        "    … 2 more claims",
        "  … 2 more groups",
        "… 1 more aspect",
    ]
    assert run("knowledge", "tree", "ada", "--depth", "1").out.splitlines()[1] == "work  9 attributes, 1 constraint"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["entity", "nobody"], 1, "not-found"),
        (["groups", "ada", "wrk"], 1, "not-found"),
        (["entity", "twin"], 1, "ambiguous"),
        (["entities", "--limit", "many"], 2, "invalid-parameter"),
        (["tree", "ada", "--depth", "9"], 2, "invalid-parameter"),
        (["attributes", "ada", "work", "general", "role", "--status", "old"], 2, "invalid-parameter"),
    ],
)
def test_errors_are_those_of_the_contract(run: Run, days: Days, words: list[str], code: int, said: str) -> None:
    days.write({"global/a.firm": 'actor t { name = "Twin" }\nthing u { name = "Twin" }\n'})
    ended = run("knowledge", *words, "--json")
    error = ended.json()["error"]
    assert (ended.code, error["code"]) == (code, said)
    assert set(error) == {"code", "message", "hint", "candidates"}


def test_a_tree_of_no_entity_says_where_the_rest_is(run: Run, days: Days) -> None:
    days.write({"global/many.firm": "".join(f'thing t{n} {{ name = "T {n}" }}\n' for n in range(60))})
    ended = run("knowledge", "tree")
    assert "61 entities; the rest: vault knowledge entities --offset 50; next: " in ended.err
    assert ended.out.count("\n") == 50
    assert run("knowledge", "entities", "--offset", "50").out.count("\n") == 11
