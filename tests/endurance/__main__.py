"""`python -m tests.endurance [NAME…]`: run the long form of the tests marked `endurance`, or of some."""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.endurance import REPORT, VARIABLE

#: Seconds that one test may take in its long form.
LIMIT = 3000


def main() -> int:
    """Read the arguments and run the tests; the exit code is pytest's."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="run the tests whose names contain this")
    names = parser.parse_args().names
    os.environ[VARIABLE] = "1"
    chosen = ["-k", " or ".join(names)] if names else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        os.environ[REPORT] = str(file)
        try:
            return pytest.main(["-n", "auto", "-m", "endurance", "-v", f"--timeout={LIMIT}", *chosen, "tests"])
        finally:
            for line in totals(file):
                print(line)


def totals(file: Path) -> list[str]:
    """Add up the counts that the parts of the long runs have written down."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        what, counts = json.loads(line)
        found[what].update(Counter(counts))
    return [
        f"{what}: {', '.join(f'{name} {number}' for name, number in sorted(counts.items()))}"
        for what, counts in sorted(found.items())
    ]


if __name__ == "__main__":
    sys.exit(main())
