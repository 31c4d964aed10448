"""`vault.yaml`: the settings of a vault, versioned with its data."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import tzinfo
from difflib import get_close_matches
from typing import Literal, cast

from vault.diagnostics import CODES, Severity
from vault.errors import VaultError
from vault.model.access import ASKED, GLOBAL, PERMISSIONS, RESERVED_SPACES, TOOLS, Permission
from vault.model.keys import is_space_name
from vault.model.yamltext import YamlError, put_yaml, read_yaml, write_yaml

SETTINGS_FILE = "vault.yaml"
FORMAT_VERSION = 1
DEFAULT_FILE_LIMIT = 5_000_000

DEFAULT_MODEL = "all-MiniLM-L6-v2-int8"
NO_MODEL = "none"
#: Languages whose stems and stop words the text index knows; "none" takes words as they are.
LANGUAGES = (
    "arabic danish dutch english finnish french german greek hungarian italian norwegian portuguese romanian russian"
    " spanish swedish tamil turkish none"
).split()

Fusion = Literal["rrf", "convex"]
FUSIONS: tuple[Fusion, ...] = ("convex", "rrf")

Chosen = Severity | Literal["off"]


class BadSettings(VaultError):
    """A `vault.yaml` that cannot be used; names the line."""

    code = "bad-settings"

    def __init__(self, problem: str, line: int, hint: str = "") -> None:
        super().__init__(
            f"{SETTINGS_FILE}:{line}: {problem}",
            hint=hint or f"correct {SETTINGS_FILE}; `git log -p {SETTINGS_FILE}` shows how it was",
            details={"path": SETTINGS_FILE, "line": line},
        )


@dataclass(frozen=True, slots=True)
class Space:
    """A declared space."""

    name: str
    private: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """How entries are found: the embedding model (`NO_MODEL`: by words alone), the fusion, the texts' language."""

    model: str = DEFAULT_MODEL
    fusion: Fusion = "convex"
    language: str = "english"


@dataclass(frozen=True, slots=True)
class Hydration:
    """What messages are given of the knowledge: whether anything is, and how much.

    `turns` is how long a match stays, `budget` the tokens of a block, `floor` the least cosine for meaning.
    """

    enabled: bool = True
    turns: int = 3
    budget: int = 800
    floor: float = 0.45


@dataclass(frozen=True, slots=True)
class Settings:
    """What `vault.yaml` says. `file_limit` is in bytes; a larger file is a diagnostic and is not read.

    `timezone` is an IANA name, "" for the machine's own. `allowed_names` are those that hygiene says nothing of.
    `permissions` are those of tools, by space; "" is everywhere else. `bundled` says whether the product's own entries
    are there, `aliases` whether tools are served under the names of older clients too.
    """

    spaces: Mapping[str, Space] = field(default_factory=dict)
    check: Mapping[str, Chosen] = field(default_factory=dict)
    file_limit: int = DEFAULT_FILE_LIMIT
    finding: Finding = Finding()
    timezone: str = ""
    allowed_names: tuple[str, ...] = ()
    permissions: Mapping[str, Mapping[str, Permission]] = field(default_factory=dict)
    hydration: Hydration = Hydration()
    bundled: bool = True
    aliases: bool = False

    @property
    def local(self) -> tzinfo | None:
        """The zone that a moment written without one is read in; None is the machine's."""
        if not self.timezone:
            return None
        from zoneinfo import ZoneInfo  # 5 ms, for vaults that set a zone

        return ZoneInfo(self.timezone)

    def is_private(self, scope: str) -> bool:
        """Say whether a scope is hidden from outside; so is a space nobody declared."""
        return scope not in RESERVED_SPACES and (scope not in self.spaces or self.spaces[scope].private)

    def public_spaces(self) -> list[str]:
        """The names of the declared spaces that are not private."""
        return sorted(name for name, space in self.spaces.items() if not space.private)

    def permission(self, tool: str, scope: str) -> Permission:
        """Whether a tool may be used in a scope."""
        for where in (scope, ""):
            if chosen := self.permissions.get(where, {}).get(tool):
                return chosen
        return "ask" if tool in ASKED else "always"


_NAMES = (
    *("version", "spaces", "check", "file_limit", "embedding", "search", "timezone", "hygiene", "permissions"),
    *("hydration", "bundled", "serve"),
)


def read_settings(text: str) -> Settings:
    """Read the text of `vault.yaml`; raises `BadSettings`."""
    try:
        data = read_yaml(text, SETTINGS_FILE)
    except YamlError as error:
        raise BadSettings(error.problem, error.line, error.hint) from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise BadSettings("the settings are a mapping of names to values", 1)
    _known(text, data, _NAMES)
    _version(text, data.get("version", FORMAT_VERSION))
    return Settings(
        spaces=_spaces(text, data.get("spaces") or {}),
        check=_check(text, data.get("check") or {}),
        file_limit=_file_limit(text, data.get("file_limit", DEFAULT_FILE_LIMIT)),
        finding=_finding(text, data.get("embedding"), data.get("search")),
        timezone=_timezone(text, data.get("timezone", "")),
        allowed_names=_allowed_names(text, data.get("hygiene") or {}),
        permissions=_permissions(text, data.get("permissions") or {}, [*(data.get("spaces") or {})]),
        hydration=_hydration(text, data.get("hydration")),
        bundled=_boolean(text, "bundled", data.get("bundled", True)),
        aliases=_aliases(text, data.get("serve")),
    )


def _line(text: str, key: object) -> int:
    """The line a key stands on, as near as its spelling tells."""
    match = re.search(rf"(?:^|[\s{{,\"'?]){re.escape(str(key))}[\"']?\s*:", text, re.MULTILINE)
    return text.count("\n", 0, match.end()) + 1 if match else 1


def _known(text: str, data: Mapping[object, object], names: tuple[str, ...]) -> None:
    for key in data:
        if key not in names:
            near = get_close_matches(str(key), names, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(names)}"
            raise BadSettings(f"`{key}` is not a setting", _line(text, key), hint)


def _version(text: str, version: object) -> None:
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise BadSettings(
            f"this vault is of format version {version}, and this program reads version {FORMAT_VERSION}",
            _line(text, "version"),
            "use a newer firm-vault",
        )


def _bad_space(text: str, name: object) -> "BadSettings":
    """What is wrong with the name of a space. YAML reads `no`, `123` and the like as other values than texts."""
    if isinstance(name, str):
        return BadSettings(f"`{name}` is not a name for a space", _line(text, name), "use a-z, 0-9, `_` and `-`")
    for number, line in enumerate(text.splitlines(), 1):
        for written in re.findall(r"(?:^|[{,]) *([^\s:#'\"{},]+) *:", line):
            with suppress(YamlError):
                if read_yaml(written, SETTINGS_FILE) == name:
                    problem = f"YAML reads the space `{written}` as {name!r}, which is not a text"
                    return BadSettings(problem, number, f'put it in quotes: `"{written}":`')
    return BadSettings(f"{name!r} is not a name for a space", 1, "use a-z, 0-9, `_` and `-`")


def _spaces(text: str, data: object) -> dict[str, Space]:
    if not isinstance(data, dict):
        raise BadSettings("`spaces` maps space names to their settings", _line(text, "spaces"))
    spaces = {}
    for name, given in data.items():
        line = _line(text, name)
        if not isinstance(name, str) or not is_space_name(name) or name in RESERVED_SPACES:
            raise _bad_space(text, name)
        about = {} if given is None else given
        if not isinstance(about, dict):
            raise BadSettings(f"the settings of the space `{name}` are a mapping", line, "as in `{private: true}`")
        _known(text, about, ("private", "description"))
        private = about.get("private", False)
        if not isinstance(private, bool):
            raise BadSettings(f"`private` of the space `{name}` is true or false", line)
        description = about.get("description") or ""
        if not isinstance(description, str):
            raise BadSettings(f"`description` of the space `{name}` is a text", line, "put it in quotes")
        spaces[name] = Space(name, private, description)
    return spaces


def _check(text: str, data: object) -> dict[str, Chosen]:
    if not isinstance(data, dict):
        raise BadSettings("`check` maps codes to severities", _line(text, "check"))
    _known(text, data, tuple(CODES))
    for code, severity in data.items():
        # YAML 1.1 reads the bare word `off` as false
        if severity is not False and severity not in ("error", "warning", "info", "off"):
            raise BadSettings(
                f"`{severity}` is not a severity for `{code}`",
                _line(text, code),
                "use error, warning, info or off",
            )
    return {code: cast("Chosen", severity or "off") for code, severity in data.items()}


def _file_limit(text: str, limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
        raise BadSettings("`file_limit` is a number of bytes", _line(text, "file_limit"))
    return limit


def _finding(text: str, embedding: object, search: object) -> Finding:
    if embedding == NO_MODEL:
        embedding = {"model": NO_MODEL}
    embedding = {} if embedding is None else embedding
    search = {} if search is None else search
    for name, given, known in (("embedding", embedding, ("model",)), ("search", search, ("fusion", "language"))):
        if not isinstance(given, dict):
            raise BadSettings(f"`{name}` is a mapping", _line(text, name), f"as in `{name}: {{{known[0]}: …}}`")
        _known(text, given, known)
    default = Finding()
    model = embedding.get("model", default.model)  # type: ignore[attr-defined]  # both are mappings by now
    fusion = search.get("fusion", default.fusion)  # type: ignore[attr-defined]
    language = search.get("language", default.language)  # type: ignore[attr-defined]
    if not isinstance(model, str) or not model.strip():
        raise BadSettings("`model` is the name of an embedding model, or none", _line(text, "model"))
    if fusion not in FUSIONS:
        raise BadSettings(
            f"`{fusion}` is not a way to combine rankings", _line(text, "fusion"), f"use one of {', '.join(FUSIONS)}"
        )
    if language not in LANGUAGES:
        near = get_close_matches(str(language), LANGUAGES, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known languages: {', '.join(LANGUAGES)}"
        raise BadSettings(f"`{language}` is not a language that search supports", _line(text, "language"), hint)
    return Finding(model.strip(), fusion, language)


def _timezone(text: str, name: object) -> str:
    if name in ("", None):
        return ""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(str(name)).key
    except (KeyError, ValueError, OSError) as error:
        raise BadSettings(
            f"`{name}` is not a time zone",
            _line(text, "timezone"),
            "give the IANA name, as in `Europe/Berlin` or `UTC`",
        ) from error


def _allowed_names(text: str, hygiene: object) -> tuple[str, ...]:
    if not isinstance(hygiene, dict):
        raise BadSettings("`hygiene` is a mapping", _line(text, "hygiene"), "as in `hygiene: {allow: [The Who]}`")
    _known(text, hygiene, ("allow",))
    names = hygiene.get("allow") or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise BadSettings("`allow` is a list of names", _line(text, "allow"), 'put each in quotes, as in `["1984"]`')
    return tuple(names)


def _permissions(text: str, data: object, declared: Sequence[str]) -> dict[str, dict[str, Permission]]:
    """The permissions of tools: those in `spaces` are of one space that is declared, the others of all."""
    if not isinstance(data, dict):
        raise BadSettings("`permissions` maps tools to always, ask or never", _line(text, "permissions"))
    _known(text, data, (*TOOLS, "spaces"))
    spaces = data.get("spaces") or {}
    if not isinstance(spaces, dict) or not all(isinstance(of, dict) for of in spaces.values()):
        raise BadSettings("`spaces` of `permissions` maps spaces to their permissions", _line(text, "permissions"))
    _known(text, spaces, (*declared, GLOBAL))
    found = {"": {tool: chosen for tool, chosen in data.items() if tool != "spaces"}, **spaces}
    for chosen in found.values():
        _known(text, chosen, TOOLS)
        for tool, permission in chosen.items():
            if permission not in PERMISSIONS:
                raise BadSettings(
                    f"`{permission}` is not a permission for `{tool}`", _line(text, tool), "use always, ask or never"
                )
    return {space: dict(chosen) for space, chosen in found.items() if chosen}


#: The settings of hydration that are numbers, with the least and the most of each.
_NUMBERS = {"turns": (0, 100), "budget": (100, 20_000), "floor": (0, 1)}


def _hydration(text: str, given: object) -> Hydration:
    if given is False:  # YAML 1.1 reads the bare word `off` as false
        return Hydration(enabled=False)
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise BadSettings("`hydration` is a mapping", _line(text, "hydration"), "as in `hydration: {enabled: false}`")
    _known(text, given, ("enabled", *_NUMBERS))
    if not isinstance(given.get("enabled", True), bool):
        raise BadSettings("`enabled` is true or false", _line(text, "enabled"))
    for name, (least, most) in _NUMBERS.items():
        value, kinds = given.get(name, least), (int, float) if name == "floor" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            raise BadSettings(f"`{name}` is a number from {least} to {most}", _line(text, name))
    return Hydration(**given)


def _boolean(text: str, name: str, given: object) -> bool:
    if not isinstance(given, bool):
        raise BadSettings(f"`{name}` is true or false", _line(text, name))
    return given


def _aliases(text: str, serve: object) -> bool:
    given = {} if serve is None else serve
    if not isinstance(given, dict):
        raise BadSettings("`serve` is a mapping", _line(text, "serve"), "as in `serve: {aliases: true}`")
    _known(text, given, ("aliases",))
    return _boolean(text, "aliases", given.get("aliases", False))


def write_settings(settings: Settings) -> str:
    """Write settings as the text of `vault.yaml`, leaving out what is at its default."""
    data: dict[str, object] = {"version": FORMAT_VERSION}
    if settings.spaces:
        data["spaces"] = {space.name: _space_data(space) for space in settings.spaces.values()}
    if settings.check:
        data["check"] = dict(settings.check)
    if settings.file_limit != DEFAULT_FILE_LIMIT:
        data["file_limit"] = settings.file_limit
    default, finding = Finding(), settings.finding
    if finding.model != default.model:
        data["embedding"] = {"model": finding.model}
    search = {name: getattr(finding, name) for name in ("fusion", "language")}
    if changed := {name: value for name, value in search.items() if value != getattr(default, name)}:
        data["search"] = changed
    if settings.timezone:
        data["timezone"] = settings.timezone
    if settings.allowed_names:
        data["hygiene"] = {"allow": list(settings.allowed_names)}
    if settings.permissions:
        spaces = {space: dict(chosen) for space, chosen in settings.permissions.items() if space}
        data["permissions"] = {**settings.permissions.get("", {}), **({"spaces": spaces} if spaces else {})}
    held, usual = asdict(settings.hydration), asdict(Hydration())
    if held != usual:
        data["hydration"] = {name: value for name, value in held.items() if value != usual[name]}
    switches = {"serve": {"aliases": True}} if settings.aliases else {}
    return write_yaml({**data, **switches, **({} if settings.bundled else {"bundled": False})})


def with_space(text: str, space: Space) -> str:
    """Declare or change a space in the text of `vault.yaml`; comments and layout stay.

    Raises `BadSettings` for a text that says it in a way only a person can change.
    """
    settings = read_settings(text)
    held = settings.spaces.get(space.name)
    if held is None:
        text = put_yaml(text, ("spaces", space.name), _space_data(space))
    else:
        for name in ("private", "description"):
            if getattr(held, name) != getattr(space, name):
                text = put_yaml(text, ("spaces", space.name, name), getattr(space, name))
    with suppress(BadSettings):
        if read_settings(text) == replace(settings, spaces={**settings.spaces, space.name: space}):
            return text
    raise BadSettings(
        f"the space `{space.name}` is written in a way that is not changed here",
        _line(text, space.name if held else "spaces"),
        f"change it in an editor: `{space.name}: {_space_data(space)}` below `spaces:`",
    )


def _space_data(space: Space) -> dict[str, object]:
    about: dict[str, object] = {"private": True} if space.private else {}
    if space.description:
        about["description"] = space.description
    return about
