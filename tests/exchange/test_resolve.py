"""Which file a link means."""

import unicodedata

import pytest

from vault.exchange.conventions import HUGO
from vault.exchange.markdown import Link
from vault.exchange.resolve import Page, attachment, build_targets, claims, find, find_name

TARGETS = build_targets(
    [
        Page("about.md", ("About us",), ("/who/",)),
        Page("a/index.md"),
        Page("a/b.md"),
        Page("a/b/c.md"),
        Page("deep/down/Kyoto.md", ("Kyōto",)),
        Page("Kyoto.md"),
        Page("deep/down/Osaka.md"),
        Page("far/one.md"),
        Page("near/one.md"),
        Page("with space/d e.md"),
        Page("tools/README.md"),
        Page("v1.2 plan.md"),
        Page("data.yml"),
        Page(unicodedata.normalize("NFD", "Übung.md")),
    ]
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("About", "about.md"),
        ("about us", "about.md"),
        ("kyoto", "Kyoto.md"),
        ("down/Kyoto", "deep/down/Kyoto.md"),
        ("KYŌTO", "deep/down/Kyoto.md"),
        ("Osaka.md", "deep/down/Osaka.md"),
        ("/a/b", "a/b.md"),
        ("one", None),
        ("./b/c", "a/b/c.md"),
        ("../about", "about.md"),
        ("v1.2 plan", "v1.2 plan.md"),
        ("data", "data.yml"),
        ("übung", unicodedata.normalize("NFD", "Übung.md")),
        ("nowhere", None),
        ("own/Kyoto", None),
    ],
)
def test_a_name_is_looked_up_as_obsidian_does(name: str, path: str | None) -> None:
    assert find(TARGETS, Link(name, 1, wiki=True), "a/b.md") == path


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("b/c.md", "a/b/c.md"),
        ("c", "a/b/c.md"),
        ("../about.md", "about.md"),
        ("../", "a/index.md"),
        ("..", "a/index.md"),
        ("/about/", "about.md"),
        ("/about.html", "about.md"),
        ("/who", "about.md"),
        ("/a/", "a/index.md"),
        ("/a/b/", "a/b.md"),
        ("with space/d e.md", "with space/d e.md"),
        ("/tools/", "tools/README.md"),
        ("/osaka/", "deep/down/Osaka.md"),
        ("/one/", None),
        ("../../../nowhere.md", None),
        ("/", None),
    ],
)
def test_a_destination_is_looked_up_as_a_site_does(target: str, path: str | None) -> None:
    assert find(TARGETS, Link(target, 1, wiki=False), "a/b.md") == path


def test_the_spelling_written_wins_over_another_case() -> None:
    targets = build_targets([Page("Note.md"), Page("note.md")])
    assert find(targets, Link("note", 1, wiki=True), "x.md") == "note.md"
    assert find(targets, Link("Note", 1, wiki=True), "x.md") == "Note.md"


def test_a_place_wins_over_a_redirection() -> None:
    targets = build_targets([Page("a.md", urls=("/b/",)), Page("b.md")])
    assert find(targets, Link("/b/", 1, wiki=False), "x.md") == "b.md"


def test_a_name_of_two_files_is_the_one_in_the_folder_of_the_link_or_neither() -> None:
    link = Link("one", 1, wiki=True)
    assert find(TARGETS, link, "near/two.md") == "near/one.md"
    assert claims(TARGETS, link, "a/b.md") == ("far/one.md", "near/one.md")


def test_a_title_of_two_files_is_neither() -> None:
    targets = build_targets([Page("a.md", ("Plan",)), Page("deep/b.md", ("plan",))])
    assert claims(targets, Link("Plan", 1, wiki=True), "x.md") == ("a.md", "deep/b.md")
    assert find(targets, Link("Plan", 1, wiki=True), "x.md") is None


def test_a_name_keeps_an_ending_that_is_part_of_it() -> None:
    targets = build_targets([Page("lang.markdown.md"), Page("ci.yml.md"), Page("lang.md")])
    assert find_name(targets, "lang.markdown", "x.md") == "lang.markdown.md"
    assert find_name(targets, "ci.yml", "x.md") == "ci.yml.md"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("map.png", "deep/map.png"),
        ("../img/a.png", "img/a.png"),
        ("/img/a.png", "img/a.png"),
        ("img/b.svg", "static/img/b.svg"),
        ("/img/b.svg", "static/img/b.svg"),
        ("B.SVG", "static/img/b.svg"),
        ("a.png", None),
        ("gone.pdf", None),
    ],
)
def test_an_attachment_is_looked_up_by_its_place_and_by_a_name_of_its_own(target: str, path: str | None) -> None:
    others = ["deep/map.png", "img/a.png", "old/a.png", "static/img/b.svg"]
    targets = build_targets([], others, HUGO)
    assert attachment(targets, Link(target, 1, wiki=False), "deep/note.md") == path


MOVED = build_targets([Page("new/name.md", ("New name", "notes/old/name", "old.dotted.name")), Page("b/c.md")])


@pytest.mark.parametrize(
    ("target", "wiki"),
    [
        ("notes/old/name", True),
        ("Old.Dotted.Name", True),
        ("notes/old/name", False),
        ("notes/old/name.md", False),
        ("/notes/old/name/", False),
        ("../notes/old/name.md", False),
    ],
)
def test_the_path_that_a_page_had_before_is_an_alias_of_it(target: str, *, wiki: bool) -> None:
    assert find(MOVED, Link(target, 1, wiki=wiki), "b/c.md") == "new/name.md"


def test_a_title_is_no_path() -> None:
    assert find(MOVED, Link("New name", 1, wiki=False), "b/c.md") is None
