"""Diagnostics: their order, severities and looks."""

import pytest

from vault.diagnostics import (
    Diagnostic,
    Related,
    Severity,
    Span,
    diagnostic,
    has_errors,
    in_file_order,
    with_severities,
)
from vault.render import full, github, line, summary

SPAN = Span("global/t/a.firm", 4, 5, 4, 9)
ITEM = diagnostic(
    "unknown-field",
    "`nmae` is not a field of t",
    SPAN,
    hint="did you mean `name`?",
    note="fields of t are declared in schema/t.firm",
    subject="t.a",
    related=(Related(Span("b.firm", 10, 1, 11, 3), "it is here too"),),
)
BARE = diagnostic("bad-value", "100% wrong\nindeed", Span("a,b:c.firm"))


def excerpt(path: str, number: int) -> str | None:
    return {("global/t/a.firm", 4): '\t   nmae = "A"', ("b.firm", 10): "t b {"}.get((path, number))


def test_a_diagnostic_on_one_line() -> None:
    words = "global/t/a.firm:4:5: warning[unknown-field] `nmae` is not a field of t (help: did you mean `name`?)"
    assert line(ITEM) == words
    assert line(BARE) == "a,b:c.firm:1:1: error[bad-value] 100% wrong\nindeed"


def test_a_diagnostic_in_full() -> None:
    assert full(ITEM, excerpt).split("\n") == [
        "warning[unknown-field]: `nmae` is not a field of t",
        "  --> global/t/a.firm:4:5, in t.a",
        "   |",
        '4  | \t   nmae = "A"',
        "   | \t   ^^^^",
        "help: did you mean `name`?",
        "note: it is here too",
        "  --> b.firm:10:1",
        "    |",
        "10  | t b {",
        "    | ^^^^^",
        "note: fields of t are declared in schema/t.firm",
    ]
    assert full(BARE, excerpt).split("\n")[2] == "  --> a,b:c.firm:1:1"


@pytest.mark.parametrize(
    ("start", "end", "shown", "marker"),
    [
        (3, 5, "a" * 160 + "…", "  ^^"),
        (501, 503, "…" + "a" * 160 + "…", " " * 41 + "^^"),
        (999, 1001, "…" + "a" * 160, " " * 159 + "^^"),
        (1, 1001, "a" * 160 + "…", "^" * 160),
    ],
)
def test_an_excerpt_of_a_long_line_is_cut_around_its_place(start: int, end: int, shown: str, marker: str) -> None:
    item = diagnostic("bad-value", "wrong", Span("a.firm", 1, start, 1, end))
    rows = full(item, lambda _path, _line: "a" * 1000).split("\n")
    assert rows[3:5] == [f"1  | {shown}", f"   | {marker}"]


def test_an_excerpt_steers_no_terminal() -> None:
    item = diagnostic("bad-value", "wrong", Span("a.firm", 1, 3, 1, 4))
    rows = full(item, lambda _path, _line: "\x1b\x9bx").split("\n")
    assert rows[3:5] == ["1  | \ufffd\ufffdx", "   |   ^"]


def test_a_diagnostic_for_a_hosted_check() -> None:
    assert github(BARE) == (
        "::error file=a%2Cb%3Ac.firm,line=1,col=1,endLine=1,endColumn=1,title=bad-value::100%25 wrong%0Aindeed"
    )
    assert github(ITEM).startswith("::warning file=global/t/a.firm,line=4,col=5,endLine=4,endColumn=9,")
    assert github(ITEM).endswith("%0Adid you mean `name`?")


def test_order_and_severities() -> None:
    other = diagnostic("bad-value", "m", SPAN)
    assert in_file_order([ITEM, other, BARE]) == [BARE, other, ITEM]
    assert with_severities([ITEM, other], {"bad-value": "off"}) == [ITEM]
    (changed,) = with_severities([ITEM], {"unknown-field": "error"})
    assert (changed.severity, changed.related, changed.note) == ("error", ITEM.related, ITEM.note)
    assert (has_errors([ITEM]), has_errors([changed])) == (False, True)


@pytest.mark.parametrize(
    ("severities", "words"),
    [
        ([], "no findings"),
        (["error"], "1 error"),
        (["error", "error", "warning"], "2 errors, 1 warning"),
        (["info"], "1 note"),
        (["info", "info"], "2 notes"),
    ],
)
def test_summary(severities: list[Severity], words: str) -> None:
    assert summary([Diagnostic("bad-value", severity, "m", SPAN) for severity in severities]) == words
