"""What a session remembers from turn to turn, so that a block says what is wanted and nothing twice."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from vault.knowledge.hydrate.block import Line

#: turn: the block is made anew each turn, and what was matched stays for some turns. transcript: blocks stay in view.
Mode = Literal["turn", "transcript"]
MODES: tuple[Mode, ...] = ("turn", "transcript")
#: Entries that a session remembers, the latest ones.
REMEMBERED = 200


@dataclass(frozen=True, slots=True)
class Held:
    """What a session remembers of an entry: the turn it was matched or shown in, and a digest of what was shown."""

    turn: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The turns of a session so far, and the entries it remembers, by `scope key`."""

    turn: int = 0
    held: Mapping[str, Held] = field(default_factory=dict)

    def retained(self, turns: float) -> dict[str, int]:
        """The entries that were matched within the last so many turns, with how many turns ago, latest first."""
        ages = {name: self.turn + 1 - held.turn for name, held in self.held.items()}
        return dict(sorted(((name, age) for name, age in ages.items() if age <= turns), key=lambda pair: pair[1]))

    def next(self, now: Mapping[str, str], gone: Iterable[str] = ()) -> "Memory":
        """The memory after another turn, in which some entries were matched or shown, by name with their digests."""
        turn = self.turn + 1
        kept = {name: held for name, held in self.held.items() if name not in now and name not in {*gone}}
        held = {**kept, **{name: Held(turn, digest) for name, digest in now.items()}}
        return Memory(turn, dict(list(held.items())[-REMEMBERED:]))


def digest_of(line: Line) -> str:
    """What tells whether an entry still says what was shown of it, wherever it stands now."""
    return hashlib.sha256(f"{line.key}\n{line.said}".encode()).hexdigest()[:16]


def as_data(memory: Memory) -> dict[str, object]:
    """A memory as JSON data."""
    return {"turn": memory.turn, "held": {name: [held.turn, held.digest] for name, held in memory.held.items()}}


def from_data(data: object) -> Memory:
    """Read what `as_data` made; what cannot be read is forgotten, as a session that begins."""
    if not isinstance(data, dict) or not isinstance(data.get("turn"), int) or not isinstance(data.get("held"), dict):
        return Memory()
    held = {
        str(name): Held(pair[0], pair[1])
        for name, pair in data["held"].items()
        if isinstance(pair, list) and [type(one) for one in pair] == [int, str]
    }
    return Memory(data["turn"], held)
