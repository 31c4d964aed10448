"""Commands that read, answered by a process which serves the vault: the same bytes, and nothing lost without it."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.main import invoke
from cli.served import Runner
from tests.cli.conftest import Run
from tests.service.conftest import ENVIRON
from vault.serve import command_socket
from vault.serve.command_socket import SOCKET, Reply, answering, ask

#: Commands that read, whatever they end with.
READS = [
    ("get", "ada"),
    ("--json", "get", "ada", "--context", "1"),
    ("get", "ada", "--raw"),
    ("get", "actor.ada.kind"),
    ("get", "nobody"),
    ("get", "nobody", "--json"),
    ("list",),
    ("list", "actr"),
    ("--space", "diary", "list", "--json"),
    ("--space", "nowhere", "list"),
    ("-C", "global", "list", "--ids"),
    ("query", "from actor | where kind == person"),
    ("query", "from"),
    ("related", "ada", "--json"),
    ("graph", "--format", "mermaid"),
    ("search", "computing engine"),
    ("search", "engine", "--json", "--explain"),
    ("search", "engine", "--mode", "keyword", "--limit", "1"),
    ("search",),
    ("search", "--in", "chats", "hello"),
    ("search", "--at", "HEAD", "engine"),
    ("hydrate", "what does Ada say?", "--explain"),
    ("hydrate", "thanks"),
    ("knowledge", "tree", "ada"),
    ("knowledge", "tree", "nobody", "--json"),
    ("history", "ada"),
    ("history", "ada/work/role", "--json"),
    ("blame", "ada"),
    ("show", "ada@HEAD"),
    ("get", "ada", "--at", "HEAD"),
    ("get", "ada", "--at", "never"),
    ("get", "ada", "--valid-at", "2020-01-01"),
]


@pytest.fixture
def ada(run: Run) -> Run:
    """Somebody to read about, in a vault without a model."""
    for words in (
        ("add", "actor", "ada", "-f", "name=Ada Lovelace", "-f", "kind=person", "-f", "uses=thing.engine"),
        ("add", "thing", "engine", "-f", "name=Analytical Engine", "-f", "summary=A computing engine of brass"),
        ("--space", "diary", "add", "note", "secret", "-f", "text=Ada met Babbage"),
        ("commit",),
        ("--space", "diary", "commit"),
        ("fact", "ada", "work/role", "Ada is a mathematician", "--value", "mathematician"),
    ):
        assert run(*words).code == 0
    return run


class Counting(Runner):
    """Remembers what it was asked."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.asked: list[list[str]] = []

    def answer(self, request: Mapping[str, Any]) -> Reply:
        """Run the command."""
        self.asked.append(list(request["arguments"]))
        return super().answer(request)


@pytest.fixture
def served(root: Path) -> Iterator[Callable[[], Counting]]:
    """Serve the vault from another thread, from when this is called."""
    ending: list[Any] = []

    def serving() -> Counting:
        runner = Counting(root)
        context = answering(root, runner.answer, runner.close)
        assert context.__enter__()
        ending.append(context)
        return runner

    yield serving
    for context in ending:
        context.__exit__(None, None, None)
    assert not (root / ".vault" / SOCKET).exists()


def test_the_answers_are_the_same_bytes(ada: Run, served: Callable[[], Counting]) -> None:
    for words in READS:
        ada(*words)  # derived data is made by whoever comes first, who may say so
    alone = [ada(*words) for words in READS]
    runner = served()
    for words, expected in zip(READS, alone, strict=True):
        assert ada(*words) == expected, words
    assert runner.asked == [list(words) for words in READS]


def test_what_changes_is_seen_at_once(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    runner = served()
    assert "Ada Lovelace" in ada("list").out
    ada("set", "ada", "name=Augusta")
    assert "Augusta" in ada("list").out
    (root / "global/note").mkdir()
    (root / "global/note/n.firm").write_text('note n {\n  text = "fresh"\n}\n')
    assert "note.n" in ada("search", "fresh", "--mode", "keyword").out
    assert ada("--space", "garden", "list").code == 1
    ada("spaces", "add", "garden")
    assert ada("--space", "garden", "list").code == 0
    assert len(runner.asked) == 5


def test_a_write_is_never_run_for_others(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    runner = served()
    assert ada("rm", "ada", "--yes").code == 0
    assert runner.asked == []
    request: dict[str, Any] = {
        "arguments": ["rm", "engine", "--yes"],
        "folder": str(root),
        "environ": {},
        "input": None,
    }
    reply = ask(root, {**request, "terminals": [False, False]})
    assert reply is not None
    assert reply.code == 2
    assert ada("get", "engine").code == 0


def test_a_message_on_standard_input_goes_along(
    ada: Run, served: Callable[[], Counting], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    message = tmp_path / "message"
    message.write_bytes(b"What does Ada say to \xff?")

    def hydrated() -> Any:
        with message.open() as given:
            monkeypatch.setattr(sys, "stdin", given)
            return ada("hydrate", "-", "--json")

    alone = hydrated()
    runner = served()
    assert hydrated() == alone
    assert "Ada Lovelace" in alone.out
    assert len(runner.asked) == 1


def test_colours_are_those_of_whoever_asks(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    served()
    request = {"arguments": ["get", "ada"], "folder": str(root), "environ": dict(ENVIRON), "input": None}

    def out(request: Mapping[str, Any], *terminals: bool) -> bytes:
        reply = ask(root, {**request, "terminals": terminals})
        assert reply
        return b"".join(data for err, data in reply.printed if not err)

    assert b"\x1b[" in out(request, True, True)
    assert b"\x1b[" not in out(request, False, True)
    assert b"\x1b[" not in out({**request, "environ": {**ENVIRON, "NO_COLOR": "1"}}, True, True)


def test_both_outputs_keep_their_order(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    def together() -> str:
        words = [sys.executable, "-m", "cli", "-C", str(root), "list"]
        return subprocess.run(words, env={**os.environ, **ENVIRON}, stdout=-1, stderr=-2, check=True, text=True).stdout

    alone = together()
    assert alone.splitlines()[-1] == "3 entries"
    served()
    assert together() == alone


def test_one_that_is_busy_is_not_waited_for(ada: Run, root: Path) -> None:
    begun, over = threading.Event(), threading.Event()

    def slowly(_: Mapping[str, Any]) -> Reply:
        begun.set()
        over.wait(30)
        return Reply(0, [(False, b"late\n")])

    with answering(root, slowly, lambda: None):
        told: list[Reply | None] = []
        first = threading.Thread(target=lambda: told.append(ask(root, {})))
        first.start()
        assert begun.wait(30)
        assert "Ada Lovelace" in ada("get", "ada").out
        over.set()
        first.join()
    assert told == [Reply(0, [(False, b"late\n")])]


@pytest.mark.parametrize("other", ["version", "zone"])
def test_one_that_could_differ_is_not_asked(
    ada: Run, served: Callable[[], Counting], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    runner = served()
    here = command_socket._here()
    answers = iter([{**here, other: "another"}])
    monkeypatch.setattr(command_socket, "_here", lambda: next(answers, here))  # ours first, then the server's
    assert "Ada Lovelace" in ada("get", "ada").out
    assert runner.asked == []


def test_a_command_that_a_server_took_is_not_done_a_second_time(ada: Run, root: Path) -> None:
    def failing(_: Mapping[str, Any]) -> Reply:
        raise ValueError("cut short")

    with answering(root, failing, lambda: None):
        for _ in range(2):
            told = ada("get", "ada")
            assert (told.code, told.out) == (1, "")
            assert "error[answer-lost]" in told.err
    assert "Ada Lovelace" in ada("get", "ada").out


def test_a_server_without_descriptors_takes_no_command() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert command_socket._has_room(ours)
        resource.setrlimit(resource.RLIMIT_NOFILE, (theirs.fileno() + 4, hard))
        try:
            assert not command_socket._has_room(ours)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert command_socket._has_room(ours)


def leave_nothing_behind(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(SOCKET)


def leave_a_file(place: Path) -> None:
    place.write_text("no socket")


def leave_a_folder(place: Path) -> None:
    place.mkdir()


def leave_a_link(place: Path) -> None:
    place.symlink_to("/nowhere")


@pytest.mark.parametrize("leave", [leave_nothing_behind, leave_a_file, leave_a_folder, leave_a_link])
def test_what_is_left_of_a_server_stops_nobody(
    ada: Run, root: Path, leave: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / ".vault")
    leave(root / ".vault" / SOCKET)
    monkeypatch.chdir(root)
    assert "Ada Lovelace" in ada("get", "ada").out
    runner = Counting(root)
    with answering(root, runner.answer, runner.close) as begun:
        assert "Ada Lovelace" in ada("get", "ada").out
        assert begun is (leave is not leave_a_folder)
    assert len(runner.asked) == int(begun)


def test_a_second_server_leaves_the_first_alone(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    runner = served()
    with answering(root, lambda _: Reply(1), lambda: None) as begun:
        assert not begun
    assert ada("get", "ada").code == 0
    assert len(runner.asked) == 1


def test_a_folder_with_a_long_name_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / ("long" * 50)
    assert invoke(["-C", str(tmp_path), "init", root.name]) == 0
    runner = Counting(root)
    with answering(root, runner.answer, runner.close) as begun:
        assert begun
        assert invoke(["-C", str(root), "list"]) == 0
    assert runner.asked == [["-C", str(root), "list"]]


@pytest.mark.parametrize(
    ("server", "end"),
    [
        (("mcp",), signal.SIGTERM),
        (("mcp",), signal.SIGINT),
        (("serve", "--port", "0"), signal.SIGINT),
        (("serve", "--port", "0"), signal.SIGKILL),
    ],
)
def test_a_server_serves_until_it_ends(ada: Run, root: Path, server: tuple[str, ...], end: signal.Signals) -> None:
    alone = ada("search", "engine", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "-C", str(root), *server],
        env={**os.environ, **ENVIRON},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    place = root / ".vault" / SOCKET
    try:
        while not place.exists():
            assert process.poll() is None
            time.sleep(0.02)
        assert ada("search", "engine", "--json") == alone
        process.send_signal(end)
        process.wait(60)
    finally:
        process.kill()
        process.communicate()
    expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 0 if server == ("mcp",) else 130}
    assert process.returncode == expected.get(end, 0)
    assert place.exists() == (end == signal.SIGKILL)
    assert json.loads(ada("search", "engine", "--json").out)["total"] == json.loads(alone.out)["total"]


def test_a_vault_without_derived_data_is_served(ada: Run, root: Path, served: Callable[[], Counting]) -> None:
    shutil.rmtree(root / ".vault")
    runner = served()
    assert ada("get", "ada").code == 0
    assert len(runner.asked) == 1


def test_a_workspace_gets_no_socket(tmp_path: Path) -> None:
    (tmp_path / "a.firm").write_text('note a { text = "x" }\n')
    with answering(tmp_path, lambda _: Reply(0), lambda: None) as begun:
        assert not begun
    assert [place.name for place in tmp_path.iterdir()] == ["a.firm"]
