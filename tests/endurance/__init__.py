"""Long runs: the same tests with larger numbers, too slow for every change.

`python -m tests.endurance` runs them; the suite runs each for a few seconds, with fixed seeds.
"""

import os
from typing import TypeVar

Amount = TypeVar("Amount")

#: The variable that asks for the long form. `python -m tests.endurance` sets it.
VARIABLE = "LONG_RUNS"


def is_long() -> bool:
    """Whether the long form was asked for."""
    return os.environ.get(VARIABLE) == "1"


def amount(short: Amount, long: Amount) -> Amount:
    """Choose how much a test does: in the suite, or in a long run."""
    return long if is_long() else short
