"""A private space's wall around walks: every answer outside is the same to the byte, with it and without."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import ENVIRON
from tests.service.days import Days, fact
from vault import wire
from vault.errors import VaultError
from vault.model.settings import Settings, Space, write_settings
from vault.service.read import navigate
from vault.service.vault import Vault

READERS: list[dict[str, Any]] = [{}, {"all_spaces": True}, {"space": "work"}]
WORDS = [
    "ada",
    "Ada Lovelace",
    "the countess",
    "secret",
    "actor.secret",
    "actor.secrt",
    "note.n",
    "n",
    "unassigned",
    "Lord",
]
PUBLIC: list[dict[str, str | None]] = [
    {
        "global/actor/ada.firm": 'actor ada { name = "Ada Lovelace" uses = [thing.hidden] }\n',
        "global/note/n.firm": 'note n { text = "Of Ada" aliases = ["Lord"] describes = [actor.ada] }\n',
        "global/fact/role.firm": fact("role", "A translator", place="work//role"),
        "global/fact/named.firm": fact("named", "Names what only the diary has", about="actor.secret", place="a/b/c"),
        "global/fact/gone.firm": fact("gone", "Soon gone", about="actor.secret", place="a/b/d"),
    },
    {
        "global/fact/role.firm": fact("role", "A programmer", place="work//role"),
        "global/fact/gone.firm": None,
        "spaces/work/fact/title.firm": fact("title", "A consultant", place="work//role"),
    },
]
PRIVATE: list[dict[str, str | None]] = [
    {
        "spaces/diary/actor/ada.firm": 'actor ada { name = "Ada Lovelace" aliases = ["the countess"] pinned = true }\n',
        "spaces/diary/actor/secret.firm": 'actor secret { name = "Lord" relates_to = [actor.ada, note.n] }\n',
        "spaces/diary/thing/hidden.firm": 'thing hidden { name = "Hidden" belongs_to = [actor.ada] }\n',
        "spaces/diary/note/n.firm": 'note n { text = "Another" describes = [actor.ada] }\n',
        "spaces/diary/boat/b.firm": 'boat b { name = "Boat" }\n',
        "spaces/diary/fact/role.firm": fact("role", "A poet", place="work//role"),
        "spaces/diary/fact/own.firm": fact("own", "A gambler", place="work//role", created_at="2030-01-01"),
        "spaces/diary/fact/rule.firm": fact("rule", "Never", place="vices//bets", kind='enum"constraint"'),
        "spaces/diary/fact/of_n.firm": fact("of_n", "It is short", about="note.n"),
        "spaces/diary/fact/loose.firm": fact("loose", "Loose", about=""),
    },
    {
        "spaces/diary/fact/role.firm": fact("role", "A countess", place="work//role"),
        "spaces/diary/fact/own.firm": None,
        "spaces/diary/fact/of_n.firm": fact("of_n", "It was short", place="work//role"),
    },
]


@pytest.fixture
def pair(root: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two vaults of one public history; in the first a private one goes on between the days of it."""
    without = tmp_path / "without"
    shutil.copytree(root, without)
    (without / "vault.yaml").write_text(write_settings(Settings(spaces={"work": Space("work")})))
    first, second = Days(root), Days(without)
    for public, private in zip(PUBLIC, PRIVATE, strict=True):
        day = first.number
        second.commit(public)
        first.commit(private)
        first.number = day
        first.commit(public)
        second.number = first.number
    first.write({"spaces/diary/fact/late.firm": fact("late", "Not committed", place="work//role")})
    return root, without


def calls(agent: str | None) -> Iterator[Callable[[Vault], object]]:
    """All that can be asked."""
    for words in WORDS:
        yield lambda vault, words=words: wire.entity_in_full(navigate.entity(vault, words, agent_id=agent))  # type: ignore[misc]
        yield lambda vault, words=words: wire.knowledge_tree(  # type: ignore[misc]
            navigate.tree(vault, words, status="all", agent_id=agent)
        )
    for text in ("", "lord", "secret", "boat", "hidden"):
        yield lambda vault, text=text: wire.page(  # type: ignore[misc]
            navigate.entities(vault, q=text, agent_id=agent), wire.known_entity
        )
    for kind in ("actor", "boat", "thing"):
        yield lambda vault, kind=kind: wire.page(navigate.entities(vault, type=kind), wire.known_entity)  # type: ignore[misc]
    for place in ("ada/work/general/role", "unassigned/a/b/c", "unassigned/a/b/d"):
        yield lambda vault, place=place: wire.page(  # type: ignore[misc]
            navigate.attributes(vault, *place.split("/"), status="all", agent_id=agent), wire.attribute
        )
    yield lambda vault: wire.page(navigate.groups(vault, "ada", "vices"), wire.group)
    yield lambda vault: wire.page(navigate.claims(vault, "ada", "work", "bets"), wire.claim)


def answers(vault: Vault) -> Iterator[object]:
    """All that a walk can be told, errors too."""
    for call in (*calls(None), *calls("a")):
        try:
            yield call(vault)
        except VaultError as error:
            yield wire.error(error)


def text_of(root: Path, at: str | None, how: dict[str, Any]) -> str:
    """What a reader is told, without the names of commits: those hang on all that came before."""
    with Vault.open(root, environ={**os.environ, **ENVIRON}, max_age=0, **how) as vault:
        when, _, held = (at or "").partition(" held ")
        vault.go_back(when or None, valid_at=held or None)
        said = json.dumps(list(answers(vault)), ensure_ascii=False, indent=1)
    return re.sub(r"[0-9a-f]{40}", "…", said)


@pytest.mark.parametrize("how", READERS, ids=str)
@pytest.mark.parametrize("at", [None, "HEAD", "2021-01-02", " held 2021-01-02", "HEAD held 2021-01-01"])
def test_every_walk_is_the_same_with_and_without_a_private_space(
    pair: tuple[Path, Path], how: dict[str, Any], at: str | None
) -> None:
    with_it, without = (text_of(root, at, how) for root in pair)
    assert with_it == without
    assert ("A consultant" in with_it) is (bool(how) and at != "HEAD held 2021-01-01")


def test_from_inside_a_private_space_its_own_is_walked_to(pair: tuple[Path, Path]) -> None:
    said = text_of(pair[0], None, {"space": "diary"})
    for text in ("A countess", "A poet", "A gambler", "Not committed", "It was short", "vices"):
        assert text in said
    assert "A consultant" not in said
