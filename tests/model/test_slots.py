"""The slot of a fact, and when it holds."""

from datetime import UTC, datetime

import pytest

from vault.lang.lower import read
from vault.model.entry import Entry
from vault.model.slots import Slot, Validity, is_attribute, slot_of, unusable_keys, validity_of


def fact(body: str, kind: str = "fact") -> Entry:
    (entry,) = read(f"{kind} x {{ {body} }}", "").entries
    return entry


def at(day: int) -> datetime:
    return datetime(2025, 1, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "slot"),
    [
        ('subject = actor.bob claim = "Role"', Slot("", "actor.bob", "general", "general", "role")),
        (
            'subject = actor.bob aspect = "Work" group = "at  Acme" claim = "Rôle!" agent = "scout"',
            Slot("scout", "actor.bob", "work", "at_acme", "rôle"),
        ),
        ('describes = [actor.bob] claim = "C++"', Slot("", "actor.bob", "general", "general", "c++")),
        ('describes = [actor.bob, actor.bob] claim = "C#"', Slot("", "actor.bob", "general", "general", "c#")),
        ('describes = [actor.bob, actor.ada] claim = "c"', None),
        ('subject = "bob" claim = "c"', None),
        ('claim = "c"', None),
        ("subject = actor.bob", None),
        ('subject = actor.bob claim = "!?"', None),
        ("subject = actor.bob claim = 3", None),
    ],
)
def test_slot_of_a_fact(body: str, slot: Slot | None) -> None:
    assert slot_of(fact(body)) == slot
    assert slot_of(fact(body, "note")) is None


def test_a_slot_reads_as_a_path() -> None:
    assert str(Slot("", "actor.bob", "work", "general", "role")) == "actor.bob › work › general › role"
    assert str(Slot("a", "s.x", "b", "c", "d")).endswith("› d (of the agent a)")


def test_keys_without_a_letter_are_unusable() -> None:
    assert unusable_keys(fact('aspect = "--" group = "g" claim = "?"')) == ["aspect", "claim"]
    assert unusable_keys(fact('claim = "?"', "note")) == []


def test_an_attribute_is_what_is_no_constraint() -> None:
    assert is_attribute(fact(""))
    assert is_attribute(fact('kind = enum"attribute"'))
    assert is_attribute(fact('kind = "constraint"'))
    assert not is_attribute(fact('kind = enum" Constraint"'))


@pytest.mark.parametrize(
    ("begins", "ends", "is_open", "is_over"),
    [
        (None, None, True, False),
        (1, None, True, False),
        (9, None, False, False),
        (None, 3, False, True),
        (1, 9, True, False),
        (1, 5, False, True),
    ],
)
def test_validity_at_a_moment(begins: int | None, ends: int | None, *, is_open: bool, is_over: bool) -> None:
    validity = Validity(*(None if day is None else at(day) for day in (begins, ends)))
    assert (validity.is_open(at(5)), validity.is_over(at(5))) == (is_open, is_over)


def test_validities_overlap_where_both_hold() -> None:
    assert Validity(at(1), at(5)).overlaps(Validity(at(4), None))
    assert not Validity(at(1), at(5)).overlaps(Validity(at(5), at(9)))
    assert Validity(None, at(5)).overlaps(Validity(None, None))
    assert not Validity(at(5), at(9)).overlaps(Validity(None, at(5)))


def test_validity_is_read_in_the_local_zone() -> None:
    found = validity_of(fact('valid_from = 2025-01-01 at 9:00 UTC-1 valid_until = "later"'), UTC)
    assert found == Validity(datetime(2025, 1, 1, 10, tzinfo=UTC), None)
    assert validity_of(fact("valid_until = 2025-01-03"), UTC).ends == at(3)
