"""What holds for any bytes: nothing raises, texts are kept, values come back as they were set or are refused."""

from collections.abc import Callable
from contextlib import suppress

from vault.lang.edit import find_block, set_fields
from vault.lang.format import format_text
from vault.lang.lower import read
from vault.lang.syntax import tokens
from vault.lang.write import Unwritable
from vault.model.settings import BadSettings, read_settings
from vault.model.values import Value, same
from vault.query.errors import BadQuery
from vault.query.parse import parse as parse_query
from vault.workspace.ingest import decode

Law = Callable[[str], None]


def said(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the entries of a text say, in a form that tells every two values apart."""
    return [
        (entry.key, [(name, repr(value)) for name, value in entry.fields.items()]) for entry in read(text, "").entries
    ]


def tokens_are_the_text(text: str) -> None:
    """Parsing loses nothing."""
    assert "".join(text[token.start : token.end] for token in tokens(text, trivia=True)) == text


def places_lie_in_the_text(text: str) -> None:
    """Every diagnostic and every entry is somewhere."""
    found = read(text, "x.firm")
    rows = text.split("\n")
    for item in found.diagnostics:
        span = item.span
        assert (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)
        assert span.end_line <= len(rows)
        assert span.end_column <= len(rows[span.end_line - 1]) + 1
    for entry in found.entries:
        assert text.startswith(entry.type, entry.place.start)


def formatting_settles(text: str) -> None:
    """The canonical layout is one, and says the same."""
    once = format_text(text)
    assert format_text(once) == once
    assert said(once) == said(text)


def a_set_field_is_got(text: str) -> None:
    """What is set reads back exactly, or is refused; every other field stays."""
    entry = next(iter(read(text, "").entries), None)
    if entry is None:
        return
    block = find_block(text, entry.type, entry.id)
    if block is None:
        return
    for name, value in _changes(text, dict(entry.fields)):
        with suppress(Unwritable):
            after = read(set_fields(text, block, {name: value}), "").entries[0]
            assert same(after.fields[name], value)
            others = {other: repr(held) for other, held in entry.fields.items() if other != name}
            assert {other: repr(held) for other, held in after.fields.items() if other != name} == others


def _changes(text: str, fields: dict[str, Value]) -> list[tuple[str, Value]]:
    """Values for fields that are there and for a new one, some of them made of the text itself."""
    values: list[Value] = [text[:40], text[-200:], ("a", text[:9]), 7]
    values += [(*value, *value[:1]) for value in fields.values() if isinstance(value, tuple)]
    return [(name, value) for name in [*list(fields)[:3], "fresh"] for value in values]


def a_query_is_one_or_is_refused(text: str) -> None:
    """A query parses, or is told where it does not."""
    with suppress(BadQuery):
        parse_query(text)


def settings_are_read_or_refused(text: str) -> None:
    """A `vault.yaml` is read, or is told where it cannot be."""
    with suppress(BadSettings):
        read_settings(text)


LAWS: list[Law] = [
    tokens_are_the_text,
    places_lie_in_the_text,
    formatting_settles,
    a_set_field_is_got,
    a_query_is_one_or_is_refused,
    settings_are_read_or_refused,
]


def hold(data: bytes) -> None:
    """Hold all laws to some bytes: as they are where they are UTF-8, else as the vault reads them."""
    text, _ = decode(data, "x.firm")
    for law in LAWS:
        law(text)
