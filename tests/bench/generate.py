"""A vault to measure on: `python -m tests.bench.generate ENTRIES FOLDER [SEED]`.

About 500 bytes an entry, in 20 spaces: actors, things, facts, outputs and notes in equal parts, each
with three references to entries of its own space, each fact with a slot of its own. The words are
invented, 20,000 of them, the n-th about n times rarer than the first. A seed gives the same files.
"""

import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path

KINDS = {"actor": "person", "thing": "concept", "fact": "", "output": "report", "note": ""}
SPACES = 20
WORDS = 20_000
WORDS_PER_TEXT = 32


def vocabulary(chance: random.Random) -> list[str]:
    """Invent words of two to four syllables."""
    syllables = ["".join(pair) for pair in itertools.product("bdfghklmnprstvwz", "aeiou")]
    words = ("".join(chance.choices(syllables, k=chance.choice((2, 3, 3, 4)))) for _ in itertools.count())
    return list(itertools.islice(dict.fromkeys(itertools.islice(words, WORDS * 3)), WORDS))


def texts(chance: random.Random) -> Iterator[str]:
    """Endless texts of common and rare words."""
    words = vocabulary(chance)
    weights = list(itertools.accumulate(1 / (10 + rank) for rank in range(len(words))))
    while True:
        yield " ".join(chance.choices(words, cum_weights=weights, k=WORDS_PER_TEXT))


def entry(number: int, total: int, text: str) -> tuple[str, str]:
    """The path and the content of one entry."""
    kinds = list(KINDS)
    row, place = divmod(number, SPACES)
    kind, rows = kinds[row % 5], max(5, total // SPACES)

    def key(of: str, steps: int) -> str:
        aimed = (row + steps) % rows
        return f"{of}.n{(aimed - (aimed - kinds.index(of)) % 5) % rows * SPACES + place}"

    day, minute = f"2025-{1 + number % 12:02d}-{1 + number % 28:02d}", f"{number % 60:02d}"
    fields = {
        "relates_to": f"[{key('actor', 6)}, {key('thing', 11)}, {key('note', 21)}]",
        "tags": f'["red{number % 89}", "green{number % 37}", "blue"]',
        "created_at": f"{day} at 08:{minute} UTC",
    }
    if kind == "fact":
        fields |= {"statement": f'"{text}"', "subject": key("actor", 5), "aspect": '"trade"'}
        fields |= {"group": f'"set {number % 7}"', "claim": f'"claim {number}"', "value": f'"is {number}"'}
        fields |= {"confidence": f"0.{10 + number % 80}", "observed_at": f"{day} at 07:{minute} UTC"}
    else:
        fields["text" if kind == "note" else "summary"] = f'"""\n    {text}\n    """'
    if KINDS[kind]:
        fields |= {"name": f'"{kind.title()} {number}"', "kind": f'enum"{KINDS[kind]}"'}
    if kind == "actor":
        fields["aliases"] = f'["Nr {number}", "no{number}"]'
    body = "".join(f"    {name} = {value}\n" for name, value in fields.items())
    return f"spaces/s{place:02d}/{kind}/n{number}.firm", f"// number {number}\n{kind} n{number} {{\n{body}}}\n"


def main(total: int, folder: Path, seed: int = 1) -> None:
    """Write the entries below a folder."""
    for number, text in enumerate(itertools.islice(texts(random.Random(seed)), total)):
        path, content = entry(number, total, text)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), *(int(word) for word in sys.argv[3:4]))
