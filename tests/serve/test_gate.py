"""The gate: one decision for every way in, by what a call does and not by its name."""

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Json
from tests.service.conftest import Git, Open
from vault.model.access import PERMISSIONS, TOOLS, Permission, strictest
from vault.serve.dispatch import UnknownTool, call, served
from vault.serve.operations import OPERATIONS
from vault.serve.prompts import PROMPTS, offered, prompt_text
from vault.serve.resources import completed, listed, read
from vault.serve.session import Desk, NotBound
from vault.service.vault import Vault
from vault.service.write.consents import agree, waiting
from vault.service.write.permission_gate import ConsentRequired, NotPermitted, OtherAgent
from vault.workspace.snapshot import NotFound

MakeDesk = Callable[..., Desk]

SLOT = {"subject": "actor.bob", "aspect": "work", "claim": "role"}


def permit(root: Path, words: str) -> None:
    """Say in the settings what may be used."""
    settings = root / "vault.yaml"
    kept = settings.read_text().partition("permissions:")[0]
    settings.write_text(f"{kept}permissions: {words}\n")


def outcome(action: Callable[[], object]) -> str:
    """What the gate makes of an action."""
    try:
        action()
    except (NotPermitted, UnknownTool):
        return "never"
    except ConsentRequired:
        return "ask"
    return "always"


ADD, UPDATE, DELETE = {"add_knowledge"}, {"update_knowledge"}, {"delete_knowledge"}
LINK = {"source": "Bob", "relationship": "uses", "target": "Loom", "targetType": "tool"}


def change(**fields: Any) -> Json:
    return {"id": "fact.bob_role", "fields": fields}


def remember(**said: Any) -> Json:
    about = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", **said}]}
    return {"structured": {"aspects": [about]}}


def fact(**fields: Any) -> Json:
    return {"type": "fact", "fields": {"statement": "Bob is CEO", **SLOT, **fields}}


ARGUMENTS: dict[str, Json] = {
    "get_knowledge": {"id": "actor.bob"},
    "add_knowledge": {"type": "note", "fields": {"text": "A note"}},
    "update_knowledge": {"id": "note.own", "fields": {"text": "changed"}},
    "delete_knowledge": {"id": "note.own"},
    "knowledge_remember": {"content": "Something new"},
    "knowledge_hydrate": {"text": "Good morning"},
    "knowledge_query": {"query": "from actor | count"},
    "knowledge_history": {"of": "actor.bob"},
    "knowledge_get_entity": {"name": "bob"},
    "knowledge_list_aspects": {"entity": "bob"},
    "knowledge_list_groups": {"entity": "bob", "aspect": "work"},
    "knowledge_list_claims": {"entity": "bob", "aspect": "work", "group": "general"},
    "knowledge_list_attributes": {"entity": "bob", "aspect": "work", "group": "general", "claim": "role"},
}

#: Each way in, what opens it, and the tool whose permission decides.
WAYS: dict[str, tuple[str, Callable[[Desk], object]]] = {
    **{
        operation.name: (
            operation.name,
            lambda desk, name=operation.name: call(desk, name, ARGUMENTS.get(name, {})),  # type: ignore[misc]
        )
        for operation in OPERATIONS
    },
    "resources/list": ("get_knowledge", lambda desk: listed(desk, None)),
    "resources/read": ("get_knowledge", lambda desk: read(desk, "vault://actor.bob")),
    "completion": ("get_knowledge", lambda desk: completed(desk, "act")),
    "prompts/get": ("get_knowledge", lambda desk: prompt_text(desk, "review_entity", {"entity": "bob"})),
}


@pytest.fixture
def own(bob: Vault, open_vault: Open) -> Vault:
    """A vault with a fact of Bob, and a note in each scope that can be changed."""
    for inside in (bob, open_vault("work")):
        inside.add("note", {"text": "A note of its own"}, id="own")
        inside.add("fact", {"statement": "Bob is CTO", **SLOT}, id="bob_role")
    return bob


def test_every_tool_that_permissions_may_name_is_in_the_table() -> None:
    assert {*TOOLS} == {operation.name for operation in OPERATIONS} <= WAYS.keys()


@pytest.mark.parametrize("permission", PERMISSIONS)
@pytest.mark.parametrize("scope", ["global", "work"])
def test_each_way_in_is_decided_by_permission_token_scope_and_agent(
    own: Vault, root: Path, desk: MakeDesk, permission: Permission, scope: str
) -> None:
    other = "never" if permission == "always" else "always"
    chosen = ", ".join(f"{tool}: {permission}" for tool in TOOLS)
    others = ", ".join(f"{tool}: {other}" for tool in TOOLS)
    spaces = {"global": "work", "work": "global"}
    permit(root, f"{{{chosen}, spaces: {{{spaces[scope]}: {{{others}}}}}}}")
    places = () if scope == "global" else (scope,)
    for agent, (way, (tool, enter)) in product([None, "planner"], WAYS.items()):
        reading = {"get_knowledge", "search_knowledge"} if way in ("knowledge_hydrate", "prompts/get") else set()
        tokens = {None: permission, frozenset({tool, *reading}): permission, frozenset({"no_tool"}): "never"}
        for tools, expected in tokens.items():
            if (way, permission) == ("delete_knowledge", "always") and expected == "always":
                continue  # there is one note to delete; the next test does
            # a prompt holds no text of the vault, so nobody is asked
            wanted = "always" if (way, expected) == ("prompts/get", "ask") else expected
            caller = desk(*places, agent=agent, tools=tools)
            assert outcome(lambda e=enter, c=caller: e(c)) == wanted, (way, tools, agent)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("tool", "given", "needs"),
    [
        ("add_knowledge", fact(), UPDATE),
        ("add_knowledge", fact(valid_from="2999-01-01"), ADD | UPDATE),
        ("add_knowledge", fact(valid_from="2001-01-01", valid_until="2002-01-01"), ADD),
        ("add_knowledge", fact(kind="constraint"), ADD),
        ("add_knowledge", fact(claim="rank"), ADD),
        ("add_knowledge", {"type": "thing", "id": "vault_get", "fields": {"name": "x"}}, ADD | UPDATE),
        ("update_knowledge", change(statement="Bob is it"), UPDATE),
        ("update_knowledge", change(valid_until="2001-01-01"), UPDATE | DELETE),
        ("update_knowledge", change(valid_from="2999-01-01"), UPDATE | DELETE),
        ("update_knowledge", change(claim="rank"), UPDATE | DELETE),
        ("update_knowledge", change(kind="constraint"), UPDATE | DELETE),
        ("update_knowledge", change(agent="planner"), UPDATE | DELETE),
        ("update_knowledge", {"id": "note.own", "fields": {"agent": "planner"}}, UPDATE),
        ("delete_knowledge", {"id": "fact.bob_role"}, DELETE),
        ("knowledge_remember", remember(content="Bob is CEO"), UPDATE),
        ("knowledge_remember", remember(content="x", claimKey="rank"), ADD),
        ("knowledge_remember", remember(retract=True), DELETE),
        ("knowledge_remember", {"content": "A new note"}, ADD),
        (
            "knowledge_remember",
            {"structured": {"entities": [LINK]}},
            ADD | UPDATE,
        ),
    ],
)
def test_permissions_judge_effects(
    own: Vault, root: Path, desk: MakeDesk, git: Git, tool: str, given: Json, needs: set[str]
) -> None:
    caller = desk(agent="planner")
    head = git("rev-parse", "HEAD")
    for effect in needs:
        for permission in ("never", "ask"):
            chosen = {"delete_knowledge": "always", effect: permission}
            permit(root, "{" + ", ".join(f"{name}: {value}" for name, value in chosen.items()) + "}")
            assert outcome(lambda: call(caller, tool, given)) == permission, effect
    assert git("rev-parse", "HEAD") == head
    assert git("status", "--porcelain", "global", "spaces") == ""
    every = (ADD | UPDATE | DELETE) - needs - {tool}
    permit(root, "{" + ", ".join([*(f"{one}: never" for one in every), *(f"{one}: always" for one in needs)]) + "}")
    assert outcome(lambda: call(caller, tool, given)) == "always"
    assert git("rev-parse", "HEAD") != head


def test_from_a_space_an_entry_and_a_slot_are_hidden_by_update_alone(own: Vault, root: Path, desk: MakeDesk) -> None:
    own.add("fact", {"statement": "Bob is 40", **SLOT, "claim": "age"}, id="bob_age")
    inside = desk("work")
    hiding = [
        {"type": "actor", "id": "bob", "fields": {"name": "Our Bob"}},
        {"type": "fact", "id": "years", "fields": {"statement": "Bob is 41", **SLOT, "claim": "age"}},
    ]
    permit(root, "{update_knowledge: never}")
    for given in hiding:
        assert outcome(lambda g=given: call(inside, "add_knowledge", g)) == "never"  # type: ignore[misc]
    permit(root, "{}")
    answers = [call(inside, "add_knowledge", given) for given in hiding]
    assert [answer["shadows"] for answer in answers] == [["global/actor/bob.firm"], ["global/fact/bob_age.firm"]]
    told = call(inside, "knowledge_remember", {"structured": {"aspects": [
        {"entityId": "actor.bob", "aspect": "work", "attributes": [{"claimKey": "age", "content": "Bob is 42"}]}
    ]}})  # fmt: skip
    assert (told["shadows"], told["facts"][0]["op"]) == ([], "supersede")


def test_a_token_allows_effects_and_not_only_names(own: Vault, desk: MakeDesk) -> None:
    adding = desk(tools=frozenset(["add_knowledge"]))
    assert outcome(lambda: call(adding, "add_knowledge", fact())) == "never"
    assert outcome(lambda: call(adding, "add_knowledge", fact(claim="rank"))) == "always"
    remembering = desk(tools=frozenset(["knowledge_remember"]))
    answer = call(remembering, "knowledge_remember", remember(content="Bob is CEO"))
    assert answer["facts"][0]["op"] == "supersede"
    assert outcome(lambda: call(remembering, "knowledge_remember", remember(retract=True))) == "never"


def test_a_caller_who_may_not_read_is_shown_no_text(own: Vault, root: Path, desk: MakeDesk) -> None:
    writing = desk(tools=frozenset(["add_knowledge", "update_knowledge", "delete_knowledge"]))
    assert "CTO" not in str(call(writing, "add_knowledge", fact()))
    with pytest.raises(ConsentRequired) as caught:
        call(writing, "delete_knowledge", {"id": "fact.bob_role"})
    assert caught.value.details["about"] == ""
    assert "Bob is CEO" in waiting(own)[0].about
    assert offered(writing) == []
    near = {"id": "fact.bob_rol", "fields": {"value": "x"}}
    for caller, named in ((writing, False), (desk(tools=frozenset(["update_knowledge", "get_knowledge"])), True)):
        with pytest.raises(NotFound) as missed:
            call(caller, "update_knowledge", near)
        assert ("fact.bob_role" in f"{missed.value.hint} {missed.value.details}") == named
    both = desk(tools=frozenset(["get_knowledge", "knowledge_remember"]))
    assert offered(both) == list(PROMPTS)
    assert "knowledge_tree" not in served(writing)


def test_hydration_needs_what_reading_needs(own: Vault, root: Path, desk: MakeDesk) -> None:
    hydrating = desk(tools=frozenset(["knowledge_hydrate"]))
    assert outcome(lambda: call(hydrating, "knowledge_hydrate", {"text": "Bob?"})) == "never"
    permit(root, "{get_knowledge: never, search_knowledge: never}")
    assert outcome(lambda: call(desk(), "knowledge_hydrate", {"text": "Bob?"})) == "never"
    permit(root, "{get_knowledge: never}")
    assert outcome(lambda: call(desk(), "knowledge_hydrate", {"text": "Bob?"})) == "always"
    assert outcome(lambda: read(desk(), "vault://actor.bob")) == "never"


@pytest.mark.parametrize(
    ("agent", "tool", "given"),
    [
        (None, "update_knowledge", {"id": "actor.bob", "fields": {"agent": "nobody"}}),
        ("planner", "update_knowledge", {"id": "actor.bob", "fields": {"agent": "nobody"}}),
        (None, "add_knowledge", {"type": "note", "fields": {"text": "x", "agent": "planner"}}),
        ("tutor", "add_knowledge", {"type": "note", "fields": {"text": "x", "agent": "planner"}}),
        ("tutor", "add_knowledge", fact(agent="planner")),
        ("tutor", "add_knowledge", {"type": "note", "fields": {"text": "x", "agent": "Tutor"}}),
    ],
)
def test_an_entry_is_given_to_no_other_agent(
    own: Vault, desk: MakeDesk, git: Git, agent: str | None, tool: str, given: Json
) -> None:
    head = git("rev-parse", "HEAD")
    with pytest.raises(OtherAgent):
        call(desk(agent=agent), tool, given)
    with pytest.raises(NotBound):
        call(desk(agent=agent), "knowledge_remember", {"content": "x", "agentId": "nobody"})
    assert git("rev-parse", "HEAD") == head


def test_an_agent_may_keep_an_entry_and_give_it_to_all(own: Vault, desk: MakeDesk) -> None:
    caller = desk(agent="planner")
    added = call(caller, "add_knowledge", {"type": "note", "fields": {"text": "x", "agent": "planner"}})
    assert added["version"] == call(caller, "get_knowledge", {"id": added["key"]})["version"]
    with pytest.raises(NotFound):
        call(desk(), "get_knowledge", {"id": added["key"]})
    call(caller, "update_knowledge", {"id": added["key"], "fields": {"agent": None}})
    assert call(desk(), "get_knowledge", {"id": added["key"]})["key"] == added["key"]


def test_the_owner_passes_no_gate(own: Vault, root: Path) -> None:
    permit(root, "{add_knowledge: never, update_knowledge: never, delete_knowledge: never}")
    with Vault.open(root, environ=own.environ) as owner:
        assert owner.update("actor.bob", {"agent": "anybody"}).commit


def test_the_strictest_need_decides_and_the_mildest_choice() -> None:
    settings: Mapping[str, Permission] = {"a": "always", "b": "ask", "c": "never"}
    decide = settings.__getitem__
    assert strictest([("a",), ("b",)], decide) == ("ask", "b")
    assert strictest([("c",), ("b",)], decide) == ("never", "c")
    assert strictest([("c", "a")], decide) == ("always", "")
    assert strictest([("a",)], decide, {"b"}) == ("never", "a")
    assert strictest([], decide) == ("always", "")


def test_a_consent_of_the_gate_is_for_the_write_alone(own: Vault, root: Path, desk: MakeDesk) -> None:
    permit(root, "{add_knowledge: ask}")
    caller = desk()
    given = {"type": "note", "id": "new", "fields": {"text": "x"}}
    with pytest.raises(ConsentRequired) as caught:
        call(caller, "add_knowledge", given)
    with pytest.raises(ConsentRequired) as again:
        call(caller, "add_knowledge", given)
    assert again.value.consent.number == caught.value.consent.number
    agree(own, caught.value.consent.number)
    assert call(caller, "add_knowledge", given)["key"] == "note.new"
