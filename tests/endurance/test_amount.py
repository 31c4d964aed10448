"""The two forms of a long run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endurance import REPORT, VARIABLE, amount, report
from tests.endurance.__main__ import totals


def test_the_suite_runs_the_short_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert amount(1, 100) == 1
    monkeypatch.setenv(VARIABLE, "1")
    assert amount(1, 100) == 100


def test_the_counts_of_all_parts_are_added_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    report("faults", {"lost": 1})
    monkeypatch.setenv(REPORT, str(tmp_path / "counts"))
    report("faults", {"lost": 0, "made": 2})
    report("faults", {"lost": 0, "made": 3})
    report("damages", {"found": 1})
    assert totals(tmp_path / "counts") == ["damages: found 1", "faults: lost 0, made 5"]


def test_the_command_runs_the_long_form() -> None:
    program = (
        "import pytest; from tests.endurance import __main__ as run, amount; "
        "pytest.main = lambda words: amount(1, 2); print(run.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, VARIABLE: "0"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2"
