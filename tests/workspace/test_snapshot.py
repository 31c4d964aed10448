"""What readers see."""

import pytest

from tests.workspace.conftest import Kept
from vault.workspace.snapshot import Ambiguous, NotFound, Snapshot


@pytest.fixture
def filled(kept: Kept) -> Kept:
    kept.entry("ada", 'name = "Ada Lovelace" aliases = ["Countess"] tags = ["maths"] r = t.bob')
    kept.entry("ada", 'name = "Ada at work"', "work")
    kept.entry("ada", 'name = "Ada in secret" tags = ["#Maths"]', "diary")
    kept.entry("bob", 'name = "Bob" aliases = ["Countess"]')
    kept.entry("plan", "r = [t.bob, t.bob]", "diary")
    return kept


def keys(snapshot: Snapshot) -> list[tuple[str, str]]:
    return [(stored.entry.key, stored.scope) for stored in snapshot.entries()]


def test_the_most_specific_entry_shadows_the_others(filled: Kept) -> None:
    assert keys(filled.seen()) == [("t.ada", "global"), ("t.bob", "global")]
    assert keys(filled.seen("work")) == [("t.ada", "work"), ("t.bob", "global")]
    assert keys(filled.seen("diary")) == [("t.ada", "diary"), ("t.bob", "global"), ("t.plan", "diary")]
    assert keys(filled.seen(all_spaces=True)) == [("t.ada", "global"), ("t.ada", "work"), ("t.bob", "global")]
    assert keys(filled.seen("diary", all_spaces=True)) == keys(filled.seen("diary"))
    assert len(keys(filled.seen(owner=True))) == 5
    (filled.root / "spaces/work/t/ada.firm").unlink()
    assert keys(filled.seen("work")) == keys(filled.seen())


def test_entries_are_filtered(filled: Kept) -> None:
    seen = filled.seen("diary")
    assert [s.entry.id for s in seen.entries(tag="MATHS")] == ["ada"]
    assert list(seen.entries(kind="u")) == []
    assert [s.entry.id for s in seen.entries(limit=1)] == ["ada"]
    assert (seen.count(), seen.count(scope="diary"), seen.count(kind="u")) == (3, 2, 0)


@pytest.mark.parametrize("words", ["t.ada", "ada", "global/t/ada.firm", "./global/t/ada.firm", "ada  LOVELACE"])
def test_words_resolve_to_one_entry(filled: Kept, words: str) -> None:
    stored = filled.seen().resolve(words)
    assert (stored.entry.key, stored.scope) == ("t.ada", "global")


@pytest.mark.parametrize(
    "words", ["parental-leave", "Parental_Leave", "parental leave", "t.parental-leave", "leave-2024", "LEAVE 2024"]
)
def test_hyphens_blanks_and_underscores_name_the_same(kept: Kept, words: str) -> None:
    kept.entry("parental_leave", 'name = "Time off" aliases = ["Leave_2024"]')
    assert kept.seen().resolve(words).entry.key == "t.parental_leave"


def test_an_exact_name_wins_over_one_spelt_alike(kept: Kept) -> None:
    kept.entry("a", 'name = "re-sign"')
    kept.entry("b", 'name = "re sign"')
    assert kept.seen().resolve("re sign").entry.key == "t.b"
    with pytest.raises(Ambiguous, match=r"names 2 entries: t\.a"):
        kept.seen().resolve("re_sign")


def test_words_that_name_several_or_none(filled: Kept) -> None:
    with pytest.raises(Ambiguous, match=r"names 2 entries: t\.ada"):
        filled.seen().resolve("countess")
    with pytest.raises(Ambiguous):
        filled.seen(all_spaces=True).resolve("t.ada")
    assert filled.seen("work").resolve("ada").entry.name == "Ada at work"
    with pytest.raises(NotFound) as caught:
        filled.seen().resolve("t.bobb")
    assert caught.value.hint == "did you mean `t.bob`?"
    with pytest.raises(NotFound) as caught:
        filled.seen().resolve("plan")
    assert caught.value.hint == "`vault list` lists the entries"
    with pytest.raises(NotFound) as caught:
        filled.seen("diary").resolve("plann")
    assert caught.value.details == {"candidates": ["t.plan"]}


def test_an_entry_declared_twice_is_named_by_its_path(filled: Kept) -> None:
    filled.write("global/twice.firm", 't bob { name = "Robert" }')
    seen = filled.seen()
    for words in ("t.bob", "bob"):
        with pytest.raises(Ambiguous, match=r"global/t/bob\.firm.*global/twice\.firm") as caught:
            seen.resolve(words)
        assert caught.value.hint == "name one by its path"
    assert seen.resolve("global/twice.firm").entry.name == "Robert"
    filled.write("global/both.firm", "t x { } t x { }")
    with pytest.raises(Ambiguous):
        filled.seen().resolve("global/both.firm")
    filled.entry("bob", scope="work")
    assert filled.seen("work").resolve("bob").scope == "work"


def test_rows_are_those_a_reader_sees(filled: Kept) -> None:
    rows = {stored.row: stored.scope for stored in filled.seen(owner=True).entries()}
    assert {stored.scope for stored in filled.seen().rows(rows).values()} == {"global"}
    seen = filled.seen("work").rows(rows).values()
    assert {(stored.entry.key, stored.scope) for stored in seen} == {("t.ada", "work"), ("t.bob", "global")}


def test_referrers_are_those_a_reader_sees(filled: Kept) -> None:
    assert [(name, s.entry.key) for name, s in filled.seen().referrers("t.bob")] == [("r", "t.ada")]
    inside = filled.seen("diary")
    assert [(name, s.entry.key) for name, s in inside.referrers("t.bob")] == [("r", "t.plan"), ("r", "t.plan")]
    assert [s.scope for s in inside.hidden_by(inside.resolve("ada"))] == ["global"]
    assert inside.hidden_by(inside.resolve("bob")) == []
    assert inside.rows([]) == {}
