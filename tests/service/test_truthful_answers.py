"""After any sequence of writes, what was answered equals what is in the files, in git's index and in history."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli import output
from cli.main import invoke
from tests.endurance import amount, is_long
from tests.service.conftest import ENVIRON
from vault import wire
from vault.errors import VaultError
from vault.serve.dispatch import call
from vault.serve.session import Binding, Desk
from vault.service.admin.init import init
from vault.service.vault import Vault
from vault.service.write import facts
from vault.service.write.result import Written

NAMES = ("a", "b")
TEXTS = ("one", "two", 'three """ quoted')
SURFACES = ("python", "shell", "tool")
#: What is done by a surface, and what happens beside: a hook that refuses comes or goes.
OPERATIONS = (
    *("add", "set", "remove", "restore", "remember", "record", "retract", "commit"),
    *("edit by hand", "stage", "refuse", "allow"),
)
BESIDE = OPERATIONS[-4:]
#: Where writers work: outside of spaces, or in a private one.
SPACES = (None, "diary")
#: (operation, name, text, whether a commit is asked for); a tool always commits.
Write = tuple[str, str, str, bool]
Answer = dict[str, Any]

writes = st.lists(
    st.tuples(
        st.sampled_from(SURFACES),
        st.sampled_from(OPERATIONS),
        st.sampled_from(NAMES),
        st.sampled_from(TEXTS),
        st.booleans(),
    ),
    max_size=10,
)


@dataclass(frozen=True)
class State:
    """What files, index and history hold."""

    files: dict[str, bytes]
    index: str
    head: str


class Bench:
    """A vault, and the surfaces that write to it."""

    def __init__(self, root: Path, space: str | None) -> None:
        self.root, self.space = root, space
        self.folder = f"spaces/{space}" if space else "global"
        self.hook = root / ".git/hooks/pre-commit"
        init(root, ENVIRON, space={"diary": True})
        environ = {**os.environ, **ENVIRON}
        self.vault = Vault.open(root, space=space, environ=environ, max_age=0)
        self.desk = Desk(Binding(root, (space,) if space else (), environ=environ))
        self.vault.add("actor", {"name": "Ada"}, id="ada")

    def close(self) -> None:
        """Close what was opened."""
        self.vault.close()
        self.desk.close()

    def git(self, *words: str) -> str:
        """Run the real git."""
        environ = {**os.environ, **ENVIRON}
        ended = subprocess.run(["git", *words], cwd=self.root, env=environ, capture_output=True, text=True, check=True)
        return ended.stdout.strip()

    def state(self) -> State:
        """What there is now."""
        files = {
            str(place.relative_to(self.root)): place.read_bytes() for place in self.root.glob(f"{self.folder}/*/*")
        }
        return State(files, self.git("ls-files", "-s"), self.git("rev-parse", "HEAD"))

    def write(self, surface: str, operation: str, name: str, text: str, *, commit: bool) -> Answer | None:
        """Do one write; returns its answer, None where it was refused."""
        if operation in ("refuse", "allow"):
            self.hook.unlink(missing_ok=True)
            if operation == "refuse":
                self.hook.write_text("#!/bin/sh\nexit 1\n")
                self.hook.chmod(0o755)
            return None
        if operation == "edit by hand":
            place = self.root / f"{self.folder}/note/{name}.firm"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f'note {name} {{ text = "by hand" }}\n')
            return None
        if operation == "stage":
            self.git("add", "-A", self.folder)
            return None
        if operation in ("restore", "commit") or surface == "shell":
            return self.shell(operation, name, text, commit=commit)
        return (
            self.python(operation, name, text, commit=commit)
            if surface == "python"
            else self.tool(operation, name, text)
        )

    def python(self, operation: str, name: str, text: str, *, commit: bool) -> Answer | None:
        """Write with methods of `Vault`."""
        vault, key = self.vault, f"note.{name}"
        acts: dict[str, Callable[[], Written]] = {
            "record": lambda: facts.record(vault, "ada", f"work/{name}", text, {}),
            "retract": lambda: facts.retract(vault, f"fact.ada_{name}"),
            "add": lambda: vault.add("note", {"text": text}, id=name, commit=commit),
            "set": lambda: vault.update(key, {"text": text}, commit=commit),
            "remove": lambda: vault.delete(key, commit=commit),
        }
        try:
            if operation == "remember":
                return wire.remembered(vault.remember({"content": text}))
            return wire.written(acts[operation]())
        except VaultError:
            return None

    def tool(self, operation: str, name: str, text: str) -> Answer | None:
        """Write with a served tool."""
        key = f"note.{name}"
        try:
            if operation == "remember":
                return call(self.desk, "knowledge_remember", {"content": text})
            if operation in ("record", "retract"):
                said = {"claimKey": name, **({"content": text} if operation == "record" else {"retract": True})}
                aspects = [{"entityName": "Ada", "aspect": "work", "attributes": [said]}]
                return call(self.desk, "knowledge_remember", {"structured": {"aspects": aspects}})
            if operation == "add":
                return call(self.desk, "add_knowledge", {"type": "note", "id": name, "fields": {"text": text}})
            version = call(self.desk, "get_knowledge", {"id": key})["version"]
            if operation == "set":
                return call(self.desk, "update_knowledge", {"id": key, "fields": {"text": text}, "version": version})
            return call(self.desk, "delete_knowledge", {"id": key, "version": version})
        except VaultError:
            return None

    def shell(self, operation: str, name: str, text: str, *, commit: bool) -> Answer | None:
        """Write with a command."""
        wish = ["--commit"] if commit else []
        words = {
            "add": ["add", "note", name, "-f", f"text={text}", *wish],
            "set": ["set", f"note.{name}", f"text={text}", *wish],
            "remove": ["rm", f"note.{name}", "--yes", *wish],
            "restore": ["restore", f"note.{name}@HEAD"],
            "remember": ["remember", text, "--text"],
            "record": ["fact", "ada", f"work/{name}", text],
            "retract": ["retract", f"fact.ada_{name}"],
            "commit": ["commit"],
        }[operation]
        with output.captured(out_terminal=False, err_terminal=False) as captured:
            where = ["--space", self.space] if self.space else []
            code = invoke(["-C", str(self.root), *where, *words, "--json"])
        printed = b"".join(data for is_error, data in captured.printed if not is_error)
        return json.loads(printed) if code == 0 else None


def check_answer(bench: Bench, answer: Answer | None, before: State, after: State) -> None:
    """Compare an answer with what came of the write; one that was refused changed nothing."""
    if answer is None:
        assert after == before
        return
    if "items" in answer:
        made = [item["commit"] for item in answer["items"]]
        assert (after.head == before.head) == (not made)
        assert bench.git("status", "--porcelain", "--", bench.folder) == ""
        return
    changed = {path for path in {*before.files, *after.files} if before.files.get(path) != after.files.get(path)}
    assert set(answer["paths"]) == changed
    dirty = bench.git("status", "--porcelain", "-uall", "--", *answer["paths"]) if answer["paths"] else ""
    if answer["commit"] is not None:
        assert answer["commit"] == after.head != before.head
        assert dirty == ""
    elif "alreadyIn" in answer:
        assert answer["alreadyIn"] == after.head == before.head
        assert dirty == ""
    else:
        assert after.head == before.head
        assert after.index == before.index


@contextmanager
def bench(space: str | None) -> Iterator[Bench]:
    root = Path(tempfile.mkdtemp(prefix="answers-")).resolve()
    made = Bench(root / "vault", space)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(root)


@pytest.mark.endurance
@settings(
    max_examples=amount(20, 400),
    derandomize=not is_long(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(SPACES), writes)
def test_answers_equal_files_index_and_history(
    monkeypatch: pytest.MonkeyPatch, space: str | None, sequence: list[tuple[str, str, str, str, bool]]
) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    with bench(space) as made:
        before = made.state()
        for surface, operation, name, text, commit in sequence:
            answer = made.write(surface, operation, name, text, commit=commit)
            after = made.state()
            if operation not in BESIDE:
                check_answer(made, answer, before, after)
            before = after
