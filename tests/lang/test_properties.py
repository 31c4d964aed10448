"""What holds for every text and every value."""

from contextlib import suppress

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.fuzz.laws import formatting_settles, places_lie_in_the_text, said, tokens_are_the_text
from tests.lang.strategies import files, identifiers, texts, values
from vault.lang.edit import find_block, remove_block, set_fields
from vault.lang.format import format_text
from vault.lang.lower import Lowered, read
from vault.lang.parse import parse
from vault.lang.syntax import tokens
from vault.lang.write import Unwritable, fits_string, write_entry, write_value
from vault.model.entry import Entry
from vault.model.values import Value, same


@given(texts | files())
def test_tokens_with_trivia_are_the_text(text: str) -> None:
    tokens_are_the_text(text)


@given(texts | files())
def test_reading_never_raises_and_spans_lie_in_the_text(text: str) -> None:
    places_lie_in_the_text(text)


@given(files())
@example("t e0 // c\n{ a = 1 }")
@example('// first\r\nt e0 { a = "two\nlines" b = """\n  x "y"\n  z""" }')
@example("t e0 { a { /* } */ } /* c */ b = [1, 2] // c\n }")
def test_a_well_formed_file_reads_without_syntax_errors(text: str) -> None:
    assert not parse(text).problems


@given(texts | files())
@example("t e0 // c\n{ a = 1 }")
@example("t e0\r\n{ /* two\n lines */ }")
@example("\r\nt /* c */\n e0 {}")
@example('// first\r\nt e0 { a = "two\nlines" b = """\n  x "y"\n  z""" }')
def test_formatting_is_idempotent_and_changes_no_value(text: str) -> None:
    formatting_settles(text)
    once = format_text(text)
    comments = [text[t.start : t.end].rstrip() for t in tokens(text, trivia=True) if t.kind == "COMMENT"]
    kept = [once[t.start : t.end].rstrip() for t in tokens(once, trivia=True) if t.kind == "COMMENT"]
    assert kept == comments


@given(values)
def test_a_written_value_reads_back_or_is_refused(value: Value) -> None:
    with suppress(Unwritable):
        held = read(f"a b {{\n    c = {write_value(value)}\n}}\n", "")
        assert not held.diagnostics
        assert same(held.entries[0].fields["c"], value)


@given(st.text())
def test_fits_string_says_what_can_be_written(text: str) -> None:
    try:
        write_value(text)
    except Unwritable:
        assert not fits_string(text)
    else:
        assert fits_string(text)


@given(identifiers, identifiers, st.dictionaries(identifiers, values, max_size=5))
def test_a_written_entry_reads_back(kind: str, ident: str, fields: dict[str, Value]) -> None:
    assume(kind != "schema")
    with suppress(Unwritable):
        held = read(write_entry(kind, ident, fields), "").entries[0]
        assert (held.type, held.id, list(held.fields)) == (kind, ident, list(fields))
        assert all(same(held.fields[name], value) for name, value in fields.items())


@given(files(), st.data())
def test_setting_fields_changes_them_and_nothing_else(text: str, data: st.DataObject) -> None:
    before = read(text, "")
    assume(before.entries)
    entry = data.draw(st.sampled_from(before.entries))
    names = st.sampled_from([*entry.fields, "fresh", "new"])
    changes = data.draw(st.dictionaries(names, st.none() | values, min_size=1, max_size=3))
    block = find_block(text, entry.type, entry.id)
    assert block is not None
    with suppress(Unwritable):
        edited = set_fields(text, block, changes)
        after = read(edited, "")
        _assert_only_changed(before, after, entry, changes)
        assert edited[: block.open] == text[: block.open]
        assert edited.endswith(text[block.close :])
        kept = [text[t.start : t.end] for t in tokens(text, trivia=True) if t.kind == "COMMENT"]
        held = [edited[t.start : t.end] for t in tokens(edited, trivia=True) if t.kind == "COMMENT"]
        touched = [node for node in block.fields() if node.name in changes]
        inside = sum(text[n.start : n.end].count("/*") + text[n.start : n.end].count("//") for n in touched)
        assert len(held) >= len(kept) - inside


def _assert_only_changed(before: Lowered, after: Lowered, entry: Entry, changes: dict[str, Value | None]) -> None:
    assert [e.key for e in after.entries] == [e.key for e in before.entries]
    for old, new in zip(before.entries, after.entries, strict=True):
        wanted = dict(old.fields)
        if old is entry:
            wanted |= {name: value for name, value in changes.items() if value is not None}
            wanted = {name: value for name, value in wanted.items() if changes.get(name, "") is not None}
        assert set(new.fields) == set(wanted)
        assert all(same(new.fields[name], value) for name, value in wanted.items())


@given(files())
def test_removing_an_entry_leaves_the_others(text: str) -> None:
    before = read(text, "").entries
    assume(before)
    block = find_block(text, before[0].type, before[0].id)
    assert block is not None
    left = remove_block(text, block)
    assert said(left) == said(text)[1:]
