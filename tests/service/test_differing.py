"""What differs between two states, in entries, fields and claims."""

import pytest

from tests.service.conftest import Days, Git, Open, Write
from vault import wire
from vault.service.read.diff import Diff, NoSuchPath, diff
from vault.service.runtime.as_of import NoMoment
from vault.service.vault import Vault
from vault.workspace.snapshot import NotFound

ADA, ROLE, NOTE = "global/actor/ada.firm", "global/fact/role.firm", "global/note/n.firm"


def fact(value: str, claim: str = "role") -> str:
    place = f'subject = actor.ada aspect = "work" claim = "{claim}"'
    return f'fact role {{ statement = "{value}" {place} value = "{value}" }}\n'


@pytest.fixture
def days(calendar: Days) -> Days:
    """Ada and her role, a note with its text beside it; then all of it changes, and moves, and goes."""
    calendar.commit({ADA: 'actor ada { name = "Ada" tags = ["a", "b"] }\n', ROLE: fact("one")})
    calendar.commit({NOTE: 'note n { text_file = path"n.md" }\n', "global/note/n.md": "Old text\n"})
    calendar.commit({ADA: 'actor ada { name = "Ada King" tags = ["b", "c"] }\n', ROLE: fact("two")})
    calendar.commit({"global/note/n.md": "New text\n"})
    calendar.commit({ROLE: None, ADA: None, "global/moved.firm": 'actor ada { name = "Ada King" tags = ["b", "c"] }\n'})
    return calendar


def told(found: Diff) -> list[tuple[str, str, list[tuple[object, ...]]]]:
    return [(one.op, one.key, [tuple(change) for change in one.fields]) for one in found.entries]


@pytest.mark.usefixtures("days")
def test_fields_differ_before_and_after(vault: Vault) -> None:
    found = diff(vault, "2021-01-02", "2021-01-03")
    assert told(found) == [
        ("update", "actor.ada", [("name", "Ada", "Ada King"), ("tags", ("a", "b"), ("b", "c"))]),
        ("update", "fact.role", [("statement", "one", "two"), ("value", "one", "two")]),
    ]
    ada, role = found.entries
    assert ada.fields[1].items == (("a",), ("c",))
    assert ada.fields[0].items is None
    assert (role.group, role.version, role.slot and role.slot.path) == (
        "actor.ada",
        True,
        "actor.ada/work/general/role",
    )
    assert wire.diff(found)["items"][0]["fields"]["tags"]["removed"] == ["a"]


@pytest.mark.usefixtures("days")
def test_the_other_way_round_it_is_the_reverse(vault: Vault) -> None:
    found = diff(vault, "2021-01-03", "2021-01-02")
    assert tuple(found.entries[0].fields[0]) == ("name", "Ada King", "Ada")
    assert [one.op for one in diff(vault, "HEAD", "2021-01-01").entries] == ["update", "add", "delete"]


@pytest.mark.usefixtures("days")
def test_entries_come_go_and_move(vault: Vault) -> None:
    found = diff(vault, "HEAD~1", "HEAD")
    assert [(one.op, one.key, one.version) for one in found.entries] == [
        ("move", "actor.ada", False),
        ("delete", "fact.role", True),
    ]
    assert (found.entries[0].old_path, found.entries[0].path) == (ADA, "global/moved.firm")
    assert diff(vault, "HEAD", "HEAD").entries == []


@pytest.mark.usefixtures("days")
def test_a_text_in_a_file_of_its_own_is_told_of(vault: Vault) -> None:
    assert told(diff(vault, "HEAD~2", "HEAD~1")) == [("update", "note.n", [("text", "Old text\n", "New text\n")])]
    (note,) = diff(vault, "HEAD~4", "HEAD~3").entries
    assert (note.op, [change.name for change in note.fields]) == ("add", ["text_file", "text"])


@pytest.mark.usefixtures("days")
def test_what_is_not_committed_differs_from_head(vault: Vault, write: Write) -> None:
    assert told(diff(vault)) == []
    write("global/note/n.md", "Newer text\n")
    write("global/thing/new.firm", 'thing new { name = "New" }\n')
    write("global/moved.firm", "").unlink()
    write("schema/note.firm", "schema note { }\n")
    found = diff(vault)
    assert [(one.op, one.key) for one in found.entries] == [
        ("delete", "actor.ada"),
        ("update", "note.n"),
        ("add", "thing.new"),
    ]
    assert (found.new, found.files) == (None, [("schema/note.firm", "modified")])
    assert [(one.op, one.key) for one in diff(vault, "2021-01-01").entries] == [
        ("delete", "actor.ada"),
        ("delete", "fact.role"),
        ("add", "note.n"),
        ("add", "thing.new"),
    ]


@pytest.mark.usefixtures("days")
def test_a_text_that_moves_into_its_entry(vault: Vault, write: Write) -> None:
    write(NOTE, 'note n { text = "New text" }\n')
    write("global/note/n.md", "").unlink()
    assert told(diff(vault)) == [
        (
            "update",
            "note.n",
            [("text_file", diff(vault).entries[0].fields[0].before, None), ("text", "New text\n", "New text")],
        )
    ]


@pytest.mark.usefixtures("days")
def test_an_entry_or_a_folder_is_asked_for(vault: Vault) -> None:
    assert [one.key for one in diff(vault, "HEAD~4", only=["n"]).entries] == ["note.n"]
    assert [one.key for one in diff(vault, "HEAD~4", only=["fact.role"]).entries] == ["fact.role"]
    assert [one.key for one in diff(vault, "HEAD~4", below=["global/fact"]).entries] == ["fact.role"]
    with pytest.raises(NotFound):
        diff(vault, only=["nobody"])
    with pytest.raises(NoMoment):
        diff(vault, "nowhere")


def test_another_branch_is_compared(vault: Vault, days: Days, git: Git) -> None:
    days.git("switch", "-q", "-c", "side", "HEAD~1")
    days.commit({"global/note/n.md": "Side text\n"})
    days.git("switch", "-q", "main")
    assert ("update", "note.n", [("text", "New text\n", "Side text\n")]) in told(diff(vault, "main", "side"))


def test_an_empty_history_is_compared_with_the_files(vault: Vault, write: Write, git: Git) -> None:
    git("update-ref", "-d", "HEAD")
    git("rm", "-q", "-r", "--cached", ".")
    write(ADA, 'actor ada { name = "Ada" }\n')
    assert ("add", "actor.ada", [("name", None, "Ada")]) in told(diff(vault))


def test_private_spaces_show_from_inside_alone(open_vault: Open, days: Days, write: Write) -> None:
    days.commit({"spaces/diary/note/d.firm": 'note d { text_file = path"d.md" }\n', "spaces/diary/note/d.md": "secret"})
    settings = (days.root / "vault.yaml").read_text()
    write("spaces/diary/note/d.md", "more secret")
    write("spaces/work/note/w.firm", 'note w { text = "open" }\n')
    for begin in (None, "HEAD~1"):
        assert [one.key for one in diff(open_vault(), begin).entries] == ["note.w"]
        assert [one.key for one in diff(open_vault("diary"), begin).entries] == ["note.d", "note.w"]
    days.commit({"vault.yaml": settings.replace("private: true", "private: false")})
    assert [one.key for one in diff(open_vault(), "HEAD~1", "HEAD").entries] == ["note.w"]  # it was private then
    days.commit({"spaces/diary/note/d.md": "open now"})
    assert [one.key for one in diff(open_vault(), "HEAD~1").entries] == ["note.d"]


def test_a_path_that_nothing_has_is_refused(bob: Vault) -> None:
    for path in ("nosuch", "/etc", "../..", "spaces/diary"):
        with pytest.raises(NoSuchPath):
            diff(bob, below=[path])
    assert diff(bob, below=["global/actor"]).entries == []
