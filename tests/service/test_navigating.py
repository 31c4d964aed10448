"""Walking from entities to what is said about them, now and before. The eight are the source's success criteria."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import Open, Write
from tests.service.days import DAY, Days, fact
from vault import wire
from vault.errors import VaultError
from vault.knowledge.navigate.entities import Entity
from vault.knowledge.navigate.parameters import AmbiguousEntity, EntityNotFound, InvalidParameter, Page, PlaceNotFound
from vault.knowledge.navigate.states import State
from vault.model.access import Reader
from vault.service.read import navigate
from vault.service.read.navigate import attributes, claims, entities, entity, groups, tree
from vault.service.vault import Vault

ADA = 'actor ada { name = "Ada Lovelace" aliases = ["the countess"] uses = [thing.engine] }\n'
PLACES = {
    "global/actor/ada.firm": ADA,
    "global/thing/engine.firm": 'thing engine { name = "Engine" relates_to = [actor.ada, actor.ada] pinned = true }\n',
    "global/note/n.firm": 'note n { text = "A note" describes = [actor.ada] }\n',
}


@pytest.fixture
def days(root: Path) -> Days:
    """Ada, her engine and a note; her role is said twice, a meal is taken back, and a rule stands beside."""
    made = Days(root)
    made.commit(
        {
            **PLACES,
            "global/fact/role.firm": fact("role", "Ada is a translator.", place="Work//Role", confidence="0.5"),
            "global/fact/meal.firm": fact("meal", "Ada likes figs.", place="food/fruit/favourite"),
        }
    )
    made.commit(
        {
            "global/fact/role.firm": fact(
                "role", "Ada is a programmer.", place="work/general/role", value='"programmer"'
            ),
            "global/fact/meal.firm": None,
            "global/fact/rule.firm": fact("rule", "Never at night.", place="work//role", kind='enum"constraint"'),
        },
        "Learn\n\nVault-Reason: she wrote a program",
    )
    return made


def keys(found: Page[Any]) -> list[str]:
    return [item.key for item in found.items]


def said(found: Page[State]) -> list[tuple[str, str]]:
    return [(state.status, state.statement) for state in found.items]


def counts(one: Entity) -> tuple[int, ...]:
    return (*one.facts, one.incoming, one.outgoing)


def walked(vault: Vault, status: str = "active", **how: Any) -> set[tuple[str, str]]:
    """Every fact that is reached by following the keys that are printed: entity and id."""
    found = set()
    for one in entities(vault, limit=200, **how).items:
        for aspect in keys(navigate.aspects(vault, one.key, status=status, **how)):
            for group in keys(groups(vault, one.key, aspect, status=status, **how)):
                for claim in keys(claims(vault, one.key, aspect, group, status=status, **how)):
                    states = attributes(vault, one.key, aspect, group, claim, status=status, **how).items
                    assert states
                    found |= {(one.key, state.fact.id) for state in states}
    return found


@pytest.mark.usefixtures("days")
def test_1_each_level_is_listed_by_itself(vault: Vault) -> None:
    assert keys(entities(vault)) == ["thing.engine", "actor.ada"]
    assert keys(navigate.aspects(vault, "Ada Lovelace")) == ["work"]
    assert keys(groups(vault, "actor.ada", "work")) == ["general"]
    assert keys(claims(vault, "actor.ada", "work", "general")) == ["role"]
    assert said(attributes(vault, "actor.ada", "work", "general", "role")) == [
        ("active", "Ada is a programmer."),
        ("active", "Never at night."),
    ]


@pytest.mark.usefixtures("days")
def test_2_facts_without_a_group_or_claim_are_walked_to(vault: Vault, write: Write) -> None:
    write("global/fact/plain.firm", fact("Plain", "Ada was born in London."))
    assert keys(navigate.aspects(vault, "ada")) == ["work", "general"]
    assert keys(groups(vault, "ada", "general")) == ["general"]
    assert keys(claims(vault, "ada", "general", "general")) == ["Plain"]
    assert said(attributes(vault, "ada", "general", "General", "Plain")) == [("active", "Ada was born in London.")]


def test_3_a_newer_statement_ends_its_own_slot_alone(vault: Vault, days: Days) -> None:
    for group in ("restaurants", "bakeries"):
        days.commit({f"global/fact/{group}.firm": fact(group, f"Old {group}", place=f"food/{group}/favourite")})
    days.commit({"global/fact/bakeries.firm": fact("bakeries", "New", place="food/bakeries/favourite")})
    counted = {one.key: one.claims[0] for one in groups(vault, "ada", "food").items}
    assert {key: claim.number("superseded") for key, claim in counted.items()} == {"bakeries": 1, "restaurants": 0}
    assert counted["restaurants"].preview == "Old restaurants"


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize("words", ["card-reader", "CARD_READER"])
def test_an_entity_is_found_by_a_name_spelt_alike(vault: Vault, write: Write, words: str) -> None:
    write("global/thing/reader.firm", 'thing reader { name = "Card reader" }\n')
    assert entity(vault, words).key == "thing.reader"


@pytest.mark.usefixtures("days")
def test_4_walking_writes_nothing(vault: Vault, root: Path) -> None:
    def held() -> dict[Path, bytes]:
        places = [place for place in root.rglob("*") if ".vault" not in place.parts and place.is_file()]
        return {place: place.read_bytes() for place in places}

    before = held()
    walked(vault, "all")
    tree(vault, "ada", status="all")
    assert held() == before


@pytest.mark.usefixtures("days")
def test_5_a_tree_outlines_what_is_said(vault: Vault) -> None:
    told = wire.knowledge_tree(tree(vault, "the countess"))
    (aspect,) = told["items"]
    (group,) = aspect.pop("groups")
    (claim,) = group.pop("claims")
    assert told["entity"]["id"] == "actor.ada"
    assert aspect == {
        "aspect": "work",
        "attributeCount": 1,
        "constraintCount": 1,
        "groupCount": 1,
        "claimCount": 1,
        "omittedGroups": 0,
    }
    assert group["latestUpdatedAt"] == "2021-01-02T12:00:00+00:00"
    assert claim == {
        "claimKey": "role",
        "attributeCount": 1,
        "constraintCount": 1,
        "activeCount": 2,
        "supersededCount": 1,
        "latestUpdatedAt": "2021-01-02T12:00:00+00:00",
        "preview": "Ada is a programmer.",
    }


def test_7_a_text_creates_no_fact(vault: Vault, write: Write, days: Days) -> None:
    before = json.dumps(wire.knowledge_tree(tree(vault, "ada")))
    write("global/note/more.firm", 'note more { text = "Ada Lovelace is a poet." describes = [actor.ada] }\n')
    days.commit({})
    assert json.dumps(wire.knowledge_tree(tree(vault, "ada"))) == before
    assert counts(entity(vault, "ada")) == (1, 1, 1, 4, 1)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.usefixtures("days")
def test_a_tree_goes_as_deep_as_is_asked_and_counts_the_rest(vault: Vault, depth: int) -> None:
    (aspect,) = wire.knowledge_tree(tree(vault, "ada", depth=depth))["items"]
    assert (aspect["groupCount"], aspect["claimCount"]) == (1, 1)
    assert ("groups" in aspect) is (depth > 1)
    assert depth == 1 or ("claims" in aspect["groups"][0]) is (depth > 2)


@pytest.mark.parametrize(
    ("limits", "truncated"),
    [({}, False), ({"max_aspects": 1}, True), ({"max_groups": 1}, True), ({"max_claims": 2}, True)],
)
def test_each_level_of_a_tree_says_what_it_left_out(
    vault: Vault, days: Days, limits: dict[str, int], truncated: bool
) -> None:
    days.write(
        {
            f"global/fact/f{number}.firm": fact(f"f{number}", f"F {number}", place=place)
            for number, place in enumerate(["work/other/1", "work/other/2", "work/other/3", "play/x/chess"])
        }
    )
    told = wire.knowledge_tree(tree(vault, "ada", **limits))  # type: ignore[arg-type]
    left = [told["omittedAspects"], told["items"][0]["omittedGroups"], told["items"][0]["groups"][0]["omittedClaims"]]
    assert (told["truncated"], sum(left)) == (truncated, int(truncated))
    assert told["items"][0]["claimCount"] == 4
    flat = wire.knowledge_tree(tree(vault, "ada", depth=1, max_groups=1, max_claims=1))
    assert flat["truncated"] is False
    assert wire.knowledge_tree(tree(vault, "ada", depth=2, max_claims=1))["truncated"] is False


@pytest.mark.usefixtures("days")
def test_the_state_of_a_fact_says_where_it_comes_from_and_what_became_of_it(vault: Vault) -> None:
    found = attributes(vault, "ada", "work", "general", "role", status="all", kind="attribute")
    now, before = (wire.attribute(state) for state in found.items)
    assert before == {
        "id": "fact.role",
        "kind": "attribute",
        "content": "Ada is a translator.",
        "value": None,
        "status": "superseded",
        "confidence": 0.5,
        "importance": None,
        "observedAt": None,
        "validFrom": None,
        "validUntil": None,
        "sources": [],
        "quote": None,
        "agent": None,
        "space": None,
        "path": "global/fact/role.firm",
        "line": None,
        "version": 1,
        "commit": before["commit"],
        "author": "Ada",
        "createdAt": "2021-01-01T12:00:00+00:00",
        "supersededAt": "2021-01-02T12:00:00+00:00",
        "supersededBy": f"fact.role@{now['commit']}",
        "reason": "she wrote a program",
    }
    assert (now["status"], now["version"], now["line"], now["value"]) == ("active", 2, 1, "programmer")
    assert (now["supersededAt"], now["supersededBy"], now["reason"]) == (None, None, None)


def test_what_is_not_committed_is_told_apart(vault: Vault, days: Days) -> None:
    text = fact("role", "Ada is a poet.", place="work//role", created_at="2021-01-01 at 10:00 UTC")
    days.write({"global/fact/role.firm": text, "global/fact/rule.firm": None})
    found = attributes(vault, "ada", "work", "general", "role", status="all").items
    told = [(state.statement, state.status, state.commit[:8], state.ordinal, state.successor) for state in found]
    commit = days.git("rev-parse", "HEAD")
    assert told[0] == ("Ada is a poet.", "active", "worktree", 3, None)
    assert set(told[1:3]) == {
        ("Ada is a programmer.", "superseded", commit[:8], 2, "fact.role@worktree"),
        ("Never at night.", "retracted", commit[:8], 1, None),
    }
    assert told[3][:2] == ("Ada is a translator.", "superseded")
    assert found[1].ended is None
    (claim,) = claims(vault, "ada", "work", "general").items
    assert (claim.number("active"), claim.number("superseded"), claim.constraints) == (1, 2, 0)
    assert claim.updated == found[1].created


@pytest.mark.usefixtures("days")
def test_counts_are_what_the_lists_of_each_status_hold(vault: Vault) -> None:
    for one in entities(vault).items:
        for aspect in navigate.aspects(vault, one.key, status="all").items:
            for group in aspect.groups:
                for claim in group.claims:
                    for status in ("active", "superseded", "retracted"):
                        found = attributes(vault, one.key, aspect.key, group.key, claim.key, status=status)
                        assert found.total == claim.number(status)


@pytest.mark.usefixtures("days")
def test_a_vacant_claim_is_walked_to_with_every_status(vault: Vault) -> None:
    assert keys(navigate.aspects(vault, "ada", status="all")) == ["work", "food"]
    assert keys(groups(vault, "ada", "food")) == []
    assert keys(groups(vault, "ada", "food", status="all")) == ["fruit"]
    assert keys(claims(vault, "ada", "food", "fruit")) == []
    (vacant,) = claims(vault, "ada", "food", "fruit", status="all").items
    assert wire.claim(vacant) == {
        "claimKey": "favourite",
        "groupKey": "fruit",
        "attributeCount": 0,
        "constraintCount": 0,
        "activeCount": 0,
        "supersededCount": 0,
        "latestUpdatedAt": "2021-01-02T12:00:00+00:00",
        "preview": None,
    }
    assert said(attributes(vault, "ada", "food", "fruit", "favourite")) == []
    assert said(attributes(vault, "ada", "food", "fruit", "favourite", status="retracted")) == [
        ("retracted", "Ada likes figs.")
    ]
    assert [aspect.key for aspect in tree(vault, "ada", status="all").aspects] == ["work", "food"]


@pytest.mark.parametrize("status", ["active", "all"])
def test_every_fact_is_reached_by_following_keys(vault: Vault, days: Days, status: str) -> None:
    loose = {
        "alone": fact("alone", "No subject", about=""),
        "torn": fact("torn", "Two", about="", describes="[actor.ada, thing.engine]"),
        "single": fact("single", "One", about="", describes="[thing.engine]"),
        "dangling": fact("dangling", "Nobody", about="actor.nobody", place="a/b/c"),
        "nested": fact("nested", "On a fact", about="fact.role"),
        "noted": fact("noted", "On a note", about="note.n", place="///"),
        "_1": fact("_1", "An odd id", place="C++/C#/"),
        "__": fact("__", "An odder id"),
    }
    days.commit({f"global/fact/{name}.firm": text for name, text in loose.items()})
    reached = walked(vault, status)
    assert {(about, ident) for about, ident in reached if ident in loose} == {
        *(("unassigned", ident) for ident in ("alone", "torn", "dangling", "nested")),
        *(("actor.ada", ident) for ident in ("_1", "__")),
        ("thing.engine", "single"),
        ("note.n", "noted"),
    }
    assert keys(entities(vault))[-1] == "unassigned"
    assert counts(entity(vault, "Unassigned")) == (2, 4, 0, 0, 0)
    assert ("actor.ada", "meal") in reached or status == "active"


def test_a_fact_that_came_to_be_about_another_leaves_its_history_behind(vault: Vault, days: Days) -> None:
    days.commit({"global/fact/role.firm": fact("role", "It computes.", about="thing.engine", place="work//role")})
    assert said(attributes(vault, "engine", "work", "general", "role", status="all")) == [("active", "It computes.")]
    before = attributes(vault, "ada", "work", "general", "role", status="superseded").items
    assert [(state.statement, state.ordinal) for state in before] == [
        ("Ada is a programmer.", 2),
        ("Ada is a translator.", 1),
    ]
    days.write({"global/fact/role.firm": fact("role", "Nobody does.", about="", place="work//role")})
    moved = attributes(vault, "engine", "work", "general", "role", status="all").items
    assert [(state.status, state.successor) for state in moved] == [("superseded", "fact.role@worktree")]
    days.commit({"global/actor/ada.firm": None})
    gone = attributes(vault, "unassigned", "work", "general", "role", status="superseded").items
    assert [state.statement for state in gone] == ["Ada is a programmer.", "Ada is a translator."]


def test_the_past_is_walked_as_it_was_known(open_vault: Open, days: Days) -> None:
    days.commit({"global/fact/role.firm": fact("role", "Ada is a poet.", place="work//role")})
    past = open_vault()
    past.go_back("2021-01-01")
    assert keys(navigate.aspects(past, "ada")) == ["food", "work"]
    (state,) = attributes(past, "ada", "work", "general", "role", status="all").items
    assert (state.statement, state.status, state.created) == ("Ada is a translator.", "active", DAY)
    past.go_back("HEAD~1")
    assert [status for status, _ in said(attributes(past, "ada", "work", "general", "role", status="all"))] == [
        "active",
        "active",
        "superseded",
    ]


def test_a_commit_beside_the_chain_has_facts_and_no_history(open_vault: Open, days: Days) -> None:
    beside = days.git("commit-tree", "HEAD~1^{tree}", "-m", "beside")
    past = open_vault()
    past.go_back(beside)
    (state,) = attributes(past, "ada", "work", "general", "role", status="all").items
    assert (state.statement, state.commit) == ("Ada is a translator.", beside)


def test_a_folder_without_git_has_no_history(tmp_path: Path) -> None:
    (tmp_path / "all.firm").write_text(ADA + fact("role", "A poet", place="work//role") + "boat b { }\n")
    with Vault.open(tmp_path, environ={}) as vault:
        assert walked(vault, "all") == {("actor.ada", "role")}
        (state,) = attributes(vault, "ada", "work", "general", "role").items
        assert (state.commit, state.created) == ("worktree", None)
        assert entities(vault, type="boat").items == []
        (claim,) = claims(vault, "ada", "work", "general").items
        assert (claim.updated, claim.number("active")) == (None, 1)


def test_the_first_of_a_key_that_is_declared_twice_is_walked_to(vault: Vault, days: Days) -> None:
    days.write({"global/actor/b.firm": 'actor ada { name = "Other" }\n', "global/z.firm": fact("role", "Z")})
    assert entity(vault, "actor.ada").name == "Ada Lovelace"
    assert keys(entities(vault)).count("actor.ada") == 1
    assert {state.status for state in attributes(vault, "ada", "general", "general", "role").items} == {"active"}


def test_a_clock_that_went_back_does_not_turn_versions_around(vault: Vault, days: Days) -> None:
    days.number = -100
    days.commit({"global/fact/role.firm": fact("role", "Ada is a poet.", place="work//role")})
    found = attributes(vault, "ada", "work", "general", "role", status="all", kind="attribute").items
    assert [state.ordinal for state in found] == [3, 2, 1]


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("actor.ada", "actor.ada"),
        ("ada", "actor.ada"),
        ("ADA  lovelace", "actor.ada"),
        ("Ａｄａ Ｌｏｖｅｌａｃｅ", "actor.ada"),
        ("The Countess", "actor.ada"),
        ("n", "note.n"),
        ("José", "actor.jose"),
        ("Jose", "actor.plain"),
        ("Rene", "actor.rene"),
        ("unassigned", "unassigned"),
        ("actor.unassigned", "actor.unassigned"),
    ],
)
def test_an_entity_is_named_by_id_name_or_alias(vault: Vault, days: Days, words: str, key: str) -> None:
    more = {"jose": "José", "plain": "Jose", "rene": "René", "unassigned": "Unassigned"}
    days.write({f"global/actor/{ident}.firm": f'actor {ident} {{ name = "{name}" }}\n' for ident, name in more.items()})
    days.write({"global/note/lady.firm": 'note lady { text = "x" aliases = ["Ada Lovelace"] }\n'})
    assert entity(vault, words).key == key


@pytest.mark.parametrize(
    ("words", "error", "candidates"),
    [
        ("adda", EntityNotFound, ["actor.ada"]),
        ("zzz", EntityNotFound, []),
        ("fact.role", EntityNotFound, []),
        ("Twin", AmbiguousEntity, ["actor.t1", "thing.t2"]),
    ],
)
def test_words_that_name_none_or_several_are_refused(
    vault: Vault, days: Days, words: str, error: type[VaultError], candidates: list[str]
) -> None:
    days.write({"global/a.firm": 'actor t1 { name = "Twin" }\nthing t2 { name = "T" aliases = ["twin"] }\n'})
    with pytest.raises(error) as caught:
        entity(vault, words)
    assert wire.error(caught.value)["error"] == {
        "code": "not-found" if error is EntityNotFound else "ambiguous",
        "message": caught.value.message,
        "hint": caught.value.hint,
        "candidates": candidates,
    }


@pytest.mark.parametrize(
    "call",
    [
        lambda vault: groups(vault, "ada", "wrk"),
        lambda vault: claims(vault, "ada", "work", "nothing like it"),
        lambda vault: attributes(vault, "ada", "work", "general", "rolle"),
        lambda vault: groups(vault, "engine", "any"),
    ],
)
@pytest.mark.usefixtures("days")
def test_a_place_that_never_was_is_refused(vault: Vault, call: Callable[[Vault], object]) -> None:
    with pytest.raises(PlaceNotFound) as caught:
        call(vault)
    assert caught.value.code == "not-found"


@pytest.mark.parametrize(
    "call",
    [
        lambda vault: entities(vault, limit=0),
        lambda vault: entities(vault, limit="201"),
        lambda vault: entities(vault, offset="-1"),
        lambda vault: entities(vault, offset="１"),
        lambda vault: entities(vault, limit="many"),
        lambda vault: entities(vault, type="fact"),
        lambda vault: tree(vault, "ada", depth=4),
        lambda vault: tree(vault, "ada", status="superseded"),
        lambda vault: attributes(vault, "ada", "work", "general", "role", status="old"),
        lambda vault: attributes(vault, "ada", "work", "general", "role", kind="rule"),
        lambda vault: groups(vault, "ada", "?!"),
    ],
)
@pytest.mark.usefixtures("days")
def test_a_parameter_that_cannot_be_names_what_can(vault: Vault, call: Callable[[Vault], object]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        call(vault)
    assert caught.value.code == "invalid-parameter"
    assert caught.value.hint.startswith("allowed: ")


def test_entities_are_ordered_filtered_and_paged(vault: Vault, days: Days) -> None:
    days.write({f"global/thing/t{n}.firm": f'thing t{n} {{ name = "Tool {9 - n}" }}\n' for n in range(4)})
    days.write({"global/fact/loose.firm": fact("loose", "Loose", about="")})
    whole = ["thing.engine", "actor.ada", "thing.t3", "thing.t2", "thing.t1", "thing.t0", "unassigned"]
    assert keys(entities(vault)) == whole
    page = entities(vault, limit="2", offset="4")
    assert (keys(page), page.total, page.more) == (whole[4:6], 7, True)
    assert wire.page(entities(vault, offset=7), wire.known_entity) == {
        "items": [],
        "total": 7,
        "limit": 50,
        "offset": 7,
        "hasMore": False,
    }
    assert keys(entities(vault, type="actor")) == ["actor.ada"]
    assert keys(entities(vault, q="TOOL", limit=1)) == ["thing.t3"]
    assert keys(entities(vault, q="countess")) == ["actor.ada"]
    assert keys(entities(vault, q="assign")) == ["unassigned"]
    assert keys(entities(vault, q="100%")) == []


@pytest.mark.usefixtures("days")
def test_an_entity_counts_what_it_depends_on_and_what_depends_on_it(vault: Vault) -> None:
    told = wire.entity_in_full(entity(vault, "ada"))
    assert told == {
        "entity": {
            "id": "actor.ada",
            "name": "Ada Lovelace",
            "entityType": "actor",
            "space": None,
            "path": "global/actor/ada.firm",
            "aliases": ["the countess"],
            "pinned": False,
        },
        "aspectCount": 1,
        "attributeCount": 1,
        "constraintCount": 1,
        "dependencyCount": 4,
        "incomingDependencyCount": 3,
        "outgoingDependencyCount": 1,
        "fields": {"name": "Ada Lovelace", "aliases": ["the countess"], "uses": ["thing.engine"]},
    }
    assert wire.known_entity(entity(vault, "engine"))["entity"]["pinned"] is True
    assert wire.entity_in_full(entity(vault, "unassigned"))["entity"] == {
        "id": "unassigned",
        "name": "unassigned",
        "entityType": None,
        "space": None,
        "path": None,
        "aliases": [],
        "pinned": False,
    }


def test_an_agent_sees_its_facts_and_everyones(vault: Vault, days: Days) -> None:
    days.commit(
        {
            "global/fact/secret.firm": fact(
                "secret", "For A", place="work//role", agent='"a"', describes="[actor.ada]"
            ),
            "global/actor/own.firm": 'actor own { name = "Own" agent = "a" }\n',
            "global/fact/own.firm": fact("own", "Of own", about="actor.own"),
        }
    )
    days.commit({"global/fact/rule.firm": fact("rule", "Hidden now", place="work//rule", agent='"a"')})

    def seen(agent: str | None) -> tuple[list[str], set[tuple[str, str]], int]:
        found = walked(vault, agent_id=agent)
        return keys(entities(vault, agent_id=agent)), found, entity(vault, "ada", agent_id=agent).incoming

    everyone = {("actor.ada", "role")}
    own = {("actor.ada", "secret"), ("actor.ada", "rule"), ("actor.own", "own")}
    assert seen(None) == seen("a") == (["thing.engine", "actor.ada", "actor.own"], everyone | own, 4)
    assert seen("b") == (["thing.engine", "actor.ada", "unassigned"], {*everyone, ("unassigned", "own")}, 3)
    with pytest.raises(EntityNotFound) as caught:
        entity(vault, "actor.own", agent_id="b")
    assert caught.value.details["candidates"] == []
    former = attributes(vault, "ada", "work", "general", "role", status="superseded", agent_id="b").items
    assert ("rule", "Never at night.") in {(state.fact.id, state.statement) for state in former}


def test_a_space_shadows_whole_entries_and_single_slots(open_vault: Open, days: Days) -> None:
    days.commit(
        {
            "spaces/work/fact/title.firm": fact("title", "Ada is our consultant.", place="work//role"),
            "spaces/work/fact/rule.firm": fact("rule", "By day.", place="work//role", kind='enum"constraint"'),
            "spaces/work/actor/ada.firm": 'actor ada { name = "Ada of work" }\n',
        }
    )
    inside, outside = open_vault("work"), open_vault()
    everywhere = open_vault(all_spaces=True)
    place = ("ada", "work", "general", "role")
    assert {text for _, text in said(attributes(inside, *place, status="all"))} == {"Ada is our consultant.", "By day."}
    assert {text for _, text in said(attributes(outside, *place))} == {"Ada is a programmer.", "Never at night."}
    assert attributes(everywhere, *place).total == 4
    assert attributes(outside, *place, reader=Reader("work")).total == 2
    assert attributes(outside, *place, reader=Reader(owner=True)).total == 4
    for vault, name, number in (
        (inside, "Ada of work", 1),
        (outside, "Ada Lovelace", 1),
        (everywhere, "Ada of work", 2),
    ):
        found = entity(vault, "actor.ada")
        assert (found.name, found.facts.attributes, found.facts.constraints) == (name, number, number)
        (claim,) = claims(vault, *place[:3]).items
        assert (claim.attributes, claim.constraints) == (number, number)
        assert [one.facts for one in entities(vault).items if one.key == "actor.ada"] == [found.facts]


@pytest.mark.parametrize(
    ("own", "others", "seen"),
    [
        ({"valid_until": "2020-01-01"}, {}, {"own", "other"}),
        ({}, {"valid_until": "2020-01-01"}, {"own", "other"}),
        ({"valid_from": "2999-01-01"}, {}, {"own", "other"}),
        ({}, {}, {"own"}),
        ({"agent": '"a"'}, {}, {"own", "other"}),
    ],
)
def test_only_what_holds_now_shadows_what_holds_now(
    open_vault: Open, days: Days, own: dict[str, str], others: dict[str, str], seen: set[str]
) -> None:
    days.write(
        {
            "spaces/work/fact/own.firm": fact("own", "Own", place="a/b/c", **own),
            "global/fact/other.firm": fact("other", "Other", place="a/b/c", **others),
        }
    )
    assert {state.fact.id for state in attributes(open_vault("work"), "ada", "a", "b", "c").items} == seen


def test_a_merge_that_kept_another_version_keeps_its_order(vault: Vault, days: Days) -> None:
    days.git("checkout", "-qb", "side", "HEAD~1")
    days.commit({"global/fact/role.firm": fact("role", "Ada is a poet.", place="work//role")})
    days.git("checkout", "-q", "-")
    days.git("merge", "-q", "-s", "ours", "--no-edit", "side")
    found = attributes(vault, "ada", "work", "general", "role", status="all", kind="attribute").items
    assert [state.status for state in found if state.statement == "Ada is a programmer."] == ["active"]
    assert {state.statement for state in found if state.status == "superseded"} == {
        "Ada is a poet.",
        "Ada is a translator.",
    }


def test_a_reason_that_also_touches_a_private_space_is_kept(open_vault: Open, days: Days) -> None:
    diary = {"spaces/diary/note/d.firm": 'note d { text = "x" }\n'}
    days.commit({"global/fact/rule.firm": None, **diary}, "Mixed\n\nVault-Reason: the diary says so")
    place = ("ada", "work", "general", "role")

    def reasons(vault: Vault) -> list[str | None]:
        return [state.reason for state in attributes(vault, *place, status="retracted").items]

    assert reasons(open_vault()) == [None]
    assert reasons(open_vault("diary")) == ["the diary says so"]


def test_what_held_on_a_day_is_walked(open_vault: Open, days: Days) -> None:
    place = ("ada", "work", "general", "job")
    for job, since in (("clerk", "2001-01-01"), ("teacher", "2005-01-01"), ("head", "2010-01-01")):
        text = fact("job", f"A {job}", place="work//job", valid_from=since)
        days.commit({"global/fact/job.firm": text})

    def held(when: str, at: str | None = None, status: str = "all") -> list[tuple[str, str, int]]:
        vault = open_vault()
        vault.go_back(at, valid_at=when)
        try:
            found = attributes(vault, *place, status=status)
        except PlaceNotFound:
            return []
        (claim,) = claims(vault, *place[:3], status="all").items
        assert claim.number("active") + claim.number("superseded") == attributes(vault, *place, status="all").total
        return [(state.statement, state.status, state.ordinal) for state in found.items]

    assert held("2000-01-01") == []
    assert held("2006-01-01", status="active") == [("A teacher", "active", 2)]
    assert held("2006-01-01") == [("A teacher", "active", 2), ("A clerk", "superseded", 1)]
    assert held("2020-01-01")[0] == ("A head", "active", 3)
    assert held("2020-01-01", at="HEAD~1") == [("A teacher", "active", 2), ("A clerk", "superseded", 1)]
    days.write({"global/fact/job.firm": fact("job", "A sage", place="work//job", valid_from="2011-01-01")})
    assert held("2020-01-01")[:2] == [("A sage", "active", 4), ("A head", "superseded", 3)]
    assert held("2010-06-01")[0] == ("A head", "active", 3)


def test_what_held_shadows_what_held(open_vault: Open, days: Days) -> None:
    until = {"valid_until": "2010-01-01"}
    days.write(
        {
            "spaces/work/fact/own.firm": fact("own", "Own", place="a/b/c", valid_from="2001-01-01", **until),
            "global/fact/other.firm": fact("other", "Other", place="a/b/c", valid_from="2002-01-01"),
        }
    )
    vault = open_vault("work")
    assert attributes(vault, "ada", "a", "b", "c").total == 2
    vault.go_back(valid_at="2005-01-01")
    assert said(attributes(vault, "ada", "a", "b", "c")) == [("active", "Own")]
