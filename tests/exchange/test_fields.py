"""Which field a key of the front matter becomes."""

from datetime import date, time

import pytest

from tests.exchange.builders import SCHEMAS, entry, fields, fields_of, plan
from vault.exchange.fields import field_name, is_held, own_name
from vault.exchange.mapping import read_mapping
from vault.model.entry import Entry
from vault.model.schema import validate
from vault.model.values import EnumValue, Moment, Reference, Value

OTHER, THIRD = Reference("note", "other"), Reference("note", "third")


@pytest.mark.parametrize(
    ("front", "made"),
    [
        ("title: A", {"name": "A", "aliases": ("one",)}),
        ("name: A", {"name": "A", "aliases": ("one",)}),
        ("Title: 2023", {"name": "2023", "aliases": ("one",)}),
        ("title: A\nname: B", {"name": "A", "imported_name": "B", "aliases": ("one",)}),
        ("title: [A, B]", {"name": "one", "title": ("A", "B")}),
        ("alias: A", {"aliases": ("A",)}),
        ("aliases: [A]\nalias: [B, A]", {"aliases": ("A", "B")}),
        ("tags: 'a, b c'\nkeywords: d", {"tags": ("a", "b c", "d")}),
        ("tags: '#a b'", {"tags": ("a", "b")}),
        ("tags: [a, 1984]", {"tags": ("a", "1984")}),
        ("tags: []", {"tags": ()}),
        ("created: 2023-09-12", {"created_at": Moment(date(2023, 9, 12))}),
        ("date: 2023-09-12 08:00:00", {"created_at": Moment(date(2023, 9, 12), time(8))}),
        ("date: 2016-02-08 10:40:40 -0400", {"created_at": Moment(date(2016, 2, 8), time(10, 40, 40), -240)}),
        ("date: 2020-01-02T03:04:05.678Z", {"created_at": Moment(date(2020, 1, 2), time(3, 4, 5), 0)}),
        ("seen: 2016-02-08 10:40:40 -0400", {"seen": Moment(date(2016, 2, 8), time(10, 40, 40), -240)}),
        ("version: 1.10", {"version": "1.10"}),
        ("versions: [1.9, 1.10]", {"versions": ("1.9", "1.10")}),
        ("date: soon", {"date": "soon"}),
        ("created: soon", {"imported_created": "soon"}),
        ("description: A", {"summary": "A"}),
        ("description: A\nsummary: B", {"summary": "B", "description": "A"}),
        ("source: https://e.com", {"sources": ("https://e.com",)}),
        ("pinned: true", {"pinned": True}),
        ("pinned: perhaps", {"imported_pinned": "perhaps"}),
        ("agent: A", {"imported_agent": "A"}),
        ("text: A\norigin: B", {"imported_text": "A", "imported_origin": "B"}),
        ("names: A", {"imported_names": "A"}),
        ("imdbId: tt1", {"imdbId": "tt1"}),
        ("due date: 1\ndue_date: 2", {"due_date": 1, "due_date_2": 2}),
        ("größe: 1\n2nd: 2", {"grosse": 1, "_2nd": 2}),
        ("a:\n  b: 1\nempty:\nlist: []", {"a_b": 1, "list": ()}),
        ("folded: >\n  one\n  two\n", {"folded": "one two"}),
    ],
)
def test_a_key_becomes_a_field(front: str, made: dict[str, Value]) -> None:
    assert fields_of(front) == {"name": "one"} | made


@pytest.mark.parametrize(
    ("front", "made"),
    [
        ('loc: "[[other|there]]"', {"loc": OTHER}),
        ('loc: ["[[other]]", "[[third#x]]"]', {"loc": (OTHER, THIRD)}),
        ('loc: ["[[other]]", "[[none]]"]', {"loc": ("[[other]]", "[[none]]"), "relates_to": (OTHER,)}),
        ('loc: ["[[other]]", 1]', {"loc": ("[[other]]", "1"), "relates_to": (OTHER,)}),
        ("loc: see [[other]]", {"loc": "see [[other]]", "relates_to": (OTHER,)}),
        ('loc: "[[one]]"', {"loc": Reference("note", "one")}),
        ('uses: "[[other]]"', {"uses": (OTHER,)}),
        ("uses: [other, third]", {"uses": (OTHER, THIRD)}),
        ('uses: ["[[other]]", "[[none]]", gone]', {"uses": (OTHER,), "imported_uses": ("[[none]]", "gone")}),
        ("belongs_to: gone", {"belongs_to": (), "imported_belongs_to": "gone"}),
        ('aliases: ["[[other]]"]', {"aliases": ("[[other]]",), "relates_to": (OTHER,)}),
    ],
)
def test_links_in_values_become_references(front: str, made: dict[str, Value]) -> None:
    assert fields_of(front, other="", third="") == {"name": "one"} | made


def test_a_value_that_identifies_another_file_becomes_a_reference() -> None:
    made = plan({"one.md": "---\nid: x/1\nlead: x/2\nboth: [x/2, x/1]\n---\n", "other.yml": "id: x/2\n"})
    assert fields(made, "one.md") == {
        "name": "one",
        "id": "x/1",
        "lead": OTHER,
        "both": ("x/2", "x/1"),
    }
    assert (made.links.total, made.links.resolved) == (1, 1)


def test_an_identity_of_two_files_stands_for_neither() -> None:
    made = plan({"one.yml": "a: x/2\n", "b.yml": "id: x/2\n", "c.yml": "\nid: x/2\n"})
    assert fields(made, "one.yml")["a"] == "x/2"
    assert [str(problem) for problem in made.problems] == ["c.yml:2: `id: x/2` is also that of b.yml"]


def test_an_id_that_the_entry_bears_is_no_field() -> None:
    made = plan({"one.md": "---\nid: MyNote\n---\n"})
    assert (entry(made, "one.md").id, fields(made, "one.md")) == ("MyNote", {"name": "one"})


def test_a_mapping_decides_about_types_and_fields() -> None:
    mapping = read_mapping(
        {
            "types": [
                {
                    "match": "teams/**",
                    "type": "actor",
                    "set": {"kind": "enum(team)", "tags": "team", "rank": 1},
                },
                {"match": "**", "type": "actor", "set": {"kind": "enum(person)"}},
            ],
            "fields": {
                "other_names[].name": "aliases",
                "members[].id": "relates_to",
                "members[].role": "skip",
                "party[].name": "party",
                "bio": "summary",
                "head": "lead",
            },
        },
        "map.yaml",
    )
    ada = "id: p/1\nname: Ada\nbio: Counts.\nother_names:\n- name: A. L.\nparty:\n- name: Whig\nkind: poet\n"
    team = "name: Engine\nhead: p/1\nmembers:\n- {id: p/1, role: chair}\n- {id: p/9, role: member}\n"
    made = plan({"ada.yml": ada, "teams/engine.yml": team}, mapping=mapping)
    assert entry(made, "ada.yml").fields == (
        ("name", "Ada"),
        ("kind", EnumValue("person")),
        ("summary", "Counts."),
        ("aliases", ("A. L.",)),
        ("party", ("Whig",)),
        ("id", "p/1"),
        ("imported_kind", "poet"),
    )
    assert entry(made, "teams/engine.yml").fields == (
        ("name", "Engine"),
        ("kind", EnumValue("team")),
        ("lead", Reference("actor", "ada")),
        ("tags", ("team",)),
        ("rank", 1),
        ("members_id", ("p/9",)),
        ("relates_to", (Reference("actor", "ada"),)),
    )
    assert [(link.line, link.target) for link in made.links.unresolved] == [(5, "p/9")]


def test_a_single_reference_field_takes_one_entry_only() -> None:
    mapping = read_mapping({"types": [{"type": "actor"}], "fields": {"who": "lead"}}, "map.yaml")
    made = plan({"a.yml": "who: ['[[b]]', '[[c]]']\n", "b.yml": "", "c.yml": ""}, mapping=mapping)
    assert fields(made, "a.yml") == {"name": "a", "who": (Reference("actor", "b"), Reference("actor", "c"))}


@pytest.mark.parametrize("name", list(SCHEMAS["note"].by_name))
def test_an_own_name_is_no_near_match_of_a_declared_one(name: str) -> None:
    own = own_name(name, SCHEMAS["note"], ())
    assert not list(validate(Entry("note", "x", {own: "x"}), SCHEMAS["note"]))


def test_a_key_without_letters_gets_a_name() -> None:
    assert field_name("…") == field_name("…") != field_name("!")


def test_half_a_character_is_held_by_no_file() -> None:
    assert [is_held(value, bool) for value in (("a", "b"), "\ud800", "", 1)] == [True, False, False, True]
