"""`python -m tests.bench`: measure, and print a table. The exit code is 1 if a figure is over its goal."""

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from tests.bench.figures import FIGURES
from tests.bench.measuring import measure, table
from tests.bench.place import OWN, Place


def main() -> int:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each program; medians count")
    parser.add_argument("--only", metavar="NAME", help="figures whose name contains this")
    parser.add_argument("--json", action="store_true", help="every run, as JSON")
    asked = parser.parse_args()
    figures = [figure for figure in FIGURES if not asked.only or asked.only in figure.name]
    if not figures:
        parser.error(f"no figure is called {asked.only}; there are: {', '.join(f.name for f in FIGURES)}")
    with tempfile.TemporaryDirectory() as folder:
        place = Place.made(Path(folder), asked.entries)
        results = measure(place, figures, asked.rounds)
    about = {
        "entries": asked.entries,
        "rounds": asked.rounds,
        "inputs": "own" if place.inputs == OWN else "shared",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    if asked.json:
        print(json.dumps({**about, "figures": [result.as_data() for result in results]}, indent=2))
    else:
        print("\n".join(table(results)))
        print("\n" + ", ".join(f"{name} {value}" for name, value in about.items()))
    return 0 if all(result.ok for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
