"""Eight clients of every kind write at once: what was acknowledged is there, once, and nobody was turned away."""

import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any

import anyio
import httpx
import pytest
from anyio import from_thread
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.endurance import amount, report
from tests.serve.conftest import Json
from tests.serve.running import environ, serving
from tests.service.conftest import ENVIRON, Git
from vault.serve.routes import API
from vault.service.admin import reindex
from vault.service.read.entry_history import Step
from vault.service.read.slot_history import SlotVersion
from vault.service.vault import Vault

#: How long they write, how often each does at least, and how many of each kind there are.
SECONDS = amount(0, 60)
ROUNDS = 2
#: Seconds that each rests between its rounds: other tests want to run as well.
PAUSE = 0.2
COMMANDS, AGENTS, PROGRAMS = 3, 3, 2
COUNTERS = ("thing.c0", "thing.c1")
#: Seconds after which a client that never got to its first count fails the test.
PATIENCE = 120

Call = Callable[[str, Json], Json]


@dataclass
class Worker:
    """One client, and what it did: the commit of each write that was acknowledged, and what it wrote.

    `own` is what it counts in, where it knows no versions. Those who know them wait for one another at `together`
    with the version that all of them read first, so that all but one of them are late.
    """

    name: str
    call: Call
    own: str = ""
    together: Barrier | None = None
    commits: list[str] = field(default_factory=list)
    added: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)
    stale: int = 0
    errors: list[Json] = field(default_factory=list)

    def write(self, tool: str, given: Json) -> Json | None:
        """Make a change; None where it was of an older version, which is told by its caller trying again."""
        answer = self.call(tool, given)
        error = answer.get("error")
        if error is None:
            self.commits.append(answer["commit"])
            return answer
        if error["code"] == "stale-version":
            self.stale += 1
        else:
            self.errors.append({"tool": tool, "given": given, **error})
        return None

    def work(self, until: float) -> None:
        """Add, count, say and delete by turns."""
        for number in itertools.count():
            if number >= ROUNDS and time.monotonic() > until:
                return
            time.sleep(PAUSE)
            self.add(number)
            self.count(self.own or COUNTERS[number % len(COUNTERS)])
            self.say(number)
            if number % 2:
                self.delete(next(iter(self.added)))

    def add(self, number: int) -> None:
        """Write a note of its own."""
        text = f"The {number}th of {self.name}"
        answer = self.write("add_knowledge", {"type": "note", "id": f"{self.name}_{number}", "fields": {"text": text}})
        if answer:
            self.added[answer["key"]] = text

    def delete(self, key: str) -> None:
        """Take a note of its own away."""
        if self.write("delete_knowledge", {"id": key}):
            self.deleted.append(key)
            del self.added[key]

    def count(self, key: str) -> None:
        """Add one to what everybody counts in, from the version that was read, until that is the last."""
        for _ in range(50):
            found = self.call("get_knowledge", {"id": key})
            if self.together:
                self.together.wait(PATIENCE)
                self.together = None
            number = found["fields"]["number"] + 1
            given = {"id": key, "fields": {"number": number}, "version": found.get("version")}
            if self.write("update_knowledge", given):
                self.counted[key] += 1
                return
            if self.errors:
                return
        raise AssertionError(f"{self.name} was never quick enough")

    def say(self, number: int) -> None:
        """Say something in a slot of its own, in place of what it said before."""
        said = f"{self.name} says {number}"
        about = {"entityName": "Bob", "aspect": "talk", "attributes": [{"claimKey": self.name, "content": said}]}
        if self.write("knowledge_remember", {"structured": {"aspects": [about]}}):
            self.said.append(said)


def by_command(root: Path) -> Call:
    """Call by the command line, a process each; it knows no versions, so that each counts in a field of its own."""

    def calling(tool: str, given: Json) -> Json:
        fields = [f"{name}={value}" for name, value in given.get("fields", {}).items()]
        words = {
            "get_knowledge": ["get", given.get("id", "")],
            "add_knowledge": ["add", "note", given.get("id", ""), "--commit", *(f"--field={one}" for one in fields)],
            "delete_knowledge": ["rm", given.get("id", ""), "--yes", "--commit"],
            "update_knowledge": ["set", given.get("id", ""), "--commit", *fields],
            "knowledge_remember": ["remember", "-"],
        }[tool]
        command = [sys.executable, "-m", "cli", "-C", str(root), *words, "--json"]
        ended = subprocess.run(
            command, input=json.dumps(given), capture_output=True, text=True, check=False, env={**environ(), **ENVIRON}
        )
        answer: Json = json.loads(ended.stdout or ended.stderr)
        return answer

    return calling


def by_http(client: httpx.Client) -> Call:
    """Call by the API."""

    def calling(tool: str, given: Json) -> Json:
        fields = {name: value for name, value in given.items() if name != "id"}
        if tool == "add_knowledge":
            response = client.post(f"{API}/entries", json=given)
        elif tool == "knowledge_remember":
            response = client.post(f"{API}/remember", json=given)
        elif tool == "update_knowledge":
            match = {"If-Match": f'"{fields.pop("version")}"'}
            response = client.patch(f"{API}/entries/{given['id']}", json=fields, headers=match)
        elif tool == "delete_knowledge":
            response = client.delete(f"{API}/entries/{given['id']}")
        else:
            response = client.get(f"{API}/entries/{given['id']}")
        answer: Json = response.json()
        return answer

    return calling


def agent(root: Path, name: str, until: float, together: Barrier) -> Worker:
    """Work over MCP with a server of its own."""

    async def running() -> Worker:
        words = ["-m", "cli", "-C", str(root), "mcp"]
        server = StdioServerParameters(command=sys.executable, args=words, env={**environ(), **ENVIRON})
        async with Client(server) as client:

            def calling(tool: str, given: Json) -> Json:
                found: Any = from_thread.run(client.call_tool, tool, given)
                answer: Json = found.structured_content
                return answer

            mine = Worker(name, calling, together=together)
            await anyio.to_thread.run_sync(mine.work, until)
            return mine

    return anyio.run(running)


def program(address: str, name: str, until: float, together: Barrier) -> Worker:
    """Work over HTTP."""
    with httpx.Client(base_url=address, timeout=60) as client:
        mine = Worker(name, by_http(client), together=together)
        mine.work(until)
    return mine


def command(root: Path, name: str, until: float) -> Worker:
    """Work with commands."""
    mine = Worker(name, by_command(root), own=f"thing.{name}")
    mine.work(until)
    return mine


@pytest.mark.endurance
def test_nothing_is_lost_where_many_write_at_once(bob: Vault, root: Path, git: Git, tmp_path: Path) -> None:
    settings = root / "vault.yaml"
    settings.write_text(settings.read_text() + "permissions: {delete_knowledge: always}\n")
    git("commit", "-qam", "Permit")
    counters = [*COUNTERS, *(f"thing.{name}" for name in names("cli", COMMANDS))]
    for key in counters:
        bob.add("thing", {"name": key, "number": 0}, id=key.partition(".")[2])
    before = git("rev-parse", "HEAD")
    with serving(root, tmp_path / "log") as address, ThreadPoolExecutor(COMMANDS + AGENTS + PROGRAMS) as pool:
        until = time.monotonic() + SECONDS
        together = Barrier(AGENTS + PROGRAMS)
        jobs = [pool.submit(command, root, name, until) for name in names("cli", COMMANDS)]
        jobs += [pool.submit(agent, root, name, until, together) for name in names("mcp", AGENTS)]
        jobs += [pool.submit(program, address, name, until, together) for name in names("http", PROGRAMS)]
        clients = [job.result() for job in jobs]

    report(
        "many clients", {"writes": sum(len(one.commits) for one in clients), "stale": sum(one.stale for one in clients)}
    )
    assert [client.errors for client in clients] == [[]] * len(clients)
    assert sum(client.stale for client in clients) >= AGENTS + PROGRAMS - 1
    every_write_is_one_commit(clients, git, before)
    every_word_is_there(clients, root, counters)
    git("fsck", "--strict")
    assert git("status", "--porcelain") == ""
    with Vault.open(root, environ={**os.environ, **ENVIRON}) as vault:
        assert reindex.differences(vault) == []
        assert [item for item in vault.check() if item.severity == "error"] == []
    assert "Traceback" not in (tmp_path / "log").read_text()


def names(kind: str, number: int) -> list[str]:
    return [f"{kind}{one}" for one in range(number)]


def every_write_is_one_commit(clients: list[Worker], git: Git, before: str) -> None:
    """History holds what was acknowledged and nothing else, one after the other."""
    acknowledged = [commit for client in clients for commit in client.commits]
    assert len(acknowledged) == len({*acknowledged})
    commits = git("rev-list", f"{before}..HEAD").split()
    assert {*commits} == {*acknowledged}
    assert len(git("rev-list", "--merges", f"{before}..HEAD")) == 0


def every_word_is_there(clients: list[Worker], root: Path, counters: list[str]) -> None:
    """Entries, counts and statements are as their clients left them, now and in the ledger."""
    counted = sum((client.counted for client in clients), Counter[str]())
    with Vault.open(root, environ={**os.environ, **ENVIRON}) as vault:
        notes = {one.entry.key: one.entry.fields["text"] for one in vault.entries() if one.entry.type == "note"}
        assert notes == {key: text for client in clients for key, text in client.added.items()}
        for key in counters:
            assert vault.get(key).entry.fields["number"] == counted[key]
            assert len(vault.history(key, limit=10_000)) == counted[key] + 1
        for client in clients:
            stood = vault.history(f"bob/talk/{client.name}", limit=10_000)
            assert [one.fact.fields["statement"] for one in stood if isinstance(one, SlotVersion)] == client.said[::-1]
            for key in client.deleted[:3]:
                assert [one.op for one in vault.history(key) if isinstance(one, Step)] == ["delete", "add"]
