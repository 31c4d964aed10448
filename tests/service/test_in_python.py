"""The library as programs use it: one object, its methods, and what it says of threads."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import vault
from tests.service.conftest import ENVIRON
from vault.errors import VaultError
from vault.service.runtime.derived import VaultClosed, WrongThread
from vault.service.vault import Vault
from vault.service.write.entry_version import StaleVersion

#: What the library promises.
PROMISED = "open search get add update delete remember hydrate navigate history close".split()


def opened(root: Path) -> Vault:
    return vault.Vault.open(root, environ=ENVIRON, max_age=0)


def test_the_methods_are_documented_and_typed() -> None:
    for name in PROMISED:
        method = getattr(vault.Vault, name)
        assert inspect.getdoc(method), name
        untyped = [
            one.name
            for one in inspect.signature(method).parameters.values()
            if one.name not in ("self", "cls") and one.annotation is inspect.Parameter.empty
        ]
        assert untyped == [], name


def test_the_example_of_the_class_runs(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    told = inspect.getdoc(vault.Vault) or ""
    code = textwrap.dedent(told.split("```python\n")[1].split("```")[0])
    held = opened(root)
    monkeypatch.setattr(Vault, "open", classmethod(lambda _, __: held))
    exec(compile(ast.parse(code), "example", "exec"), {"Vault": Vault})  # noqa: S102  our own words
    assert "fact.bob_role" in capsys.readouterr().out


def test_entries_are_added_changed_read_and_deleted(root: Path) -> None:
    with opened(root) as held:
        added = held.add("actor", {"name": "Ada", "tags": ["maths"]}, message="say who Ada is")
        assert added.commit
        assert added.commit.subject == "say who Ada is"
        version = held.version("ada")
        held.update("ada", {"summary": "Mathematician", "tags": None}, version=version)
        assert held.get("Ada").entry.fields["summary"] == "Mathematician"
        assert "tags" not in held.get("ada").entry.fields
        with pytest.raises(StaleVersion):
            held.delete("ada", version=version)
        left = held.delete("ada", version=held.version("ada"), reason="a test")
        assert left.commit
        assert [getattr(step, "op", "") for step in held.history("actor.ada")] == ["delete", "update", "add"]


def test_a_write_may_wait_for_its_commit(root: Path) -> None:
    with opened(root) as held:
        assert held.add("note", {"text": "Later"}, id="later", commit=False).commit is None
        assert held.get("note.later")
        assert held.cited([held.get("later").entry.path]) == {"global/note/later.firm": "worktree"}


def test_a_walk_goes_down_step_by_step(root: Path) -> None:
    said = {"groupKey": "work", "claimKey": "role", "content": "Bob is CTO", "value": "CTO"}
    bob = {"entityName": "Bob", "entityType": "person", "aspect": "career", "attributes": [said]}
    with opened(root) as held:
        assert held.remember({"structured": {"aspects": [bob]}}).commit
        assert [one.key for one in held.navigate().items] == ["actor.bob"]
        assert [one.key for one in held.navigate("bob").aspects] == ["career"]
        assert [one.key for one in held.navigate("bob", "career").items] == ["work"]
        assert [one.key for one in held.navigate("bob", "career", "work").items] == ["role"]
        (state,) = held.navigate("bob", "career", "work", "role").items
        assert state.fact.fields["value"] == "CTO"
        assert [getattr(one, "status", "") for one in held.history("bob/career/work/role")] == ["active"]
        assert "Bob is CTO" in held.hydrate("And what does Bob do?").block
        with pytest.raises(TypeError):
            held.navigate("a", "b", "c", "d", "e")  # type: ignore[call-overload]


def test_another_thread_is_told_to_open_its_own(root: Path) -> None:
    with opened(root) as held, ThreadPoolExecutor(1) as pool:
        held.refresh()
        uses: list[Callable[[], object]] = [
            lambda: held.get("x"),
            lambda: held.search("x"),
            lambda: held.add("note", {"text": "x"}),
        ]
        for use in uses:
            with pytest.raises(WrongThread):
                pool.submit(use).result()


def test_threads_with_a_vault_each_read_and_write_at_once(root: Path) -> None:
    def work(number: int) -> list[str]:
        with opened(root) as own:
            keys = [own.add("note", {"text": f"{number} {step}"}, id=f"n{number}_{step}").key for step in range(4)]
            assert {own.get(key).entry.key for key in keys} == set(keys)
            return keys

    with ThreadPoolExecutor(4) as pool:
        made = [key for keys in pool.map(work, range(4)) for key in keys]
    with opened(root) as held:
        assert sorted(made) == [one.entry.key for one in held.entries(kind="note")]
        assert held.check() == []
        assert len(held.log(limit=None)) == len(made) + 1


def test_a_failure_has_a_code_and_a_next_step(root: Path) -> None:
    with opened(root) as held, pytest.raises(VaultError) as caught:
        held.add("actr", {})
    assert caught.value.code == "unknown-type"
    assert "actor" in caught.value.hint


def test_a_closed_vault_says_so(root: Path) -> None:
    held = opened(root)
    held.add("note", {"text": "x"}, id="n")
    assert held.history("note.n")
    held.close()
    held.close()
    uses: list[Callable[[], object]] = [
        lambda: held.get("n"),
        lambda: held.search("x"),
        lambda: held.history("note.n"),
        lambda: held.add("note", {"text": "y"}),
        lambda: held.hydrate("x"),
    ]
    for use in uses:
        with pytest.raises(VaultClosed):
            use()
    with opened(root) as again:
        assert [one.entry.key for one in again.entries()] == ["note.n"]


@pytest.mark.parametrize("words", ["\ud800", "", "\0", "x" * 100_000])
def test_odd_words_find_nothing(root: Path, words: str) -> None:
    with opened(root) as held:
        for use in (held.get, held.history, held.navigate, held.version):
            with pytest.raises(VaultError):
                use(words)
        assert list(held.search(words or "zz")) == []
