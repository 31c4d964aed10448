"""Which file a link means."""

import unicodedata

import pytest

from vault.exchange.markdown import Link
from vault.exchange.resolve import Page, build_targets, find, is_attachment

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
        ("one", "far/one.md"),
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


def test_attachments_are_known_by_their_ending() -> None:
    assert [name for name in ("a.PNG", "b.base", "c.md", "v1.2", "d") if is_attachment(name)] == [
        "a.PNG",
        "b.base",
    ]
