"""A hunt for what leaves a private space: outside, every answer is what it would be without the space."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Iterable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import mcp_types as types
import pytest
from mcp import Client, MCPError

from cli.main import invoke
from tests.endurance import amount
from tests.serve import planted
from tests.serve.conftest import Json
from tests.serve.planted import Files, near, reads, seen_inside, words_of, writes
from tests.serve.running import serving
from tests.service.conftest import ENVIRON
from tests.service.days import Days
from vault import wire
from vault.errors import VaultError
from vault.model.settings import Settings, Space, write_settings
from vault.serve.dispatch import call
from vault.serve.mcp import McpSurface
from vault.serve.prompts import PROMPTS
from vault.serve.routes import API
from vault.serve.session import Binding, Desk
from vault.serve.tokens import add_token
from vault.service.admin.init import init
from vault.service.admin.reindex import index
from vault.service.vault import Vault
from vault.service.write.permission_gate import ConsentRequired

#: Who asks, from where, and of which space it learns nothing.
OUTSIDE, WORK, ATTIC = (None, "clinic"), ("work", "clinic"), ("attic", "clinic")
OBSERVERS = amount([OUTSIDE, ATTIC], [OUTSIDE, WORK, ATTIC])

TEMPLATE = types.ResourceTemplateReference(uri="vault://{key}")

#: Of so many questions one is asked in the suite, and each in the long run.
SHARE = amount(30, 1)

Told = list[tuple[str, str]]


def made(root: Path, *private: str, like: Path | None = None) -> Path:
    """A vault with a public history, in which private spaces are at work between its days.

    What ships with the product is embedded once, and taken from a vault `like` this.
    """
    init(root, ENVIRON, space={"work": False})
    for shipped in like.glob(".vault/vectors/*/shipped") if like else ():
        shutil.copytree(shipped, root / shipped.relative_to(like or root))
    spaces = {"work": Space("work")} | {name: Space(name, private=True, description=f"Of {name}") for name in private}
    (root / "vault.yaml").write_text(write_settings(Settings(spaces=spaces)))
    days = Days(root)
    days.commit({}, "Begin")
    for day, public in enumerate(planted.PUBLIC):
        for space in private:
            commit(days, planted.private(space)[day], space)
        days.commit(public)
    for space in private:
        days.write(planted.uncommitted(space))
        at_work_inside(root, space)
    with Vault.open(root, environ={**os.environ, **ENVIRON}) as vault:
        index(vault)
    return root


def commit(days: Days, files: Files, space: str) -> None:
    """Commit on the day that it is, which goes on."""
    days.commit(files, f"{words_of(space)['message']} in {space}")
    days.number -= 1


def desk(root: Path, *spaces: str, agent: str | None = None) -> Desk:
    return Desk(Binding(root, spaces, agent, environ={**os.environ, **ENVIRON}))


def at_work_inside(root: Path, space: str) -> None:
    """Do what leaves traces: search, hydrate in a session, remember by a key, and ask for a consent."""
    a, own = words_of(space), desk(root, space)
    for text in (a["name"], f"garden {a['alias']}"):
        call(own, "knowledge_hydrate", {"text": text, "session": "s", "meaning": True})
        call(own, "search_knowledge", {"query": text, "history": True})
        call(own, "search_knowledge", {"query": text, "where": "chats"})
    call(own, "knowledge_remember", {"content": f"Of {a['alias']}", "idempotencyKey": a["key"]})
    with pytest.raises(ConsentRequired):
        call(own, "delete_knowledge", {"id": "note.g0", "reason": a["consent"]})
    own.close()


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Path]:
    """The vault, and the same without one of its private spaces, or without any."""
    folder = tmp_path_factory.mktemp("leaks")
    without = made(folder / "v0" / "vault")
    spaces: list[tuple[str, ...]] = [("attic", "clinic"), ("attic",)]
    others = {names: made(folder / names[-1] / "vault", *names, like=without) for names in spaces}
    return {**others, (): without}


@pytest.fixture(params=OBSERVERS, ids=lambda param: f"{param[0]}-{param[1]}")
def pair(
    request: pytest.FixtureRequest, vaults: dict[tuple[str, ...], Path], tmp_path: Path
) -> tuple[str | None, str, Path, Path]:
    """Who asks, the space that is none of theirs, the vault, and it without all that they do not see."""
    here, hidden = request.param
    left = ("attic",) if here == "attic" else ()
    places = []
    for number, spaces in enumerate([("attic", "clinic"), left]):
        places.append(tmp_path / f"v{number}" / "vault")
        shutil.copytree(vaults[spaces], places[-1], symlinks=True)
    return here, hidden, *places


def told(root: Path, answer: Any) -> str:
    """An answer as a text, without what every vault has of its own: its place, its commits, and when it was written."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, sort_keys=True)
    text = text.replace(str(root), "ROOT").replace(str(root.parent), "ABOVE")
    text = re.sub(r"\b([0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{12}|[0-9a-f]{10})\b", "COMMIT", text)
    text = re.sub(r'"version": "[0-9a-f]{16}"', '"version": "VERSION"', text)  # what is written later has another
    year = r"(202[6-9]|20[3-9]\d)"
    return re.sub(rf"{year}-\d\d-\d\d[T ][0-9:.]+(Z|\+00:00)?|{year}-\d\d-\d\d", "NOW", text)


def same(with_it: Told, without: Told, hidden: str, before: str = "") -> None:
    """All answers are the same, and no word of the hidden space is in one that was not asked with it, or `before`."""
    secrets = [word.lower() for word in words_of(hidden).values()]
    leaks = [
        (asked, word, answer)
        for asked, answer in with_it
        for word in secrets
        if word in answer.lower() and word not in (asked + before).lower()
    ]
    assert leaks == []
    assert [asked for asked, _ in with_it] == [asked for asked, _ in without]
    other = [(one, two[1]) for one, two in zip(with_it, without, strict=True) if one != two]
    assert other == []


def called(root: Path, here: str | None, asked: Iterable[tuple[str, Json]]) -> Told:
    """What calls of tools answer."""
    own = desk(root, *([here] if here else []))
    found: Told = []
    for tool, given in asked:
        try:
            answer: Any = call(own, tool, given)
        except VaultError as error:
            answer = wire.error(error)
        found.append((json.dumps([tool, given], ensure_ascii=False), told(root, answer)))
    own.close()
    return found


def test_inside_every_secret_is_found(vaults: dict[tuple[str, ...], Path]) -> None:
    root = vaults["attic", "clinic"]
    for space in ("attic", "clinic"):
        a, own = words_of(space), desk(root, space)
        for kind, (tool, given) in seen_inside(space).items():
            answer = json.dumps(call(own, tool, given), ensure_ascii=False)
            assert a[kind] in answer, (space, kind)
            assert a[kind] not in json.dumps(given)
        own.close()
        mine = desk(root, space, agent=a["agent"])
        assert call(mine, "get_knowledge", {"id": "note.mine"})["fields"]["agent"] == a["agent"]
        mine.close()
        assert a.keys() - seen_inside(space).keys() == {"agent", "consent", "key"}


def test_the_hunt_sees_what_is_shown(vaults: dict[tuple[str, ...], Path]) -> None:
    asked = [("get_knowledge", {"id": "actor.ada"}), ("search_knowledge", {"query": "garden"})]
    inside, outside = (called(vaults["attic", "clinic"], here, asked) for here in ("clinic", None))
    for with_it, without in ((inside, inside), (inside, outside)):
        with pytest.raises(AssertionError):
            same(with_it, without, "clinic")
    with pytest.raises(AssertionError):
        same(inside, outside, "attic")  # no word of it, and yet another answer


@pytest.mark.endurance
def test_tools_answer_as_if_the_space_were_not_there(pair: tuple[str | None, str, Path, Path]) -> None:
    here, hidden, root, without = pair
    asked = [*reads(hidden)]
    assert len(asked) > 500
    asked = asked[::SHARE]
    same(called(root, here, asked), called(without, here, asked), hidden)
    written = [*writes(hidden)]
    more = [*written, *asked[::9]]
    same(called(root, here, more), called(without, here, more), hidden, json.dumps(written))


def listed(root: Path, here: str | None, hidden: str) -> Told:
    """What else a client of MCP is told: entries in pages, their texts, completions, prompts, and errors of these."""
    found: Told = []

    async def tell(asked: str, work: Awaitable[Any]) -> None:
        try:
            answer = (await work).model_dump_json()
        except MCPError as error:
            answer = error.error.model_dump_json()
        found.append((asked, told(root, answer)))

    async def running() -> None:
        surface = McpSurface(desk(root, *([here] if here else [])))
        try:
            async with Client(surface.server()) as client:
                await tell("tools", client.list_tools())
                await tell("templates", client.list_resource_templates())
                await tell("prompts", client.list_prompts())
                for cursor in (None, "1", "7", "100", "x"):
                    await tell(f"page {cursor}", client.list_resources(cursor=cursor))
                a = words_of(hidden)
                for word in [
                    *a.values(),
                    *map(near, a.values()),
                    f"actor.{a['id']}",
                    "note.other",
                    "note.g1",
                    "actor.ada",
                ]:
                    await tell(word, client.read_resource(f"vault://{word}"))
                    for begun in (word, word[:4]):
                        await tell(begun, client.complete(TEMPLATE, {"name": "key", "value": begun}))
                for prompt in PROMPTS:
                    given = {name: a["name"] for name, _ in prompt.takes}
                    await tell(a["name"], client.get_prompt(prompt.name, given))
        finally:
            await anyio.to_thread.run_sync(surface.close)

    anyio.run(running)
    return found


def test_lists_texts_and_completions_are_as_if_it_were_not_there(pair: tuple[str | None, str, Path, Path]) -> None:
    here, hidden, root, without = pair
    same(listed(root, here, hidden), listed(without, here, hidden), hidden)


def test_the_past_says_no_word_of_it_by_whatever_commit(pair: tuple[str | None, str, Path, Path]) -> None:
    here, hidden, root, _ = pair
    words = ["git", "rev-list", "HEAD"]
    commits = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout.split()
    moments = [*commits, commits[0][:10], *(f"HEAD~{number}" for number in range(1, len(commits) + 2, 2))]
    asked: list[tuple[str, Json]] = [
        (tool, {**given, "at": moment})
        for moment in moments
        for tool, given in (
            ("knowledge_query", {"query": "from *"}),
            ("search_knowledge", {"query": "garden", "mode": "keyword"}),
            ("knowledge_tree", {"entity": "ada"}),
            ("get_knowledge", {"id": f"actor.{words_of(hidden)['id']}"}),
        )
    ]
    found = called(root, here, asked)
    same(found, found, hidden)


def over_http(root: Path, here: str | None, hidden: str, tokens: Path) -> Told:
    """What the API answers, its headers and its document, with and without a token; and what the server logs."""
    secret = add_token(tokens, "t", [here], None, None)[1] if here else ""
    a = words_of(hidden)
    # no more than may be asked in a row
    words = [*[*a.values()][::4], near(a["name"]), near(a["id"]), "ada", "note.g1", "garden"]
    found: Told = []
    log = root.parent / "log"
    with serving(root, log, f"--tokens={tokens}") as address, httpx.Client(base_url=address) as client:
        if here:
            client.headers["Authorization"] = f"Bearer {secret}"

        def tell(asked: str, path: str, **how: Any) -> None:
            answer = client.get(path, params=how)
            assert answer.status_code != httpx.codes.TOO_MANY_REQUESTS
            headers = {name: answer.headers.get(name) for name in ("etag", "content-type", "allow", "server")}
            found.append((asked, told(root, json.dumps([answer.status_code, headers]) + answer.text)))

        for word in words:
            tell(word, f"{API}/entries/{word}")
            tell(word, f"{API}/search", query=word, mode="keyword")
            tell(word, f"{API}/navigation/tree", entity=word)
            tell(word, f"{API}/history", of=word)
            tell(word, f"{API}/entities/{word}")
            tell(word, f"{API}/entries/ada", space=word)
        for path in ("/openapi.json", f"{API}/hygiene", f"{API}/search", f"{API}/navigation/entities", "/mcp"):
            tell(path, path)
        client.headers["Authorization"] = "Bearer fv_wrong"
        tell("wrong token", f"{API}/entries/{a['id']}")
    found.append(("log", re.sub(r"http://\S+", "ADDRESS", told(root, log.read_text()))))
    return found


@pytest.mark.endurance
@pytest.mark.parametrize("pair", amount([ATTIC], OBSERVERS), ids=str, indirect=True)
def test_http_answers_as_if_the_space_were_not_there(pair: tuple[str | None, str, Path, Path], tmp_path: Path) -> None:
    here, hidden, root, without = pair
    with_it, alone = (
        over_http(place, here, hidden, tmp_path / f"{place.parent.name}.json") for place in (root, without)
    )
    same(with_it, alone, hidden)


def commands(hidden: str) -> Iterator[list[str]]:
    """What may be typed outside of a space."""
    a = words_of(hidden)
    for word in [a["name"], near(a["id"]), a["deleted"], "note.g1"]:
        for command in ("get", "show", "history", "blame", "related", "search", "log"):
            yield [command, word]
        yield ["graph", "--around", word]
        yield ["get", f"{word}@HEAD"]
        yield ["knowledge", "tree", word]
        yield ["knowledge", "entities", "--q", word]
        yield ["hydrate", f"What of {word}?", "--explain"]
        yield ["query", f"from {word}"]
        yield ["chat", "show", word]
        yield ["file", "search", word]
        yield ["list", "--type", word]
        yield ["consent", word]
        yield ["--space", word, "list"]
        yield ["spaces", "set", word, "--description", "x"]
    for words in (
        "status", "list", "list --json", "log", "log --json", "search garden --json",
        "search --in chats garden", "schema list",
        "search garden --history", "chat list", "spaces list", "spaces list --json", "consent", "consent --json",
        "file tree", "graph", "hydrate ada", "knowledge entities --json", "knowledge hygiene --json",
        "diff HEAD --json",
        "history ada/work/back", "log ada/work/role", "get ada --json", "query from_*",
        "search garden --explain --at 2021-01-02", f"get spaces/{hidden}/actor/{a['id']}.firm",
        f"file show spaces/{hidden}/note/{a['file']}.firm", f"chat show {a['chat']}", f"log --in-space {hidden}",
        f"log --agent {a['agent']}", f"search garden --type {a['type']}",
    ):  # fmt: skip
        yield [word.replace("_", " ") for word in words.split()]


def typed(root: Path, here: str | None, hidden: str, capfd: pytest.CaptureFixture[str]) -> Told:
    """What commands print, and what the shell completes."""
    found: Told = []
    for more in [["--space", here]] if here else [[], ["--all-spaces"]]:
        for words in [*commands(hidden)][::SHARE]:
            capfd.readouterr()
            code = invoke(["-C", str(root), *(more if here else []), *words, *([] if here else more)])
            out, err = capfd.readouterr()
            found.append((" ".join(words), told(root, f"{code}\n{out}\n{err}")))
    completed = [
        *(f"get actor.{words_of(hidden)['id'][:3]}", "--space ", "get ", "get note"),
        *("spaces set ", "search --type "),
    ]
    for begun in completed[: amount(2, 6)]:
        asked = ["vault", "-C", str(root), *(["--space", here] if here else []), *begun.split(" ")]
        environ = {**os.environ, **ENVIRON, "_VAULT_COMPLETE": "bash_complete"}
        environ |= {"COMP_WORDS": " ".join(asked), "COMP_CWORD": str(len(asked) - 1)}
        program = Path(sys.executable).with_name("vault")
        ended = subprocess.run([program], env=environ, capture_output=True, text=True, check=False)
        assert ended.stdout
        found.append((begun, told(root, ended.stdout + ended.stderr)))
    return found


@pytest.mark.endurance
@pytest.mark.parametrize("pair", [OUTSIDE, ATTIC], ids=["None", "attic"], indirect=True)
def test_commands_answer_as_if_the_space_were_not_there(
    pair: tuple[str | None, str, Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    here, hidden, root, without = pair
    alone = typed(without, here, hidden, capfd)
    # a server that stands inside answers what is read, and so is warm with what it must not tell
    with serving(root, root.parent / "log", "--space", hidden):
        assert (root / ".vault" / "serve.sock").exists()
        same(typed(root, here, hidden, capfd), alone, hidden)
