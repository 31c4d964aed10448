"""Findings about more than one file."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import sql
from tests.workspace.conftest import SCHEMA, Kept
from vault.model.settings import Settings
from vault.store.bundled import schema_texts
from vault.workspace.rules.references import NEAR_LIMIT, circles


def test_a_sound_vault_has_no_findings(kept: Kept) -> None:
    kept.entry("a", "r = t.b.name")
    kept.entry("b", 'name = "B"')
    kept.entry("b", "r = t.a", "work")
    assert kept.check() == []


def test_duplicates_are_named_with_both_places(kept: Kept) -> None:
    kept.entry("a")
    kept.write("global/u/a.firm", "t a { }")
    kept.entry("a", scope="work")
    (found,) = kept.check()
    assert (found.code, found.span.path, found.related[0].span.path) == (
        *("duplicate-entry", "global/u/a.firm", "global/t/a.firm"),
    )
    assert "in the global scope" in found.message
    assert kept.check(["global/t/a.firm"]) == [found]
    assert kept.check(["spaces/work/t/a.firm"]) == []
    kept.write("spaces/work/x/a.firm", "t a { }")
    assert "in the space work" in kept.check(["spaces/work/x/a.firm"])[0].message


def test_a_schema_declared_twice(kept: Kept) -> None:
    kept.write("schema/other.firm", "schema t { }")
    (found,) = kept.check()
    assert (found.code, found.span.path) == ("schema-error", "schema/t.firm")


@pytest.mark.parametrize(
    ("scope", "target", "code", "words"),
    [
        ("global", "t.hom", "dangling-reference", "`vault add t hom`"),
        ("global", "t.adaa", "dangling-reference", "did you mean `t.ada`?"),
        ("global", "t.in_work", "out-of-scope-reference", "only the space work"),
        ("home", "t.in_work", "out-of-scope-reference", "only the space work"),
        ("global", "t.hidden", "private-reference", "only a private space"),
        ("work", "t.hidden", "private-reference", "only a private space"),
        ("global", "t.ada.salary", "dangling-reference", "the field `salary`"),
    ],
)
def test_references_that_lead_nowhere(kept: Kept, scope: str, target: str, code: str, words: str) -> None:
    kept.entry("ada", 'name = "Ada"')
    kept.entry("in_work", scope="work")
    kept.entry("hidden", scope="diary")
    kept.entry("z", f"r = [{target}, {target}]", scope)
    found = kept.check()
    assert {item.code for item in found} == {code}
    assert words in found[0].message + found[0].hint
    assert found[0].subject == "t.z"
    assert "diary" not in found[0].message + found[0].hint


def test_a_field_is_looked_for_where_the_writer_can_see(kept: Kept) -> None:
    kept.entry("a", 'name = "A"')
    kept.entry("a", 'code = "secret"', "diary")
    kept.entry("z", "r = [t.a.code, t.hidden.name]")
    kept.entry("hidden", 'code = "x"', "diary")
    before = [(item.code, item.message) for item in kept.check(["global/t/z.firm"])]
    assert [code for code, _ in before] == ["dangling-reference", "private-reference"]
    kept.entry("hidden", 'name = "x"', "diary")
    kept.entry("a", "", "diary")
    assert [(item.code, item.message) for item in kept.check(["global/t/z.firm"])] == before
    kept.entry("inner", "r = t.a.name", "diary")
    assert [item.subject for item in kept.check(["spaces/diary/t/inner.firm"])] == ["t.inner"]


def test_a_schema_among_entries_is_not_in_force(kept: Kept) -> None:
    kept.write("spaces/diary/own.firm", "schema secret { }\nschema t { }\nsecret a { }\n")
    assert set(kept.seen().schemas) & {"t", "secret"} == {"t"}
    found = [item for item in kept.check() if item.code == "schema-error"]
    assert [(item.span.line, item.hint) for item in found] == [
        (1, "move it to `schema/secret.firm`"),
        (2, "move it to `schema/t.firm`"),
    ]
    kept.workspace = True
    kept.write("spaces/diary/own.firm", "schema secret { }\n")
    assert "secret" in kept.seen().schemas


def test_a_sidecar_behind_a_link_is_not_read(kept: Kept) -> None:
    kept.write("spaces/diary/t/a.md", "secret")
    kept.entry("a", 'text_file = path"./a.md"')
    (kept.root / "global/t/a.md").symlink_to(kept.root / "spaces/diary/t/a.md")
    assert ("sidecar", "global/t/a.firm") in kept.codes()
    assert sql(kept.catalog, "SELECT count(*) FROM passages WHERE text LIKE '%secret%'") == [(0,)]


def test_references_from_inside_resolve_upward(kept: Kept) -> None:
    kept.entry("ada")
    kept.entry("hidden", "r = [t.ada, t.hidden]", "diary")
    assert kept.check() == []


def test_many_dangling_references_are_all_reported(kept: Kept) -> None:
    kept.entry("ada")
    kept.entry("a", f"r = [{', '.join(f't.ada{n}' for n in range(NEAR_LIMIT + 5))}]")
    found = kept.check()
    assert len(found) == NEAR_LIMIT + 5
    assert sum("did you mean" in item.hint for item in found) == NEAR_LIMIT


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ({1: [2], 2: [3]}, []),
        ({1: [1]}, [[1]]),
        ({1: [2, 3], 2: [4], 3: [4], 4: []}, []),
        ({1: [2], 2: [3], 3: [2], 4: [1]}, [[2, 3]]),
        ({1: [2, 3], 2: [1], 3: [1]}, [[1, 2], [1, 3]]),
    ],
)
def test_circles_of_a_graph(edges: dict[int, list[int]], found: list[list[int]]) -> None:
    assert circles(edges) == found


def test_a_long_chain_of_parents_is_walked(kept: Kept) -> None:
    chain = "\n".join(f"t a{n} {{ belongs_to = t.a{n + 1} }}" for n in range(3000))
    kept.write("global/all.firm", f"{chain}\nt a3000 {{ belongs_to = t.a0 }}")
    (found,) = [item for item in kept.check() if item.code == "reference-cycle"]
    assert len(found.related) == 3000


def test_who_may_not_know_a_space_hears_that_nothing_is_there(kept: Kept) -> None:
    kept.entry("a", "r = [t.hidden, t.none]")
    before = kept.check(known=lambda scope: scope != "diary")
    kept.entry("hidden", scope="diary")
    assert kept.check(known=lambda scope: scope != "diary") == before
    assert [item.code for item in kept.check()] == ["dangling-reference", "private-reference"]


def test_paths_that_collide_elsewhere(kept: Kept) -> None:
    kept.entry("a")
    kept.write("global/T/A.firm", "t A { }")
    kept.write("global/t/e\u0301.firm", "t b { }")
    kept.write("global/t/\u00e9.firm", "t c { }")
    assert [(item.code, item.span.path) for item in kept.check() if item.code == "case-collision"] == [
        ("case-collision", "global/t/a.firm"),
        ("case-collision", "global/t/é.firm"),
    ]


def test_spaces_nobody_declared(kept: Kept) -> None:
    kept.entry("a", scope="left")
    kept.entry("b", scope="Not Ok")
    hints = {item.span.path: item.hint for item in kept.check()}
    assert hints["spaces/left/t/a.firm"] == "`vault spaces add left` declares it"
    assert hints["spaces/Not Ok/t/b.firm"].startswith("rename the folder")


def test_unique_fields_are_unique_in_a_scope(kept: Kept) -> None:
    kept.entry("a", 'code = "x"')
    kept.entry("b", 'code = "y"')
    kept.entry("c", 'code = "x"')
    kept.entry("d", 'code = "x"', "work")
    kept.entry("e")
    (found,) = kept.check()
    assert (found.code, found.subject, found.related[0].span.path) == ("not-unique", "t.c", "global/t/a.firm")


def test_severities_are_the_vaults(kept: Kept) -> None:
    kept.settings = Settings(check={"dangling-reference": "error", "file-name-mismatch": "off"})
    kept.entry("a", "r = t.nobody")
    kept.write("global/x.firm", "t b { }")
    assert [(item.code, item.severity) for item in kept.check()] == [("dangling-reference", "error")]


def test_a_workspace_has_no_spaces(kept: Kept) -> None:
    kept.workspace = True
    kept.write("a.firm", "t a { } t a { }")
    (found,) = kept.check()
    assert found.message == "`t.a` is declared twice"


IDENTS = ("a", "b", "c", "B")
BODIES = (
    "r = [t.a, t.c]", "belongs_to = t.b", "belongs_to = [t.a, t.c]", 'code = "x"', "r = t.a.name", 'name = "N"', "",
)  # fmt: skip
FACTS = tuple(
    f'statement = "s" subject = t.{subject} claim = "{claim}" {until}'
    for subject in ("a", "b")
    for claim in ("x", "y")
    for until in ("", "valid_until = 2024-01-01", "valid_from = 2023-01-01 valid_until = 2024-06-01")
)
files = st.dictionaries(
    st.tuples(st.sampled_from(("global", "work", "diary", "undeclared")), st.sampled_from(IDENTS)),
    st.one_of(
        st.tuples(st.just("t"), st.sampled_from(BODIES)),
        st.tuples(st.just("fact"), st.sampled_from(FACTS)),
    ),
    min_size=1,
    max_size=9,
)


@given(files, st.data())
@settings(max_examples=150)
def test_a_check_of_some_files_finds_what_a_check_of_all_finds_there(
    found: dict[tuple[str, str], tuple[str, str]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(Path(folder).resolve())
        kept.write("schema/t.firm", SCHEMA)
        kept.write("schema/fact.firm", schema_texts()["fact"])
        for (scope, ident), (kind, body) in found.items():
            kept.write(kept.layout.entry_path(kind, ident, scope), f"{kind} {ident} {{ {body} }}\n")
        everything = kept.check()
        paths = data.draw(st.lists(st.sampled_from(sorted(kept.catalog.blobs())), min_size=1, max_size=3))
        about = {
            item
            for item in everything
            if item.span.path in paths or any(related.span.path in paths for related in item.related)
        }
        assert set(kept.check(paths)) == about
        kept.catalog.close()
