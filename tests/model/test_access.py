"""Scopes and readers."""

import pytest

from vault.model.access import BadSpaceName, Reader, UnknownSpace, checked_space, folder_of, scope_of

PRESENT = {"global", "work", "home", "diary"}
PRIVATE = {"diary"}


@pytest.mark.parametrize(
    ("reader", "scopes"),
    [
        (Reader(), ("global",)),
        (Reader("work"), ("work", "global")),
        (Reader("diary"), ("diary", "global")),
        (Reader(all_spaces=True), ("home", "work", "global")),
        (Reader("work", all_spaces=True), ("work", "home", "global")),
        (Reader("diary", all_spaces=True), ("diary", "home", "work", "global")),
        (Reader(owner=True), ("diary", "home", "work", "global")),
    ],
)
def test_scopes_a_reader_sees(reader: Reader, scopes: tuple[str, ...]) -> None:
    assert reader.scopes(PRESENT, PRIVATE) == scopes


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("global/actor/ada.firm", "global"),
        ("spaces/work/a.firm", "work"),
        ("spaces/work", None),
        ("global", None),
        ("schema/actor.firm", None),
        ("README.md", None),
    ],
)
def test_scope_of_a_path(path: str, scope: str | None) -> None:
    assert scope_of(path) == scope
    assert scope_of(path, workspace=True) == "global"


def test_space_names_are_checked() -> None:
    assert checked_space("a-b_1") == "a-b_1"
    for name, words in (
        ("A", "is not a space name"),
        ("", "is not a space name"),
        ("global", "always there"),
        ("x" * 64, "is not a space name"),
    ):
        with pytest.raises(BadSpaceName, match=words):
            checked_space(name)
    assert (folder_of("global"), folder_of("work")) == ("global", "spaces/work")


def test_unknown_spaces_are_answered_with_known_ones() -> None:
    assert UnknownSpace("x", ["b", "a"]).hint == "spaces: a, b; make it with `vault spaces add x`"
    assert UnknownSpace("x", []).hint == "make it with `vault spaces add x`"
