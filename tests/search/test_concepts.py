"""Entries that a query mentions."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.conftest import Shelf
from vault.search.concepts import NAME_WORDS, QUERY_WORDS, mentioned


def mentions(shelf: Shelf, query: str, space: str | None = None) -> dict[str, float]:
    """The ids of what a query mentions, with the share of its letters."""
    snapshot = shelf.seen(space)
    found = mentioned(snapshot, query, shelf.indexes(snapshot)[0].terms(query))
    return {snapshot.rows([row])[row].entry.id: score for row, score in found.items()}


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Ada Lovelace", "who was ADA  Lovelace?"),
        ("Ada", "Ada's machine"),
        ("Ada", "the machine (Ada)"),
        ("Ada  Byron", "ada\nbyron"),
        ("Node.js", "We use node.js."),
        ("C++", "is it C++ or C#?"),
        ("Yahoo!", "is Yahoo! good"),
        (".NET", "we run .NET there"),
        ("O'Neill", "ask O'Neill"),
        ("R&D", "the R&D budget"),
        ("x-ray", "an x-ray, now"),
        ("travel-policy", "the travel policy, now"),
        ("travel_policy", "what does the Travel policy say"),
        ("Zoë", "ask zoe"),
        ("Zoe", "ask ZOË"),
        ("Ørsted", "what did Ørsted find"),
        ("İzmir", "the road to İzmir"),
        ("Straße 7", "auf der STRASSE 7"),
        ("Ｆｕｌｌ", "the Full moon"),
        ("Москва", "поезд в Москва"),
        ("हिन्दी", "हिन्दी भाषा"),
        ("工程师", "我们的工程师每天喝茶"),
        ("ガギグ", "これはガギグです"),
        ("한국", "한국의 수도"),
        ("กรุงเทพ", "ฉันอยู่กรุงเทพมหานคร"),
        ("🎉", "a 🎉 today"),
    ],
)
def test_a_name_is_found_in_a_query(shelf: Shelf, name: str, query: str) -> None:
    shelf.put("x", body=f'name = "{name}"')
    shelf.put("other", body='name = "Someone"')
    assert mentions(shelf, query).keys() == {"x"}


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Ada", "an adage"),
        ("Ada", "Canada"),
        ("Ada Lovelace", "Ada"),
        ("Ada Lovelace", "Ada, not Lovelace"),
        ("node js", "node.js"),
        ("C", "C++"),
        ("Ada", ""),
        ("Ada", " \n"),
        ("工程师", "工程"),
    ],
)
def test_only_whole_words_of_a_name_in_its_spelling(shelf: Shelf, name: str, query: str) -> None:
    shelf.put("x", body=f'name = "{name}"')
    assert mentions(shelf, query) == {}


def test_aliases_and_tags(shelf: Shelf) -> None:
    shelf.put("x", body='name = "Ada Lovelace" aliases = ["The Countess", "AAL"] tags = ["poet"]')
    assert mentions(shelf, "a letter of the countess").keys() == {"x"}
    assert mentions(shelf, "what AAL wrote").keys() == {"x"}
    assert mentions(shelf, "a poet") == {}


@pytest.mark.parametrize(
    "query", ["t.ada", "see t.ada, t.bob", "`t.ada`", "(t.ada)", "is it t.ada?", "t.ada.", "t.ada.name"]
)
def test_a_key_is_found_in_running_text(shelf: Shelf, query: str) -> None:
    shelf.put("ada")
    assert mentions(shelf, query).keys() == {"ada"}


@pytest.mark.parametrize("query", ["ada", "t.adam", "T.ada", "at.ada", "www.t.ada", "t. ada", "t/ada"])
def test_what_is_no_key(shelf: Shelf, query: str) -> None:
    shelf.put("ada")
    assert mentions(shelf, query) == {}


def test_the_score_is_the_share_of_letters_that_name(shelf: Shelf) -> None:
    shelf.put("ada", body='name = "Ada"')
    shelf.put("full", body='name = "Ada Lovelace" aliases = ["Ada"]')
    found = mentions(shelf, "the sister of Ada Lovelace")
    assert found == pytest.approx({"ada": 3 / 17, "full": 11 / 17})
    assert mentions(shelf, "Ada?") == {"ada": 1.0, "full": 1.0}


def test_the_score_in_a_script_without_blanks(shelf: Shelf) -> None:
    shelf.put("x", body='name = "한국"')
    assert mentions(shelf, "한국의수도는") == pytest.approx({"x": 2 / 6})
    assert mentions(shelf, "한국") == {"x": 1.0}


def test_a_name_of_stop_words_alone_is_none(shelf: Shelf) -> None:
    shelf.put("x", body='name = "It"')
    shelf.put("y", body='name = "The Who"')
    assert mentions(shelf, "what is it about the who garden") == {}
    assert mentions(shelf, "the who").keys() == {"y"}


def test_a_long_name_counts_up_to_a_limit(shelf: Shelf) -> None:
    words = [f"word{number}" for number in range(NAME_WORDS + 1)]
    shelf.put("x", body=f'name = "{" ".join(words)}"')
    shelf.put("y", body=f'name = "{" ".join(words[1:])}"')
    assert mentions(shelf, " ".join(words)).keys() == {"y"}


def test_only_the_beginning_of_a_long_query_is_looked_at(shelf: Shelf) -> None:
    shelf.put("x", body='name = "Ada"')
    filler = ["stone"] * (QUERY_WORDS - 1)
    assert mentions(shelf, " ".join([*filler, "Ada"])).keys() == {"x"}
    assert mentions(shelf, " ".join([*filler, "river", "Ada"])) == {}
    assert mentions(shelf, "字" * 99_999) == {}


def test_nothing_of_another_scope_is_mentioned(shelf: Shelf) -> None:
    for scope in ("work", "home", "diary"):
        shelf.put(f"in_{scope}", body='name = "Ada"', scope=scope)
    assert mentions(shelf, "Ada") == mentions(shelf, "t.in_diary") == {}
    assert mentions(shelf, "Ada", "work").keys() == {"in_work"}
    assert mentions(shelf, "Ada", "diary").keys() == {"in_diary"}
    assert mentions(shelf, "t.in_home", "work") == {}


def test_a_shadowed_name_is_not_mentioned(shelf: Shelf) -> None:
    shelf.put("x", body='name = "Ada"')
    shelf.put("x", body='name = "Grace"', scope="work")
    assert mentions(shelf, "Ada", "work") == {}
    assert mentions(shelf, "Grace", "work").keys() == mentions(shelf, "Ada").keys() == {"x"}


@given(query=st.text())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=50)
def test_any_text_is_a_legal_query(shelf: Shelf, query: str) -> None:
    shelf.put("x", body='name = "Ada" aliases = ["工程师", "0", "é"]')
    assert all(0 < score <= 1 for score in mentions(shelf, query).values())
