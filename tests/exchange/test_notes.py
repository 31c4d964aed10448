"""Reading files: what is front matter, what is text, what is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.exchange.notes import Skipped, SourceFile, SourceNote, read_note, trim_blank_lines


def read(text: str, path: str = "a.md") -> SourceNote:
    note = read_note(SourceFile(path, text.encode()))
    assert isinstance(note, SourceNote)
    return note


def skipped(data: bytes, path: str = "a.md") -> Skipped:
    note = read_note(SourceFile(path, data))
    assert isinstance(note, Skipped)
    return note


@pytest.mark.parametrize(
    ("text", "data", "body"),
    [
        ("---\na: 1\n---\nText\n", {"a": 1}, "Text\n"),
        ("---\r\na: 1\r\n...\r\nText\r\n", {"a": 1}, "Text\r\n"),
        ("---\na: 1\n---", {"a": 1}, ""),
        ("---\n---\nText", {}, "Text"),
        ("\ufeff---\na: 1\n---\nText", {"a": 1}, "Text"),
        ("---\nno end\n", {}, "---\nno end\n"),
        ("Text\n---\na: 1\n---\n", {}, "Text\n---\na: 1\n---\n"),
        ("", {}, ""),
    ],
)
def test_front_matter_is_split_from_the_body(text: str, data: dict[str, object], body: str) -> None:
    note = read(text)
    assert (note.data, note.body, note.problems) == (data, body, ())


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("a: 1\nb: [", 4),
        ("a: b: c", 2),
        ("- a", 2),
        ("a: 1\na: 2", 3),
        ("b: {c: 1, c: 2}", 2),
        ("1: a\n'1': b", 2),
        ("a: !!bool maybe", 2),
        ("a: !!timestamp soon", 2),
        ("a: &x [*x]", 2),
        ("{{date}}: 1", 2),
    ],
)
def test_broken_front_matter_stays_in_the_text(front: str, line: int) -> None:
    text = f"---\n{front}\n---\nText\n"
    note = read(text)
    assert (note.data, note.body) == ({}, text)
    assert [problem.line for problem in note.problems] == [line]
    assert str(note.problems[0]).startswith(f"a.md:{line}: the front matter stays in the text: ")


def test_aliases_that_multiply_without_end_are_refused() -> None:
    rows = [
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    note = read("---\na: &a [x]\n" + "\n".join(rows) + "\n---\n")
    assert "too large" in note.problems[0].message


def test_numbers_people_write_are_not_counted_in_sixties_or_octal() -> None:
    note = read("---\nstart: 9:30\nphone: 0123\nlist: [1:30, 5]\ntext: |\n  at 9:30\nplain: 42\nmap: {a: 007}\n---\n")
    assert note.data == {
        "start": "9:30",
        "phone": "0123",
        "list": ["1:30", 5],
        "text": "at 9:30\n",
        "plain": 42,
        "map": {"a": "007"},
    }


def test_numbers_inside_a_quoted_text_are_left_alone() -> None:
    assert read('---\na: "call 0123\n  now"\n---\n').data == {"a": "call 0123 now"}


def test_a_repeated_key_is_a_loss_of_its_note_that_names_both_lines() -> None:
    note = read("---\na: 1\nb:\n  c: 1\n  c: 2\n---\nText\n")
    assert [str(problem) for problem in note.problems] == [
        "a.md:5: the front matter stays in the text: the key `c` is already on line 4"
    ]
    assert note.body.startswith("---\na: 1")


def test_comments_between_keys_are_reported() -> None:
    note = read("---\na: 1\n# for later\n---\nText\n")
    assert [str(problem) for problem in note.problems] == ["a.md:3: comments between the keys are not taken over"]


def test_text_that_is_not_utf8_is_skipped_with_its_line() -> None:
    assert skipped(b"one\ntwo \xff\n") == Skipped("a.md", 2, "not UTF-8 text (byte 9)")


def test_other_files_are_skipped() -> None:
    assert skipped(b"\x89PNG", "a.png").reason == "neither Markdown nor YAML"


def test_a_yaml_file_is_all_data() -> None:
    note = read("id: x\nname: Ada\n", "a.yml")
    assert (note.data, note.body) == ({"id": "x", "name": "Ada"}, "")


@pytest.mark.parametrize("text", [b"- a\n", b"just text\n", b"a: [", b"a: 1\n---\nb: 2\n"])
def test_a_yaml_file_without_keys_is_skipped(text: bytes) -> None:
    assert skipped(text, "a.yaml").reason


def test_lines_are_found_in_the_front_matter_only() -> None:
    note = read("---\na: 1\nb: here\n---\nthere\n", "folder/a.md")
    assert (note.line_of("here"), note.line_of("there"), note.line_at(note.start)) == (3, 1, 5)
    assert (note.stem, note.folder) == ("a", "folder")


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [
        ("\n  \n  a\n\nb  \n\n\t\n", "  a\n\nb  "),
        ("\r\n\r\na\r\nb\r\n", "a\r\nb"),
        (" \n\t", ""),
        ("a", "a"),
    ],
)
def test_only_outer_blank_lines_are_removed(text: str, trimmed: str) -> None:
    assert trim_blank_lines(text) == trimmed


@given(st.text(alphabet="ab \t\r\n-:#\u2028\x0c", max_size=60))
def test_a_text_loses_nothing_but_outer_blank_lines(text: str) -> None:
    trimmed = trim_blank_lines(text)
    start = text.find(trimmed)
    assert start >= 0
    assert not (text[:start] + text[start + len(trimmed) :]).strip(" \t\r\n")
    assert trim_blank_lines(trimmed) == trimmed


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_read_or_skipped(data: bytes) -> None:
    for start in (b"", b"---\n"):
        for path in ("a.md", "a.yml"):
            note = read_note(SourceFile(path, start + data))
            assert isinstance(note, Skipped) or note.source[: note.start] + note.body == note.source
