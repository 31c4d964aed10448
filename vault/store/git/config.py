"""Git's settings, and who a commit is by and when."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dulwich.config import Config, ConfigFile, StackedConfig, env_config, get_xdg_config_home_path
from dulwich.repo import Repo, sanitize_user_identity

from vault.errors import VaultError
from vault.store.files import Unreadable

_UNIX_DATE = re.compile(r"@?(\d{1,18})(?: ([+-])(\d{2})(\d{2}))?\Z")
_SHORTEST_UNIX = 9  # git reads fewer digits without `@` as something else


class MissingIdentity(VaultError):
    """Git does not know who commits."""

    code = "missing-identity"

    def __init__(self, role: str) -> None:
        super().__init__(
            f"git does not know the {role}'s name and address",
            hint='run `git config --global user.name "Your Name"` and `git config --global user.email you@example.com`',
        )


class BadDate(VaultError):
    """A commit date from the environment that is no date."""

    code = "bad-date"

    def __init__(self, variable: str, text: str) -> None:
        super().__init__(
            f"{variable} holds {text!r}, which is not a date",
            hint="write it as `@1700000000 +0000`, `2026-01-31T12:00:00+01:00` or `Sat, 31 Jan 2026 12:00:00 +0100`",
        )


@dataclass(frozen=True, slots=True)
class Person:
    """A name and an address as a commit records them."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who wrote a change, and who commits it."""

    author: Person
    committer: Person


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as a commit records it: seconds since 1970, and minutes east of UTC."""

    seconds: int
    offset: int

    def __str__(self) -> str:
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{self.seconds} {'-' if self.offset < 0 else '+'}{hours:02d}{minutes:02d}"


class Settings:
    """A repository's settings, with the person's and the machine's behind them."""

    def __init__(self, stack: Config, own: Config | None = None) -> None:
        """Read from `stack`; `own` is the part of it that is the repository's."""
        self.stack, self.own = stack, own

    def text(self, section: str, name: str) -> str | None:
        """Return a setting as text; `section` may be `gpg.ssh`."""
        try:
            value = self.stack.get(tuple(part.encode() for part in section.split(".", 1)), name.encode())
        except KeyError:
            return None
        return value.decode("utf-8", "replace")

    def is_own(self, section: str, name: str) -> bool:
        """Say whether the repository itself holds a setting: it is not the person's or the machine's alone."""
        return self.own is not None and Settings(self.own).text(section, name) is not None

    def personal_file(self, setting: str, name: str) -> Path:
        """Return the file that `core.<setting>` names, else the person's own `git/<name>`."""
        named = self.text("core", setting)
        return Path(named).expanduser() if named else Path(get_xdg_config_home_path("git", name))

    def flag(self, section: str, name: str, *, default: bool) -> bool:
        """Return a setting as yes or no."""
        value = self.text(section, name)
        if value is None:
            return default
        return value.casefold() in {"", "true", "yes", "on"} or (value.isdigit() and int(value) != 0)


def settings_of(repo: Repo, environ: Mapping[str, str] | None = None) -> Settings:
    """Read a repository's settings; `environ` may override them as git lets it (`GIT_CONFIG_COUNT`).

    Raises `Unreadable`.
    """
    try:
        own = StackedConfig(_repository_files(repo))
        behind = _with_conditions(repo, StackedConfig.default_backends())
    except OSError as error:
        raise Unreadable(str(error.filename or "git's configuration"), error.strerror or str(error)) from error
    override = env_config(environ) if environ else None
    return Settings(StackedConfig([*([] if override is None else [override]), *own.backends, *behind]), own)


def _repository_files(repo: Repo) -> list[ConfigFile]:
    """The repository's own settings; those of this working tree, which git keeps beside its index, come first."""
    shared = repo.get_config()
    if not shared.get_boolean((b"extensions",), b"worktreeconfig", default=False):
        return [shared]
    try:
        return [ConfigFile.from_path(Path(repo.controldir(), "config.worktree")), shared]
    except FileNotFoundError:
        return [shared]


def _with_conditions(repo: Repo, files: Iterable[ConfigFile]) -> list[ConfigFile]:
    """Read those settings again that have an `includeIf`, with what it makes of this repository."""
    conditions = repo._get_config_condition_matchers()  # noqa: SLF001  dulwich asks them of the repository's file alone
    return [
        ConfigFile.from_path(file.path, condition_matchers=conditions) if file.path and _has_condition(file) else file
        for file in files
    ]


def _has_condition(file: ConfigFile) -> bool:
    return any(section[0].lower() == b"includeif" for section in file.sections())


def identity_of(settings: Settings, environ: Mapping[str, str]) -> Identity:
    """Find who commits, in the environment and the settings; never guessed from the machine's name."""
    return Identity(_person(settings, environ, "author"), _person(settings, environ, "committer"))


def default_identity(environ: Mapping[str, str]) -> Identity:
    """Find who commits where there is no repository: in the environment and the person's own settings."""
    return identity_of(Settings(StackedConfig.default()), environ)


def _person(settings: Settings, environ: Mapping[str, str], role: str) -> Person:
    variable = f"GIT_{role.upper()}"
    name = environ.get(f"{variable}_NAME") or settings.text(role, "name") or settings.text("user", "name")
    email = environ.get(f"{variable}_EMAIL") or settings.text(role, "email") or settings.text("user", "email")
    email = email or environ.get("EMAIL")
    clean = sanitize_user_identity((name or "").encode("utf-8", "replace"), (email or "").encode("utf-8", "replace"))
    shown_name, _, shown_email = clean.decode().rpartition(" <")
    if not shown_name or shown_email == ">":
        raise MissingIdentity(role)
    return Person(shown_name, shown_email[:-1])


def stamp_of(environ: Mapping[str, str], role: str, now: datetime) -> Stamp:
    """Return `GIT_AUTHOR_DATE` or `GIT_COMMITTER_DATE`, else `now`."""
    variable = f"GIT_{role.upper()}_DATE"
    text = environ.get(variable, "").strip()
    if not text:
        return _stamp(now)
    unix = _UNIX_DATE.match(text)
    if unix and (text.startswith("@") or len(unix[1]) >= _SHORTEST_UNIX):
        minutes = int(unix[3] or 0) * 60 + int(unix[4] or 0)
        return Stamp(int(unix[1]), -minutes if unix[2] == "-" else minutes)
    return _stamp(_calendar_date(variable, text))


def _calendar_date(variable: str, text: str) -> datetime:
    from email.utils import parsedate_to_datetime  # few commits carry a date of their own

    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(_with_zone_joined(text))
        except (ValueError, TypeError):
            continue
    raise BadDate(variable, text)


def _with_zone_joined(text: str) -> str:
    """Join a zone written after a blank, as `git log --date=iso` prints it, to an ISO time."""
    return re.sub(r"^(\d{4}-\d{2}-\d{2}[ T][\d:.]+) ([+-]\d{4})\Z", r"\1\2", text)


def _stamp(instant: datetime) -> Stamp:
    aware = instant if instant.tzinfo else instant.astimezone()
    offset = aware.utcoffset()
    return Stamp(int(aware.timestamp()), int(offset.total_seconds() // 60) if offset else 0)
