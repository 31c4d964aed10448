"""Whatever call of the system fails or kills a writing command: its write lands whole, or not at all."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import invoke
from tests.endurance import amount, report
from tests.service.conftest import ENVIRON
from vault.service.admin.init import init
from vault.service.vault import Vault

HERE = Path(__file__).parent
#: Kills the process instead of failing the call.
KILL = 0
FAULTS = (KILL, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("add", "note", "new", "--field", "text=new"),
    ("add", "note", "new", "--field", "text=new", "--commit"),
    ("set", "ada", "summary=Changed", "--commit"),
    ("rm", "note.n1", "--yes", "--commit"),
    ("fact", "ada", "work/role", "CTO"),
    ("fact", "ada", "life/place", "Paris"),
    ("restore", "note.gone@HEAD~1"),
    ("commit",),
)

Capture = pytest.CaptureFixture[str]


@dataclass(slots=True)
class Child:
    """A process that runs commands with faults."""

    process: subprocess.Popen[str]

    def run(self, words: tuple[str, ...], root: Path, at: int, code: int) -> dict[str, Any]:
        """Run a command whose call number `at` fails with `code`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"words": words, "root": str(root), "at": at, "code": code}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    """The process, with the library that makes calls fail."""
    shim = tmp_path / "faults.so"
    words = ["cc", "-shared", "-fPIC", "-O1", "-w", "-o", str(shim), str(HERE / "faults.c"), "-ldl"]
    subprocess.run(words, check=True)
    process = subprocess.Popen(
        [sys.executable, str(HERE / "faulty.py")],
        env={**os.environ, **ENVIRON, "LD_PRELOAD": str(shim), "PYTHONPATH": str(HERE.parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield Child(process)
        process.stdin.close()  # type: ignore[union-attr]  # a pipe
        process.wait(30)


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with something to change, remove, bring back and commit."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "origin"
    init(root, ENVIRON)
    put(root, "global/actor/ada.firm", 'actor ada { name = "Ada" }\n')
    for name in ("n1", "n2", "gone"):
        put(root, f"global/note/{name}.firm", f'note {name} {{ text = "gardens" }}\n')
    for words in (["commit"], ["fact", "ada", "life/place", "London"], ["rm", "gone", "--yes", "--commit"]):
        assert invoke(["-C", str(root), *words]) == 0
    put(root, "global/note/n2.firm", 'note n2 { text = "changed by hand" }\n')
    return root


def put(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def state(root: Path) -> tuple[object, ...]:
    """What a vault holds: its files, what its last commit holds, and what git says differs.

    Opening it settles a write that was cut short. Moments of writing are left out.
    """
    with Vault.open(root, max_age=0) as vault:
        repository = vault.git()
        files = {path: content(vault.read(path)) for path in vault.firm_paths()}
        head = repository.tree_at(repository.head())
        committed = {path: content(repository.read_blob(blob)) for path, blob in head.items()}
        return files, committed, [(change.path, change.staged) for change in repository.status()]


def content(data: bytes) -> list[str]:
    return [line for line in data.decode().splitlines() if "_at =" not in line]


@pytest.mark.endurance
@pytest.mark.parametrize("commands", amount([COMMANDS], [[words] for words in COMMANDS]))
def test_a_write_lands_whole_or_not_at_all(
    origin: Path, tmp_path: Path, child: Child, capsys: Capture, commands: Sequence[tuple[str, ...]]
) -> None:
    chance = random.Random(5)
    root = tmp_path / "vault"
    counts: Counter[str] = Counter(faults=0, lost=0, torn=0, denied=0, internal=0)
    before = state(origin)
    for words in commands:
        fresh(origin, root)
        done = child.run(words, root, 0, KILL)
        assert done["code"] == 0, done
        after, calls = state(root), int(done["calls"])
        counts["calls"] += calls
        for number, code in chosen(calls, chance):
            fresh(origin, root)
            ended = child.run(words, root, number, code)
            place = (words, number, errno.errorcode.get(code, "kill"), ended)
            held = state(root)
            counts["faults"] += 1
            counts["internal"] += ended["code"] == 3
            counts["torn"] += held not in (before, after)
            counts["lost"] += ended["code"] == 0 and held != after
            counts["denied"] += ended["code"] > 0 and held == after
            assert ended["code"] != 3, place
            assert held in (before, after), place
            assert ended["code"] != 0 or held == after, place
            assert invoke(["-C", str(root), "add", "note", "next", "--field", "text=x", "--commit"]) == 0, place
    capsys.readouterr()
    report("faults", counts)


def fresh(origin: Path, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(origin, root, symlinks=True)


def chosen(calls: int, chance: random.Random) -> list[tuple[int, int]]:
    """Some of the calls, each with some of the faults."""
    every = [(number, code) for number in range(1, calls + 1) for code in FAULTS]
    return chance.sample(every, amount(5, 800))
