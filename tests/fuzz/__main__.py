"""`python -m tests.fuzz [-max_total_time=600 …]`: bytes that reach new code, held against the laws.

Needs atheris (`pip install atheris`). It begins with the files of the corpus; options are libFuzzer's.
"""

import sys
import tempfile
from pathlib import Path

from tests.fuzz.test_laws import SEEDS


def main() -> None:
    """Fuzz until told to stop; the first bytes that break a law end it, and are printed."""
    import atheris  # not for the tests: it has no wheel everywhere

    with atheris.instrument_imports(include=["vault"]):
        from tests.fuzz.laws import hold
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(SEEDS):
            Path(folder, str(number)).write_bytes(seed)
        atheris.Setup([sys.argv[0], "-max_len=2000", "-timeout=10", *sys.argv[1:], folder], hold)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
