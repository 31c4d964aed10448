"""The words of a commit."""

import pytest

from vault.workspace.describe import NAMED_ENTRIES, FileChange, entry_changes, subject, trailers

A = "global/t/a.firm"


def said(*changes: FileChange) -> str:
    return subject(entry_changes(changes), [change.path for change in changes])


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, 't a { name = "Ada" }', "add t.a: Ada"),
        (None, "t a { }", "add t.a"),
        ("t a { }", None, "delete t.a"),
        ("t a { x = 1 }", "t a { x = 2 }", "t.a: x 1 → 2"),
        ('t a { value = "CTO" statement = "x" }', 't a { value = "CEO" statement = "y" }', 't.a: "CTO" → "CEO"'),
        ("t a { x = 1 }", "t a { }", "t.a: x 1 → nothing"),
        ("t a { x = 1 y = 2 }", "t a { x = 3 }", "t.a: change x, y"),
        ("t a { x = 1 }", "// why\nt a { x = 1 }", f"change {A}"),
        ('t a { x = "y" }', f't a {{ x = "{"z" * 50}" }}', f't.a: x "y" → "{"z" * 29}…"'),
        (None, f't a {{ name = "{"word " * 30}" }}', f"add t.a: {'word ' * 12}wor"[:71] + "…"),
    ],
)
def test_one_file(before: str | None, after: str | None, words: str) -> None:
    assert said(FileChange(A, before, after)) == words


def test_moves_and_several_entries() -> None:
    moved = FileChange(A, "t a { x = 1 }", None), FileChange("global/t/b.firm", None, "t a { x = 1 }")
    assert said(*moved) == "move t.a"
    (change,) = entry_changes(
        [FileChange(A, "t a { }", None), FileChange("spaces/work/t/a.firm", None, "t a { y = 1 }")]
    )
    assert (change.op, change.fields) == ("update", ("y",))
    many = [FileChange(f"global/t/e{n}.firm", None, f"t e{n} {{ }}") for n in range(6)]
    assert said(*many) == "add 6 entries: t.e0, t.e1, t.e2, t.e3, …"
    mixed = [*many[:1], FileChange(A, "t a { }", None)]
    assert said(*mixed) == "add 1 and delete 1 entries: t.a, t.e0"
    others = [FileChange(f"global/{n}.md", "x", "y") for n in range(4)]
    assert said(*others) == "change 4 files: global/0.md, global/1.md, global/2.md, …"


def test_an_entry_of_two_scopes_is_two_entries() -> None:
    found = entry_changes(
        [FileChange(A, "t a { x = 1 }", None), FileChange("spaces/work/t/a.firm", "t a { x = 1 }", "t a { x = 2 }")]
    )
    assert [(change.op, change.before.path if change.before else "") for change in found] == [
        ("delete", A),
        ("update", "spaces/work/t/a.firm"),
    ]


def test_trailers() -> None:
    one = entry_changes([FileChange(A, None, "t a { }")])
    assert trailers(one) == [("Vault-Op", "add"), ("Vault-Entry", "t.a")]
    assert trailers(one, "restore")[0] == ("Vault-Op", "restore")
    assert trailers([]) == []
    mixed = entry_changes([FileChange(A, None, "t a { }"), FileChange("global/b.firm", "t b { }", None)])
    assert trailers(mixed)[0] == ("Vault-Op", "update")
    text = "".join(f"t e{n} {{ }}\n" for n in range(NAMED_ENTRIES + 1))
    assert trailers(entry_changes([FileChange(A, None, text)])) == [("Vault-Op", "add")]
