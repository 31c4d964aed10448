"""`python -m tests.endurance [NAME…]`: run the long form of the tests marked `endurance`, or of some."""

import argparse
import os
import sys

import pytest

from tests.endurance import VARIABLE

#: Seconds that one test may take in its long form.
LIMIT = 3000


def main() -> int:
    """Read the arguments and run the tests; the exit code is pytest's."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="run the tests whose names contain this")
    names = parser.parse_args().names
    os.environ[VARIABLE] = "1"
    chosen = ["-k", " or ".join(names)] if names else []
    return pytest.main(["-n", "auto", "-m", "endurance", "-v", "-rP", f"--timeout={LIMIT}", *chosen, "tests"])


if __name__ == "__main__":
    sys.exit(main())
