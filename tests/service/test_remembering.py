"""Remembering: one payload, one commit, all of it or nothing, with every problem at its JSON path."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.conftest import Git, Open, Write
from vault.knowledge.payload import BadPayload, is_json, payload_of, read_payload
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write import create
from vault.service.write.apply_payload import OtherSpace, Remembered, remember
from vault.service.write.commits import commit

Json = dict[str, Any]


def about(*attributes: Json, **others: Any) -> Json:
    """A payload that says something of Bob."""
    said = {"entityName": "Bob", "aspect": "work", "attributes": list(attributes), **others}
    return {"structured": {"aspects": [said]}}


def link(relationship: str, target: str) -> Json:
    """A relation of Bob's to a tool."""
    return {"source": "Bob", "relationship": relationship, "target": target, "targetType": "tool"}


def told(vault: Vault, payload: Json) -> Remembered:
    """Remember a payload."""
    return remember(vault, payload_of(payload))


def problems(vault: Vault, payload: Json) -> dict[str, str]:
    """What is wrong with a payload, by path; the vault is as it was."""
    before = (statements(vault), vault.git().head())
    with pytest.raises(BadPayload) as caught:
        told(vault, payload)
    assert before == (statements(vault), vault.git().head())
    return dict(caught.value.problems)


def statements(vault: Vault) -> dict[str, object]:
    """What the vault says now, by fact."""
    return {stored.entry.id: stored.entry.fields.get("statement") for stored in vault.entries(kind="fact")}


#: A payload with all there can be.
WHOLE: Json = {
    "structured": {
        "entities": [
            {"source": "bob", "relationship": "uses", "target": "Engine", "targetType": "tool"},
            {"source": "Acme", "sourceType": "organization", "relationship": "part of", "target": "Apex"},
            {"source": "Robert", "relationship": "works_at", "target": "Acme", "confidence": 0.5},
        ],
        "aspects": [
            {
                "entityName": "Apex",
                "entityType": "team",
                "aspect": "place",
                "attributes": [{"content": "It is far"}],
            },
            {
                "entityId": "actor.bob",
                "aspect": "work",
                "attributes": [
                    {"groupKey": "acme", "claimKey": "role", "content": "Bob is CTO", "value": "CTO", "quote": "q"},
                    {"claimKey": "must", "content": "Bob must rest", "kind": "constraint", "importance": 1},
                ],
            },
        ],
        "hints": ["boss"],
    },
    "observedAt": "2025-03-01T10:00:00Z",
    "validFrom": "2024-01-01",
    "sourceId": "letters/7",
    "agentId": "tutor",
    "chat": "c",
    "turn": 3,
}


def test_a_payload_is_one_commit(bob: Vault, git: Git) -> None:
    before = int(git("rev-list", "--count", "HEAD"))
    result = told(bob, WHOLE)
    assert int(git("rev-list", "--count", "HEAD")) == before + 1
    assert git("status", "--porcelain") == ""
    assert result.entities == (("actor.acme", True), ("actor.apex", True), ("actor.bob", False), ("thing.engine", True))
    assert [placed.op for _, placed in result.facts] == ["add"] * 4
    assert result.facts[0][0] == "$.structured.entities[2]"
    fact = bob.get("bob_role").entry
    assert {name: str(value) for name, value in fact.fields.items() if name != "created_at"} == {
        "statement": "Bob is CTO",
        "subject": "actor.bob",
        "aspect": "work",
        "group": "acme",
        "claim": "role",
        "value": "CTO",
        "observed_at": "2025-03-01 at 10:00 UTC",
        "valid_from": "2024-01-01",
        "quote": "q",
        "hints": "('boss',)",
        "sources": "('letters/7',)",
        "agent": "tutor",
        "chat": "../chats/c.jsonl",
        "chat_turn": "3",
    }
    relation = bob.get("bob_acme").entry
    assert (relation.fields["statement"], relation.fields["confidence"]) == ("Bob works at Acme", 0.5)
    assert (relation.fields["aspect"], relation.fields["group"]) == ("relations", "works_at")
    assert str(bob.get("acme").entry.fields["belongs_to"]) == "(Reference(type='actor', id='apex', field=None),)"
    assert str(bob.get("engine").entry.fields["kind"]) == "tool"
    assert "Vault-Chat: c#3" in git("log", "-1", "--format=%B")
    assert not [item for item in bob.check() if item.severity == "error"]


def test_what_is_known_changes_nothing(bob: Vault, git: Git) -> None:
    payload = about({"content": "Bob is tall"}, {"claimKey": "role", "content": "Bob is CTO"})
    payload["structured"]["entities"] = [
        {"source": "Bob", "relationship": "uses", "target": "Engine", "targetType": "tool"}
    ]
    told(bob, payload)
    head = git("rev-parse", "HEAD")
    again = told(bob, payload)
    assert ([placed.op for _, placed in again.facts], again.commit) == (["none", "none"], None)
    assert git("rev-parse", "HEAD") == head


def test_a_retried_key_changes_nothing(bob: Vault) -> None:
    first = told(bob, {**about({"claimKey": "role", "content": "Bob is CTO"}), "idempotencyKey": "k"})
    again = told(bob, {**about({"claimKey": "role", "content": "Bob is CEO"}), "idempotencyKey": "k"})
    assert first.commit
    assert (again.done, again.facts) == (first.commit.commit, ())
    assert statements(bob) == {"bob_role": "Bob is CTO"}


def test_a_statement_supersedes_and_is_retracted(bob: Vault, git: Git) -> None:
    told(bob, about({"claimKey": "role", "content": "Bob is CTO"}, {"claimKey": "place", "content": "Bob is here"}))
    result = told(bob, about({"claimKey": "Role", "content": "Bob is CEO"}, {"claimKey": "place", "retract": True}))
    assert [placed.op for _, placed in result.facts] == ["retract", "supersede"]
    assert statements(bob) == {"bob_role": "Bob is CEO"}
    assert "Vault-Op: update" in git("log", "-1", "--format=%B")


def test_constraints_of_a_slot_are_retracted_by_what_they_say(bob: Vault) -> None:
    rules = [{"claimKey": "diet", "content": f"No {food}", "kind": "constraint"} for food in ("nuts", "eggs")]
    told(bob, about(*rules))
    told(bob, about({**rules[0], "retract": True}))
    assert list(statements(bob).values()) == ["No eggs"]


def test_every_problem_is_at_its_path(bob: Vault) -> None:
    payload = about(
        {"claimKey": "role", "content": "Bob is CTO"},
        {"claimKey": "ROLE", "content": "Bob is CEO"},
        {"claimKey": "…", "content": "x"},
        {"claimKey": "zip", "retract": True},
        {"claimKey": "!", "retract": True},
    )
    payload["structured"]["aspects"] += [
        {"entityName": "Zed", "aspect": "a", "attributes": [{"content": "x"}]},
        {"entityName": "Merlin", "entityType": "wizard", "aspect": "a", "attributes": [{"content": "x"}]},
        {"entityId": "nobody", "aspect": "a", "attributes": []},
        {"entityId": "fact.bob_role", "aspect": "a", "attributes": []},
        {"entityName": "Q", "entityType": "proposal", "aspect": "a", "attributes": []},
    ]
    found = problems(bob, payload)
    attributes = "$.structured.aspects[0].attributes"
    assert "already stated at $.structured.aspects[0].attributes[0]" in found[f"{attributes}[1]"]
    assert "no letter or digit" in found[f"{attributes}[2]"]
    assert "no fact says what actor.bob" in found[f"{attributes}[3]"]
    assert "no letter" in found[f"{attributes}[4]"]
    assert "nothing says what it is" in found["$.structured.aspects[1].entityName"]
    assert "`wizard` is not an entity type (give one of: person, agent," in found["$.structured.aspects[2].entityName"]
    assert "no entry `nobody`" in found["$.structured.aspects[3].entityId"]
    assert "is a fact" in found["$.structured.aspects[4].entityId"]
    assert "`proposal` is not an entity type" in found["$.structured.aspects[5].entityName"]


@pytest.mark.parametrize(
    ("payload", "path", "why"),
    [
        ([], "$", "an object"),
        ({}, "$", "nothing to remember"),
        ({"content": " "}, "$.content", "empty"),
        ({"content": 5}, "$.content", "string"),
        ({"contents": "x"}, "$.contents", "did you mean `content`?"),
        ({"content": "x", "turn": -1}, "$.turn", "greater"),
        ({"content": "x", "turn": True}, "$.turn", "integer"),
        ({"content": "x", "observedAt": "soon"}, "$.observedAt", "`soon` is not a date"),
        ({"content": "x", "observedAt": 5}, "$.observedAt", "as a string"),
        ({"content": "x", "validFrom": "2025-02-30"}, "$.validFrom", "not a date"),
        ({"structured": {"entities": [{"source": "a"}]}}, "$.structured.entities[0].relationship", "missing"),
        (about({"content": "x", "confidence": 2}), "$.structured.aspects[0].attributes[0].confidence", "less than"),
        (about({"content": "x", "confidence": "1"}), "$.structured.aspects[0].attributes[0].confidence", "number"),
        (about({"content": "x", "kind": "rule"}), "$.structured.aspects[0].attributes[0].kind", "'attribute'"),
        (about({}), "$.structured.aspects[0].attributes[0].content", "missing"),
        (about({"retract": True}), "$.structured.aspects[0].attributes[0].claimKey", "missing"),
        (about(attributes={}), "$.structured.aspects[0].attributes", "a list"),
        (about(entityName=None), "$.structured.aspects[0]", "name the entity"),
    ],
)
def test_a_payload_of_another_shape_is_refused(payload: Any, path: str, why: str) -> None:
    with pytest.raises(BadPayload) as caught:
        payload_of(payload)
    assert why in dict(caught.value.problems)[path]
    assert path in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"content": }', '{"turn": NaN}', '{"turn": %s}' % ("9" * 5000)]
)
def test_a_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(BadPayload):
        read_payload(text)


def test_a_payload_is_read_behind_a_byte_order_mark() -> None:
    assert read_payload('\ufeff{"content": "x"}').content == "x"


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(BadPayload, match="`content` occurs twice"):
        read_payload('{"structured": {"aspects": [{"aspect": "a", "attributes": [{"content": "x", "content": "y"}]}]}}')


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("\ufeff {", True),
        ('[{"content": "x"}]', True),
        ("[" * 100_000, True),
        ("[Ada](ada.md) wrote", False),
        ("Ada", False),
        ("12", False),
    ],
)
def test_what_is_meant_as_json_is_told_from_a_text(text: str, is_one: bool) -> None:
    assert is_json(text) is is_one


def test_dates_are_kept_as_they_are_meant() -> None:
    payload = payload_of(
        {"content": "x", "observedAt": "2025-03-01T10:00:00+02:00", "validFrom": "2025-03-01T10:00:05"}
    )
    assert (str(payload.observed_at), str(payload.valid_from)) == ("2025-03-01 at 08:00 UTC", "2025-03-01 at 10:00:05")


def test_a_text_is_a_linked_note_and_no_fact(bob: Vault) -> None:
    create.add(bob, "actor", "zoe", {"name": "Zoë Ng"}, CommitOptions())
    create.add(bob, "thing", "it", {"name": "It"}, CommitOptions())
    create.add(bob, "note", "old", {"name": "Bob", "text": "of Bob"}, CommitOptions())
    text = "It was said that Robert met Zoe Ng. " + "And so on and on. " * 60 + "Bob is CEO."
    result = told(bob, {"content": text})
    assert result.note
    assert not statements(bob)
    note = bob.get(result.note).entry
    assert note.fields["text"] == text
    assert [str(reference) for _, reference in note.references()] == ["actor.bob", "actor.zoe"]


def test_a_text_is_the_quote_of_what_it_contains_else_a_note(bob: Vault) -> None:
    content = "I hear that bob is  CEO now."
    result = told(bob, {**about({"claimKey": "role", "content": "Bob is CEO"}), "content": content})
    assert result.note is None
    assert bob.get("bob_role").entry.fields["quote"] == content
    quoted = told(bob, {**about({"claimKey": "place", "content": "Bob is in"}), "content": 'He """said""" Bob is in'})
    assert quoted.note
    assert "text_file" in bob.get(quoted.note).entry.fields
    result = told(bob, {**about({"claimKey": "role", "content": "Bob leads"}), "content": content})
    assert result.note
    note = bob.get(result.note).entry
    assert (note.fields["text"], [str(ref) for _, ref in note.references()]) == (content, ["actor.bob"])


def test_types_of_the_vaults_own_are_taken_as_they_are(bob: Vault, write: Write) -> None:
    write(
        "schema/recipe.firm", 'schema recipe {\n    field {\n        name = "name"\n        type = "string"\n    }\n}\n'
    )
    commit(bob)
    told(bob, about({"content": "It is hot"}, entityName="Soup", entityType="Recipe"))
    told(bob, about({"content": "It is cold"}, entityName=None, entityId="recipe.ice_cream"))
    assert bob.get("recipe.soup").entry.name == "Soup"
    assert bob.get("recipe.ice_cream").entry.name == "ice cream"


def test_a_name_spelt_alike_is_the_same_entity(bob: Vault) -> None:
    create.add(bob, "thing", "deploy_guide", {"name": "Deploy guide"}, CommitOptions())
    told(bob, about({"content": "It is long"}, entityName="deploy-guide"))
    assert str(bob.get("it_is_long").entry.fields["subject"]) == "thing.deploy_guide"


def test_a_name_that_several_go_by_is_refused_with_the_candidates(bob: Vault) -> None:
    create.add(bob, "actor", "bob2", {"name": "BOB"}, CommitOptions())
    found = problems(bob, about({"content": "x"}))
    assert "actor.bob2" in found["$.structured.aspects[0].entityName"]
    told(bob, about({"content": "x"}, entityName="actor.bob2"))
    create.add(bob, "thing", "bob3", {"name": "Bot"}, CommitOptions())
    told(bob, about({"content": "y"}, entityName="Bot", entityType="person"))
    assert str(bob.get("y").entry.fields["subject"]) == "thing.bob3"


def test_a_relation_is_added_to_what_an_edited_entity_says_and_that_is_committed_first(
    bob: Vault, root: Path, git: Git
) -> None:
    place = root / "global/actor/bob.firm"
    place.write_text(place.read_text().replace("}", "    uses = [thing.old]\n    // mine\n}"))
    links = [
        {"source": "Bob", "relationship": word, "target": "New", "targetType": "tool"} for word in ("uses", "requires")
    ]
    told(bob, {"structured": {"entities": links}})
    assert "uses = [\n        thing.old,\n        thing.new,\n    ]\n" in place.read_text()
    assert "// mine" in place.read_text()
    assert git("log", "-2", "--format=%s").splitlines()[1] == "actor.bob: uses nothing → thing.old"


def test_from_inside_a_space_only_its_own_entities_get_relations(bob: Vault, open_vault: Open) -> None:
    payload: Json = {"space": "work", "structured": {"entities": [link("uses", "Pen")]}}
    with pytest.raises(OtherSpace):
        told(bob, payload)
    inside = open_vault("work")
    assert "`--global` changes it" in problems(inside, payload)["$.structured.entities[0]"]
    told(inside, {**about({"claimKey": "role", "content": "Bob advises us"}), "space": "work"})
    assert inside.get("bob_role").scope == "work"
    assert not statements(bob)


def test_a_private_space_is_written_apart_and_names_no_candidate(bob: Vault, open_vault: Open, git: Git) -> None:
    inside = open_vault("diary")
    told(inside, about({"content": "x"}, entityName="Secret", entityType="person"))
    assert "ecret" not in git("log", "-1", "--format=%B")
    found = problems(bob, about({"content": "x"}, entityName="Secret"))
    assert "nothing says what it is" in found["$.structured.aspects[0].entityName"]


def test_a_schema_that_refuses_an_entity_refuses_the_payload(bob: Vault, write: Write) -> None:
    write(
        "schema/strict.firm",
        'schema strict { closed = true field { name = "code" type = "string" required = true } }',
    )
    found = problems(bob, about({"content": "x"}, entityName="S", entityType="strict"))
    assert any("code" in why for why in found.values())


_TEXT = st.sampled_from(
    ["Bob", "robert", "Zed", "", " ", "C", "C++", "…", "role", 'a "q" b', "日本", "x" * 300, "fact.a", "actor.bob"]
)
_STATEMENT = st.fixed_dictionaries(
    {},
    optional={
        "claimKey": _TEXT,
        "groupKey": _TEXT,
        "content": _TEXT,
        "value": _TEXT,
        "retract": st.booleans(),
        "kind": st.sampled_from(["attribute", "constraint", "?"]),
        "confidence": st.sampled_from([0, 0.5, 1, 2, "x"]),
    },
)
_ABOUT = st.fixed_dictionaries(
    {"aspect": _TEXT, "attributes": st.lists(_STATEMENT, max_size=3)},
    optional={"entityName": _TEXT, "entityId": _TEXT, "entityType": st.sampled_from(["person", "tool", "?", "fact"])},
)
_PAYLOAD = st.fixed_dictionaries(
    {},
    optional={
        "structured": st.fixed_dictionaries({}, optional={"aspects": st.lists(_ABOUT, max_size=3)}),
        "content": _TEXT,
        "observedAt": st.sampled_from(["2020-01-01", "x"]),
        "validUntil": st.sampled_from(["2020-01-01", "2999-01-01"]),
    },
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(payload=_PAYLOAD)
def test_any_payload_lands_whole_and_valid_or_not_at_all(bob: Vault, payload: Json) -> None:
    before = (bob.git().head(), statements(bob))
    asked = copy.deepcopy(payload)
    try:
        told(bob, payload)
    except BadPayload:
        assert (bob.git().head(), statements(bob)) == before
    assert payload == asked
    assert not [item for item in bob.check() if item.severity == "error"]
    assert not bob.git().status()


@pytest.mark.parametrize("text", ["Bob likes tea", 'Bob said """ once'])
def test_the_same_text_is_remembered_once(bob: Vault, git: Git, text: str) -> None:
    first = bob.remember({"content": text})
    head = git("rev-parse", "HEAD")
    again = bob.remember({"content": text})
    assert (again.note, again.note_op, again.commit, again.paths) == (first.note, "none", None, ())
    assert git("rev-parse", "HEAD") == head
    assert bob.remember({"content": text, "sourceId": "https://example.org"}).note_op == "update"
    assert bob.remember({"content": text, "agentId": "helper"}).note_op == "add"
    assert bob.remember({"content": f"{text}!"}).note_op == "add"
