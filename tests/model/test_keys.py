"""Identifiers, keys and folded names."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vault.model.keys import (
    ID_LENGTH,
    fold_name,
    is_identifier,
    is_reserved,
    is_space_name,
    loose_name,
    make_id,
    normalise_key,
    split_key,
)


@given(st.text())
@example("ẞ")
@example("ﬁ ΐ ͅ")
@example("İ")
def test_normalising_is_idempotent(text: str) -> None:
    once = normalise_key(text)
    assert normalise_key(once) == once
    assert not once.startswith("_")
    assert not once.endswith("_")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Job Title", "job_title"),
        ("  C++ / C# ", "c++_c#"),
        ("__a--b__", "a_b"),
        ("ＦＵＬＬ", "full"),
        ("Straße", "strasse"),
        ("日本 語", "日本_語"),
        ("…", ""),
    ],
)
def test_normalised_keys(text: str, key: str) -> None:
    assert normalise_key(text) == key


@given(st.text())
def test_made_ids_are_identifiers(text: str) -> None:
    ident = make_id(text)
    assert not ident or is_identifier(ident)
    assert len(ident) <= ID_LENGTH + 1
    assert not is_reserved(ident)


@pytest.mark.parametrize(
    ("text", "ident"),
    [
        ("Ada Lovelace", "ada_lovelace"),
        ("Ada's notes", "adas_notes"),
        ("3 things", "_3_things"),
        ("CON", "con_"),
        ("Москва", "moskva"),
        ("北京", "beijing"),
        ("…", ""),
        ("x" * 80, "x" * 64),
    ],
)
def test_ids_of_names(text: str, ident: str) -> None:
    made = make_id(text)
    assert made == ident or made.replace("_", "") == ident


def test_keys_are_split() -> None:
    assert split_key("a.b") == ("a", "b")
    assert [split_key(key) for key in ("a", "a.b.c", "a.é", ".b")] == [None] * 4
    assert [is_space_name(name) for name in ("a-1", "1_a", "_a", "A", "a\n")] == [True, True, False, False, False]


def test_folded_names_are_alike() -> None:
    assert fold_name("  Zoë   ÖSTLUND ") == fold_name("zoe ostlund")


@pytest.mark.parametrize("text", ["Parental Leave", "parental-leave", "PARENTAL_LEAVE", " parental - leave_"])
def test_a_loose_name_has_blanks_between_its_words(text: str) -> None:
    assert loose_name(text) == "parental leave"
