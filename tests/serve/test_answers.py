"""Every answer has the shape that its tool declares: no key more, none less, and each of its kind."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from tests.serve.conftest import Json
from tests.service.conftest import ENVIRON, Git, Write
from vault.errors import VaultError
from vault.knowledge.payload import payload_of
from vault.serve.dispatch import call
from vault.serve.mcp import McpSurface, _tool
from vault.serve.operations import BY_NAME, OPERATIONS, Operation
from vault.serve.routes import PATHS, document
from vault.serve.schemas import outline_of, schema_of
from vault.serve.session import Binding, Desk

SCHEMAS = {name: schema_of(operation.answers) for name, operation in BY_NAME.items()}
CHECKS = {name: Draft202012Validator(schema) for name, schema in SCHEMAS.items()}

#: Files as a hand may write them: values of other kinds than their fields want, and what is out of order.
FILES = {
    "global/actor/ada.firm": """actor ada {
        name = "Ada" kind = enum"person" aliases = ["Countess"] relates_to = [actor.bob, thing.none] pinned = true
    }\n""",
    "global/actor/odd.firm": 'actor odd { name = 5 aliases = "One" tags = 3 summary = true pinned = "yes" n = 1.5 }\n',
    "global/actor/twin.firm": 'actor twin { name = "Ada" }\n',
    "global/note/long.firm": 'note long { text_file = path"./long.md" describes = [actor.bob.name] }\n',
    "global/note/long.md": "# Gardens\n\nThe garden of Ada.\n\n" + "word " * 400,
    "global/fact/odd.firm": 'fact odd { statement = 5 subject = actor.ada claim = "c" value = [1, 2] quote = true }\n',
    "global/fact/loose.firm": 'fact loose { statement = "Nobody knows" confidence = "high" importance = 1 }\n',
    "global/fact/rule.firm": """fact rule {
        statement = "Never late" subject = actor.bob aspect = "work" claim = "time" kind = enum"constraint"
        valid_from = 2020-01-01 valid_until = 2021-01-01
    }\n""",
    "global/thing/gem.firm": 'thing gem { name = "Gem" price = 5.50 EUR seen = 2020-02-03 at 10:00 UTC weight = 2 }\n',
    "global/chats/talk.jsonl": "".join(
        json.dumps({"role": role, "content": f"{role} of the garden", **more}) + "\n"
        for role, more in (("user", {}), ("assistant", {"name": "Eve", "timestamp": "2026-01-01T10:00:00Z"}))
    )
    + "no turn\n",
    "global/note/told.firm": 'note told { text = "Told" chat = path"../chats/talk.jsonl" chat_turn = 1 }\n',
    "global/thing/bad.firm": 'thing bad { name = "Bad" } oops {\n',
    "spaces/work/actor/bob.firm": 'actor bob { name = "Bob at work" }\n',
}

SAID = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", "content": "Bob is CTO"}]}
SLOT = {"entity": "bob", "aspect": "work", "group": "general", "claim": "role"}


def told(content: str, **more: Any) -> Json:
    """A payload that says something of Bob's role."""
    return {"structured": {"aspects": [{**SAID, "attributes": [{"claimKey": "role", "content": content, **more}]}]}}


@pytest.fixture
def rich(bob: object, root: Path, write: Write, git: Git) -> Path:
    """A vault that holds something of each kind, much of it odd."""
    for path, text in FILES.items():
        write(path, text)
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "permissions: {delete_knowledge: always}\n")
    git("add", "-A")
    git("commit", "-qm", "By hand")
    write("global/note/fresh.firm", 'note fresh { text = "Not committed: garden" }\n')
    return root


#: What is asked, in this order; writes come between, so that there is a history to read.
WRITES: list[tuple[str, Json]] = [
    ("knowledge_remember", told("Bob is CTO", value="CTO", confidence=0.5, importance=0.5, quote="is CTO")),
    ("knowledge_remember", {**told("Bob is CTO", value="CTO"), "sourceId": "mail"}),
    ("knowledge_remember", {**told("Bob is CEO"), "observedAt": "2026-01-01", "validFrom": "2026-01-01"}),
    ("knowledge_remember", {**told("Bob is CFO"), "idempotencyKey": "k", "content": "They said Bob is CFO"}),
    ("knowledge_remember", {**told("Bob is CFO"), "idempotencyKey": "k"}),
    ("knowledge_remember", {"content": "A text about Bob and the garden"}),
    ("knowledge_remember", {"structured": {"entities": [
        {"source": "Bob", "relationship": "uses", "target": "Hammer", "targetType": "tool"},
        {"source": "Bob", "relationship": "admires", "target": "Eve", "targetType": "person"},
    ]}}),
    ("knowledge_remember", {"structured": {"aspects": [{"entityName": "Bob", "aspect": "Work", "attributes": [
        {"claimKey": "Time", "content": "Always on time", "kind": "constraint"},
        {"claimKey": "ROLE", "content": "Bob is no more", "retract": True},
        {"claimKey": "desk", "content": "Bob sits at the window"},
    ]}]}}),
    ("add_knowledge", {"type": "note", "id": "n", "fields": {"text": "garden", "describes": ["actor.bob"]}}),
    ("add_knowledge", {"type": "thing", "fields": {"name": "Spade", "nmae": "x", "uses": "thing.missing"}}),
    ("add_knowledge", {"type": "fact", "fields": {"statement": "Bob sits at the door", "subject": "actor.bob",
                                                  "aspect": "work", "claim": "desk"}}),
    ("add_knowledge", {"type": "note", "id": "late", "fields": {"text": "x"}, "chat": "talk", "turn": 0}),
    ("update_knowledge", {"id": "n", "fields": {"text": "garden, and more", "tags": ["a"]}}),
    ("update_knowledge", {"id": "n", "fields": {"text": "garden, and more"}}),
    ("update_knowledge", {"id": "gem", "fields": {"weight": 3.5}}),
    ("delete_knowledge", {"id": "n", "reason": "Done"}),
    ("delete_knowledge", {"id": "fact.rule"}),
]  # fmt: skip

READS: dict[str, list[Json]] = {
    "knowledge_tree": [{}, {"entity": "bob"}, {"entity": "bob", "depth": 1}, {"entity": "bob", "depth": 2},
                       {"entity": "bob", "max_claims": 1, "max_groups": 1, "max_aspects": 1},
                       {"entity": "unassigned"}, {"entity": "actor.odd"}],
    "search_knowledge": [{}, {"type": "note"}, {"query": "garden"}, {"query": "Bob", "mode": "keyword"},
                         {"query": "CTO", "history": True}, {"query": "garden", "mode": "semantic"},
                         {"query": "garden", "tag": "a", "history": True, "limit": 50},
                         {"query": "garden", "where": "chats"}, {"where": "chats"},
                         {"query": "how do I take a fact back with vault retract"}],
    "get_knowledge": [{"id": key, "related": related} for related in (False, True)
                      for key in ("actor.bob", "note.long", "actor.odd", "fact.odd", "thing.gem", "thing.bad",
                                 "note.fresh", "fact.bob_desk", "thing.vault_retract")]
                     + [{"id": key, "context": 1} for key in ("note.told", "actor.bob", "note.late")],
    "knowledge_hydrate": [{"text": "What does Bob do in the garden?"}, {"text": "hm", "explain": True},
                          {"text": "Ada and Bob", "explain": True, "session": "s", "mode": "transcript"},
                          {"text": "Ada and Bob", "explain": True, "session": "s", "mode": "transcript"},
                          {"text": "garden", "meaning": True, "budget": 100, "session": "t"},
                          {"text": "what does vault retract do?", "explain": True}],
    "knowledge_query": [{"query": query} for query in (
        "from *", "from actor | count", "from thing | select name, price, weight, seen, tags, @path",
        "from thing | sum price", "from thing | average weight", "from thing | median weight",
        "from thing | sum weight", 'from note | where text contains "zz"', "from fact | select value, statement")],
    "knowledge_history": [{"of": of} for of in ("bob", "bob/work/role", "bob/work/desk", "fact.odd", "note.n",
                                                "bob/work/time", "ada/general/c", "thing.bad")],
    "knowledge_list_entities": [{}, {"q": "a", "limit": 1}, {"type": "thing", "offset": 1}],
    "knowledge_get_entity": [{"name": name} for name in ("bob", "actor.odd", "unassigned", "thing.gem", "actor.ada")],
    "knowledge_list_aspects": [{"entity": "bob"}, {"entity": "unassigned", "limit": 1}],
    "knowledge_list_groups": [{"entity": "bob", "aspect": "work"}],
    "knowledge_list_claims": [{"entity": "bob", "aspect": "work", "group": "general"},
                              {"entity": "actor.ada", "aspect": "general", "group": "general"}],
    "knowledge_list_attributes": [
        *({**SLOT, "status": status} for status in ("active", "superseded", "retracted", "all")),
        {**SLOT, "claim": "time", "status": "all"}, {**SLOT, "claim": "time", "kind": "attribute"},
        {"entity": "actor.ada", "aspect": "general", "group": "general", "claim": "c"},
        {"entity": "unassigned", "aspect": "general", "group": "general", "claim": "loose"},
    ],
    "knowledge_hygiene_report": [{}],
}  # fmt: skip

THEN: list[Json] = [{}, {"at": "HEAD~3"}, {"valid_at": "2020-06-01"}, {"at": "HEAD~9", "valid_at": "2026-02-01"}]
WRONG: list[tuple[str, Json]] = [
    ("get_knowledge", {"id": "nobody"}),
    ("get_knowledge", {}),
    ("knowledge_query", {"query": "from"}),
    ("knowledge_tree", {"entity": "Ada"}),
    ("knowledge_remember", {"content": ""}),
    ("add_knowledge", {"type": "actor", "id": "bob", "fields": {"name": "B"}}),
]


def asked(git: Git) -> Iterator[tuple[str, Json]]:
    """All calls: those that write, then those that read, now and in the past."""
    yield from WRITES
    for when in THEN:
        then = when | ({"at": git("rev-parse", when["at"])} if "at" in when else {})
        for tool, cases in READS.items():
            if then.keys() <= BY_NAME[tool].takes.model_fields.keys():
                yield from ((tool, {**case, **then}) for case in cases)


def test_each_answer_is_as_declared(rich: Path, desk: Callable[..., Desk], git: Git) -> None:
    own = desk()
    answers: list[tuple[str, Json, Json]] = []
    for tool, given in asked(git):
        if given.keys() & {"at", "valid_at"}:  # then some were not there yet
            with suppress(VaultError):
                answers.append((tool, given, call(own, tool, given)))
        else:
            answers.append((tool, given, call(own, tool, given)))
    problems = [
        (tool, given, error.json_path, error.message)
        for tool, given, answer in answers
        for error in CHECKS[tool].iter_errors(answer)
    ]
    assert not problems
    assert {tool for tool, *_ in answers} == {operation.name for operation in OPERATIONS}
    assert len(answers) > 150


def test_a_key_more_or_less_is_seen(rich: Path, desk: Callable[..., Desk]) -> None:
    answer = call(desk(), "get_knowledge", {"id": "actor.bob", "related": True})
    check = CHECKS["get_knowledge"]
    assert check.is_valid(answer)
    assert check.is_valid({"error": {"code": "c", "message": "m", "hint": "h", "details": 1}})
    listed = answer["related"]
    for other in (
        {**answer, "odd": 1},
        {name: value for name, value in answer.items() if name != "version"},
        {**answer, "line": "1"},
        {**answer, "related": {**listed, "items": [{**listed["items"][0], "odd": 1}]}},
        {**answer, "related": {name: value for name, value in listed.items() if name != "hasMore"}},
    ):
        assert not check.is_valid(other)


def test_the_official_client_takes_answers_and_errors(rich: Path) -> None:
    async def running() -> None:
        surface = McpSurface(Desk(Binding(rich, environ={**os.environ, **ENVIRON})))
        try:
            async with Client(surface.server()) as client:
                for tool, given in [*WRITES, *((tool, given) for tool, cases in READS.items() for given in cases)]:
                    found = await client.call_tool(tool, given)
                    assert not found.is_error, (tool, given, found.structured_content)
                for tool, given in WRONG:
                    found = await client.call_tool(tool, given)
                    assert found.is_error
                    assert {"code", "message", "hint"} <= found.structured_content["error"].keys()
                listed = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        finally:
            await anyio.to_thread.run_sync(surface.close)
        assert listed == {operation.name: outline_of(operation.answers) for operation in OPERATIONS}

    anyio.run(running)


def test_the_list_of_tools_is_short_and_holds_to_the_answers(rich: Path, desk: Callable[..., Desk]) -> None:
    tools = [_tool(operation.name, operation) for operation in OPERATIONS]
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    # 40,000 with the tools of the compiler
    assert len(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()) < 34_000
    assert not [part for tool in told for part in parts(tool["inputSchema"]) if isinstance(part.get("title"), str)]
    own = desk()
    for tool, given in [*WRITES, *((tool, given) for tool, cases in READS.items() for given in cases)]:
        check = Draft202012Validator(outline_of(BY_NAME[tool].answers))
        check.validate(call(own, tool, given))
        assert check.is_valid({"error": {"code": "x"}})
        assert not check.is_valid({})


def test_every_parameter_of_remember_is_described() -> None:
    schema = BY_NAME["knowledge_remember"].takes.model_json_schema(by_alias=True)
    for model in (schema, *schema["$defs"].values()):
        assert all(part.get("description") or "$ref" in part for part in model["properties"].values()), model
    (example,) = schema["examples"]
    assert payload_of(example).structured


def parts(schema: Any) -> Iterator[Json]:
    """Every schema within a schema."""
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


def test_schemas_are_valid_and_closed() -> None:
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        for part in parts(schema):
            if isinstance(part.get("required"), list) and "code" not in part["required"]:
                assert part["additionalProperties"] is False
                assert part["description"]


def test_the_document_has_the_same_answers(rich: Path, desk: Callable[..., Desk]) -> None:
    told = document()
    assert len(told["components"]["schemas"]) > 50
    answer = call(desk(), "get_knowledge", {"id": "actor.bob", "related": True})
    for path in PATHS:
        shown = told["paths"][path.path.replace(":path", "")][path.method.lower()]
        schema = shown["responses"]["200"]["content"]["application/json"]["schema"]
        check = Draft202012Validator({**schema, "components": told["components"]})
        assert check.is_valid(answer) is (path.tool == "get_knowledge")
        assert not check.is_valid({})


def test_no_schema_is_made_of_what_json_has_not() -> None:
    with pytest.raises(TypeError):
        schema_of(set[str])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_each_parameter_is_described(operation: Operation) -> None:
    schema = operation.takes.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        assert [name for name, one in part.get("properties", {}).items() if not one.get("description")] == []
