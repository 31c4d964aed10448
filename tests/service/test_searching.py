"""Search through the service: words of every script, scopes, privacy, citations, freshness."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.service.conftest import Git, Open, Write
from tests.service.rights import forbid_writing, without_rights
from vault import wire
from vault.model.access import Reader
from vault.service.arguments.choices import UnknownType
from vault.service.vault import Vault
from vault.service.write import commits, create
from vault.workspace.snapshot import Ambiguous, NotFound


def found(vault: Vault, query: str, **how: object) -> list[str]:
    how = {"mode": "keyword", **how}
    return [result.stored.entry.key for result in vault.search(query, **how)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("script", "sentence", "word"),
    [
        ("chinese", "我们的工程师每天在办公室喝绿茶", "绿茶"),
        ("japanese", "東京の代理店は来週の会議に参加します", "代理店"),
        ("korean", "엔지니어는 개인정보를 보호합니다", "개인정보"),
        ("thai", "วิศวกรดูแลความเป็นส่วนตัวของข้อมูล", "ส่วนตัว"),
        ("hindi", "इंजीनियर निजी जानकारी की रक्षा करता है", "जानकारी"),
        ("arabic", "يحمي المهندس خصوصية البيانات", "خصوصية"),
        ("russian", "Инженер защищает личные данные", "личные"),
    ],
)
def test_a_word_of_a_sentence_finds_its_entry(vault: Vault, script: str, sentence: str, word: str) -> None:
    create.add(vault, "note", "other", {"text": "Something else entirely"})
    create.add(vault, "note", script, {"text": sentence})
    assert found(vault, word)[0] == f"note.{script}"
    (first, *_) = vault.search(word, mode="keyword")
    assert first.marks


@pytest.mark.parametrize(
    "query",
    [
        'Attention: is it "all" (you) need?',
        "C++",
        ":-)",
        "🎉",
        "x" * 10_000,
        "wort " * 2_000,
        "",
        " ",
        '"',
        "a AND (b OR",
        "field:value^2~",
        "\\",
        "\0",
        "-",
        "*",
        "[a TO b]",
    ],
)
def test_any_text_is_a_legal_query(vault: Vault, query: str) -> None:
    create.add(vault, "note", "n", {"text": "Attention is all you need. We write C++ 🎉"})
    assert set(found(vault, query)) <= {"note.n"}


@pytest.mark.parametrize(
    ("text", "query"), [("We won 🎉 today", "🎉"), ("I ❤️ it", "❤"), ("All 👍🏽", "👍"), ("© Ada", "©")]
)
def test_symbols_are_words(vault: Vault, text: str, query: str) -> None:
    create.add(vault, "note", "a", {"text": text})
    create.add(vault, "note", "b", {"text": "We won today, I and all"})
    (result,) = vault.search(query, mode="keyword")
    assert result.stored.entry.key == "note.a"
    assert [result.snippet[start:end] for start, end in result.marks] == [query]


def test_of_a_long_query_the_rarest_words_count(vault: Vault) -> None:
    common = [f"word{number}" for number in range(100)]
    for number in range(3):
        create.add(vault, "note", f"n{number}", {"text": " ".join(common)})
    create.add(vault, "note", "rare", {"text": "marigold"})
    unknown = [f"nobody{number}" for number in range(100)]
    assert "note.rare" in found(vault, " ".join([*unknown, *common, "marigold"]))


def test_signs_of_a_name_are_part_of_it(vault: Vault) -> None:
    create.add(vault, "note", "plus", {"text": "We write C++ here"})
    create.add(vault, "note", "sharp", {"text": "We write C# here"})
    assert found(vault, "C++") == ["note.plus"]
    assert found(vault, "C#") == ["note.sharp"]


@pytest.mark.parametrize("query", ["privacy", "privat", "Private", "privte"])
def test_words_with_the_same_beginning_or_a_letter_wrong_are_found(vault: Vault, query: str) -> None:
    create.add(vault, "note", "n", {"text": "A private matter"})
    assert found(vault, query) == ["note.n"]


def test_names_and_aliases_are_found_without_accents(vault: Vault) -> None:
    create.add(vault, "actor", "a", {"name": "Åsa Öberg", "aliases": ("the Swede",)})
    assert found(vault, "asa oberg") == ["actor.a"]
    assert found(vault, "swede") == ["actor.a"]


def test_filters_by_type_and_tag(vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": "garden", "tags": ("Home",)})
    create.add(vault, "thing", "t", {"name": "garden"})
    assert found(vault, "garden", kind="thing") == ["thing.t"]
    assert found(vault, "garden", tag="#home") == ["note.n"]
    assert found(vault, "garden", limit=1) in (["note.n"], ["thing.t"])
    with pytest.raises(UnknownType):
        vault.search("garden", kind="thng")


def test_a_space_sees_its_own_and_the_global_and_no_other(vault: Vault, open_vault: Open) -> None:
    work, diary = open_vault("work"), open_vault("diary")
    create.add(vault, "note", "g", {"text": "garden for all"})
    create.add(work, "note", "w", {"text": "garden at work"})
    create.add(diary, "note", "d", {"text": "garden in secret"})
    assert found(vault, "garden") == ["note.g"]
    assert set(found(work, "garden")) == {"note.g", "note.w"}
    assert set(found(diary, "garden")) == {"note.g", "note.d"}
    assert set(found(open_vault(all_spaces=True), "garden")) == {"note.g", "note.w"}


def test_a_shadowed_entry_is_not_found_in_its_old_words(vault: Vault, open_vault: Open) -> None:
    work = open_vault("work")
    create.add(vault, "note", "n", {"text": "garden old"})
    create.add(work, "note", "n", {"text": "garden new"})
    (result,) = work.search("garden")
    assert result.snippet == "garden new"
    assert found(work, "old") == []


def outside_view(vault: Vault) -> str:
    results = vault.search("garden secret private diary")
    cited = vault.cited([result.path for result in results])
    answer = [wire.found("q", results, cited), wire.overview(vault.overview())]
    for words in ("note.secre", "secret", "note.secret"):
        try:
            vault.get(words)
        except NotFound as error:
            answer.append(wire.error(error))
    answer.append({"log": [wire.record(record) for record in vault.log()]})
    return json.dumps(answer, sort_keys=True)


def test_nothing_of_a_private_space_changes_what_is_seen_outside(vault: Vault, open_vault: Open) -> None:
    for number in range(5):
        create.add(vault, "note", f"n{number}", {"text": f"garden number {number}"})
    commits.commit(vault)
    before = outside_view(vault)
    diary = open_vault("diary")
    for number in range(5):
        create.add(diary, "note", f"secret{number}", {"text": "garden secret " * 20, "relates_to": ()})
    inside = outside_view(diary)
    after = outside_view(vault)
    assert after == before
    assert inside != before


def test_a_space_made_private_leaves_the_public_index(vault: Vault, open_vault: Open, root: Path) -> None:
    create.add(open_vault("work"), "note", "w", {"text": "garden at work"})
    assert found(open_vault(all_spaces=True), "garden") == ["note.w"]
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text().replace("work: {}", "work: {private: true}"))
    assert found(open_vault(all_spaces=True), "garden") == []
    assert found(open_vault("work"), "garden") == ["note.w"]


def test_an_undeclared_space_is_private_until_declared(vault: Vault, open_vault: Open, write: Write) -> None:
    write("spaces/stray/note/n.firm", 'note n { text = "garden" }\n')
    assert found(open_vault(all_spaces=True), "garden") == []
    assert found(open_vault("stray"), "garden") == ["note.n"]
    assert [item.code for item in vault.check()] == ["undeclared-space"]


def test_citations_name_the_commit_that_holds_the_text(vault: Vault, git: Git, write: Write) -> None:
    write("global/note/n.firm", 'note n {\n    text = """\n    # Top\n\n    The garden gate\n    """\n}\n')
    (result,) = vault.search("gate")
    assert (result.path, result.line, result.snippet) == ("global/note/n.firm", 5, "The garden gate")
    assert result.snippet[slice(*result.marks[0])] == "gate"
    assert vault.cited([result.path]) == {result.path: "worktree"}
    commits.commit(vault)
    assert vault.cited([result.path]) == {result.path: git("rev-parse", "HEAD")[:10]}
    write("global/note/n.firm", 'note n { text = "The garden gate" }\n')
    assert vault.cited([result.path]) == {result.path: "worktree"}


def test_sidecars_are_searched_and_cited(vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": 'one """\n\n# Two\n\nthe wicker gate'})
    (result,) = vault.search("wicker")
    assert (result.path, result.line, result.heading) == ("global/note/n.md", 5, "Two")


def test_every_edit_is_seen_by_the_next_search(vault: Vault, write: Write, root: Path) -> None:
    path = write("global/note/n.firm", 'note n { text = "first" }\n')
    assert found(vault, "first") == ["note.n"]
    write("global/note/n.firm", 'note n { text = "other" }\n')
    assert found(vault, "first") == []
    assert found(vault, "other") == ["note.n"]
    path.rename(root / "global" / "moved.firm")
    (result,) = vault.search("other")
    assert result.path == "global/moved.firm"
    (root / "global" / "moved.firm").unlink()
    assert found(vault, "other") == []


def test_a_sidecar_edited_alone_is_seen(vault: Vault, write: Write) -> None:
    create.add(vault, "note", "n", {"text": 'one """ two'})
    assert found(vault, "two") == ["note.n"]
    write("global/note/n.md", "three\n")
    assert found(vault, "three") == ["note.n"]
    write("global/note/n.firm", 'note n { text_file = path"./gone.md" }\n')
    assert [item.code for item in vault.check()] == ["sidecar"]
    write("global/note/gone.md", "back again\n")
    assert vault.check() == []
    assert found(vault, "back") == ["note.n"]


@pytest.mark.parametrize("damage", ["catalog", "text", "meta", "all"])
def test_damaged_derived_data_is_made_anew(open_vault: Open, root: Path, damage: str) -> None:
    first = open_vault()
    create.add(first, "note", "n", {"text": "garden"})
    assert found(first, "garden") == ["note.n"]
    first.close()
    private = root / ".vault"
    if damage == "catalog":
        (private / "catalog.db").write_bytes(b"no database" * 500)
    elif damage == "text":
        for place in (private / "text" / "public").iterdir():
            place.write_bytes(b"damage")
    elif damage == "meta":
        (private / "text" / "public" / "meta.json").unlink()
    else:
        shutil.rmtree(private)
    assert found(open_vault(), "garden") == ["note.n"]


def test_overview_counts_and_connects(vault: Vault, open_vault: Open) -> None:
    create.add(vault, "actor", "a", {"name": "A"})
    create.add(open_vault("work"), "note", "n", {"text": "x", "tags": ("t",)})
    vault_ = open_vault("work")
    seen = vault_.overview()
    assert seen.total == 2
    assert seen.types == {"actor": 1, "note": 1}
    assert seen.scopes == {"global": 1, "work": 1}
    assert [stored.entry.key for stored in seen.newest]
    assert vault_.overview(tag="t").total == 1
    assert vault_.overview(kind="actor").total == 1


def test_resolving_words(vault: Vault, open_vault: Open) -> None:
    create.add(vault, "actor", "bob", {"name": "Bob Ferreira", "aliases": ("B.F.",)})
    create.add(vault, "thing", "bob", {"name": "A boat"})
    assert vault.get("bob ferreira").entry.key == "actor.bob"
    assert vault.get("b.f.").entry.key == "actor.bob"
    assert vault.get("./global/thing/bob.firm").entry.key == "thing.bob"
    with pytest.raises(Ambiguous):
        vault.get("bob")
    with pytest.raises(NotFound) as caught:
        vault.get("actor.bobb")
    assert "`actor.bob`" in caught.value.hint
    create.add(open_vault("work"), "actor", "bob", {"name": "Our Bob"})
    with pytest.raises(Ambiguous):
        open_vault(all_spaces=True).get("actor.bob")
    assert open_vault("work").get("actor.bob").scope == "work"


def test_a_workspace_without_settings_opens_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "people.firm").write_text(
        'schema person { field { name = "name" type = "string" required = true } }\n'
        'person ana { name = "Ana Ruiz" }\nperson bo { name = "Bo" friend = person.ana }\n'
    )
    with Vault.open(tmp_path, environ=os.environ, max_age=0) as vault:
        assert vault.check() == []
        assert found(vault, "ruiz") == ["person.ana"]
        assert [name for name, _ in vault.snapshot().referrers("person.ana")] == ["friend"]
        create.add(vault, "person", "cy", {"name": "Cy"})
        assert vault.get("person.cy").entry.path == "generated/person.firm"


def test_a_read_only_vault_is_read(root: Path, vault: Vault) -> None:
    create.add(vault, "note", "n", {"text": "garden"})
    vault.close()
    shutil.rmtree(root / ".vault")
    with without_rights(root):
        forbid_writing(root)
        with Vault.open(root) as opened:
            assert [result.stored.entry.key for result in opened.search("garden")] == ["note.n"]
            assert opened.derived is None


def test_an_owner_sees_all_scopes(vault: Vault, open_vault: Open) -> None:
    create.add(open_vault("diary"), "note", "d", {"text": "x"})
    assert [s.entry.key for s in vault.snapshot(Reader(owner=True)).entries()] == ["note.d"]
    assert vault.snapshot().count() == 0
