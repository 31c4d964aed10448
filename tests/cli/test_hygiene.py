"""`vault knowledge hygiene`: what it prints, and that each command it prints does what it is for."""

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.service.days import Days
from tests.service.test_hygiene import CASES, known, said


@pytest.fixture
def days(root: Path, monkeypatch: pytest.MonkeyPatch) -> Days:
    """Ada, of whom one thing is said as it should be; an editor that changes nothing."""
    monkeypatch.setenv("EDITOR", "true")
    made = Days(root)
    made.commit({**known("ada", "Ada Lovelace"), **said("role")})
    return made


def typed(run: Run, command: str) -> None:
    """Type a command that was printed, and say yes where it asks."""
    program, *words = shlex.split(command)
    assert program == "vault"
    ended = run(*words, *(["--yes"] if "rm" in words else []))
    assert ended.code == 0, f"{command}\n{ended.err}"


@pytest.mark.parametrize("files", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_each_command_mends_its_finding(run: Run, days: Days, files: dict[str, str | None]) -> None:
    days.commit(files)

    def commands() -> list[tuple[str, str]]:
        items = run("knowledge", "hygiene", "--json").json()["items"]
        return [(item["code"], item["command"]) for item in items]

    left = commands()
    while mending := [found for found in left if " edit " not in found[1]]:
        typed(run, mending[0][1])
        left = commands()
        assert mending[0] not in left
    for _, command in left:
        if "z.firm" not in str(files):  # what is declared twice is an error after an edit too
            typed(run, command)


def test_commands_work_from_within_a_space(run: Run, days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    space = days.root / "spaces" / "work"
    days.write({"spaces/work/actor/b.firm": 'actor b { name = "B" uses = [actor.b, actor.ada] }\n'})
    days.write(known("c", "Carla", "uses = [actor.c, actor.ada]"))
    monkeypatch.chdir(space)
    for item in run("knowledge", "hygiene", "--json").json()["items"]:
        typed(run, item["command"])
    assert run("knowledge", "hygiene", "--json").json()["total"] == 0


def test_findings_are_printed_with_place_and_command(run: Run, days: Days) -> None:
    days.write(known("b", "42", "uses = [actor.ada]"))
    ended = run("knowledge", "hygiene")
    assert ended.out == (
        "warning[suspicious-name]: “42”, which `actor.b` goes by, holds no letter\n"
        "  global/actor/b.firm:1  fix: vault --global edit actor.b\n"
    )
    assert (ended.code, ended.err) == (0, "3 entries: 1 warning\n")


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1), ("fatal", 2)])
@pytest.mark.parametrize("shape", [[], ["--json"]])
def test_the_exit_code_is_of_what_is_asked(run: Run, days: Days, fail_on: str, code: int, shape: list[str]) -> None:
    days.write(known("b", "42", "uses = [actor.ada]"))
    assert run("knowledge", "hygiene", "--fail-on", fail_on, *shape).code == code


def test_all_scopes_are_for_who_asks_for_them(run: Run, days: Days) -> None:
    days.write({"spaces/diary/actor/x.firm": 'actor x { name = "42" uses = [actor.x] }\n'})
    assert run("knowledge", "hygiene").out == ""
    assert "vault --space diary set actor.x uses-=actor.x" in run("knowledge", "hygiene", "--all").out
    assert run("knowledge", "hygiene", "--agent", "a").err == "2 entries: no findings\n"
