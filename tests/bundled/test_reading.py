"""Reading and writing in a vault that has bundled entries: least specific, in no list of the vault's own, read-only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from vault import __version__
from vault.errors import VaultError
from vault.knowledge.payload import payload_of
from vault.model.access import BUNDLED, Reader
from vault.model.values import Reference
from vault.service.admin.reindex import differences
from vault.service.arguments import log_filter
from vault.service.arguments.commit_options import CommitOptions
from vault.service.read import entry_detail, entry_history, links, log
from vault.service.read.history_resolve import NotThere
from vault.service.vault import Vault
from vault.service.write import create, facts, update
from vault.service.write.apply_payload import remember
from vault.store import bundled
from vault.workspace import bundled_entries
from vault.workspace.graph import graph
from vault.workspace.resolve import resolve
from vault.workspace.snapshot import NotFound

SEARCH = "thing.vault_search"


def code(error: pytest.ExceptionInfo[VaultError]) -> str:
    return error.value.code


def test_a_bundled_entry_is_found_by_what_it_is_called(vault: Vault) -> None:
    assert {vault.get(words).entry.key for words in (SEARCH, "vault_search", "vault search", "Vault Search")} == {
        SEARCH
    }
    found = entry_detail.detail(vault, SEARCH)
    assert found.stored.scope == BUNDLED
    assert found.commit == __version__
    assert found.source.startswith("thing vault_search {")
    assert resolve(vault.snapshot(), Reference("thing", "vault_search", "name")) == "vault search"


def test_a_private_space_sees_them_too(open_vault: Open) -> None:
    assert open_vault("diary").get(SEARCH).scope == BUNDLED


def test_own_names_are_never_ambiguous_with_theirs(vault: Vault) -> None:
    create.add(vault, "thing", "finder", {"name": "vault search"})
    assert vault.get("vault search").entry.key == "thing.finder"


def test_nothing_of_the_vault_counts_them(vault: Vault) -> None:
    snapshot = vault.snapshot()
    assert vault.entries() == []
    assert snapshot.count() == vault.overview().total == 0
    assert list(vault.snapshot(Reader(owner=True)).entries()) == []
    assert graph(snapshot).nodes == {}
    assert vault.check() == []
    assert vault.present_scopes() == {"global", "work", "diary"}
    assert all(not path.startswith("bundled:") for path in vault.firm_paths())
    with pytest.raises(NotFound) as error:
        vault.get("thing.vault_serch")
    assert error.value.details["candidates"] == []


def test_a_list_of_them_can_be_asked_for(vault: Vault) -> None:
    listed = entry_detail.entries(vault, kind=None, tag=None, bundled=True)
    assert {stored.entry.path for stored in listed} == {*bundled.entry_files()}
    things = entry_detail.entries(vault, kind="thing", tag=None, bundled=True)
    assert {stored.entry.type for stored in things} == {"thing"}
    create.add(vault, "thing", "vault_search", {"name": "Ours"})
    assert SEARCH not in {stored.entry.key for stored in entry_detail.entries(vault, kind=None, tag=None, bundled=True)}


@pytest.mark.parametrize("scope", ["global", "work"])
def test_an_entry_of_the_vault_shadows_a_bundled_one(open_vault: Open, scope: str) -> None:
    own = open_vault(None if scope == "global" else scope)
    create.add(own, "thing", "vault_search", {"name": "Ours"}, CommitOptions())
    assert own.get(SEARCH).scope == scope
    assert [stored.scope for stored in own.snapshot().by_key(SEARCH)] == [scope]
    assert [stored.scope for stored in own.snapshot().hidden_by(own.get(SEARCH))] == [BUNDLED]
    assert entry_detail.detail(own, SEARCH).shadows[0].scope == BUNDLED
    outside = open_vault().get(SEARCH).scope
    assert outside == ("global" if scope == "global" else BUNDLED)


def test_a_global_one_is_revealed_before_a_bundled_one(open_vault: Open) -> None:
    for vault in (open_vault(), open_vault("work")):
        create.add(vault, "thing", "vault_search", {"name": "Ours"})
    gone = [update.remove(open_vault("work"), SEARCH), update.remove(open_vault(), SEARCH)]
    assert [written.reveals for written in gone] == [
        "global/thing/vault_search.firm",
        "bundled:thing/vault_search.firm",
    ]
    assert [written.findings for written in gone] == [(), ()]


def test_writes_are_refused_with_the_way_out(vault: Vault) -> None:
    refused: list[Callable[[], object]] = [
        lambda: update.change(vault, SEARCH, {"summary": "x"}),
        lambda: update.remove(vault, SEARCH),
        lambda: facts.retract(vault, SEARCH),
        lambda: facts.supersede(vault, SEARCH, "x", {}),
    ]
    for write in refused:
        with pytest.raises(VaultError) as error:
            write()
        assert code(error) == "read-only"
        assert "--override" in error.value.hint


@pytest.mark.parametrize("space", [None, "work"])
def test_an_override_is_a_copy_that_can_be_taken_away(open_vault: Open, space: str | None) -> None:
    vault = open_vault(space)
    written = update.change(vault, SEARCH, {"summary": "Ask here first."}, override=True)
    own = vault.get(SEARCH)
    assert (own.scope, own.entry.path) == (space or "global", written.path)
    assert own.entry.fields["summary"] == "Ask here first."
    assert own.entry.texts("text") == vault.snapshot().hidden_by(own)[0].entry.texts("text")
    update.change(vault, SEARCH, {"summary": "Ask here."}, override=True)
    assert update.remove(vault, SEARCH).reveals == "bundled:thing/vault_search.firm"
    assert vault.get(SEARCH).scope == BUNDLED


def test_references_to_them_hold(vault: Vault) -> None:
    create.add(vault, "note", "habits", {"text": "We ask first", "relates_to": (Reference("thing", "vault_search"),)})
    create.add(vault, "note", "wrong", {"text": "?", "relates_to": (Reference("thing", "vault_sirch"),)})
    assert [(found.code, found.subject) for found in vault.check()] == [("dangling-reference", "note.wrong")]
    stored, linked = links.related(vault, "note.habits")
    assert [one.stored.entry.key for one in linked] == [SEARCH]
    _, back = links.related(vault, SEARCH)
    assert {"note.habits", "thing.firm_vault", "note.howto_find_things"} <= {one.stored.entry.key for one in back}
    assert stored.entry.key in {other.entry.key for _, other in entry_detail.detail(vault, SEARCH).referrers}


def test_rules_about_names_look_at_the_vaults_own(vault: Vault, write: Write) -> None:
    schema = (vault.root / "schema/thing.firm").read_text("utf-8")
    write("schema/thing.firm", schema.replace('type = "enum"', 'unique = true\n        type = "enum"', 1))
    write("global/thing/vault_search.firm", 'thing vault_search { name = "Ours" kind = enum"tool" }\n')
    assert vault.check(firm_compatible=True) == []


def test_a_payload_may_name_them_and_not_change_them(vault: Vault) -> None:
    said = {"entityName": "firm-vault", "aspect": "use", "attributes": [{"claimKey": "since", "content": "Since May"}]}
    remembered = remember(vault, payload_of({"structured": {"aspects": [said]}}))
    assert remembered.entities == (("thing.firm_vault", False),)
    link = {"source": "firm-vault", "relationship": "uses", "target": "git", "targetType": "tool"}
    with pytest.raises(VaultError) as error:
        remember(vault, payload_of({"structured": {"entities": [link]}}))
    assert "bundled with firm-vault" in str(error.value.message)


def test_the_past_has_none(vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": "x"}, CommitOptions())
    vault.go_back("HEAD")
    with pytest.raises(VaultError):
        entry_detail.detail(vault, SEARCH)
    assert vault.snapshot().by_key(SEARCH) == []
    vault.return_to_now()
    assert vault.get(SEARCH).scope == BUNDLED


def test_the_past_of_another_branch_has_none(vault: Vault, git: Git) -> None:
    vault.go_back(git("commit-tree", "HEAD^{tree}", "-m", "aside"))
    assert vault.snapshot().by_key(SEARCH) == []


def test_settings_switch_them_off_and_on(root: Path, open_vault: Open) -> None:
    settings = root / "vault.yaml"
    text = settings.read_text("utf-8")
    assert open_vault().get(SEARCH)
    settings.write_text(f"{text}bundled: false\n", "utf-8")
    with pytest.raises(NotFound):
        open_vault().get(SEARCH)
    settings.write_text(text, "utf-8")
    assert open_vault().get(SEARCH)


def test_a_workspace_has_none(tmp_path: Path) -> None:
    (tmp_path / "people.firm").write_text('person ada { name = "Ada" }\n', "utf-8")
    with Vault.open(tmp_path, max_age=0) as vault, pytest.raises(NotFound):
        vault.get(SEARCH)


def test_another_version_replaces_them(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    before = vault.get(SEARCH).row
    assert vault.get(SEARCH).row == before
    monkeypatch.setattr(bundled, "entry_digest", lambda: "another")
    files = {"bundled:note/new.firm": b'note new { text = "New" }\n'}
    monkeypatch.setattr(bundled, "entry_files", lambda: files)
    bundled_entries.records.cache_clear()
    try:
        assert vault.get("note.new").scope == BUNDLED
        with pytest.raises(NotFound):
            vault.get(SEARCH)
        assert differences(vault) == []
    finally:
        bundled_entries.records.cache_clear()


def test_what_does_not_ship_cannot_be_read(vault: Vault) -> None:
    with pytest.raises(VaultError) as error:
        vault.read("bundled:thing/none.firm")
    assert code(error) == "unreadable"


def test_they_have_no_history(vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": "x"}, CommitOptions())
    looks: list[Callable[[], object]] = [
        lambda: entry_history.history(vault, SEARCH),
        lambda: entry_history.blame(vault, SEARCH),
        lambda: log.log(vault, log_filter.LogFilter(SEARCH)),
    ]
    for look in looks:
        with pytest.raises(entry_history.NoHistory):
            look()
    vault.go_back("HEAD")
    with pytest.raises(NotThere) as error:
        entry_detail.detail(vault, SEARCH)
    assert error.value.hint == "it is bundled with firm-vault and has no history"


def test_what_held_on_a_day_is_told_beside_them(vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": "x"}, CommitOptions())
    vault.go_back(valid_at="2020-01-01")
    assert entry_detail.detail(vault, SEARCH).source.startswith("thing vault_search")


def test_a_graph_around_one_shows_what_it_is_linked_with(vault: Vault) -> None:
    assert "thing.firm_vault" in links.subgraph(vault, SEARCH).nodes
    assert links.subgraph(vault).nodes == {}
