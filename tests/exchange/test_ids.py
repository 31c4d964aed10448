"""Ids of imported entries."""

from hypothesis import given
from hypothesis import strategies as st

from vault.exchange.ids import Existing, Wish, assign_keys
from vault.model.keys import ID_LENGTH, is_identifier


def ids(*wishes: Wish, existing: tuple[Existing, ...] = ()) -> dict[str, str]:
    return {path: key.id for path, key in assign_keys(wishes, existing).items()}


def wish(path: str, *texts: str, ident: str = "") -> Wish:
    return Wish(path, f"v/{path}", "note", ident, texts)


def test_an_id_comes_from_the_note_its_name_or_its_path() -> None:
    made = ids(
        wish("a.md", "Name", ident="MyId"),
        wish("b.md", "Kyōto trip", ident="not an id"),
        wish("c.md", "…", "stem"),
        wish("d.md", "東京"),
        wish("e.md", "…"),
        wish("f.md", "x", ident="con"),
    )
    assert made == {
        "a.md": "MyId",
        "b.md": "kyoto_trip",
        "c.md": "stem",
        "d.md": "dongjing",
        "e.md": "note_a38e23e7",
        "f.md": "x",
    }


def test_of_equal_wishes_the_upper_file_wins() -> None:
    made = ids(
        wish("slack/start.md", "Start"),
        wish("start.md", "start"),
        wish("slack/again.md", "START"),
        wish("slack/more.md", "start"),
    )
    assert made == {
        "start.md": "start",
        "slack/again.md": "slack_start",
        "slack/more.md": "start_2",
        "slack/start.md": "start_3",
    }


def test_ids_differ_by_more_than_case() -> None:
    assert ids(wish("a.md", ident="Note"), wish("b.md", "note")) == {"a.md": "Note", "b.md": "note_2"}


def test_an_origin_keeps_its_id_and_others_leave_it_alone() -> None:
    existing = (Existing("note", "old", "v/b.md"), Existing("note", "a"), Existing("actor", "c"))
    made = ids(wish("a.md", "a"), wish("b.md", "new name"), wish("c.md", "c"), existing=existing)
    assert made == {"a.md": "a_2", "b.md": "old", "c.md": "c"}


@given(st.dictionaries(st.text("ab/", min_size=1, max_size=6), st.text(max_size=80), max_size=12))
def test_ids_are_identifiers_and_unique(names: dict[str, str]) -> None:
    made = list(ids(*(wish(path, name) for path, name in names.items())).values())
    assert all(is_identifier(ident) and len(ident) <= ID_LENGTH for ident in made)
    assert len({ident.casefold() for ident in made}) == len(names)
