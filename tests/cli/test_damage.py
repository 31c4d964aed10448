"""Derived data may be damaged anywhere: every command answers rightly, or rebuilds and says so."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.main import invoke
from tests.endurance import amount, report
from tests.service.conftest import ENVIRON
from vault.service.admin.init import init
from vault.service.admin.reindex import index
from vault.service.vault import Vault
from vault.store.sealed import read_json, write_json

#: Commands that read; together they look at every kind of derived data.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("get", "ada", "--json"),
    ("get", "note.n3", "--json"),
    ("list", "--json"),
    ("search", "gardens", "--json", "--mode", "keyword"),
    ("search", "where does ada live", "--json"),
    ("--space", "diary", "search", "secret", "--json", "--mode", "keyword"),
    ("query", "from note", "--json"),
    ("history", "ada", "--json"),
    ("get", "ada", "--at", "HEAD~1", "--json"),
    ("search", "countess", "--at", "HEAD~1", "--json", "--mode", "keyword"),
    ("search", "--in", "chats", "cake", "--json"),
    ("check", "--json"),
)
#: Tests that the damages of a long run are shared among, so that two processors are at work.
PARTS = amount(1, 10)
#: Files that hold nothing of the vault: locks, and what git is to ignore.
IDLE = {".gate", ".users", ".lock", ""}

Capture = pytest.CaptureFixture[str]
Damage = Callable[[bytes, random.Random], bytes | None]


def flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data)) if data else 0
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :] if data else b"x"


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))] if data else b"x"


def zero(data: bytes, chance: random.Random) -> bytes:
    """Zero a page, or the middle of a smaller file."""
    size = min(4096, max(1, len(data) // 2))
    at = chance.randrange(max(1, len(data) // size)) * size
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def drop(_data: bytes, _chance: random.Random) -> None:
    return None


DAMAGES: tuple[Damage, ...] = (flip, cut, zero, drop)


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A vault with every kind of derived data, all of it closed."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "origin"
    init(root, ENVIRON, space={"work": False, "diary": True})
    put(root, "global/actor/ada.firm", 'actor ada { name = "Ada" summary = "The countess lives in London" }\n')
    put(root, "spaces/diary/note/d.firm", 'note d { text = "a secret" }\n')
    put(root, "global/chats/tea.jsonl", json.dumps({"role": "user", "content": "who wants cake?"}) + "\n")
    for number in range(8):
        put(root, f"global/note/n{number}.firm", f'note n{number} {{ text = "gardens {number} {"word " * 60}" }}\n')
    assert invoke(["-C", str(root), "commit"]) == 0
    put(root, "global/actor/ada.firm", 'actor ada { name = "Ada" summary = "She lives in Paris" }\n')
    assert invoke(["-C", str(root), "commit"]) == 0
    with Vault.open(root) as vault:
        index(vault)
    for command in COMMANDS:
        assert invoke(["-C", str(root), *command]) == 0, command
    capsys.readouterr()
    return root


def put(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def told(root: Path, command: tuple[str, ...], capsys: Capture) -> tuple[int, str, str]:
    """Run a command; its exit code and what it printed, with the folder left out."""
    code = invoke(["-C", str(root), *command])
    ended = capsys.readouterr()
    return code, ended.out.replace(str(root), "ROOT"), ended.err


def targets(root: Path) -> list[str]:
    derived = root / ".vault"
    files = (place for place in derived.rglob("*") if place.is_file() and place.suffix not in IDLE)
    return sorted(place.relative_to(derived).as_posix() for place in files)


def spoil(place: Path, damage: Damage, chance: random.Random) -> bool:
    """Damage a file; says whether that changed it."""
    before = place.read_bytes()
    after = damage(before, chance)
    if after is None:
        place.unlink()
    else:
        place.write_bytes(after)
    return after != before


def keep_stamps(derived: Path, name: str) -> None:
    """Make the seal of a damaged file say that its stamp is as it was: damage below the file system."""
    place = derived / name
    status = place.stat()
    stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    seal = place.with_name(f"{place.name}.seal")
    record = read_json(seal)
    if record:
        write_json(seal, {"database": [*stamp, record["database"][-1]]})
    state = place.parent.with_suffix(".json")
    record = read_json(state)
    if record and place.name in record.get("files", {}):
        record["files"][place.name] = [*stamp, record["files"][place.name][-1]]
        write_json(state, record)


@pytest.mark.endurance
@pytest.mark.parametrize("part", range(PARTS))
def test_every_command_survives_damage_that_changes_a_stamp(
    origin: Path, tmp_path: Path, capsys: Capture, part: int
) -> None:
    chance = random.Random(13 + part)
    expected = {command: told(origin, command, capsys)[:2] for command in COMMANDS}
    names = targets(origin)
    found: Counter[str] = Counter()
    for number in range(part, amount(8, 2000), PARTS):
        root = tmp_path / "copy"
        shutil.copytree(origin, root, symlinks=True)
        name, damage = names[number % len(names)], chance.choice(DAMAGES)
        spoil(root / ".vault" / name, damage, chance)
        said = ""
        for command in chance.sample(COMMANDS, amount(2, 4)):
            *answer, words = told(root, command, capsys)
            assert tuple(answer) == expected[command], (number, name, damage.__name__, command, words)
            said += words
        code, _, words = told(root, ("doctor",), capsys)
        assert code != 3, (number, name, damage.__name__, words)
        code, shown, words = told(root, ("index", "--check"), capsys)
        assert code in (0, 1), (number, name, damage.__name__, words)
        found[means(said, shown + words)] += 1
        assert told(root, ("index", "--check"), capsys)[0] == 0, (number, name, damage.__name__)
        shutil.rmtree(root)
    report("damages that change a stamp", {**found, "made": found.total(), "wrong answers": 0, "exit 3": 0})


def means(said: str, shown: str) -> str:
    if "rebuilt" in said:
        return "a command said so and rebuilt"
    if "rebuilt" in shown or "differs" in shown:
        return "doctor or index --check said so"
    return "made again without a word, or idle"


@pytest.mark.endurance
@pytest.mark.parametrize("part", range(PARTS))
def test_damage_below_the_file_system_is_found_where_it_is_read(
    origin: Path, tmp_path: Path, capsys: Capture, part: int
) -> None:
    chance = random.Random(31 + part)
    expected = {command: told(origin, command, capsys)[:2] for command in COMMANDS}
    names = [name for name in targets(origin) if name.endswith(".db") or name.startswith("text/")]
    found: Counter[str] = Counter()
    for number in range(part, amount(5, 600), PARTS):
        root = tmp_path / "copy"
        shutil.copytree(origin, root, symlinks=True)
        for command in (COMMANDS[0], COMMANDS[3], COMMANDS[5], COMMANDS[8], COMMANDS[9]):
            told(root, command, capsys)  # a copy has other stamps: seal it again
        name = names[number % len(names)]
        changed = spoil(root / ".vault" / name, chance.choice((flip, zero)), chance)
        keep_stamps(root / ".vault", name)
        for command in chance.sample(COMMANDS, 2):
            *answer, words = told(root, command, capsys)
            assert answer[0] != 3, (number, name, command, words)
            if "damaged" in f"{answer[1]}{words}":  # with --json, an error is the answer
                found["found where it was read"] += 1
            else:
                assert tuple(answer) == expected[command], (number, name, command, changed)
                found["right answer"] += 1
        code, _, words = told(root, ("index", "--check"), capsys)
        assert code in (0, 1), (number, name, words)
        found["index --check: " + ("found" if code else "sound or rebuilt before")] += 1
        for command in COMMANDS:
            assert told(root, command, capsys)[:2] == expected[command], (number, name, command, changed)
        shutil.rmtree(root)
    report("damages below the stamp", found)
