"""The laws hold for the corpus, and for it cut, doubled and with bytes changed."""

import json
import random
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent.parent / "corpus"
QUERIES = [
    case["input"]["query"]
    for case in json.loads((CORPUS.parent / "cases" / "own_query.json").read_text("utf-8"))
    if "query" in case["input"]
]
SEEDS = [
    *(file.read_bytes() for file in sorted(CORPUS.glob("*/*.firm")) if file.stat().st_size < 5_000),
    *(query.encode("utf-8", "replace") for query in QUERIES[::4]),
    b"version: 1\nspaces:\n  work: {private: true}\ncheck: {unknown-field: off}\ntimezone: UTC\n",
]


#: What is put into seeds: what begins or ends something, and what no text holds.
PIECES = [b'"', b"{", b"}", b"\xff", b"/*", b"\r\n", b"[", b"-1 ", b""]


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_laws_hold_for_a_seed_and_what_comes_of_it(number: int) -> None:
    from tests.fuzz.laws import hold  # the fuzzer instruments it first

    seed = SEEDS[number]
    chance = random.Random(number)
    hold(seed)
    hold(seed + seed)
    for _ in range(5):
        changed = bytearray(seed) or bytearray(b"x")
        at = chance.randrange(len(changed))
        changed[at : at + chance.randrange(4)] = chance.choice(PIECES)
        hold(bytes(changed))
