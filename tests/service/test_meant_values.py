"""What words and JSON mean in fields: references, texts and paths."""

from pathlib import Path
from typing import Any

import pytest

from cli.paths import stored
from tests.service.conftest import Open, Write
from vault import wire
from vault.model.values import PathValue, Reference, Value
from vault.service.arguments.cli_values import Surroundings, read_changes, read_fields
from vault.service.arguments.json_values import BadField
from vault.service.read.entry_detail import detail
from vault.service.vault import Vault
from vault.service.write import create

EVENT = """schema event {
    field { name = "attachment" type = "path" }
    field { name = "files" type = "list" item_type = "path" }
}
"""


def around(vault: Vault) -> Surroundings:
    return Surroundings(lambda key: bool(vault.snapshot().by_key(key)), lambda _, text: text)


def read(vault: Vault, *words: tuple[str, str, str]) -> tuple[dict[str, Value], list[str]]:
    surroundings = around(vault)
    return read_fields(vault.schemas()["actor"], words, surroundings), surroundings.notes


def test_a_word_that_names_an_entry_refers_to_it(bob: Vault) -> None:
    fields, notes = read(bob, ("employer", "", "actor.bob"))
    assert fields == {"employer": Reference("actor", "bob")}
    assert notes == ["""`employer` refers to `actor.bob`; `employer='"actor.bob"'` writes a text"""]


def test_a_word_that_names_no_entry_is_a_text(bob: Vault) -> None:
    fields, notes = read(bob, ("file", "", "note.md"))
    assert fields == {"file": "note.md"}
    assert notes == [
        "`file` is the text `note.md`, because there is no entry `note.md`; `file:=note.md` writes a reference"
    ]


def test_an_entry_that_the_writer_cannot_see_is_not_told(open_vault: Open, vault: Vault) -> None:
    create.add(open_vault("diary"), "note", "dream", {"text": "x"})
    assert read(vault, ("about", "", "note.dream"))[0] == {"about": "note.dream"}


def test_either_can_be_forced(bob: Vault) -> None:
    words = ("a", ":", "note.md"), ("b", "", '"actor.bob"'), ("c", "", "2.5"), ("d", "", "plain words")
    expected: dict[str, Value] = {"a": Reference("note", "md"), "b": "actor.bob", "c": 2.5, "d": "plain words"}
    assert read(bob, *words) == (expected, [])


def test_items_of_an_undeclared_list_are_read_alike(bob: Vault) -> None:
    surroundings = around(bob)
    entry = bob.get("bob").entry
    words = [("friends", "+", "actor.bob")]
    assert read_changes(entry, bob.schemas()["actor"], words, (), surroundings) == {
        "friends": (Reference("actor", "bob"),)
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"employer": "actor.bob"}, "actor.bob"),
        ({"employer": {"ref": "actor.bob"}}, Reference("actor", "bob")),
        ({"employer": [{"ref": "actor.bob"}]}, (Reference("actor", "bob"),)),
        ({"relates_to": ["actor.bob"]}, (Reference("actor", "bob"),)),
        ({"relates_to": [{"ref": "actor.bob"}]}, (Reference("actor", "bob"),)),
    ],
)
def test_json_writes_a_reference_where_it_is_declared_or_asked_for(
    bob: Vault, given: dict[str, Any], expected: Value
) -> None:
    bob.update("actor.bob", given)
    assert bob.get("bob").entry.fields[next(iter(given))] == expected


@pytest.mark.parametrize("given", [{"summary": {"ref": "actor.bob"}}, {"x": {"ref": 1}}, {"x": {"ref": "a.b", "y": 1}}])
def test_json_refuses_a_reference_where_none_may_stand(bob: Vault, given: dict[str, Any]) -> None:
    with pytest.raises(BadField, match="an object is a reference"):
        bob.update("actor.bob", given)


def test_a_path_in_json_counts_from_the_vault(vault: Vault, write: Write) -> None:
    write("schema/event.firm", EVENT)
    write("docs/plan.md", "plan")
    result = vault.add("event", {"attachment": "docs/plan.md", "files": ["./docs/none.md"]}, id="launch", commit=False)
    fields = vault.get("launch").entry.fields
    assert fields["attachment"] == PathValue("../../docs/plan.md")
    assert result.notes == ("`files`: there is no file docs/none.md",)
    found = detail(vault, "launch")
    shown = wire.entry(found.stored, text=None, commit="", referrers=(), shadows=())["fields"]
    assert shown["attachment"] == "./docs/plan.md"
    assert vault.update("launch", {"attachment": shown["attachment"]}, commit=False).paths == ()


@pytest.mark.parametrize("text", ["../outside.md", "/etc/passwd", "docs/../../x", 'path"../../../x"'])
def test_a_path_in_json_stays_inside_the_vault(vault: Vault, write: Write, text: str) -> None:
    write("schema/event.firm", EVENT)
    with pytest.raises(BadField, match="may not leave"):
        vault.add("event", {"attachment": text}, commit=False)


def test_a_missing_file_of_a_private_space_is_not_told(vault: Vault, write: Write) -> None:
    write("schema/event.firm", EVENT)
    assert vault.add("event", {"attachment": "spaces/diary/note/x.md"}, commit=False).notes == ()


@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        ("", "docs/plan.md", "../docs/plan.md"),
        ("docs", "plan.md", "../docs/plan.md"),
        ("", "https://example.org/x", "https://example.org/x"),
        ("", "/elsewhere/x.md", "/elsewhere/x.md"),
        ("generated", "./x.md", "x.md"),
    ],
)
def test_a_typed_path_counts_from_the_folder(tmp_path: Path, folder: str, text: str, expected: str) -> None:
    root = tmp_path.resolve()
    assert stored(root, root / folder, "generated/event.firm", text)[0] == expected
