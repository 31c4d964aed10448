"""How often two edits of one entry conflict under `git merge`: `python -m tests.bench.merges [PAIRS] [SEED]`.

The layout before: fields in the order in which they were set, lists on one line, and new fields at the end. The layout
after: the canonical one, and new fields at their place. Both sides make one or two random edits each.
"""

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from vault.lang.edit import find_block, set_fields
from vault.lang.format import format_text
from vault.lang.lower import read
from vault.lang.write import Layout, write_entry
from vault.model.values import Value

DECLARED = ["name", "kind", "summary", "aliases", "tags", "sources", "relates_to", "uses", "pinned", "created_at"]
LISTS = ("aliases", "tags", "sources", "relates_to", "uses")
TEXTS = ("name", "kind", "summary", "created_at", "owner", "phone", "place", "role")

Fields = dict[str, Value]
Edits = dict[str, Value | None]


def conflicts(folder: Path, pairs: int, chance: random.Random) -> tuple[int, int]:
    """Count the pairs of edits that git cannot merge, of `pairs`, in the layouts before and after."""
    before = after = 0
    for _ in range(pairs):
        fields = _entry(chance)
        sides = _edits(fields, chance), _edits(fields, chance)
        before += _is_conflict(folder, fields, sides, _one_line)
        after += _is_conflict(folder, fields, sides, _canonical)
    return before, after


def _entry(chance: random.Random) -> Fields:
    names = chance.sample([*LISTS, *TEXTS], chance.randint(4, 9))
    return {name: _value(name, chance) for name in names}


def _value(name: str, chance: random.Random) -> Value:
    if name in LISTS:
        return tuple(f"word{chance.randint(0, 999)}" for _ in range(chance.randint(1, 4)))
    return f"text {chance.randint(0, 999)}"


def _edits(fields: Fields, chance: random.Random) -> Edits:
    """One or two edits: a field set, added or removed, an item added or removed."""
    edits: Edits = {}
    for _ in range(chance.randint(1, 2)):
        name = chance.choice([*LISTS, *TEXTS])
        value = fields.get(name)
        if isinstance(value, tuple):
            kept = [item for item in value if chance.random() > 1 / 4]
            edits[name] = (*kept, f"word{chance.randint(0, 999)}")
        elif value is not None and chance.random() < 1 / 5:
            edits[name] = None
        else:
            edits[name] = _value(name, chance)
    return edits


def _one_line(fields: Fields, edits: Edits) -> str:
    changed = {**fields, **edits}
    rows = [f"    {name} = {_flat(value)}" for name, value in changed.items() if value is not None]
    return "\n".join(["actor x {", *rows, "}", ""])


def _flat(value: Value) -> str:
    items = value if isinstance(value, tuple) else (value,)
    written = ", ".join(f'"{item}"' for item in items)
    return f"[{written}]" if isinstance(value, tuple) else written


def _canonical(fields: Fields, edits: Edits) -> str:
    text = format_text(write_entry("actor", "x", fields, Layout(rows=True)), {"actor": DECLARED})
    block = find_block(text, "actor", "x")
    return set_fields(text, block, edits, DECLARED) if block else text


def _is_conflict(
    folder: Path, fields: Fields, sides: tuple[Edits, Edits], lay_out: Callable[[Fields, Edits], str]
) -> bool:
    """Whether `git merge-file`, which merges each file of `git merge`, leaves a conflict."""
    names = ("ours", "base", "theirs")
    for name, edits in zip(names, (sides[0], {}, sides[1]), strict=True):
        text = lay_out(fields, edits)
        assert read(text, "").entries
        (folder / name).write_text(text, "utf-8")
    ended = subprocess.run(["git", "merge-file", "-p", *names], cwd=folder, capture_output=True, check=False)
    return ended.returncode != 0


def main(pairs: int = 500, seed: int = 7) -> None:
    """Print both counts."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = conflicts(Path(folder), pairs, random.Random(seed))
    print(f"{pairs} pairs of edits: {before} conflicts before, {after} after")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
