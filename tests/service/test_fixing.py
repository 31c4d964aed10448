"""Safe fixes: what is said stays the same."""

from decimal import Decimal
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from vault.model.schema import FieldSpec
from vault.model.values import Currency, EnumValue, Kind, PathValue, Reference, Value
from vault.service.arguments.commit_options import CommitOptions
from vault.service.vault import Vault
from vault.service.write.autofix import converted, fix

Text = dict[str, str]


def files(root: Path) -> Text:
    """The entries' files and what they hold."""
    found = [*root.glob("global/**/*.firm"), *root.glob("spaces/**/*.firm")]
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in found}


def test_values_take_the_form_their_schema_asks_for(vault: Vault, write: Write, root: Path) -> None:
    write(
        "global/actor/ada.firm",
        'actor ada {\r\n    name = "Ada" // kept\r\n    kind = "person"\r\n    tags = "maths"\r\n'
        '    uses = ["thing.engine"]\r\n    created_at = "2025-01-01T10:00:00+00:00"\r\n    chat = "no"\r\n}',
    )
    made = fix(vault)
    assert [one.message for one in made.fixes] == [
        "wrote `kind` of `actor.ada` as enum",
        "wrote `tags` of `actor.ada` as list",
        "wrote `uses` of `actor.ada` as list",
        "wrote `created_at` of `actor.ada` as datetime",
        "wrote `chat` of `actor.ada` as path",
    ]
    assert files(root)["global/actor/ada.firm"] == (
        'actor ada {\r\n    name = "Ada" // kept\r\n    kind = enum"person"\r\n    tags = ["maths"]\r\n'
        '    uses = [thing.engine]\r\n    created_at = 2025-01-01 at 10:00 UTC\r\n    chat = path"no"\r\n}'
    )
    assert fix(vault).fixes == []


@pytest.mark.parametrize(
    ("value", "kind", "item", "made"),
    [
        (42, "float", None, 42.0),
        (2**53 + 1, "float", None, None),
        (True, "float", None, None),
        ("1.5", "float", None, 1.5),
        (42, "string", None, "42"),
        (True, "string", None, None),
        (1.5, "string", None, None),
        (Reference("a", "b"), "string", None, "a.b"),
        (EnumValue("x"), "string", None, "x"),
        (PathValue("./x"), "string", None, "./x"),
        ("yes", "boolean", None, True),
        ("maybe", "boolean", None, None),
        (1, "boolean", None, None),
        ("2025-01-01T10:00:00.5", "datetime", None, None),
        (("a", "b.c"), "list", "reference", None),
        (("a.b", "c.d"), "list", "reference", (Reference("a", "b"), Reference("c", "d"))),
        ("x", "list", None, ("x",)),
        (("x",), "string", None, None),
        ("5.00 USD", "currency", None, Currency(Decimal("5.00"), "USD")),
    ],
)
def test_a_value_is_converted_where_nothing_is_lost(value: Value, kind: Kind, item: Kind | None, made: Value) -> None:
    assert converted(value, FieldSpec("f", kind, item_type=item)) == made


def test_a_value_the_schema_refuses_stays(vault: Vault, write: Write, root: Path) -> None:
    text = 'actor ada {\n    name = "Ada"\n    kind = "wizard"\n    unheard = 1\n}\nmagic x { }\n'
    write("global/actor/ada.firm", text)
    assert [one.code for one in fix(vault, ["global/actor/ada.firm"]).fixes] == ["several-entries"]
    assert files(root)["global/actor/ada.firm"] + files(root)["global/actor/x.firm"] == text


def test_repeated_fields_go_and_differing_ones_stay(vault: Vault, write: Write, root: Path) -> None:
    write(
        "global/note/n.firm", 'note n {\n  name = "N"\n  text = "a"\n  name = """N"""\n  text = "b"\n  name = "N"\n}\n'
    )
    assert [one.code for one in fix(vault).fixes] == ["duplicate-field"] * 2
    assert files(root)["global/note/n.firm"] == 'note n {\n  text = "a"\n  text = "b"\n  name = "N"\n}\n'


def test_entries_move_to_files_of_their_own(vault: Vault, write: Write, root: Path) -> None:
    first, second = '// of a\nnote a { text_file = path"./t.md" }\n', '// of b\nnote b { text = "B" } // end\n'
    write("global/note/all.firm", f"{first}\n{second}")
    write("global/note/t.md", "Text\n")
    write("global/note/odd.firm", 'note even { text = "E" }\n')
    made = fix(vault)
    assert [(one.code, one.home) for one in made.fixes] == [
        ("several-entries", "global/note/a.firm"),
        ("several-entries", "global/note/b.firm"),
        ("file-name-mismatch", "global/note/even.firm"),
    ]
    assert files(root) == {
        "global/note/a.firm": first,
        "global/note/b.firm": second,
        "global/note/even.firm": 'note even { text = "E" }\n',
    }
    assert vault.check() == []


def test_a_place_that_is_taken_stops_a_move(vault: Vault, write: Write, root: Path) -> None:
    write("global/note/x.firm", 'note y { text = "1" }\n')
    write("global/note/y.firm", 'note z { text = "2" }\n')
    write("global/note/z.firm", 'note A { text = "3" }\nnote a { text = "4" }\n')
    before = files(root)
    assert fix(vault, ["global/note/x.firm", "global/note/z.firm"]).fixes == []
    assert files(root) == before


@pytest.mark.parametrize("ids", [("z", "z"), ("Q", "q")])
def test_two_entries_never_move_to_one_file(vault: Vault, write: Write, root: Path, ids: tuple[str, str]) -> None:
    for name, ident in zip("xy", ids, strict=True):
        write(f"global/note/{name}.firm", f'note {ident} {{ text = "{name}" }}\n')
    assert [one.home for one in fix(vault).fixes] == [f"global/note/{ids[0]}.firm"]
    assert sorted(text for text in files(root).values()) == [
        f'note {ident} {{ text = "{name}" }}\n'
        for name, ident in sorted(zip("xy", ids, strict=True), key=lambda p: p[1])
    ]
    assert fix(vault).fixes == []


def test_files_with_syntax_errors_and_hidden_ones_stay(
    vault: Vault, write: Write, root: Path, open_vault: Open
) -> None:
    write("global/note/bad.firm", 'note other { kind = "x" tags = "t" = }\n')
    write("spaces/diary/note/d.firm", 'note d { text = "x" tags = "t" }\n')
    assert (fix(vault).fixes, fix(vault).hidden) == ([], 1)
    (found,) = fix(open_vault("diary")).fixes
    assert found.path == "spaces/diary/note/d.firm"


def test_fixes_can_be_committed(vault: Vault, write: Write, git: Git) -> None:
    write("global/note/n.firm", 'note m { text = "x" tags = "t" }\n')
    git("add", ".")
    git("commit", "-qm", "wrong")
    made = fix(vault, None, CommitOptions("Mend"))
    assert made.commit is not None
    assert git("status", "--porcelain") == ""
    assert git("show", "--format=%s", "--name-only", "--no-renames", "HEAD").split() == [
        *("Mend", "global/note/m.firm", "global/note/n.firm"),
    ]


def test_a_workspace_keeps_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    schema = 'schema t { field { name = "n" type = "integer" } }\n'
    (folder / "all.firm").write_text(schema + 't a { n = "1" }\nt b { n = 2 n = 2 }\n')
    with Vault.open(folder) as vault:
        assert [one.code for one in fix(vault).fixes] == ["duplicate-field", "wrong-type"]
    assert (folder / "all.firm").read_text() == schema + "t a { n = 1 }\nt b { n = 2 }\n"
