"""Claude Code's settings: our entries come and go, everything else in them stays."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from vault.service.admin.claude_code import (
    NEVER_REFUSE,
    BadClientFile,
    Entries,
    Files,
    NameTaken,
    Wanted,
    install,
    look,
    uninstall,
)
from vault.store.files import StaleWrite, WriteFailed

ROOT = Path("/notes of mine")
OTHERS = {
    "model": "ünï",
    "hooks": {
        "UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": "date"}]},
            {"hooks": [{"type": "command", "command": "vault -C /other hydrate --event"}]},
        ],
        "Stop": [{"hooks": []}],
    },
}
SERVERS = {"mcpServers": {"other": {"command": "vault", "args": ["-C", "/other", "mcp"]}}, "projects": {"x": 1}}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files.of_project(tmp_path)


def held(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def wanted(**options: Any) -> Wanted:
    return Wanted("/bin/vault", ROOT, **options)


def test_what_is_installed_is_a_hook_and_a_server(files: Files) -> None:
    assert look(files, ROOT) == Entries()
    assert install(files, wanted(space="work", agent="planner", meaning=True)) == [files.settings, files.servers]
    found = look(files, ROOT)
    assert found.hook
    assert found.hook.endswith(f" {NEVER_REFUSE}")
    assert shlex.split(found.hook.removesuffix(NEVER_REFUSE)) == [
        *("/bin/vault", "-C", str(ROOT), "--space", "work"),
        *("hydrate", "--event", "--agent", "planner", "--meaning"),
    ]
    assert found.name == "vault"
    assert found.server == ["/bin/vault", "-C", str(ROOT), "--space", "work", "mcp", "--agent", "planner"]
    hooks = held(files.settings)["hooks"]
    assert hooks["SessionStart"][0]["matcher"] == "compact|clear"
    assert "matcher" not in hooks["UserPromptSubmit"][0]


def test_again_nothing_changes_and_other_wishes_take_the_place(files: Files) -> None:
    install(files, wanted())
    assert install(files, wanted()) == []
    assert install(files, wanted(agent="planner")) == [files.settings, files.servers]
    assert install(files, wanted(agent="planner", name="notes")) == [files.servers]
    assert list(held(files.servers)["mcpServers"]) == ["notes"]
    assert len(held(files.settings)["hooks"]["UserPromptSubmit"]) == 1


def test_what_others_have_there_stays(files: Files) -> None:
    files.settings.parent.mkdir()
    files.settings.write_text(json.dumps(OTHERS), "utf-8")
    files.servers.write_text(json.dumps(SERVERS), "utf-8")
    install(files, wanted())
    assert held(files.settings)["hooks"]["UserPromptSubmit"][:2] == OTHERS["hooks"]["UserPromptSubmit"]  # type: ignore[index]
    assert uninstall(files, ROOT) == [files.settings, files.servers]
    assert held(files.settings) == OTHERS
    assert held(files.servers) == SERVERS
    assert uninstall(files, ROOT) == []


def test_uninstalled_nothing_is_left(files: Files) -> None:
    install(files, wanted())
    uninstall(files, ROOT)
    assert not files.settings.exists()
    assert not files.servers.exists()
    assert look(files, ROOT) == Entries()


def test_a_name_that_is_anothers_is_refused_before_anything_is_written(files: Files) -> None:
    files.servers.write_text(json.dumps(SERVERS))
    with pytest.raises(NameTaken):
        install(files, wanted(name="other"))
    assert not files.settings.exists()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"hooks": []}',
        '{"hooks": {"UserPromptSubmit": {}}}',
        '{"hooks": {"SessionStart": 1}}',
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_left_alone(files: Files, text: str) -> None:
    files.settings.parent.mkdir()
    files.settings.write_text(text)
    with pytest.raises(BadClientFile):
        install(files, wanted())
    assert files.settings.read_text() == text
    assert not files.servers.exists()


def test_entries_of_another_form_are_passed_over(files: Files) -> None:
    files.settings.parent.mkdir()
    odd = {"hooks": {"UserPromptSubmit": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}, {"command": "un'closed"}]}]}}
    files.settings.write_text(json.dumps(odd))
    files.servers.write_text('{"mcpServers": {"a": 1, "b": {"args": "mcp"}, "c": {"args": ["mcp", 5]}}}')
    install(files, wanted())
    uninstall(files, ROOT)
    assert held(files.settings) == odd
    assert set(held(files.servers)["mcpServers"]) == {"a", "b", "c"}


def test_a_folder_that_cannot_be_written_is_told(files: Files) -> None:
    files.settings.parent.write_text("a file")
    with pytest.raises((WriteFailed, StaleWrite, BadClientFile)):
        install(files, wanted())
    assert not files.servers.exists()


def test_a_link_that_leads_nowhere_is_told(files: Files) -> None:
    files.servers.symlink_to("/nowhere/at/all")
    with pytest.raises(BadClientFile, match="leads nowhere"):
        install(files, wanted())
    assert not files.settings.exists()


def test_a_link_is_written_through(files: Files, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    files.settings.parent.mkdir()
    files.settings.symlink_to(kept)
    install(files, wanted())
    assert files.settings.is_symlink()
    assert "hooks" in held(kept)
