"""Names: suspicious ones, near ones, and those that stand in a text."""

import pytest

from vault.knowledge.hygiene.naming import Mentions, near_pairs, suspicion


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("1984", "no letter"),
        ("12-34 / 5", "no letter"),
        ("?!", "no letter"),
        ("System", "generic"),
        ("the thing", "generic"),
        ("Ada is a programmer", "sentence"),
        ("and then they left", "sentence"),
        ("Went home after the party.", "sentence"),
        ("one two three four five six seven eight nine", "sentence"),
        ("Ada Lovelace", None),
        ("Acme Inc.", None),
        ("Yahoo!", None),
        ("C++", None),
        ("System of a Down", None),
        ("園丁", None),
        ("It", "generic"),
        ("Was", None),
    ],
)
def test_suspicious_names_are_told_with_a_reason(name: str, says: str | None) -> None:
    found = suspicion(name)
    assert found is None if says is None else says in (found or "")


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("Ada Lovelace", "Lovelace, Ada", True),
        ("OpenAI", "Open AI", True),
        ("Ada Lovelace", "Ada Lovelave", True),
        ("Ada Lovelace", "Ada Lovelcae", True),
        ("Gardener", "Gardeners", True),
        ("José Álvarez", "Jose Alvarez", True),
        ("Person 12", "Person 13", False),
        ("Series A", "Series B", False),
        ("Anna", "Anne", False),
        ("Team Mars", "Team Maps", True),
        ("Red Team", "Rod Team", False),
        ("New York", "New Yorkers", False),
        ("Abcdefgh", "Bcdefghi", False),
        ("Upper House", "UpperHouses", True),
        ("", "", False),
    ],
)
def test_near_names_are_paired(one: str, other: str, near: bool) -> None:
    assert list(near_pairs([one, "Somebody else", other])) == ([(0, 2)] if near else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Seen with ADA  LOVELACE, twice: Ada Lovelace.", ["Ada Lovelace"]),
        ("Lovelace and Ada", []),
        ("Adaline Lovelaces", []),
        ("the Zürich-Bank, zurich", ["Zürich"]),
        ("他是園丁之一", ["園丁"]),
        ("Bob", []),
        ("", []),
    ],
)
def test_names_are_found_in_texts_as_whole_words(text: str, found: list[str]) -> None:
    assert Mentions(["Ada Lovelace", "Zürich", "園丁", "Bob", "?!"]).within(text) == found
