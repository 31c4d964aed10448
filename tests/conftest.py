"""What all tests share: a home, an identity and a clock of their own, and the switch `--update`."""

import os
import signal
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from vault.store import bundled

#: Processes that tests start compile each module once, whatever the developer's shell prefers.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

#: A shell starts background jobs with SIGINT ignored, and children inherit that. Tests interrupt some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: No property is about wall time, of which a busy machine takes what it will.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

#: Folders and modules of tests that see the bundled entries.
AS_SHIPPED = {"bundled", "serve", "test_transcripts.py", "test_readme.py"}

#: Variables of the developer's own world, which a test must not see.
OWN = ("GIT_", "FIRM_VAULT_", "XDG_", "LC_")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`, which rewrites expected files and transcripts."""
    parser.addoption("--update", action="store_true", help="rewrite expected outputs")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are to be rewritten."""
    return bool(request.config.getoption("--update"))


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: what a loss of power leaves behind is tested in processes of its own."""
    monkeypatch.setattr(os, "fsync", lambda _file: None)


@pytest.fixture(autouse=True)
def own_world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(OWN) or name in ("EMAIL", "LANGUAGE")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    if not AS_SHIPPED & {*request.path.parts}:  # there, and in processes, is what ships with the product
        monkeypatch.setattr(bundled, "entry_digest", str)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada Example")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    for name in ("LANG", "LC_ALL"):
        monkeypatch.setenv(name, "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
