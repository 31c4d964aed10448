"""A vault with a long history: `python -m tests.bench.long VAULT COPY` clones one and says its facts anew.

A commit changes the value of one fact; there are half as many as entries.
"""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def commits(root: Path) -> Iterator[bytes]:
    """Endless commits for `git fast-import`, a minute apart."""
    chance, number = random.Random(3), 0
    facts = {file.relative_to(root): file.read_text("utf-8") for file in sorted(root.rglob("fact/*.firm"))}
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=root, text=True).strip()
    while True:
        path = chance.choice(list(facts))
        facts[path] = re.sub(r'value = "[^"]*"', f'value = "w{number}"', facts[path])
        text = facts[path].encode()
        yield (
            f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1_800_000_000 + number * 60} +0000\n"
            "data 6\nchange\n"
            + (f"from {head}\n" if not number else "")
            + f"M 100644 inline {path}\ndata {len(text)}\n"
        ).encode() + text
        number += 1


def main(root: Path, copy: Path) -> None:
    """Clone a vault and lengthen its history."""
    subprocess.run(["git", "clone", "--quiet", str(root), str(copy)], check=True)
    number = max(1, len(list(copy.rglob("*.firm"))) // 2)
    endless = commits(copy)
    stream = b"\n".join(next(endless) for _ in range(number)) + b"\n"
    subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=copy, input=stream, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard"], cwd=copy, check=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
