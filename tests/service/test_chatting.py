"""Chats: imported once, found by words, and shown around the turn an entry was written in; private ones inside only."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import Open, Write
from vault.errors import VaultError
from vault.model.access import Reader
from vault.service.admin.reindex import differences, index
from vault.service.arguments.commit_options import CommitOptions
from vault.service.read.chats import (
    ChatNotFound,
    NoSuchTurn,
    chat,
    chat_fields,
    chats,
    context_of,
    excerpt,
    search_chats,
)
from vault.service.vault import Vault
from vault.service.write import create
from vault.service.write.commits import commit
from vault.service.write.import_chat import import_chat


def lines(*words: str) -> str:
    return "".join(json.dumps({"role": "user", "content": word}) + "\n" for word in words)


def found(vault: Vault, query: str, **how: Any) -> list[str]:
    return [f"{one.path}:{one.line}" for one in search_chats(vault, query, **how)]


@pytest.fixture
def talk(open_vault: Open) -> Open:
    """A chat of cakes in each scope."""
    for space in (None, "work", "diary"):
        import_chat(open_vault(space), lines("Hello", f"The cake of {space or 'all'}", "Fine"), "x", ident="cakes")
    return open_vault


def test_turns_are_found_by_words_and_cited_by_line(talk: Open) -> None:
    assert found(talk(), "cakes") == ["global/chats/cakes.jsonl:2"]
    assert sorted(found(talk("work"), "cakes")) == ["global/chats/cakes.jsonl:2", "spaces/work/chats/cakes.jsonl:2"]
    assert found(talk(), "zebra") == found(talk(), "") == []
    assert len(found(talk("work"), "cake", limit=1)) == 1


def test_chats_of_a_private_space_are_found_inside_alone(talk: Open) -> None:
    inside, outside = talk("diary"), talk(all_spaces=True)
    assert found(inside, "diary") == ["spaces/diary/chats/cakes.jsonl:2"]
    assert found(outside, "diary") == []
    assert found(inside, "diary", reader=Reader()) == []
    assert [one.scope for one in chats(outside)] == ["work", "global"]
    assert [one.scope for one in chats(inside)] == ["diary", "global"]
    assert chat(inside, "cakes").scope == "diary"
    assert chat(talk(), "cakes").scope == "global"
    assert {place.name for place in (outside.root / ".vault/chats/text/private").iterdir()} == {"diary", "diary.json"}


def test_scores_outside_do_not_hang_on_private_chats(talk: Open) -> None:
    before = [one.score for one in search_chats(talk(all_spaces=True), "cake")]
    import_chat(talk("diary"), lines(*(f"cake {number}" for number in range(50))), "x", ident="more")
    assert [one.score for one in search_chats(talk(all_spaces=True), "cake")] == before


def test_a_space_nobody_declared_is_private(talk: Open, write: Write) -> None:
    write("spaces/lab/chats/a.jsonl", lines("The cake of the lab"))
    vault = talk(all_spaces=True)
    assert found(vault, "lab") == []
    assert "lab" not in {one.scope for one in chats(vault)}


def test_what_changes_is_read_again(talk: Open, write: Write) -> None:
    vault = talk()
    assert found(vault, "tart") == []
    write("global/chats/cakes.jsonl", lines("Rather a tart"))
    assert found(vault, "tart") == ["global/chats/cakes.jsonl:1"]
    (vault.root / "global/chats/cakes.jsonl").touch()
    assert found(vault, "tart") == ["global/chats/cakes.jsonl:1"]
    (vault.root / "global/chats/cakes.jsonl").unlink()
    assert found(vault, "tart") == []
    assert chats(vault) == []


def test_chats_are_no_entries(talk: Open) -> None:
    vault = talk()
    assert vault.entries() == []
    assert len(vault.search("cake")) == 0
    assert vault.check() == []


def test_imported_again_nothing_is_doubled(vault: Vault) -> None:
    first = import_chat(vault, lines("a", "b"), "x", ident="c", options=CommitOptions())
    assert (first.added, first.total) == (2, 2)
    assert first.commit is not None
    again = import_chat(vault, lines("a", "b"), "x", ident="c", options=CommitOptions())
    assert (again.added, again.total, again.commit) == (0, 2, None)
    assert import_chat(vault, lines("a", "b", "c"), "x", name="c").added == 1
    assert (vault.root / "global/chats/c.jsonl").read_text() == lines("a", "b", "c")
    assert import_chat(vault, "", "x", ident="empty").total == 0
    assert not (vault.root / "global/chats/empty.jsonl").exists()


def test_a_last_line_without_an_end_gets_one(vault: Vault, write: Write) -> None:
    write("global/chats/c.jsonl", lines("a").rstrip())
    import_chat(vault, lines("a", "b"), "x", ident="c")
    assert (vault.root / "global/chats/c.jsonl").read_text() == lines("a", "b")


def test_commits_of_a_private_space_name_no_chat(open_vault: Open) -> None:
    private = import_chat(open_vault("diary"), lines("a"), "x", ident="secret", options=CommitOptions()).commit
    assert private is not None
    assert "secret" not in private.subject
    public = import_chat(open_vault(), lines("a"), "x", ident="open", options=CommitOptions()).commit
    assert public is not None
    assert public.subject == "add 1 turn to the chat open"


def test_a_citation_names_the_commit(vault: Vault) -> None:
    import_chat(vault, lines("a"), "x", ident="c")
    assert chat(vault, "c").commit == "worktree"
    commit(vault)
    assert chat(vault, "c").commit != "worktree"


def written(vault: Vault, ident: str, turn: int | None) -> Any:
    with vault.written_in(ident, turn):
        result = create.add(vault, "note", None, {"text": "Of cakes"})
    return vault.get(result.key)


@pytest.mark.parametrize("space", [None, "work", "diary"])
def test_an_entry_leads_to_what_was_said_around_it(talk: Open, space: str | None) -> None:
    vault = talk(space)
    around = context_of(vault, written(vault, "cakes", 1), 1)
    assert around is not None
    assert [turn.content for turn in around.turns] == ["Hello", f"The cake of {space or 'all'}", "Fine"]
    assert (around.first, around.turn) == (0, 1)
    alone = context_of(vault, written(vault, "cakes", 2), 0)
    assert alone is not None
    assert [turn.content for turn in alone.turns] == ["Fine"]


def test_from_a_space_a_global_chat_is_named_too(talk: Open) -> None:
    import_chat(talk(), lines("Everyone"), "x", ident="all")
    vault = talk("work")
    stored = written(vault, "all", 0)
    assert str(stored.entry.fields["chat"]) == "../../../global/chats/all.jsonl"
    around = context_of(vault, stored, 0)
    assert around is not None
    assert around.chat.scope == "global"


def test_what_leads_nowhere_has_no_context(talk: Open, write: Write) -> None:
    vault = talk()
    for fields in (
        'chat = path"../chats/none.jsonl" chat_turn = 0',
        'chat = path"../chats/cakes.jsonl" chat_turn = 9',
        'chat = path"../chats/cakes.jsonl"',
        "chat_turn = 1",
        'chat = path"../../vault.yaml" chat_turn = 0',
        'chat = path"/etc/passwd" chat_turn = 0',
        'chat = path"../../../outside.jsonl" chat_turn = 0',
    ):
        write("global/note/n.firm", f"note n {{ {fields} }}\n")
        assert context_of(vault, vault.get("note.n"), 1) is None, fields


def test_an_entry_outside_cannot_show_a_private_chat(talk: Open, write: Write) -> None:
    write("global/note/n.firm", 'note n { chat = path"../../spaces/diary/chats/cakes.jsonl" chat_turn = 1 }\n')
    for vault in (talk(), talk("work"), talk(all_spaces=True)):
        assert context_of(vault, vault.get("note.n"), 5) is None
    assert context_of(talk("diary"), talk("diary").get("note.n"), 5) is not None


def test_a_link_does_not_lead_into_another_scope(talk: Open, root: Path) -> None:
    (root / "global/chats/link.jsonl").symlink_to(root / "spaces/diary/chats/cakes.jsonl")
    vault = talk()
    with pytest.raises(ChatNotFound):
        chat(vault, "link")
    assert found(vault, "diary") == []


def test_a_chat_that_is_not_kept_yet_can_be_named(vault: Vault) -> None:
    with vault.written_in("later", 3):
        assert {name: str(value) for name, value in chat_fields(vault, "fact").items()} == {
            "chat": "../chats/later.jsonl",
            "chat_turn": "3",
        }
        with vault.written_in("other"):
            assert vault.place == "other"
            assert "chat_turn" not in chat_fields(vault, "fact")
        with vault.written_in(None, 4):
            assert vault.place == "later#4"
        with vault.written_in(None):
            assert vault.place == "later#3"
    assert chat_fields(vault, "fact") == {}
    for ident, turn in (("../x", None), (None, 3)):
        with pytest.raises(VaultError), vault.written_in(ident, turn):
            pass


def test_a_turn_that_is_not_there_is_said(talk: Open) -> None:
    with pytest.raises(NoSuchTurn, match="no turn 3"):
        excerpt(talk(), "cakes", 3)
    assert len(excerpt(talk(), "cakes").turns) == 3


def test_the_past_of_a_chat_is_shown(talk: Open) -> None:
    vault = talk()
    written(vault, "cakes", 1)
    commit(vault)
    import_chat(vault, lines("Fine", "More"), "x", ident="cakes", options=CommitOptions())
    vault.go_back("HEAD~1")
    assert len(excerpt(vault, "cakes").turns) == 3
    around = context_of(vault, vault.get("note.of_cakes"), 5)
    assert around is not None
    assert len(around.turns) == 3


def test_where_nothing_can_be_written_chats_are_searched_too(talk: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vault, "derived", None)
    assert found(talk(), "cakes") == ["global/chats/cakes.jsonl:2"]


def test_what_is_derived_of_chats_equals_a_rebuild(talk: Open, write: Write) -> None:
    vault = talk("diary")
    search_chats(vault, "cake")
    assert differences(vault) == []
    path = vault.root / ".vault/chats/catalog.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE passages SET text = 'x'")
    assert [row for row in differences(vault) if "chats" in row]
    index(vault, rebuild=True)
    assert not path.exists()
    assert found(vault, "diary") == ["spaces/diary/chats/cakes.jsonl:2"]
    assert differences(vault) == []


@pytest.fixture
def unwritable() -> Iterator[Callable[[Path], None]]:
    """Make a folder one that nothing can be written into: a full disk where one can be mounted, else by its mode."""
    made: list[tuple[Path, bool]] = []

    def making(place: Path) -> None:
        place.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(place)]
        mounted = subprocess.run(words, check=False, capture_output=True).returncode == 0
        if not mounted:
            place.chmod(0o500)
        made.append((place, mounted))

    yield making
    for place, mounted in made:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)
        else:
            place.chmod(0o700)


def test_chats_are_found_where_their_index_cannot_be_kept(talk: Open, unwritable: Callable[[Path], None]) -> None:
    vault = talk()
    said: list[str] = []
    vault.say = said.append
    shutil.rmtree(vault.root / ".vault/chats", ignore_errors=True)
    unwritable(vault.root / ".vault/chats")
    assert found(vault, "cakes") == ["global/chats/cakes.jsonl:2"]
    assert "a temporary index of chats" in said[0]
