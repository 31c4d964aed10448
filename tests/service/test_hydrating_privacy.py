"""A private space's wall around hydration: outside, every answer is the same to the byte with the space and without."""

import json
import re
import shutil
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest

from tests.endurance import amount
from tests.service.days import Days, fact
from vault import wire
from vault.model.access import Reader
from vault.model.settings import Settings, Space, write_settings
from vault.service.admin.reindex import index
from vault.service.read.hydrate import hydrate
from vault.service.vault import Vault

#: Names of commits hang on all that came before.
COMMIT = '"commit": "[0-9a-f]{10}"'
READERS: list[dict[str, Any]] = [{}, {"all_spaces": True}, {"space": "work"}]
MODES = ("turn", "transcript")
SECRETS = [f"Zorblatt{chr(ord('a') + number)}" for number in range(10)]
MESSAGES = [
    "What would Ada Lovelace say?",
    "Is Ada there?",
    "the countess and Byron",
    "actor.secret, please, and Lord Byron",
    "does she gamble on horses at night?",
    "hm",
    *(f"tell me about {secret}" for secret in SECRETS),
]
PUBLIC: dict[str, str | None] = {
    "global/actor/ada.firm": 'actor ada { name = "Ada Lovelace" kind = enum"person" uses = [thing.hidden] }\n',
    "global/fact/role.firm": fact("role", "A programmer", place="work//role"),
    "spaces/work/fact/title.firm": fact("title", "A consultant", place="work//title"),
    "spaces/work/note/n.firm": 'note n { name = "Byron" text = "A poet" }\n',
}
PRIVATE: dict[str, str | None] = {
    "spaces/diary/actor/ada.firm": 'actor ada { name = "Ada Lovelace" aliases = ["the countess"] }\n',
    "spaces/diary/actor/secret.firm": 'actor secret { name = "Lord Byron" kind = enum"person" }\n',
    "spaces/diary/actor/other.firm": 'actor other { name = "Ada Byron" kind = enum"person" }\n',
    "spaces/diary/fact/bets.firm": fact("bets", "She gambles on horses at night.", place="vices//bets"),
    "spaces/diary/fact/role.firm": fact("role", "A poet", place="work//role"),
    **{f"spaces/diary/note/n{n}.firm": f'note n{n} {{ name = "Byron" text = "Nr {n}" }}\n' for n in range(5)},
    **{f"spaces/diary/thing/z{n}.firm": f'thing z{n} {{ name = "{name}" }}\n' for n, name in enumerate(SECRETS)},
}


@pytest.fixture
def pair(root: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two vaults of one public history; the first has a private space besides."""
    without = tmp_path / "without"
    shutil.copytree(root, without)
    (without / "vault.yaml").write_text(write_settings(Settings(spaces={"work": Space("work")})))
    first = Days(root)
    first.commit(PUBLIC)
    first.write(PRIVATE)
    Days(without).commit(PUBLIC)
    for place in (root, without):
        with Vault.open(place) as vault:
            index(vault)
    return root, without


def answers(root: Path, reader: dict[str, Any], mode: Any) -> str:
    """What a reader is given for all messages, in a session and out of it, with every explanation."""
    with Vault.open(root, **reader) as vault:
        found = [
            hydrate(vault, message, meaning=True, session=session, mode=mode)
            for message in MESSAGES
            for session in (None, "s")
        ]
        cited = [wire.hydrated(one, explain=True) for one in found]
    return json.dumps(cited)


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("reader", "mode"),
    amount([*zip(READERS, cycle(MODES), strict=False)], [*product(READERS, MODES)]),
    ids=str,
)
def test_outside_nothing_tells_of_a_private_space(pair: tuple[Path, Path], reader: dict[str, Any], mode: str) -> None:
    seen, unseen = (re.sub("@[0-9a-f]{10}", "@…", answers(root, reader, mode)) for root in pair)
    assert re.sub(COMMIT, "", seen) == re.sub(COMMIT, "", unseen)
    assert "A programmer" in seen


def test_inside_all_of_it_comes(pair: tuple[Path, Path]) -> None:
    told = answers(pair[0], {"space": "diary"}, "turn")
    assert all(secret in told for secret in SECRETS)
    assert "gambles on horses" in told
    assert "A programmer" not in told


@pytest.mark.parametrize("mode", ["turn", "transcript"])
def test_a_session_of_one_id_is_another_outside(pair: tuple[Path, Path], mode: Any) -> None:
    root, _ = pair
    with Vault.open(root, space="diary") as inside, Vault.open(root) as outside:
        assert hydrate(inside, "Lord Byron", session="s", mode=mode).block
        found = hydrate(outside, "tell me more", session="s", mode=mode)
        assert (found.block, found.turn, list(found.candidates)) == ("", 1, [])
    held = {file.relative_to(root / ".vault/sessions").parent.as_posix() for file in root.rglob("sessions/**/*.json")}
    assert held == {"private/diary", "public"}


def test_sessions_of_agents_and_of_the_owner_are_their_own(pair: tuple[Path, Path]) -> None:
    root, _ = pair
    with Vault.open(root) as vault:
        for reader in (Reader(agent="clerk"), Reader(agent="cook"), Reader(owner=True), Reader()):
            assert hydrate(vault, "Ada Lovelace", session="s", reader=reader).turn == 1
        assert hydrate(vault, "hm", session="s", reader=Reader(agent="clerk")).turn == 2
    files = [file.relative_to(root / ".vault/sessions") for file in (root / ".vault/sessions").rglob("*.json")]
    assert sorted(file.parts[0] for file in files) == ["private", "public", "public", "public"]


def test_what_goes_private_is_gone_from_a_session_outside(pair: tuple[Path, Path]) -> None:
    root, _ = pair
    with Vault.open(root, space="work", max_age=0) as vault:
        assert "A consultant" in hydrate(vault, "Ada Lovelace", session="s").block
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text().replace("work: {}", "work: {private: true}"))
    assert "private: true" in settings.read_text()
    with Vault.open(root, all_spaces=True) as vault:
        assert "A consultant" not in hydrate(vault, "Ada Lovelace", session="s").block
