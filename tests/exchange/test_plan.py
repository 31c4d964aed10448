"""The plan of an import as a whole."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exchange.builders import SCHEMAS, entry, fields, files, plan
from vault.exchange.ids import Existing
from vault.exchange.mapping import ImportMapping, TypeRule
from vault.exchange.notes import trim_blank_lines
from vault.exchange.plan import LinkReport, Unresolved, plan_import
from vault.exchange.sheets import UnknownTypeError
from vault.lang.write import fits_string, write_value
from vault.model.keys import is_identifier
from vault.model.values import Reference

FOLDER = {
    "index.md": "---\ntitle: Home\n---\n[Trip](trips/japan.md), [[Kyoto]] and [[Nowhere|gone]] #start\n",
    "trips/japan.md": "# Japan\n\nSee [[kyoto]], [home](/), [[Japan]], ![[map.png]]\n",
    "places/Kyoto.md": "---\naliases: [Kioto]\nloc: '[[Asia]]'\n---\n\n  a city\n\n",
}


def test_a_folder_becomes_entries() -> None:
    made = plan(FOLDER)
    assert [(item.origin, item.type, item.id, item.text) for item in made.entries] == [
        ("vault/index.md", "note", "home", "[Trip](trips/japan.md), [[Kyoto]] and [[Nowhere|gone]] #start"),
        ("vault/places/Kyoto.md", "note", "kyoto", "  a city"),
        (
            "vault/trips/japan.md",
            "note",
            "japan",
            "# Japan\n\nSee [[kyoto]], [home](/), [[Japan]], ![[map.png]]",
        ),
    ]
    japan, kyoto = Reference("note", "japan"), Reference("note", "kyoto")
    assert entry(made, "index.md").fields == (
        ("name", "Home"),
        ("tags", ("start",)),
        ("relates_to", (japan, kyoto)),
    )
    assert fields(made, "trips/japan.md")["relates_to"] == (kyoto, Reference("note", "home"))


def test_links_are_counted_and_the_lost_ones_listed() -> None:
    lost = (Unresolved("vault/index.md", 4, "Nowhere"), Unresolved("vault/places/Kyoto.md", 3, "Asia"))
    made = plan(FOLDER, others=["trips/map.png"])
    assert made.links == LinkReport(total=7, resolved=5, attachments=1, unresolved=lost)
    assert entry(made, "trips/japan.md").attachments == ("trips/map.png",)


def test_an_attachment_that_is_not_there_is_unresolved() -> None:
    made = plan({"a.md": "![[map.png]] and [a paper](files/paper.pdf)"})
    assert [link.target for link in made.links.unresolved] == ["map.png", "files/paper.pdf"]
    assert (made.links.total, made.links.attachments) == (2, 0)


def test_an_origin_keeps_its_entry_when_the_title_changes() -> None:
    before = plan(FOLDER)
    existing = [Existing(item.type, item.id, item.origin) for item in before.entries]
    changed = FOLDER | {"index.md": FOLDER["index.md"].replace("Home", "Start"), "home.md": "new"}
    after = plan(changed, existing=existing)
    assert entry(after, "index.md").id == "home"
    assert entry(after, "home.md").id == "home_2"
    assert entry(after, "trips/japan.md") == entry(before, "trips/japan.md")


def test_an_origin_keeps_its_type() -> None:
    made = plan({"a.md": "", "b.md": "[[a]]"}, existing=[Existing("actor", "old", "vault/a.md")])
    assert (entry(made, "a.md").type, entry(made, "a.md").id) == ("actor", "old")
    assert fields(made, "b.md")["relates_to"] == (Reference("actor", "old"),)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("Some Note.md", "text", "Some Note"),
        ("a.md", "# From the heading", "From the heading"),
        ("a.md", "---\ntitle: ' '\n---\n# From the heading", "From the heading"),
        ("tools/index.md", "text", "tools"),
        ("index.md", "text", "index"),
        ("a.md", '---\ntitle: "\\"\\"\\""\n---\n', "a"),
    ],
)
def test_a_note_has_a_name(path: str, text: str, name: str) -> None:
    assert fields(plan({path: text}), path)["name"] == name


def test_a_value_no_string_holds_keeps_the_file_whole() -> None:
    text = '---\nquote: "a \\"\\"\\" b"\nrating: 7\nwide: ["a\\r\\nb"]\n---\n\nText\n'
    made = plan({"a.md": text})
    assert (fields(made, "a.md"), entry(made, "a.md").text) == ({"name": "a", "rating": 7}, text.strip())
    assert [str(problem) for problem in made.problems] == [
        f"a.md:1: no string holds `{name}` exactly: all of the file is kept as text" for name in ("quote", "wide")
    ]


def test_broken_front_matter_is_imported_as_text() -> None:
    text = "---\nlast: {{date}}\nat: '[[b]]'\n---\nText"
    made = plan({"a.md": text, "b.md": ""})
    assert entry(made, "a.md").text == text
    assert fields(made, "a.md")["relates_to"] == (Reference("note", "b"),)
    assert [(problem.path, problem.line) for problem in made.problems] == [("a.md", 2)]


def test_a_note_without_text_has_none() -> None:
    assert entry(plan({"a.md": "---\na: 1\n---\n\n  \n"}), "a.md").text is None


def test_what_is_no_note_is_skipped() -> None:
    made = plan({"a.md": "", "b.png": "", "c.yml": "- a"})
    assert [item.path for item in made.skipped] == ["b.png", "c.yml"]
    assert len(made.entries) == 1


def test_a_type_without_schema_is_refused() -> None:
    with pytest.raises(UnknownTypeError, match="`actr`") as raised:
        plan({"a.md": ""}, mapping=ImportMapping(rules=(TypeRule("**", "actr"),)))
    assert raised.value.hint == "did you mean `actor`?"


FRONT_PIECES = ("---\n", "a: 1\n", "title: A\n", "id: x\n", "b: '[[n1]]'\n", "# H\n")
BODY_PIECES = ("[[n0]]", "[x](n2.md)", "#t ", "\n", "  ", "\t", "```\n", '"""', "\r\n", "é", "text ")
note_texts = st.lists(st.sampled_from(FRONT_PIECES + BODY_PIECES), max_size=12).map("".join)
folders = st.lists(note_texts, max_size=5).map(lambda texts: {f"n{n}.md": text for n, text in enumerate(texts)})


@given(folders, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_files_does_not_matter(notes: dict[str, str], random: Random) -> None:
    shuffled = files(notes)
    random.shuffle(shuffled)
    made = plan_import(
        shuffled,
        mapping=ImportMapping(),
        schemas=SCHEMAS,
        existing=(),
        source_label="vault",
        holds=fits_string,
    )
    assert made == plan(notes)


@given(folders)
@settings(max_examples=100, deadline=None)
def test_a_text_is_never_altered_and_every_field_can_be_written(notes: dict[str, str]) -> None:
    made = plan(notes)
    assert len(made.entries) == len(notes)
    for item in made.entries:
        source = notes[item.origin.removeprefix("vault/")]
        assert trim_blank_lines(source).endswith(item.text or "")
        assert is_identifier(item.id)
        assert all(write_value(value, field=name) for name, value in item.fields)
    assert len({item.id.casefold() for item in made.entries}) == len(notes)


@given(folders)
@settings(max_examples=60, deadline=None)
def test_a_second_import_plans_the_same(notes: dict[str, str]) -> None:
    made = plan(notes)
    assert plan(notes, existing=[Existing(item.type, item.id, item.origin) for item in made.entries]) == made
