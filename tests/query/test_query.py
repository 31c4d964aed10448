"""Queries: how they are read, what is said of those that cannot be, and what they find."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases.queries import world
from vault.model.values import Currency, EnumValue, Moment, PathValue, Reference, Value
from vault.query.calculate import calculate
from vault.query.compare import Mismatch, matches
from vault.query.errors import BadQuery
from vault.query.parse import parse
from vault.query.run import Result, run
from vault.query.tree import Count, Find, Where

PEOPLE = """
person ada { name = "Ada" age = 36 pay = 5.00 USD tags = ["maths", "engines"] file = path"./a.pdf" }
person bob { name = "bob" age = 7.5 pay = 3.00 USD knows = person.ada }
person cy { knows = [person.bob, person.nobody] }
task t { for = person.cy due = 2025-01-15 at 9:00 UTC }
"""


def ask(query: str) -> Result:
    return run(parse(query), world(PEOPLE))


def ids(query: str) -> list[str]:
    return [stored.entry.id for stored in ask(query).entries]


@pytest.mark.parametrize(
    ("query", "column", "words", "hint"),
    [
        ("", 1, "`from` and a type", "--help"),
        ("from", 5, "a type, or `*`", "--help"),
        ("frm person", 1, "not `frm`", "`from`"),
        ("from person where age > 1", 13, "`|` and the next part", "--help"),
        ("from person | wher age > 1", 15, "one of where, related", "`where`"),
        ("from person | where > 1", 21, "a field, or one of @type", "--help"),
        ("from person | where @spac == 1", 21, "one of @type", "`@space`"),
        ("from person | where age = 1", 25, "a comparison", "--help"),
        ("from person | where name contians 1", 26, "a comparison", "`contains`"),
        ("from person | where name == ada", 29, "a value: a text in quotes", "--help"),
        ("from person | where a == 1 or b == 2 and c == 3", 38, "`or`", "--help"),
        ("from person | where a in 3", 26, "a list", "--help"),
        ("from person | where a in [1 2]", 29, "`,` or `]`", "--help"),
        ("from person | where a == 99999999999999999999", 26, "larger than any integer", "--help"),
        ("from person | where a > 2025-02-30", 25, "is not a date", "--help"),
        ("from person | where a > 2025-02-03 at 9:00 UTC+15", 25, "is not a date", "--help"),
        ("from person | related(x)", 23, "how many references away", "--help"),
        ("from person | related(2 task", 25, "`)`", "--help"),
        ("from person | limit many", 21, "a number of entries", "--help"),
        ("from person | search ada", 22, "in quotes", "--help"),
        ("from person | count | limit 1", 21, "an aggregation is the last part", "--help"),
        ("from persn", 6, "there is no type `persn`", "`person`"),
        ("from person | where age > 1 | sum name", 31, "not only numbers", "--help"),
        (
            'from person | where age == "36"',
            21,
            "`age` of person.ada: an integer cannot be compared with a string",
            "own kind",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(query: str, column: int, words: str, hint: str) -> None:
    with pytest.raises(BadQuery) as caught:
        ask(query)
    assert caught.value.details["column"] == column
    assert words in str(caught.value.details["problem"])
    assert hint in caught.value.hint
    *_, caret = caught.value.message.split("\n")
    assert caret.index("^") == column + 1


def test_a_long_query_is_shown_around_the_place() -> None:
    with pytest.raises(BadQuery) as caught:
        parse(f"from {'x' * 200} | where ?? {'y' * 200}")
    _, line, caret = caught.value.message.split("\n")
    assert line[caret.index("^")] == "?"
    assert line.startswith("  …")
    assert line.endswith("…")


@given(
    st.text(alphabet=st.sampled_from(list("from*|where@=<>!()[],.\"'0123456789 abcUTCD-+\n")), max_size=60) | st.text()
)
def test_any_text_is_read_or_refused(text: str) -> None:
    for query in (text, f"from * | {text}", f"from * | where {text}"):
        try:
            ask(query)
        except BadQuery as error:
            assert 1 <= int(str(error.details["column"])) <= len(query) + 1  # noqa: PT017  any text may be one


def test_parts_are_read_in_any_case_and_spacing() -> None:
    read = parse("from  *|WHERE a=='x'AND b in[1,2.5]|search 'steam engine'|COUNT  a")
    where, search = read.operations
    assert isinstance(where, Where)
    assert [(each.field, each.operator, each.value) for each in where.conditions] == [
        ("a", "==", "x"),
        ("b", "in", (1, 2.5)),
    ]
    assert (search, read.aggregation) == (Find("steam engine"), Count("a"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('from person | where tags contains "MATH"', ["ada"]),
        ("from person | where age in [36.0, 1]", ["ada"]),
        ("from person | where age in []", []),
        ('from person | where file == path"./a.pdf"', ["ada"]),
        ("from person | where knows == person.ada", ["bob"]),
        ('from task | where due == 2025-01-15 and @id == "t"', ["t"]),
        ("from task | where due < 2025-01-15 at 10:30 UTC+2", []),
        ("from person | order age desc", ["ada", "bob", "cy"]),
        ("from person | order name", ["ada", "bob", "cy"]),
        ("from task | related", ["t", "cy"]),
        ("from task | related(2) person", ["cy", "bob"]),
        ("from task | related(99)", ["t", "cy", "bob", "ada"]),
        ("from person | limit 0", []),
    ],
)
def test_what_is_found(query: str, found: list[str]) -> None:
    if "knows ==" in query:
        with pytest.raises(BadQuery, match="list"):  # one of them holds a list
            ids(query)
        query = query.replace("knows ==", '@id != "cy" and knows ==')
    assert ids(query) == found


def test_figures_and_tables() -> None:
    assert ask("from person | sum pay").figure == Currency(Decimal("8.00"), "USD")
    assert ask("from person | average age").figure == 21.75
    assert ask("from person | count age").figure == 2
    table = ask("from person | select name, @id")
    assert (table.columns, table.rows) == (
        ["name", "@id"],
        [["Ada", "person.ada"], ["bob", "person.bob"], [None, "person.cy"]],
    )


@pytest.mark.parametrize(
    ("value", "operator", "wanted"),
    [
        (True, "==", 1),
        (1, "==", True),
        ("a", "<", "b"),
        (EnumValue("a"), "==", 5),
        (Reference("a", "b"), "contains", "a"),
        ((1, 2), "==", 1),
        ((1, 2), "!=", (1, 2)),
        ((1, 2), "contains", "x"),
        (1, "in", 1),
    ],
)
def test_what_does_not_compare_is_said(value: Value, operator: str, wanted: Value) -> None:
    with pytest.raises(Mismatch):
        matches(value, operator, wanted)  # type: ignore[arg-type]  # one of the operators


def test_a_list_in_a_list_is_an_item() -> None:
    assert matches(((1, 2), (3,)), "contains", (1, 2))
    assert not matches(((1, 2),), "contains", "x")
    assert matches((PathValue("./docs/a.pdf"),), "contains", "docs")


def test_different_kinds_have_no_figure() -> None:
    day = Moment(date(2025, 1, 1))
    different: list[list[Value]] = [[1, "a"], [Currency(Decimal(1), "USD"), 1], [day]]
    for values in different:
        with pytest.raises(Mismatch):
            calculate("sum", "a", values)
