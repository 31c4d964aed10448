"""The two forms of a long run."""

import os
import subprocess
import sys

import pytest

from tests.endurance import VARIABLE, amount


def test_the_suite_runs_the_short_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert amount(1, 100) == 1
    monkeypatch.setenv(VARIABLE, "1")
    assert amount(1, 100) == 100


def test_the_command_runs_the_long_form() -> None:
    program = (
        "import pytest; from tests.endurance import __main__ as run, amount; "
        "pytest.main = lambda words: amount(1, 2); print(run.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, VARIABLE: "0"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2"
