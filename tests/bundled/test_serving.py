"""Agents and programs find bundled entries, read them, and are refused where they would change them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.serve.conftest import Ask, Json
from vault.errors import VaultError
from vault.serve import resources
from vault.serve.session import Desk
from vault.service.vault import Vault
from vault.service.write import create

SEARCH = "thing.vault_search"


def items(answer: Json) -> list[tuple[str, Any]]:
    return [(one["key"], one.get("scope")) for one in answer["items"]]


def test_a_search_says_what_ships(vault: Vault, ask: Ask) -> None:
    create.add(vault, "note", "plan", {"text": "vault search is a plan"})
    found = items(ask("search_knowledge", query="vault search"))
    assert ("note.plan", None) in found
    assert (SEARCH, "bundled") in found


def test_one_is_read_in_full(ask: Ask) -> None:
    found = ask("get_knowledge", id="vault search", related=True)
    assert (found["key"], found["scope"], found["space"]) == (SEARCH, "bundled", None)
    assert found["cite"] == "bundled:thing/vault_search.firm:1@0.1.0"
    assert ("thing.firm_vault", "bundled") in items(found["related"])


def test_a_message_is_hydrated_with_one(ask: Ask) -> None:
    assert SEARCH in ask("knowledge_hydrate", text="how do I use vault search?")["block"]


@pytest.mark.parametrize("tool", ["update_knowledge", "delete_knowledge"])
def test_a_change_is_refused(root_permits: None, ask: Ask, tool: str) -> None:
    version = ask("get_knowledge", id=SEARCH)["version"]
    given: Json = {"fields": {"summary": "x"}} if tool == "update_knowledge" else {}
    with pytest.raises(VaultError) as error:
        ask(tool, id=SEARCH, version=version, **given)
    assert error.value.code == "read-only"


def test_an_added_one_is_shown_until_it_is_deleted(root_permits: None, ask: Ask) -> None:
    ask("add_knowledge", type="thing", id="vault_search", fields={"name": "Ours"})
    own = ask("get_knowledge", id=SEARCH)
    assert (own["fields"]["name"], own["shadows"]) == ("Ours", ["bundled:thing/vault_search.firm"])
    gone = ask("delete_knowledge", id=SEARCH, version=own["version"])
    assert gone["reveals"] == "bundled:thing/vault_search.firm"
    assert ask("get_knowledge", id=SEARCH)["fields"]["name"] == "vault search"


def test_resources_list_the_vaults_own_and_read_any(vault: Vault, desk: Callable[..., Desk]) -> None:
    create.add(vault, "note", "plan", {"text": "A plan"})
    own = desk()
    assert [one.key for one in resources.listed(own, None).items] == ["note.plan"]
    assert resources.read(own, f"vault://{SEARCH}").startswith("thing vault_search {")


def test_an_overview_and_a_tree_are_of_the_vault(ask: Ask) -> None:
    assert ask("search_knowledge", query="")["total"] == 0
    assert ask("knowledge_list_entities")["items"] == []
    assert ask("knowledge_query", query="from thing | count") == {"count": 0}
