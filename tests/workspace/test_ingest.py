"""Single files into the catalog."""

import pytest

from tests.tables import sql
from tests.workspace.conftest import Kept
from vault.model.settings import Settings


def test_entries_carry_what_they_are_found_by(kept: Kept) -> None:
    kept.entry("a", 'name = "Zoë" aliases = ["Z", "…", ""] tags = ["#One", "two"] created_at = 2025-01-15 at 9:00 UTC')
    (stored,) = kept.seen().entries()
    assert stored.created == "2025-01-15T09:00:00Z"
    labels = sql(kept.catalog, "SELECT kind, label, written FROM labels ORDER BY rowid")
    assert labels == [
        ("name", "zoe", "Zoë"),
        ("alias", "z", "Z"),
        ("alias", "...", "…"),
        ("tag", "one", "#One"),
        ("tag", "two", "two"),
    ]


def test_a_sidecar_is_read_from_the_entrys_own_scope(kept: Kept) -> None:
    kept.entry("a", 'text_file = path"a.md"')
    kept.write("global/t/a.md", "\ufeffits text\n")
    kept.entry("b", 'text_file = path"../../diary/t/secret.md"', "work")
    kept.write("spaces/diary/t/secret.md", "hidden")
    assert kept.codes() == [("sidecar", "spaces/work/t/b.firm")]
    assert [stored.text_file for stored in kept.seen(owner=True).entries()] == ["global/t/a.md", None]
    passages = sql(kept.catalog, "SELECT path, text FROM passages")
    assert ("global/t/a.md", "its text") in passages
    assert not any("hidden" in text for _, text in passages)


@pytest.mark.parametrize(
    ("written", "content", "words"),
    [
        ("absent.md", None, "is not there"),
        ("../../../out.md", None, "not a file of the vault"),
        ("/etc/hosts", None, "not a file of the vault"),
        ("a\0b.md", None, "not a file of the vault"),
        ("../../.git/config", None, "not a file of the vault"),
        ("../../vault.yaml", b"version: 1", "outside the entry's scope"),
        ("bad.md", b"\xff", "not UTF-8"),
        ("big.md", b"x" * 200, "too large"),
    ],
)
def test_a_sidecar_that_cannot_be_used_is_reported(kept: Kept, written: str, content: bytes | None, words: str) -> None:
    kept.settings = Settings(file_limit=150)
    kept.write("schema/t.firm", 'schema t { field { name = "text_file" type = "path" } }')
    kept.entry("a", f'text_file = path"{written}"')
    if content is not None:
        kept.write(f"global/t/{written}", content)
    found = [item for item in kept.check() if item.code == "sidecar"]
    assert [item.span.column for item in found] == [7]
    assert words in found[0].message
    assert next(kept.seen().entries()).text_file is None


def test_a_file_that_is_too_large_is_not_read(kept: Kept) -> None:
    kept.settings = Settings(file_limit=300)
    kept.entry("a", f'name = "{"x" * 300}"')
    assert kept.codes() == [("too-large", "global/t/a.firm")]
    assert list(kept.seen().entries()) == []


def test_a_workspace_is_free_in_its_naming(kept: Kept) -> None:
    kept.workspace = True
    kept.write("deep/con.firm", "t a { }\nt b { }\n")
    assert kept.codes() == []
    assert [stored.scope for stored in kept.seen().entries()] == ["global", "global"]


def test_the_layout_of_a_vault(kept: Kept) -> None:
    layout = kept.layout
    assert [layout.kind(path) for path in ("schema/t.firm", "schema/a.md", "global/a.firm", "global/a.md", "a.md")] == [
        *("schema", None, "firm", "sidecar", None)
    ]
    assert layout.entry_path("t", "a", "work") == "spaces/work/t/a.firm"
    kept.workspace = True
    assert kept.layout.entry_path("t", "a", "global") == "generated/t.firm"
    assert kept.layout.folders == ("",)
