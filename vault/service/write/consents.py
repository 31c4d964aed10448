"""Consents: what a person agrees to before a tool does it.

Each covers one call, once, at the versions it was shown for. A question is a file below `.vault/consents` that only
its owner can read. Its name is a random number, so no caller can choose a call that shares one. A file that cannot be
read, or that others may read or write, grants nothing.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault.errors import VaultError
from vault.store.files import WriteFailed, ensure_private_dir, make_derived_dir, write_atomic

if TYPE_CHECKING:
    from vault.service.runtime.handle import VaultHandle

#: Characters that the beginning of a number has at least.
BEGINNING = 8
#: How long an answered question waits for its call, and an open one for its answer.
AGREED_FOR, OPEN_FOR = timedelta(hours=1), timedelta(days=7)
#: Questions of one caller that are kept; the oldest go first.
KEPT = 50
_OPEN, _IN_USE = ".json", ".used"


class NoSuchConsent(VaultError):
    """A number that no question has, or too short a beginning of one."""

    code = "no-such-consent"

    def __init__(self, number: str, why: str = "no call waits for it") -> None:
        super().__init__(f"`{number}` names no consent: {why}", hint="`vault consent` lists the calls that wait")


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a consent covers it: who makes it, where, with which arguments, and the versions of what it changes."""

    tool: str
    arguments: Mapping[str, Any]
    space: str | None
    agent: str
    token: str
    versions: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Consent:
    """A question, and with `agreed` its answer; `about` is the text of what the call replaces, "" for none."""

    number: str
    call: Call
    about: str
    asked: datetime
    agreed: datetime | None = None

    def is_over(self, now: datetime) -> bool:
        """Whether it is too old to be answered or used."""
        begin, lifetime = (self.agreed, AGREED_FOR) if self.agreed else (self.asked, OPEN_FOR)
        return not timedelta(0) <= now - begin < lifetime


def waiting(vault: "VaultHandle") -> list[Consent]:
    """The open questions from where the reader stands, and from no space, the oldest first."""
    return [one for one in _read_all(vault) if one.agreed is None and one.call.space in (None, vault.reader.space)]


def find(vault: "VaultHandle", number: str) -> Consent:
    """The open question of a number or of a unique beginning of it. Raises `NoSuchConsent`."""
    if len(number) < BEGINNING:
        raise NoSuchConsent(number, f"give at least {BEGINNING} characters of its number")
    fitting = [one for one in waiting(vault) if one.number.startswith(number)]
    if not fitting:
        raise NoSuchConsent(number)
    if len(fitting) > 1:
        raise NoSuchConsent(number, f"{len(fitting)} numbers begin like this; give more of one")
    return fitting[0]


def agree(vault: "VaultHandle", number: str) -> Consent:
    """Answer a question with yes. Raises `NoSuchConsent`."""
    consent = replace(find(vault, number), agreed=vault.clock())
    _write(vault, consent)
    return consent


def ask(vault: "VaultHandle", call: Call, about: str) -> Consent:
    """Keep a question until a person answers it; the same call is asked about once."""
    known = _read_all(vault)
    same = next((one for one in known if one.agreed is None and _is_same(one.call, call)), None)
    if same:
        return same
    caller = (call.space, call.agent, call.token)
    own = [one for one in known if (one.call.space, one.call.agent, one.call.token) == caller]
    for one in own[: max(0, len(own) - KEPT + 1)]:
        (_folder(vault) / f"{one.number}{_OPEN}").unlink(missing_ok=True)
    consent = Consent(secrets.token_hex(16), call, about, vault.clock())
    _write(vault, consent)
    return consent


def given(vault: "VaultHandle", call: Call) -> Consent | None:
    """The consent to a call that a person has given and nobody has used; None without one."""
    return next((one for one in _read_all(vault) if one.agreed and _is_same(one.call, call)), None)


@contextmanager
def using(vault: "VaultHandle", consent: Consent) -> Iterator[bool]:
    """Use a consent up for what is done inside; if that fails, the consent is there again.

    Yields False where another call was quicker. A process that is killed inside has used it.
    """
    place = _folder(vault) / f"{consent.number}{_OPEN}"
    used = place.with_suffix(_IN_USE)
    try:
        place.rename(used)  # of two calls at once one finds the file
    except FileNotFoundError:
        yield False
        return
    try:
        yield True
    except BaseException:
        used.rename(place)
        raise
    used.unlink(missing_ok=True)


def _is_same(one: Call, other: Call) -> bool:
    return _text(asdict(one)) == _text(asdict(other))


def _text(data: object) -> str:
    return json.dumps(data, sort_keys=True)


def _read_all(vault: "VaultHandle") -> list[Consent]:
    """Every question that may still be answered or used, the oldest first; other files are removed."""
    found = []
    now = vault.clock()
    for place in _folder(vault).iterdir():
        consent = _read(place) if place.suffix == _OPEN else None
        if consent and not consent.is_over(now):
            found.append(consent)
        elif place.suffix != _IN_USE or _age(place, now) > AGREED_FOR:
            with suppress(OSError):
                place.unlink()
    return sorted(found, key=lambda one: (one.asked, one.number))


def _age(place: Path, now: datetime) -> timedelta:
    try:
        return now - datetime.fromtimestamp(place.stat().st_mtime, now.tzinfo)
    except FileNotFoundError:
        return timedelta(0)


def _read(place: Path) -> Consent | None:
    """The question of a file; None for a file that is damaged or not its owner's alone."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with open(handle, encoding="utf-8") as stream:  # noqa: PTH123  a descriptor, not a path
            status = os.fstat(handle)
            if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
                return None
            consent = _consent(json.load(stream))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return consent if consent.number == place.stem else None


def _consent(data: Mapping[str, Any]) -> Consent:
    """Read a question. Raises `KeyError`, `TypeError` and `ValueError` for data that is not one."""
    asked = datetime.fromisoformat(data["asked"])
    agreed = None if data["agreed"] is None else datetime.fromisoformat(data["agreed"])
    if asked.tzinfo is None or (agreed and agreed.tzinfo is None):
        raise ValueError("a time has no zone")
    return Consent(str(data["number"]), Call(**data["call"]), str(data["about"]), asked, agreed)


def _write(vault: "VaultHandle", consent: Consent) -> None:
    data = {
        "number": consent.number,
        "call": asdict(consent.call),
        "about": consent.about,
        "asked": consent.asked.isoformat(),
        "agreed": consent.agreed and consent.agreed.isoformat(),
    }
    place = _folder(vault) / f"{consent.number}{_OPEN}"
    write_atomic(place, json.dumps(data).encode(), root=vault.root, mode=0o600)


def _folder(vault: "VaultHandle") -> Path:
    folder = ensure_private_dir(vault.root) / "consents"
    make_derived_dir(folder)
    try:
        folder.chmod(0o700)
    except OSError as error:
        raise WriteFailed(str(folder), error.strerror or str(error)) from error
    return folder
