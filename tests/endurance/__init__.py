"""Long runs: the same tests with larger numbers, too slow for every change.

`python -m tests.endurance` runs them; the suite runs each for a few seconds, with fixed seeds.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

Amount = TypeVar("Amount")

#: The variable that asks for the long form. `python -m tests.endurance` sets it.
VARIABLE = "LONG_RUNS"
#: The variable that names the file in which long runs write down their counts, so that an interruption loses none.
REPORT = "LONG_RUNS_REPORT"


def is_long() -> bool:
    """Whether the long form was asked for."""
    return os.environ.get(VARIABLE) == "1"


def amount(short: Amount, long: Amount) -> Amount:
    """Choose how much a test does: in the suite, or in a long run."""
    return long if is_long() else short


def report(what: str, counts: Mapping[str, int]) -> None:
    """Write down what a part of a long run counted; the counts of all parts are added up at the end."""
    if file := os.environ.get(REPORT):
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([what, dict(counts)]) + "\n")
