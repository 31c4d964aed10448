"""Texts and values for the properties of the language."""

from datetime import date, time
from decimal import Decimal

from hypothesis import strategies as st

from vault.model.currencies import CURRENCIES
from vault.model.values import OFFSET_MAX, Currency, EnumValue, Moment, PathValue, Reference, Value

NAMES = ["a", "b", "at", "true", "false", "path", "enum", "UTC", "USD", "schema", "field", "x1", "_y"]
PIECES = [
    *NAMES,
    *"{}[]=,\"'/*\\-.:+",
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\ufeff"),
    *("//", "// c\n", '// " \n', "/*", "*/", "/* c */", '/* " */', "/**/", "/***/"),
    *(
        '""',
        '"""',
        '"x"',
        '"""\n    x\n      y\n    """',
        '"a\nb"',
        'path"./p"',
        'enum"e"',
        'enum /* c */ "e"',
        'path "p"',
    ),
    *("1", "-2", "42.50", "5.9.2", "5 USD", "5\n/* c */USD", "5 US", "1e5", "007", "٣"),
    *("2025-01-15", "at 9:00", "2025-01-15 at 9:00 UTC+3", "2025-01-15 at 9:00:05 UTC-5:30", "2025-13-45", "UTC+3"),
    *("a.b", "a.b.c", "a.b.c.d", "é", "日本", "\0", "#", "<<<<<<< x\n", "=======\n", ">>>>>>> y\n"),
]

#: Anything at all, mostly made of what the language is made of.
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=30).map("".join)

trivia = st.sampled_from(
    ["", " ", " ", "\n", "\n\n", "  ", "\t", "\r\n", " // c {\n", "/* } */", " /* two\n lines */ "]
)
blanks = st.sampled_from([" ", "\n", "\n    ", " /* c */ ", " // c\n"])
names = st.sampled_from(NAMES)

_written = st.sampled_from(
    [
        *(
            '"x"',
            '""',
            '"two\nlines"',
            '"""\n        deep\n          deeper\n    """',
            '"""say "hi" twice"""',
            '"""a"""',
        ),
        *(
            "true",
            "false",
            "1",
            "-2.50",
            "5.00 USD",
            "5 /* c */ EUR",
            "5 // c\nEUR",
            "a.b",
            "a.b.c",
            'path"p"',
            'enum /* " */ "e"',
        ),
        *(
            "2025-01-15",
            "2025-01-15 at 9:00",
            "2025-01-15 /* at 1:11 */ at 9:00:05\nUTC-5:30",
            "2025-01-15 at 9:00 UTC",
        ),
    ]
)


@st.composite
def lists(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    held = draw(st.lists(items, max_size=4))
    comma = st.tuples(trivia, trivia).map(lambda around: f"{around[0]},{around[1]}")
    rows = "".join(item + draw(comma) for item in held[:-1])
    last = held[-1] + draw(st.sampled_from(["", ",", " ,"])) if held else ""
    return f"[{draw(trivia)}{rows}{last}{draw(trivia)}]"


values_written = st.recursive(_written, lists, max_leaves=8)


@st.composite
def items(draw: st.DrawFn, depth: int = 2) -> str:
    if depth and draw(st.integers(0, 5)) == 0:
        inner = "".join(draw(st.lists(items(depth - 1), max_size=3)))
        return f"{draw(names)}{draw(trivia)}{{{draw(trivia)}{inner}{draw(trivia)}}}{draw(trivia)}"
    return f"{draw(names)}{draw(trivia)}={draw(trivia)}{draw(values_written)}{draw(blanks)}"


@st.composite
def files(draw: st.DrawFn) -> str:
    """A well-formed file, oddly laid out."""
    text = draw(st.sampled_from(["", "", "\ufeff", "// first\n", "// first\r\n"]))
    for number in range(draw(st.integers(0, 3))):
        inner = "".join(draw(st.lists(items(), max_size=5)))
        kind = draw(st.sampled_from(["t", "schema", "note"]))
        text += f"{kind}{draw(blanks)}e{number}{draw(trivia)}{{{draw(trivia)}{inner}{draw(trivia)}}}{draw(trivia)}"
    return text


identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
strings = st.one_of(
    st.text(), st.text(alphabet=' \n\t"a\r\\', max_size=12), st.sampled_from(['say "hi"', "a\n  b\n\nc"])
)
_amounts = st.decimals(allow_nan=False, allow_infinity=False, places=2) | st.integers().map(Decimal)
scalars: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    strings,
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(Currency, _amounts, st.sampled_from(sorted(CURRENCIES))),
    st.builds(Moment, st.dates(date(1, 1, 1))),
    st.builds(
        Moment,
        st.dates(),
        st.builds(time, st.integers(0, 23), st.integers(0, 59), st.integers(0, 59)),
        st.none() | st.integers(-OFFSET_MAX, OFFSET_MAX),
    ),
    st.builds(Reference, identifiers, identifiers, st.none() | identifiers),
    st.builds(PathValue, strings),
    st.builds(EnumValue, strings),
)
values: st.SearchStrategy[Value] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=8
)
