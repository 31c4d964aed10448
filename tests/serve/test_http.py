"""The operations over HTTP: the same answers, and a door that lets in whom it should."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient

from cli.main import invoke
from tests.serve.conftest import Ask
from tests.serve.running import serving
from tests.service.conftest import ENVIRON
from vault.serve.auth import Callers
from vault.serve.http import BODY_MAX, CannotListen, HttpSurface, listening, run
from vault.serve.limits import RateLimit
from vault.serve.origins import BadOrigin, Site, checked_origin, normal_origin
from vault.serve.routes import API, PATHS, document
from vault.serve.session import Binding
from vault.serve.tokens import (
    BadTokens,
    NoSuchToken,
    Token,
    TokenTaken,
    add_token,
    digest_of,
    read_tokens,
    remove_token,
)
from vault.service.runtime import handle
from vault.service.vault import Vault
from vault.store.files import VaultLocked

Serve = Callable[..., TestClient]


@pytest.fixture
def serve(root: Path) -> Iterator[Serve]:
    """Serve the vault to a client."""
    running: list[TestClient] = []

    def serving(
        *tokens: Token, open_to_all: bool = True, limit: RateLimit | None = None, site: Site | None = None
    ) -> TestClient:
        owner = Binding(root, environ={**os.environ, **ENVIRON})
        known = {token.name: token for token in tokens}
        callers = Callers(owner if open_to_all else None, owner, lambda: known)
        surface = HttpSurface(callers, site or Site(["localhost"]), limit or RateLimit(burst=10_000))
        running.append(TestClient(surface.app(), base_url="http://localhost:8300"))
        return running[-1].__enter__()

    yield serving
    for client in running:
        client.__exit__(None, None, None)


JSON = {"Content-Type": "application/json; charset=utf-8"}


def token(name: str, **settings: Any) -> Token:
    return Token(name, digest_of(name), **settings)


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}"}


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_the_api_answers_what_the_operations_do(bob: Vault, serve: Serve, ask: Ask) -> None:
    client = serve()
    said = {"entityName": "Bob", "aspect": "work", "attributes": [{"claimKey": "role", "content": "Bob is CTO"}]}
    made = client.post(f"{API}/remember", json={"structured": {"aspects": [said]}})
    assert (made.status_code, made.json()["facts"][0]["op"]) == (200, "add")
    place = {"entity": "bob", "aspect": "work", "group": "general", "claim": "role"}
    asked: dict[str, dict[str, Any]] = {
        "tree": {"entity": "bob", "depth": 2},
        "entities": {"limit": 1},
        "entity": {"name": "bob"},
        "aspects": {"entity": "bob"},
        "groups": {"entity": "bob", "aspect": "work"},
        "claims": {"entity": "bob", "aspect": "work", "group": "general"},
        "attributes": place,
    }
    for verb, given in asked.items():
        answer = client.get(f"{API}/navigation/{verb}", params=given)
        tool = next(path.tool for path in PATHS if path.path.endswith(f"navigation/{verb}"))
        assert (answer.status_code, answer.json()) == (200, ask(tool, **given)), verb
    assert (
        client.get(f"{API}/search", params={"query": "CTO", "mode": "keyword"}).json()["items"][0]["key"]
        == "fact.bob_role"
    )
    assert client.get(f"{API}/query", params={"query": "from fact | count"}).json() == {"count": 1}
    assert client.get(f"{API}/history", params={"of": "bob/work/role"}).json()["total"] == 1
    assert client.get(f"{API}/hygiene").json()["entries"] == 2


def test_an_entry_changes_only_from_the_version_that_was_read(bob: Vault, serve: Serve) -> None:
    client = serve()
    made = client.post(f"{API}/entries", json={"type": "note", "id": "n", "fields": {"text": "one"}})
    tag = made.headers["etag"]
    assert client.get(f"{API}/entries/note.n").headers["etag"] == tag
    assert client.get(f"{API}/entries/note.n", headers={"If-None-Match": tag}).status_code == 304
    changed = client.patch(f"{API}/entries/note.n", json={"fields": {"text": "two"}}, headers={"If-Match": tag})
    assert (changed.status_code, changed.headers["etag"] != tag) == (200, True)
    stale = client.patch(f"{API}/entries/note.n", json={"fields": {"text": "three"}}, headers={"If-Match": tag})
    assert code(stale) == (412, "stale-version")
    assert code(client.delete(f"{API}/entries/note.n")) == (403, "consent-required")


@pytest.mark.parametrize(
    ("method", "path", "options", "expected"),
    [
        ("GET", "/entries/nobody", {}, (404, "not-found")),
        ("GET", "/navigation/entity?name=nobody", {}, (404, "not-found")),
        ("GET", "/navigation/entity", {}, (400, "invalid-parameter")),
        ("GET", "/navigation/tree?entity=bob&depth=9", {}, (400, "invalid-parameter")),
        ("GET", "/navigation/tree?entity=bob&depth=x", {}, (400, "invalid-parameter")),
        ("GET", "/navigation/tree?entity=bob&entity=eve", {}, (400, "invalid-parameter")),
        ("GET", "/search?query=x&limit=1000", {}, (400, "invalid-parameter")),
        ("GET", "/search?query=x&at=never", {}, (400, "unknown-revision")),
        ("GET", "/search?query=x&space=work", {}, (403, "not-bound")),
        ("GET", "/query?query=from", {}, (400, "bad-query")),
        ("POST", "/entries", {"json": {"type": "actor", "id": "bob", "fields": {"name": "B"}}}, (409, "already-there")),
        ("POST", "/entries", {"json": {"type": "actor", "fields": {}}}, (422, "invalid")),
        ("POST", "/entries", {"content": b"{", "headers": JSON}, (400, "not-json")),
        ("POST", "/entries", {"content": b"[1]", "headers": JSON}, (400, "not-json")),
        ("POST", "/entries", {"content": b"[" * 100_000, "headers": JSON}, (400, "not-json")),
        ("POST", "/entries", {"content": b'{"type": "\\ud800"}', "headers": JSON}, (400, "invalid-parameter")),
        (
            "POST",
            "/entries",
            {"content": b'{"fields": {"n": NaN, "m": 1e999}}', "headers": JSON},
            (400, "invalid-parameter"),
        ),
        ("POST", "/hydrate", {"content": b'{"text": "\\udfff\\ud800"}', "headers": JSON}, (400, "invalid-parameter")),
        ("POST", "/remember", {"content": b'{"content": "\\ud800"}', "headers": JSON}, (400, "invalid-payload")),
        (
            "POST",
            "/remember",
            {"content": b'{"structured":' * 900 + b"1" + b"}" * 900, "headers": JSON},
            (400, "invalid-payload"),
        ),
        ("POST", "/remember", {"json": {"content": ""}}, (400, "invalid-payload")),
        ("POST", "/remember", {"content": b" " * (BODY_MAX + 1), "headers": JSON}, (413, "too-large")),
        ("PATCH", "/entries/bob", {"json": {"id": "x", "fields": {}}}, (400, "invalid-parameter")),
    ],
)
def test_what_is_wrong_has_a_status_and_a_code(
    bob: Vault, serve: Serve, method: str, path: str, options: dict[str, Any], expected: tuple[int, str]
) -> None:
    response = serve().request(method, f"{API}{path}", **options)
    assert code(response) == expected
    assert response.json()["error"]["hint"]


def test_a_token_names_its_spaces_agent_and_tools(bob: Vault, serve: Serve) -> None:
    inside = token("inside", spaces=("work", "diary"), agent="tutor")
    client = serve(inside, token("reader", tools=("get_knowledge",)), open_to_all=False)
    assert code(client.get(f"{API}/search")) == (401, "token-required")
    assert code(client.get(f"{API}/search", headers=bearer("guess"))) == (401, "unknown-token")
    assert code(client.get("/openapi.json")) == (401, "token-required")
    assert code(client.post("/mcp")) == (401, "token-required")
    own = bearer("inside")
    made = client.post(f"{API}/entries", json={"type": "note", "fields": {"text": "x"}, "space": "diary"}, headers=own)
    assert made.json()["path"].startswith("spaces/diary/")
    assert client.get(f"{API}/search", headers=own).json()["total"] == 1
    assert client.get(f"{API}/search", params={"space": "diary"}, headers=own).json()["total"] == 2
    assert client.get(f"{API}/entries/bob", headers=bearer("reader")).status_code == 200
    assert code(client.get(f"{API}/search", headers=bearer("reader"))) == (404, "unknown-tool")


@pytest.mark.parametrize(
    ("headers", "public", "allowed"),
    [
        ({"Origin": "http://evil.example"}, "", ()),
        ({"Origin": "http://localhost:9999"}, "", ()),
        ({"Origin": "http://localhost"}, "", ()),
        ({"Origin": "https://localhost:8300"}, "", ()),
        ({"Origin": "null"}, "", ()),
        ({"Origin": ""}, "", ()),
        ({"Origin": "http://localhost:8300.evil.example"}, "", ()),
        ({"Origin": "http://user@localhost:8300"}, "", ()),
        ({"Origin": "http://localhost:8300"}, "https://notes.example", ()),
        ({"Origin": "http://notes.example"}, "https://notes.example", ()),
        ({"Origin": "https://sub.friend.example"}, "", ("https://friend.example",)),
        ({"Origin": "null"}, "", ("https://friend.example",)),
        ({"Sec-Fetch-Site": "cross-site"}, "", ()),
        ({"Sec-Fetch-Site": "same-site"}, "", ()),
    ],
)
def test_a_page_of_another_site_cannot_ask(
    bob: Vault, serve: Serve, headers: dict[str, str], public: str, allowed: tuple[str, ...]
) -> None:
    client = serve(site=Site(["localhost"], public, allowed))
    note = {"type": "note", "fields": {"text": "x"}}
    for answer in (
        client.get(f"{API}/search", headers=headers),
        client.post(f"{API}/entries", json=note, headers=headers),
        client.delete(f"{API}/entries/bob", headers=headers),
        client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers),
        client.get("/openapi.json", headers=headers),
    ):
        assert code(answer) == (403, "wrong-origin")
        assert "--allow-origin" in answer.json()["error"]["hint"]
    assert client.get(f"{API}/search").json()["total"] == 1


@pytest.mark.parametrize(
    ("headers", "public", "allowed"),
    [
        ({"Origin": "http://localhost:8300"}, "", ()),
        ({"Origin": "HTTP://LOCALHOST:8300"}, "", ()),
        ({"Host": "localhost", "Origin": "http://localhost:80"}, "", ()),
        ({"Host": "notes.example", "Origin": "https://notes.example"}, "https://notes.example", ()),
        ({"Origin": "https://notes.example:443"}, "https://notes.example", ()),
        ({"Origin": "https://friend.example"}, "", ("https://friend.example",)),
        ({"Origin": "chrome-extension://abcdef"}, "", ("chrome-extension://abcdef",)),
        ({"Sec-Fetch-Site": "same-origin"}, "", ()),
        ({"Sec-Fetch-Site": "none"}, "", ()),
        ({"Origin": "http://localhost:8300", "Sec-Fetch-Site": "same-origin"}, "", ()),
    ],
)
def test_a_page_of_an_accepted_origin_can_ask(
    bob: Vault, serve: Serve, headers: dict[str, str], public: str, allowed: tuple[str, ...]
) -> None:
    client = serve(site=Site(["localhost"], public, allowed))
    assert client.get(f"{API}/search", headers=headers).status_code == 200


def test_a_server_is_asked_by_its_own_names_alone(bob: Vault, serve: Serve) -> None:
    client = serve()
    for host in ("evil.example", "localhost.evil.example", "localhost:²", ""):
        assert code(client.get(f"{API}/search", headers={b"Host": host.encode()})) == (403, "wrong-host")


def test_a_browser_may_ask_first_for_an_allowed_origin(bob: Vault, serve: Serve) -> None:
    asked = {"Origin": "https://friend.example", "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "authorization, content-type"
    told = serve(site=Site(["localhost"], "", ["https://friend.example"])).options(f"{API}/entries", headers=asked)
    assert (told.status_code, told.headers["access-control-allow-origin"]) == (200, "https://friend.example")
    assert "access-control-allow-origin" not in serve().options(f"{API}/entries", headers=asked).headers


@pytest.mark.parametrize("given", ["*", "null", "https://*", "friend.example", "https://a.example/x", "https://", ""])
def test_an_origin_of_an_option_is_exact(given: str) -> None:
    with pytest.raises(BadOrigin):
        checked_origin("--allow-origin", given)
    assert normal_origin("https://A.example:443") == checked_origin("--allow-origin", "https://a.example/")


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json, text/plain"],
)
def test_a_body_is_said_to_be_json(bob: Vault, serve: Serve, kind: str | None) -> None:
    client = serve()
    headers = {} if kind is None else {"Content-Type": kind}
    body = b'{"type": "note", "fields": {"text": "x"}}'
    for path in (f"{API}/entries", f"{API}/remember", f"{API}/hydrate", "/mcp"):
        assert code(client.post(path, content=body, headers=headers)) == (415, "wrong-content-type")
        assert code(client.post(path, content=iter([body]), headers=headers)) == (415, "wrong-content-type")
    assert client.get(f"{API}/search").json()["total"] == 1
    assert code(client.post(f"{API}/entries")) == (400, "not-json")


def test_reading_methods_change_nothing() -> None:
    assert {path.method for path in PATHS if path.operation.reads} <= {"GET", "POST"}
    assert all(path.operation.reads for path in PATHS if path.method == "GET")


def test_optional_numbers_are_read_strictly(bob: Vault, serve: Serve) -> None:
    client = serve()
    assert client.get(f"{API}/entries/bob", params={"context": "1"}).json()["context"] is None
    assert code(client.delete(f"{API}/entries/bob?chat=c&turn=1")) == (403, "consent-required")
    for wrong in ("--5", "²", "٣", "+5", "5.0", "1e3", "", " 5", "9" * 5_000):
        assert code(client.get(f"{API}/search", params={"limit": wrong})) == (400, "invalid-parameter")
        assert code(client.get(f"{API}/entries/bob", params={"context": wrong})) == (400, "invalid-parameter")


def test_who_calls_too_often_waits(bob: Vault, serve: Serve) -> None:
    now = [0.0]
    limit = RateLimit(burst=2, rate=1.0)
    assert [limit.wait("a", now[0]) for _ in range(3)] == [0.0, 0.0, 1.0]
    assert limit.wait("b", 0.0) == 0.0
    assert limit.wait("a", 1.0) == 0.0
    client = serve(limit=RateLimit(burst=1, rate=0.001))
    assert client.get(f"{API}/search").status_code == 200
    refused = client.get(f"{API}/search")
    assert code(refused) == (429, "too-many-calls")
    assert refused.headers["retry-after"]


def test_the_document_describes_every_path(bob: Vault, serve: Serve) -> None:
    told = serve().get("/openapi.json").json()
    assert told == document()
    assert {path.path.replace(":path", "") for path in PATHS} == set(told["paths"])


def test_tokens_are_kept_where_nobody_else_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "config" / "tokens.json"
    assert read_tokens(path) == {}
    made, secret = add_token(path, "laptop", ["work"], "planner", None)
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_tokens(path) == {"laptop": made}
    with pytest.raises(TokenTaken):
        add_token(path, "laptop", [], None, None)
    with pytest.raises(NoSuchToken):
        remove_token(path, "phone")
    path.chmod(0o644)
    with pytest.raises(BadTokens):
        read_tokens(path)
    path.chmod(0o600)
    remove_token(path, "laptop")
    assert read_tokens(path) == {}
    for text in ("{", "[1]", '[{"name": "a", "digest": "b", "spaces": "c", "agent": null, "tools": null}]'):
        path.write_text(text)
        with pytest.raises(BadTokens):
            read_tokens(path)


def test_mcp_is_served_at_its_own_address(bob: Vault, serve: Serve) -> None:
    for path in ("/mcp", "/mcp/"):
        told = serve().post(path, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, follow_redirects=False)
        assert told.status_code != 307


def test_who_hangs_up_leaves_no_trace(bob: Vault, root: Path, tmp_path: Path) -> None:
    with serving(root, tmp_path / "log") as address:
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as left:
            left.sendall(f"POST {API}/entries HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert httpx.get(f"{address}{API}/entries/bob").status_code == 200
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_tokens_come_and_go_while_the_server_runs(bob: Vault, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    _, first = add_token(path, "first", (), None, None)
    words = [sys.executable, "-m", "cli", "-C", str(root), "serve", "--port", "0", "--tokens", str(path)]
    with subprocess.Popen(words, env={**os.environ, **ENVIRON}, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr
        address = child.stderr.readline().split()[-1]

        def status(secret: str) -> int:
            told = httpx.get(f"{address}{API}/query", params={"query": "from actor"}, headers=bearer(secret))
            return told.status_code

        async def agent(secret: str) -> str:
            async with (
                httpx2.AsyncClient(headers=bearer(secret), follow_redirects=True) as client,
                Client(streamable_http_client(f"{address}/mcp", http_client=client)) as session,
            ):
                found = await session.call_tool("get_knowledge", {"id": "bob"})
                return str(found.structured_content["key"])

        assert status(first) == 200
        _, second = add_token(path, "second", ("work",), "tutor", None)
        assert (status(second), anyio.run(agent, second)) == (200, "actor.bob")
        remove_token(path, "first")
        assert (status(first), status(second)) == (401, 200)
        path.write_text("{")
        assert status(second) == 503
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=60) == 0
        log = child.stderr.read()
    assert "it cannot be read" in log
    assert second not in log


def test_a_running_server_serves_the_api_and_mcp_and_finishes_what_is_under_way(bob: Vault, root: Path) -> None:
    words = [sys.executable, "-m", "cli", "-C", str(root), "serve", "--port", "0"]
    with subprocess.Popen(words, env={**os.environ, **ENVIRON}, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr
        address = child.stderr.readline().split()[-1]

        async def speak() -> None:
            async with Client(f"{address}/mcp") as client:
                found = await client.call_tool("get_knowledge", {"id": "bob"})
                assert found.structured_content["key"] == "actor.bob"

        anyio.run(speak)
        told = httpx.post(f"{address}{API}/entries", json={"type": "note", "id": "n", "fields": {"text": "x"}})
        assert told.status_code == 200
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=60) == 0
    assert bob.get("note.n")


def test_an_address_that_is_taken_is_said(bob: Vault, root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        owner = Binding(root)
        surface = HttpSurface(Callers(owner, owner, dict), Site(["localhost"]))
        with pytest.raises(CannotListen):
            run(surface, "127.0.0.1", taken.getsockname()[1], ready=lambda _: None)


def test_what_is_not_served_is_said_as_all_else_is(bob: Vault, serve: Serve) -> None:
    client = serve()
    assert code(client.get("/nothing")) == (404, "unknown-path")
    wrong = client.put(f"{API}/entries/bob")
    assert code(wrong) == (405, "unknown-path")
    assert {*wrong.headers["allow"].split(", ")} == {"GET", "HEAD", "PATCH", "DELETE"}
    assert client.head(f"{API}/entries/bob").status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_small_answers_are_sent_at_once(host: str) -> None:
    with listening(host, 0) as bound, socket.create_connection(bound.getsockname()[:2]), bound.accept()[0] as taken:
        assert taken.proto == socket.IPPROTO_TCP  # what the event loop looks at before it turns waiting off


def test_readers_do_not_wait_for_those_who_wait_to_write(bob: Vault, serve: Serve, locked: Callable[[], None]) -> None:
    client = serve()
    with ThreadPoolExecutor(8) as pool:
        writes = [
            pool.submit(
                client.post, f"{API}/entries", json={"type": "note", "id": f"n{number}", "fields": {"text": "x"}}
            )
            for number in range(6)
        ]
        assert [client.get(f"{API}/entries/bob").status_code for _ in range(20)] == [200] * 20
        assert not any(write.done() for write in writes)
        locked()
        assert {write.result().status_code for write in writes} == {200}


def test_who_waits_to_write_is_told_after_a_while(
    bob: Vault,
    root: Path,
    serve: Serve,
    ask: Ask,
    capsys: pytest.CaptureFixture[str],
    locked: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handle, "LOCK_SECONDS", 0.2)
    note = {"type": "note", "fields": {"text": "x"}}
    answer = serve().post(f"{API}/entries", json=note)
    assert code(answer) == (503, "vault-locked")
    assert answer.headers["retry-after"] == "1"
    with pytest.raises(VaultLocked, match="is writing to this vault"):
        ask("add_knowledge", **note)
    assert invoke(["-C", str(root), "add", "note", "--field", "text=x"]) == 1
    assert "is writing to this vault" in capsys.readouterr().err
