"""Claude Code's own settings: the hook that hydrates each prompt, and the server that its tools come from."""

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from vault.errors import UsageError, VaultError
from vault.store.files import WriteFailed, check_unchanged, read_optional, remove, write_atomic

#: Seconds that Claude Code waits for the hook before it goes on without.
PATIENCE = 10
#: Event of Claude Code → which of its occasions: each prompt, and where earlier blocks have gone out of view.
EVENTS = {"UserPromptSubmit": None, "SessionStart": "compact|clear"}
#: What is run at an event, with what it is told on standard input.
WORDS = ("hydrate", "--event")
#: Claude Code takes exit code 2 for "refuse the prompt".
NEVER_REFUSE = "|| exit 1"

Data = dict[str, Any]


class BadClientFile(VaultError):
    """A settings file of another program that is not as that program writes it."""

    code = "bad-client-file"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} cannot be changed: {why}",
            hint="correct it, or add the entries by hand: docs/agents.md has them",
            details={"path": str(path)},
        )


class NameTaken(UsageError):
    """A name that another server has."""

    code = "name-taken"

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(f"{path} has a server `{name}` that is not this vault's", hint="choose another with --name")


@dataclass(frozen=True, slots=True)
class Files:
    """Where Claude Code looks: for hooks in its `settings`, for servers in `servers`."""

    settings: Path
    servers: Path

    @classmethod
    def of_project(cls, folder: Path) -> "Files":
        """Those of a project: the person's own settings there, and the servers everyone may share."""
        return cls(folder / ".claude" / "settings.local.json", folder / ".mcp.json")

    @classmethod
    def of_user(cls, home: Path) -> "Files":
        """Those of a person, for all their projects."""
        return cls(home / ".claude" / "settings.json", home / ".claude.json")


@dataclass(frozen=True, slots=True)
class Entries:
    """What is installed of a vault: the hook's command, and the name and command of its server."""

    hook: str | None = None
    name: str | None = None
    server: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to install: the program, the vault, the space and agent to be, and whether meaning counts for prompts."""

    program: str
    root: Path
    name: str = "vault"
    space: str | None = None
    agent: str | None = None
    meaning: bool = False

    @property
    def _vault(self) -> list[str]:
        where = ["--space", self.space] if self.space else ["--global"]
        return [self.program, "-C", str(self.root), *where]

    @property
    def _agent(self) -> list[str]:
        return ["--agent", self.agent] if self.agent else []

    @property
    def hook(self) -> str:
        """The command of the hook."""
        words = [*self._vault, *WORDS, *self._agent, *(["--meaning"] if self.meaning else [])]
        return f"{shlex.join(words)} {NEVER_REFUSE}"

    @property
    def server(self) -> list[str]:
        """The command of the server."""
        return [*self._vault, "mcp", *self._agent]


def install(files: Files, wanted: Wanted) -> list[Path]:
    """Write the hook and the server, in place of this vault's former ones; returns the files that changed.

    Everything else in them stays. Raises `BadClientFile`, `NameTaken`, `StaleWrite` and `WriteFailed`.
    """

    def hooks(data: Data) -> None:
        _take_out(data, wanted.root, files.settings)
        for event, matcher in EVENTS.items():
            group = {} if matcher is None else {"matcher": matcher}
            run = {"type": "command", "command": wanted.hook, "timeout": PATIENCE}
            _part(_part(data, "hooks", {}, files.settings), event, [], files.settings).append({**group, "hooks": [run]})

    def servers(data: Data) -> None:
        held = _part(data, "mcpServers", {}, files.servers)
        for name in _ours(held, wanted.root):
            del held[name]
        if wanted.name in held:
            raise NameTaken(wanted.name, files.servers)
        program, *rest = wanted.server
        held[wanted.name] = {"type": "stdio", "command": program, "args": rest}

    return _changed([(files.settings, hooks), (files.servers, servers)])


def uninstall(files: Files, root: Path) -> list[Path]:
    """Take out a vault's hook and server; returns the files that changed. Raises as `install`."""

    def servers(data: Data) -> None:
        held = _part(data, "mcpServers", {}, files.servers)
        for name in _ours(held, root):
            del held[name]
        if not held:
            del data["mcpServers"]

    return _changed([(files.settings, lambda data: _take_out(data, root, files.settings)), (files.servers, servers)])


def look(files: Files, root: Path) -> Entries:
    """What is installed of a vault. Raises `BadClientFile`."""
    settings, servers = _read(files.settings)[1], _read(files.servers)[1]
    hook = next((run["command"] for _, _, run in _runs(settings) if _is_of(run.get("command"), root)), None)
    held = _part(servers, "mcpServers", {}, files.servers)
    name = next(iter(_ours(held, root)), None)
    return Entries(hook, name, [str(held[name]["command"]), *map(str, held[name]["args"])] if name else ())


# -- the files


def _changed(edits: Sequence[tuple[Path, Callable[[Data], None]]]) -> list[Path]:
    """Change files, all of which are looked at before the first is written."""
    waiting = []
    for path, edit in edits:
        before, data = _read(path)
        was = json.dumps(data)
        edit(data)
        if json.dumps(data) != was:
            is_kept = bool(data) or path.is_symlink()  # else nothing is left in it
            waiting.append((path, before, f"{json.dumps(data, indent=2, ensure_ascii=False)}\n" if is_kept else ""))
    for path, before, after in waiting:
        check_unchanged(path, before)
        if not after:
            remove(path)
            continue
        try:
            path.parent.mkdir(exist_ok=True, parents=True)
        except OSError as error:
            raise WriteFailed(str(path.parent), error.strerror or str(error)) from error
        write_atomic(path, after.encode())
    return [path for path, _, _ in waiting]


def _read(path: Path) -> tuple[bytes | None, Data]:
    held = read_optional(path)
    if held is None and path.is_symlink():
        raise BadClientFile(path, "it is a link that leads nowhere")
    try:
        data = json.loads(held.decode("utf-8-sig"), parse_constant=_no_number) if held and held.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadClientFile(path, f"it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadClientFile(path, "it holds no JSON object")
    return held, data


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _part(data: Data, name: str, empty: Any, path: Path) -> Any:
    """What stands under a name, made where nothing does."""
    held = data.setdefault(name, empty)
    if not isinstance(held, type(empty)):
        raise BadClientFile(path, f"`{name}` is no {'object' if empty == {} else 'list'}")
    return held


# -- what is ours in them


def _runs(settings: Data) -> Iterator[tuple[list[Any], Data, Data]]:
    """Each command of our events, with its group and the list that holds it; what is of another form is passed over."""
    hooks = settings.get("hooks")
    for event in EVENTS:
        groups = hooks.get(event) if isinstance(hooks, dict) else None
        if not isinstance(groups, list):
            continue
        for group in list(groups):
            runs = group.get("hooks") if isinstance(group, dict) else None
            for run in list(runs) if isinstance(runs, list) else []:
                if isinstance(run, dict):
                    yield groups, group, run


def _take_out(settings: Data, root: Path, path: Path) -> None:
    """Take a vault's hooks out, and with them groups and events that are empty then."""
    found = [one for one in _runs(settings) if _is_of(one[2].get("command"), root)]
    for groups, group, run in found:
        group["hooks"].remove(run)
        if not group["hooks"]:
            groups.remove(group)
    if found:
        held = _part(settings, "hooks", {}, path)
        for event in [event for event in EVENTS if held.get(event) == []]:
            del held[event]
        if not held:
            del settings["hooks"]


def _is_of(command: object, root: Path) -> bool:
    """Whether a command hydrates from a vault."""
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    return set(WORDS) <= set(words) and _names(words, root)


def _ours(servers: Data, root: Path) -> list[str]:
    """The names of the servers that serve a vault."""
    found = []
    for name, one in servers.items():
        words = one.get("args") if isinstance(one, dict) else None
        if isinstance(words, list) and "mcp" in words and _names(words, root) and isinstance(one.get("command"), str):
            found.append(name)
    return found


def _names(words: Sequence[object], root: Path) -> bool:
    return any(pair == ("-C", str(root)) for pair in pairwise(words))
