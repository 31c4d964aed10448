"""Values as people type them, and what is said of those that look like something else."""

import io
import unicodedata
from pathlib import Path

import pytest

from tests.cli.conftest import Run

LOOP = 'thing {0} {{\n    name = "{0}"\n    size = thing.{1}.size\n}}\n'


def test_what_looks_like_something_else_is_told(run: Run) -> None:
    told = run("add", "thing", "x", "-f", "name=X", "-f", "summary=null", "-f", "tags=a,b").err
    assert "`summary` is the text `null`; `--unset summary` removes the field" in told
    assert "`tags` got one item, `a,b`" in told
    assert "got one item" not in run("set", "x", 'tags=["a", "b"]').err


def test_a_value_comes_from_a_file_or_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("draft.txt").write_text("Two\nlines\n")
    assert run("add", "note", "n", "-f", "text=@draft.txt").code == 0
    assert "Two\n" in Path("global/note/n.firm").read_text()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Ünten".encode()), encoding="utf-8"))
    assert run("set", "n", "text=-").code == 0
    assert '"Ünten"' in Path("global/note/n.firm").read_text()
    assert run("set", "n", "text=@nobody").code == 0
    assert '"@nobody"' in Path("global/note/n.firm").read_text()
    Path("latin").write_bytes(b"caf\xe9")
    assert run("set", "n", "text=@latin").code == 2


def test_a_loop_of_field_references_is_found_and_refused(run: Run) -> None:
    Path("global/thing").mkdir(parents=True)
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        Path(f"global/thing/{one}.firm").write_text(LOOP.format(one, other))
    found = run("check", "--json").json()["items"]
    assert [(item["code"], item["path"]) for item in found] == [("reference-cycle", "global/thing/a.firm")]
    assert run("get", "thing.a.size").code == 1
    assert run("check", "global/thing/b.firm", "--json").json()["items"] == found


def test_a_query_gives_the_fields_of_entries(run: Run) -> None:
    run("add", "thing", "x", "-f", "name=X", "-f", "tags=t")
    (item,) = run("query", "from thing", "--json").json()["items"]
    assert (item["fields"]["name"], item["fields"]["tags"]) == ("X", ["t"])


def test_types_of_the_products_own_records_are_not_offered(run: Run) -> None:
    told = run("add", "nothing", "x").err
    assert "types: actor, fact, note, output, thing;" in told


def test_the_marker_stands_under_wide_and_combining_characters(run: Run) -> None:
    Path("global/thing").mkdir(parents=True)
    name = f"東京 {unicodedata.normalize('NFD', 'é')}"
    Path("global/thing/x.firm").write_text(f'thing x {{ name = "{name}" kind = enum"no" }}\n')
    lines = run("check").out.splitlines()
    place = next(number for number, line in enumerate(lines) if name in line)
    shown, marker = lines[place], lines[place + 1]
    before = shown[: shown.index("kind")]
    wide = sum(unicodedata.east_asian_width(char) == "W" for char in before)
    marks = sum(bool(unicodedata.combining(char)) for char in before)
    assert marker.index("^") == len(before) + wide - marks


def test_a_wrong_value_is_answered_with_the_allowed_ones_alone(run: Run) -> None:
    wrong = run("add", "actor", "ada", "-f", "name=Ada", "-f", "kind=robot").err
    assert 'allowed: enum"person"' in wrong
    assert "expected structure" not in wrong
    assert "expected structure" in run("add", "fact", "-f", "value=x").err
