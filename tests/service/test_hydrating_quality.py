"""How well hydration finds what a message names or repeats, and how still it keeps for small talk.

On a labelled set of our own, and on real chats where `shared/data/ir` lies beside the repository.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.endurance import amount
from tests.service.conftest import ENVIRON, Open, Write
from tests.service.days import fact
from tests.service.talk import FACTS, NAMING, NOT_NAMING, PEOPLE, THINGS, Labelled, generated, small_talk
from vault.lang.write import write_entry
from vault.model.values import EnumValue, Value
from vault.service.admin.init import init
from vault.service.admin.reindex import index
from vault.service.read.hydrate import hydrate
from vault.service.vault import Vault

CHATS = Path(__file__).parents[3] / "shared" / "data" / "ir" / "locomo_dev" / "corpus.jsonl"


@pytest.fixture
def known(write: Write, open_vault: Open) -> Vault:
    """A vault of people and things, some of whose names are words that everybody uses."""
    for ident, (name, aliases, kind) in PEOPLE.items():
        fields: dict[str, Value] = {
            "name": name,
            "kind": EnumValue(kind),
            **({"aliases": tuple(aliases)} if aliases else {}),
        }
        write(f"global/actor/{ident}.firm", write_entry("actor", ident, fields))
    for ident, name in THINGS.items():
        write(f"global/thing/{ident}.firm", write_entry("thing", ident, {"name": name}))
    for number, (about, statement, _) in enumerate(FACTS):
        write(f"global/fact/f{number}.firm", fact(f"f{number}", statement, about=f"actor.{about}"))
    vault = open_vault()
    vault.max_age = 1e9
    return vault


@pytest.fixture
def embedded(known: Vault) -> Vault:
    """The same, with a vector for every passage."""
    index(known)
    return known


def named(vault: Vault, text: str) -> set[str]:
    """The ids of what a message names."""
    return {one.stored.entry.id for one in hydrate(vault, text).brought if one.stored and one.source == "name"}


@pytest.mark.parametrize(("text", "expected"), NAMING, ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_message_names_comes(known: Vault, text: str, expected: set[str]) -> None:
    assert named(known, text) == expected


@pytest.mark.parametrize("text", NOT_NAMING)
def test_what_only_looks_like_a_name_does_not_come(known: Vault, text: str) -> None:
    assert named(known, text) == set()


def quality(find: Callable[[str], set[str]], labelled: list[Labelled]) -> tuple[float, float]:
    """Precision and recall of what is found by name."""
    found = [(find(one.text), one.names) for one in labelled]
    right = sum(len(have & want) for have, want in found)
    return right / sum(len(have) for have, _ in found), right / sum(len(want) for _, want in found)


def test_generated_messages_bring_whom_they_name(known: Vault) -> None:
    names = {ident: name for ident, (name, *_) in PEOPLE.items() if ident not in ("mark", "will", "may", "zhang")}
    precision, recall = quality(lambda text: named(known, text), generated(names, 300))
    assert (precision, recall) >= (0.99, 0.99)


@pytest.mark.parametrize("meaning", [False, True])
def test_small_talk_brings_nothing_and_control_lines_do(embedded: Vault, *, meaning: bool) -> None:
    lines = small_talk(200)
    assert len({*lines}) == 200
    noisy = [line for line in lines if hydrate(embedded, line, meaning=meaning).block]
    assert len(noisy) <= 4, noisy
    control = [text for text, _ in NAMING] + [text for *_, text in FACTS if meaning]
    still = [line for line in control if not hydrate(embedded, line, meaning=meaning).block]
    assert len(still) <= 1, still


def test_a_message_that_repeats_a_fact_brings_it_by_meaning(embedded: Vault) -> None:
    hit = 0
    for number, (_, statement, message) in enumerate(FACTS):
        for text in (message, statement.partition(" ")[2]):
            keys = [one.stored.entry.id for one in hydrate(embedded, text, meaning=True).brought if one.stored]
            hit += f"f{number}" in keys
    assert hit >= 2 * len(FACTS) - 1


#: A chat of our own; real ones are measured on too, where they are handed over.
OWN = [
    {"conversation": "own", "speaker": speaker, "text": f"[1 May] {speaker}: {said}"}
    for speaker, said in [
        ("Ines", "Hello Tomas! How was the trip?"),
        ("Tomas", "Long, but good. Thanks for asking, Ines."),
        ("Ines", "Did you see the old bridge?"),
        ("Tomas", "I did, and Ines's favourite bakery as well."),
        ("Ines", "Wonderful!"),
    ]
]


def conversations() -> Iterator[list[dict[str, str]]]:
    yield OWN
    if CHATS.is_file():
        lines = CHATS.read_text("utf-8").splitlines()
        yield [json.loads(line) for line in lines[: amount(300, len(lines))]]


@pytest.mark.endurance
@pytest.mark.parametrize("turns", list(conversations()), ids=len)
def test_chats_bring_whom_they_name(tmp_path: Path, turns: list[dict[str, str]]) -> None:
    chats = sorted({turn["conversation"] for turn in turns})
    root = tmp_path / "chats"
    init(root, ENVIRON, space=dict.fromkeys([chat.lower() for chat in chats], False))
    rates = []
    for chat in chats:
        said = [turn for turn in turns if turn["conversation"] == chat]
        speakers = sorted({turn["speaker"] for turn in said})
        for name in speakers:
            place = root / f"spaces/{chat.lower()}/actor/{name.lower()}.firm"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(write_entry("actor", name.lower(), {"name": name}), "utf-8")
        texts = [re.sub(r"^\[.*?\] [^:]+: ", "", turn["text"]) for turn in said]
        labelled = [
            Labelled(text, frozenset(name.lower() for name in speakers if re.search(rf"\b{name}\b", text)))
            for text in texts
        ]
        with Vault.open(root, space=chat.lower(), max_age=1e9) as vault:
            rates.append(quality(partial(named, vault), labelled))
    assert min(precision for precision, _ in rates) >= 0.95
    assert min(recall for _, recall in rates) >= 0.95
