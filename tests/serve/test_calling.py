"""Calls of operations: what they answer, who may make them, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.main import invoke
from tests.serve.conftest import Ask, Json
from tests.service.conftest import Git, Open, Write
from vault import wire
from vault.errors import UsageError, VaultError
from vault.knowledge.chats import BadChatId, TurnOfNone
from vault.serve.dispatch import BadArguments, NotPermitted, UnknownTool, call, served
from vault.serve.hints import agent_hint, error_of, with_agent_hints
from vault.serve.operations import ALIASES, OPERATIONS
from vault.serve.session import Desk, NotBound, RelativeRevision
from vault.service.arguments.commit_options import CommitOptions
from vault.service.arguments.json_values import BadField
from vault.service.vault import Vault
from vault.service.write import create
from vault.service.write.apply_payload import WITHOUT_SLOT
from vault.service.write.consents import NoSuchConsent, agree, waiting
from vault.service.write.entry_version import StaleVersion
from vault.service.write.import_chat import import_chat
from vault.service.write.permission_gate import ConsentRequired
from vault.service.write.update import ReadOnly
from vault.workspace.snapshot import NotFound

MakeDesk = Callable[..., Desk]


def refused(error: type[VaultError], call_: Callable[..., Any], *arguments: Any, **options: Any) -> VaultError:
    """Call what has to be refused."""
    with pytest.raises(error) as caught:
        call_(*arguments, **options)
    return caught.value


def permit(root: Path, words: str) -> None:
    """Say in the settings what may be used."""
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + f"permissions: {words}\n")


def test_an_entry_is_added_changed_and_found(bob: Vault, ask: Ask, git: Git) -> None:
    added = ask(
        "add_knowledge", type="thing", fields={"name": "Engine", "kind": "tool", "tags": ["maths"], "uses": "actor.bob"}
    )
    assert (added["key"], len(added["commit"])) == ("thing.engine", 40)
    found = ask("get_knowledge", id="Engine", related=True)
    assert found["fields"] | {"created_at": ""} == {
        "name": "Engine",
        "kind": "tool",
        "tags": ["maths"],
        "uses": ["actor.bob"],
        "created_at": "",
    }
    assert found["version"] == added["version"]
    assert [one["key"] for one in found["related"]["items"]] == ["actor.bob"]
    changed = ask(
        "update_knowledge", id="thing.engine", fields={"tags": None, "summary": "Of brass"}, version=found["version"]
    )
    assert changed["version"] != found["version"]
    assert ask("search_knowledge", query="brass", mode="keyword")["items"][0]["key"] == "thing.engine"
    assert git("status", "--porcelain") == ""


def test_a_change_of_an_older_version_is_refused(bob: Vault, ask: Ask) -> None:
    version = ask("get_knowledge", id="actor.bob")["version"]
    ask("update_knowledge", id="actor.bob", fields={"summary": "One"}, version=version)
    error = refused(StaleVersion, ask, "update_knowledge", id="actor.bob", fields={"summary": "Two"}, version=version)
    assert error.details["version"] == ask("get_knowledge", id="actor.bob")["version"]
    ask("update_knowledge", id="actor.bob", fields={"summary": "Three"})


def test_a_bad_field_tells_the_expected_structure(bob: Vault, ask: Ask) -> None:
    error = refused(BadField, ask, "add_knowledge", type="actor", fields={"name": "X", "pinned": "perhaps"})
    assert "pinned" in str(error.details["expected"])
    error = refused(VaultError, ask, "add_knowledge", type="actor", fields={"kind": "person"})
    assert "name" in str(error.details["expected"])
    refused(BadField, ask, "add_knowledge", type="actor", fields={"na me": "X"})
    refused(BadField, ask, "add_knowledge", type="actor", fields={"name": ["X"]})
    refused(BadField, ask, "add_knowledge", type="actor", fields={"name": {"a": 1}})
    assert "wizard" in str(refused(VaultError, ask, "add_knowledge", type="wizard", fields={}))


def test_numbers_and_dates_are_read_by_the_schema(bob: Vault, ask: Ask) -> None:
    told = {
        "statement": "Bob is 7",
        "subject": "actor.bob",
        "confidence": 1,
        "valid_from": "2020-01-01",
        "odd": 5,
        "list": [1, 2],
    }
    key = ask("add_knowledge", type="fact", fields=told)["key"]
    fields = ask("get_knowledge", id=key)["fields"]
    assert {name: fields[name] for name in told} == {**told, "confidence": 1.0}


def test_a_removal_needs_consent_once(bob: Vault, ask: Ask) -> None:
    error = refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob")
    number = str(error.details["consent"])
    assert [(one.number, one.call.tool) for one in waiting(bob)] == [(number, "delete_knowledge")]
    assert len(number) == 32
    refused(NoSuchConsent, agree, bob, "0" * 12)
    refused(NoSuchConsent, agree, bob, number[:7])
    agree(bob, number[:8])
    assert waiting(bob) == []
    refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob", reason="another content")
    assert ask("delete_knowledge", id="actor.bob")["key"] == "actor.bob"
    refused(NotFound, ask, "delete_knowledge", id="actor.bob")  # of what cannot be done nobody is asked
    refused(ReadOnly, ask, "delete_knowledge", id="thing.vault_get")


def test_a_consent_is_to_an_entry_as_it_was_shown(bob: Vault, ask: Ask) -> None:
    error = refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob")
    assert 'name = "Bob"' in str(error.details["about"])
    agree(bob, str(error.details["consent"]))
    ask("update_knowledge", id="actor.bob", fields={"summary": "Changed since"})
    again = refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob")
    assert again.details["consent"] != error.details["consent"]
    assert "Changed since" in str(again.details["about"])


def test_to_remember_takes_what_its_parts_take(bob: Vault, ask: Ask, root: Path) -> None:
    def remember(**said: Any) -> Json:
        about = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", **said}]}
        return ask("knowledge_remember", structured={"aspects": [about]})

    remember(content="Bob is CTO")
    refused(ConsentRequired, remember, retract=True)
    permit(root, "{delete_knowledge: never}")
    assert "delete_knowledge" in refused(NotPermitted, remember, retract=True).message
    remember(content="Bob is CEO")
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text().replace("delete_knowledge", "add_knowledge"))
    remember(content="Bob is out")  # it replaces, and adds no entry
    refused(NotPermitted, ask, "knowledge_remember", content="Bob is back")


def test_a_call_that_fails_half_way_back_leaves_nobody_there(bob: Vault, ask: Ask, git: Git) -> None:
    before = git("rev-parse", "HEAD")
    ask("update_knowledge", id="bob", fields={"summary": "New"})
    for given in ({"at": before, "valid_at": "xx"}, {"at": "xx", "valid_at": "2020-01-01"}):
        refused(UsageError, ask, "get_knowledge", id="bob", **given)
        assert ask("get_knowledge", id="bob")["fields"]["summary"] == "New"
    with pytest.raises(UsageError):
        bob.go_back(before, valid_at="xx")
    assert bob.get("bob").entry.fields["summary"] == "New"


def test_files_that_a_switch_of_branches_took_away_are_missed_at_once(bob: Vault, ask: Ask, git: Git) -> None:
    git("switch", "-qc", "other")
    ask("add_knowledge", type="note", id="here", fields={"text": "Only here"})
    assert ask("get_knowledge", id="here")["key"] == "note.here"
    git("switch", "-q", "-")
    refused(NotFound, ask, "get_knowledge", id="here")


def test_a_question_that_nobody_can_read_is_dropped(bob: Vault, root: Path, ask: Ask) -> None:
    refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob")
    (root / ".vault/consents/ffff.json").write_text("{")
    assert len(waiting(bob)) == 1
    assert not (root / ".vault/consents/ffff.json").exists()


def test_settings_permit_and_forbid_by_space(bob: Vault, root: Path, desk: MakeDesk) -> None:
    permit(root, "{delete_knowledge: always, add_knowledge: never, spaces: {work: {add_knowledge: always}}}")
    refused(NotPermitted, call, desk(), "add_knowledge", {"type": "note", "fields": {"text": "x"}})
    inside = desk("work")
    assert call(inside, "add_knowledge", {"type": "note", "fields": {"text": "x"}})["path"].startswith("spaces/work/")
    refused(NotPermitted, call, inside, "add_knowledge", {"type": "note", "fields": {"text": "x"}, "space": "global"})
    assert call(desk(), "delete_knowledge", {"id": "actor.bob"})["key"] == "actor.bob"


def test_deleting_an_override_reveals_what_it_shadowed(
    bob: Vault, root: Path, desk: MakeDesk, open_vault: Open
) -> None:
    permit(root, "{delete_knowledge: always}")
    create.add(open_vault("work"), "actor", "bob", {"name": "Our Bob"}, CommitOptions())
    inside = desk("work")
    assert call(inside, "get_knowledge", {"id": "actor.bob"})["fields"]["name"] == "Our Bob"
    answer = call(inside, "delete_knowledge", {"id": "actor.bob"})
    assert answer["reveals"] == "global/actor/bob.firm"
    assert "now showing again" in answer["message"]


def test_a_caller_can_only_narrow_what_it_is_bound_to(bob: Vault, desk: MakeDesk) -> None:
    refused(NotBound, call, desk(), "get_knowledge", {"id": "bob", "space": "work"})
    refused(NotBound, call, desk("work"), "get_knowledge", {"id": "bob", "space": "diary"})
    refused(NotBound, call, desk(agent="a"), "get_knowledge", {"id": "bob", "agent_id": "b"})
    refused(NotBound, call, desk(), "get_knowledge", {"id": "bob", "agent_id": "b"})
    assert call(desk("work", "diary"), "get_knowledge", {"id": "bob", "space": "diary"})["key"] == "actor.bob"
    assert call(desk("work", agent="a"), "get_knowledge", {"id": "bob", "space": "global", "agent_id": "a"})


def test_an_agent_sees_its_own_and_everyones(bob: Vault, desk: MakeDesk, write: Write) -> None:
    for name in ("a", "b"):
        write(f"global/note/{name}.firm", f'note {name} {{ text = "garden of {name}" agent = "{name}" }}\n')
    for agent, seen in ((None, set()), ("a", {"note.a"}), ("b", {"note.b"})):
        own = desk(agent=agent)
        found = call(own, "search_knowledge", {"query": "garden", "mode": "keyword"})["items"]
        assert {one["key"] for one in found} == seen
        listed = call(own, "knowledge_query", {"query": "from note"})["items"]
        assert {one["key"] for one in listed} == seen
    refused(VaultError, call, desk(), "get_knowledge", {"id": "note.a"})


def test_only_the_tools_of_a_caller_are_served(bob: Vault, desk: MakeDesk) -> None:
    own = desk(tools=frozenset(["get_knowledge"]))
    assert served(own) == ["get_knowledge"]
    refused(UnknownTool, call, own, "search_knowledge", {})
    assert refused(UnknownTool, call, desk(), "serch_knowledge", {}).hint == "did you mean `search_knowledge`?"


@pytest.mark.parametrize(
    ("name", "given", "path"),
    [
        ("get_knowledge", {}, "$.id"),
        ("get_knowledge", {"id": 5}, "$.id"),
        ("get_knowledge", {"id": "x", "odd": 1}, "$.odd"),
        ("knowledge_tree", {"depth": 4}, "$.depth"),
        ("knowledge_list_entities", {"limit": 0}, "$.limit"),
        ("search_knowledge", {"mode": "magic"}, "$.mode"),
    ],
)
def test_arguments_of_another_shape_are_refused_by_path(ask: Ask, name: str, given: Json, path: str) -> None:
    assert path in str(refused(BadArguments, ask, name, **given))


def test_the_walk_is_the_same_by_its_older_names(bob: Vault, root: Path, ask: Ask, git: Git) -> None:
    assert "entity_list" in refused(UnknownTool, ask, "entity_list").message
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "serve: {aliases: true}\n")
    payload = {
        "aspects": [
            {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", "content": "Bob is CTO"}]}
        ]
    }
    before = git("rev-parse", "HEAD")
    assert ask("knowledge_remember", structured=payload)["facts"][0]["op"] == "add"
    place = {"entity": "bob", "aspect": "work", "group": "general", "claim": "role"}
    given: dict[str, Json] = {
        "entity_list": {},
        "entity_get": {"name": "bob"},
        "entity_aspects": {"entity": "bob"},
        "entity_groups": {"entity": "bob", "aspect": "work"},
        "entity_claims": {name: place[name] for name in ("entity", "aspect", "group")},
        "entity_attributes": place,
    }
    assert given.keys() == ALIASES.keys()
    for alias, arguments in given.items():
        assert ask(alias, **arguments) == ask(ALIASES[alias], **arguments)
    assert ask("entity_attributes", **place)["items"][0]["content"] == "Bob is CTO"
    assert ask("knowledge_tree")["items"] == ask("knowledge_list_entities")["items"]
    assert ask("knowledge_tree", entity="Bob")["items"][0]["aspect"] == "work"
    assert ask("knowledge_history", of="bob/work/role")["total"] == 1
    assert ask("knowledge_history", of="actor.bob")["total"] == 1
    assert ask("knowledge_hygiene_report")["entries"] == 2
    assert "Bob is CTO" in ask("knowledge_hydrate", text="What would Bob say?")["block"]
    assert ask("knowledge_hydrate", text="Good morning!", explain=True)["block"] is None
    assert ask("search_knowledge")["total"] == 2
    assert ask("knowledge_tree", at=before, entity="bob")["items"] == []
    refused(RelativeRevision, ask, "knowledge_tree", at="HEAD~1", entity="bob")
    assert ask("knowledge_list_aspects", entity="bob")["total"] == 1


def test_each_operation_says_when_to_use_it() -> None:
    for operation in OPERATIONS:
        assert operation.about.endswith(".")
        schema = operation.takes.model_json_schema(by_alias=True)
        assert schema["additionalProperties"] is False


def test_a_person_agrees_on_the_command_line(
    bob: Vault, root: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    number = str(refused(ConsentRequired, ask, "delete_knowledge", id="actor.bob").details["consent"])
    assert invoke(["-C", str(root), "consent"]) == 0
    assert capsys.readouterr().out == f'{number[:12]}  delete_knowledge  {{"id": "actor.bob"}}\n'
    assert invoke(["-C", str(root), "consent", number[:10]]) == 1
    told = capsys.readouterr()
    assert "needs confirmation" in told.err
    assert 'name = "Bob"' in told.out
    assert invoke(["-C", str(root), "consent", number, "--yes"]) == 0
    assert "agreed" in capsys.readouterr().out
    assert ask("delete_knowledge", id="actor.bob")["key"] == "actor.bob"


def test_settings_that_change_hold_at_once(bob: Vault, ask: Ask, root: Path) -> None:
    assert ask("get_knowledge", id="bob")["key"] == "actor.bob"
    permit(root, "{get_knowledge: never}")
    refused(NotPermitted, ask, "get_knowledge", id="bob")


def test_what_is_written_names_its_chat(bob: Vault, desk: MakeDesk, git: Git) -> None:
    lines = "".join(json.dumps({"role": "user", "content": text}) + "\n" for text in ("Hello", "Bob likes tea", "Fine"))
    import_chat(bob, lines, "x", ident="standup", options=CommitOptions())
    own = desk(chat="standup", agent="tutor")
    note = call(own, "add_knowledge", {"type": "note", "fields": {"text": "Tea for Bob"}, "turn": 1})["key"]
    assert "Vault-Chat: standup#1" in git("log", "-1", "--format=%B").splitlines()
    found = call(own, "get_knowledge", {"id": note, "context": 1})
    assert [turn["content"] for turn in found["context"]["items"]] == ["Hello", "Bob likes tea", "Fine"]
    assert found["context"]["items"][1]["cite"].startswith("global/chats/standup.jsonl:2@")
    call(own, "update_knowledge", {"id": note, "fields": {"tags": "tea"}, "chat": "other"})
    assert "Vault-Chat: other" in git("log", "-1", "--format=%B").splitlines()
    assert call(own, "get_knowledge", {"id": note})["fields"]["chat_turn"] == 1
    said = {"claimKey": "drink", "content": "Bob likes tea"}
    about = {"entityName": "Bob", "aspect": "taste", "attributes": [said]}
    call(own, "knowledge_remember", {"structured": {"aspects": [about]}, "turn": 2})
    assert bob.get("fact.bob_drink").entry.fields["chat_turn"] == 2
    assert "Vault-Chat: standup#2" in git("log", "-1", "--format=%B").splitlines()
    turns = call(own, "search_knowledge", {"query": "tea", "where": "chats"})
    assert [(turn["chat"], turn["turn"]) for turn in turns["items"]] == [("standup", 1)]
    assert call(own, "get_knowledge", {"id": "bob", "context": 1})["context"] is None
    refused(BadChatId, call, own, "add_knowledge", {"type": "note", "fields": {"text": "x"}, "chat": "../x"})
    refused(TurnOfNone, call, desk(), "add_knowledge", {"type": "note", "fields": {"text": "x"}, "turn": 1})
    refused(TurnOfNone, call, desk(), "knowledge_remember", {"content": "x", "turn": 1})


def test_a_chat_shows_to_those_who_see_its_space(bob: Vault, desk: MakeDesk, open_vault: Open) -> None:
    with open_vault("diary") as inside:
        import_chat(inside, json.dumps({"role": "user", "content": "a secret cake"}), "x", ident="own")
    asked = {"query": "cake", "where": "chats"}
    assert len(call(desk("diary"), "search_knowledge", asked)["items"]) == 1
    assert call(desk(), "search_knowledge", asked)["items"] == []


@pytest.mark.parametrize(
    "unfit", ["a\ud800b", "\udcff", float("nan"), float("inf"), {"a\udc80": 1}, [["x"] * 3, "\ud800"]]
)
@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("search_knowledge", "query"),
        ("search_knowledge", "space"),
        ("knowledge_list_entities", "q"),
        ("add_knowledge", "fields"),
        ("knowledge_remember", "content"),
        ("knowledge_remember", "observedAt"),
    ],
)
def test_what_json_can_write_and_no_text_can_hold_is_refused(ask: Ask, tool: str, name: str, unfit: object) -> None:
    error = refused(VaultError, ask, tool, **{name: unfit})
    assert error.code in ("invalid-parameter", "invalid-payload")
    json.dumps(wire.error(error), allow_nan=False, ensure_ascii=False).encode()


def test_arguments_that_are_nested_too_deeply_are_refused(ask: Ask) -> None:
    deep: Json = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for tool in ("add_knowledge", "knowledge_remember"):
        assert "nested too deeply" in refused(VaultError, ask, tool, fields=deep).message


def test_long_answers_come_in_parts(bob: Vault, ask: Ask, write: Write) -> None:
    for number in range(60):
        write(f"global/note/n{number:02}.firm", f'note n{number:02} {{ text = "x" relates_to = [actor.bob] }}\n')
    write("global/note/long.firm", 'note long { text_file = path"./long.md" }\n')
    write("global/note/long.md", "é" * 45_000)

    def pages(tool: str, key: str, **given: Any) -> list[Any]:
        found: list[Any] = []
        while True:
            part = ask(tool, **given, limit=25, offset=len(found))
            found += part[key]
            assert part["hasMore"] is (len(found) < part["total"])
            if not part["hasMore"]:
                return found

    assert len(pages("knowledge_query", "items", query="from note")) == 61
    assert len(pages("knowledge_query", "rows", query="from note | select @id")) == 61
    assert ask("knowledge_query", query="from note | count") == {"count": 61}
    assert len(pages("knowledge_hygiene_report", "items")) == ask("knowledge_hygiene_report")["total"]
    assert [step["op"] for step in pages("knowledge_history", "items", of="bob")] == ["add"]
    shown = ask("get_knowledge", id="bob", related=True)
    assert (len(shown["referencedBy"]), shown["referencedByTotal"]) == (50, 60)
    assert (len(shown["related"]["items"]), shown["related"]["hasMore"]) == (50, True)
    rest = ask("get_knowledge", id="bob", related=True, offset=50)["related"]
    assert (len(rest["items"]), rest["hasMore"]) == (10, False)
    text, start = "", 0
    while True:
        entry = ask("get_knowledge", id="note.long", start=start)
        text += entry["fields"]["text"]
        if not entry["textPart"]["hasMore"]:
            break
        start = entry["textPart"]["end"]
    assert text == "é" * 45_000
    assert "textPart" not in ask("get_knowledge", id="note.n01")


@pytest.mark.parametrize(
    ("tool", "given", "hint"),
    [
        ("get_knowledge", {"id": "zzz"}, "`search_knowledge` finds entries"),
        ("add_knowledge", {"type": "actor", "id": "bob", "fields": {"name": "B"}}, "`update_knowledge`"),
        ("add_knowledge", {"type": "wizard", "fields": {}}, "types: "),
        (
            "update_knowledge",
            {"id": "thing.vault_get", "fields": {"name": "x"}},
            "`add_knowledge` with this type and id",
        ),
        ("knowledge_query", {"query": "from"}, ""),
        ("knowledge_get_entity", {"name": "zzz"}, "`knowledge_list_entities`"),
        ("search_knowledge", {"query": "x", "at": "HEAD", "mode": "semantic"}, "`mode: keyword`"),
        ("add_knowledge", {"type": "note", "fields": {"text": "x"}, "turn": 1}, "give `chat` too"),
    ],
)
def test_hints_for_agents_name_tools(bob: Vault, ask: Ask, tool: str, given: Json, hint: str) -> None:
    told = error_of(refused(VaultError, ask, tool, **given))["error"]["hint"]
    assert hint in told
    assert "`vault " not in told
    assert "`--" not in told


def test_what_only_a_person_can_do_is_left_to_the_owner(bob: Vault, ask: Ask, root: Path) -> None:
    assert agent_hint("`vault index --rebuild` makes it again").startswith("for the vault's owner: ")
    assert agent_hint("nothing to run") == "nothing to run"
    told = error_of(refused(ConsentRequired, ask, "delete_knowledge", id="bob"))["error"]
    assert told["hint"].startswith("a person runs `vault consent ")
    told = with_agent_hints({"warnings": [{"hint": "`vault add thing loom` would make it"}, "a sentence"]})
    assert told["warnings"] == [{"hint": "`add_knowledge` would make it"}, "a sentence"]


def test_a_statement_without_a_slot_says_so(bob: Vault, ask: Ask) -> None:
    said = {"entityName": "Bob", "aspect": "work", "attributes": [{"content": "Bob is CTO"}]}
    told = ask("knowledge_remember", structured={"aspects": [said]})
    assert told["warnings"] == [f"$.structured.aspects[0].attributes[0]: {WITHOUT_SLOT}"]
    assert told["facts"][0]["slot"] is None


def test_a_key_in_the_wrong_place_is_told_where_it_belongs(bob: Vault, ask: Ask) -> None:
    about = {"entityName": "Bob", "aspect": "work", "claimKey": "role", "attributes": []}
    told = refused(VaultError, ask, "knowledge_remember", structured={"aspects": [about]}).message
    assert "did you mean" not in told
    assert "`claimKey` does not belong here; it is a key of $.structured.aspects[].attributes[]" in told
    misspelt = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimkey": "role", "content": "x"}]}
    told = refused(VaultError, ask, "knowledge_remember", structured={"aspects": [misspelt]}).message
    assert "did you mean `claimKey`?" in told


def test_consent_to_remember_shows_what_it_replaces(bob: Vault, ask: Ask, root: Path) -> None:
    def remember(content: str) -> Json:
        about = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", "content": content}]}
        return ask("knowledge_remember", structured={"aspects": [about]})

    remember("Bob is CTO")
    permit(root, "{knowledge_remember: ask}")
    consent = refused(ConsentRequired, remember, "Bob is CEO")
    assert "Bob is CTO" in str(consent.details["about"])
    agree(bob, str(consent.details["consent"]))
    bob.update("fact.bob_role", {"statement": "Bob is CIO"})
    assert "Bob is CIO" in str(refused(ConsentRequired, remember, "Bob is CEO").details["about"])
